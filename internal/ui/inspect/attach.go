package inspect

import (
	"slices"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// attachCommand is the command that starts a shell on the node of a process, through the transport that reaches the
// node; "" if none is needed or known.
func attachCommand(s *part.Scene, t *tally.Target, route string) string {
	switch route {
	case "ssh", "control", "openssh":
		return overSSH(s, t.Node)
	case "srun":
		if job := jobOn(s, t); job != nil && job.Number != "" {
			return onLogin(s, overSLURM(job, t.Node))
		}
	}
	return ""
}

// overSSH returns a command that starts a shell on a node. Behind a login host, the user name on the nodes is the one
// on the login host, not the local one.
func overSSH(s *part.Scene, node string) string {
	if s.Login == "" {
		return shellCommandLine("ssh", "-t", node)
	}
	if user := s.Snap.Discovery.User; user != "" {
		node = user + "@" + node
	}
	return shellCommandLine("ssh", "-t", "-J", s.Login, node)
}

// overSLURM returns a command that starts a shell on a node of a job. srun expects the number of the first component of
// a heterogeneous job, and the own number of an array task.
func overSLURM(job *cluster.JobView, node string) string {
	of := []string{"--jobid=" + job.Number}
	if leader, group, isHet := job.Component(); isHet {
		of = []string{"--jobid=" + leader, "--het-group=" + group}
	}
	return shellCommandLine(slices.Concat([]string{"srun", "--overlap", "--pty"}, of,
		[]string{"-w", node, "-N1", "-n1", "bash"})...)
}

// onLogin returns a SLURM command in the form in which it runs on the login node.
func onLogin(s *part.Scene, of string) string {
	if s.Login == "" {
		return of
	}
	host := s.Login
	if !strings.HasPrefix(host, "ssh://") && strings.Contains(host, ":") {
		host = "ssh://" + host // the only form in which ssh takes a port
	}
	return shellCommandLine("ssh", "-t", host, of)
}

// jobOn returns the job of a process; nil if SLURM does not list the job: then only the node has named it, and the name
// could be shell code. A node may name another component of a heterogeneous job than its own.
func jobOn(s *part.Scene, t *tally.Target) *cluster.JobView {
	job := s.Snap.JobWith(t.Job)
	if job == nil {
		return nil
	}
	whole, _, isHet := job.Component()
	if !isHet || slices.Contains(job.Nodes, t.Node) {
		return job
	}
	for i := range s.Snap.Jobs {
		j := &s.Snap.Jobs[i]
		if leader, _, isHet := j.Component(); isHet && leader == whole && slices.Contains(j.Nodes, t.Node) {
			return j
		}
	}
	return job
}

// shellCommandLine quotes words as a command line for a POSIX shell.
func shellCommandLine(words ...string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = shellWord(w)
	}
	return strings.Join(quoted, " ")
}

// plain has the characters that have no special meaning in any shell.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%_+=:,./-"

func shellWord(w string) string {
	if w != "" && strings.Trim(w, plain) == "" {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}

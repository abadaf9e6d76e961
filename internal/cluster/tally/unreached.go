package tally

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// GiveUp returns a Snapshot for when nobody waits any longer. Each node that is still being reached has a Failure, from
// the door that came farthest.
func GiveUp(s *cluster.Snapshot) *cluster.Snapshot {
	waiting, _ := NodesThat(s, func(n *cluster.Node) bool {
		return n.State == cluster.NodeConnecting && n.Failure == nil && len(n.Steps) > 0
	})
	if len(waiting) == 0 {
		return s
	}
	given := *s
	given.Nodes = maps.Clone(s.Nodes)
	for _, n := range waiting {
		late := *n
		late.Failure = reachFailure(n, s.At)
		given.Nodes[n.Name] = &late
	}
	return &given
}

// reachFailure returns the failure of a node that is not reached at a given time. A door that was given up may have
// come farther than the current one.
func reachFailure(n *cluster.Node, at time.Time) *reach.Failure {
	if p := n.Passed; p != nil && p.Left <= n.StagesLeft() {
		f := *p.Failure
		f.Short, f.Next = p.Door+": "+f.Short, false
		return &f
	}
	now := n.Steps[len(n.Steps)-1]
	f := lateness[now.Stage]
	if f.Class == "" {
		f = reach.Failure{Class: reach.ClassTimeout, Short: "no answer", Meaning: "The node has not been reached yet."}
	}
	f.Stage, f.Short = now.Stage, fmt.Sprintf("%s after %ds", f.Short, int(at.Sub(now.At).Seconds()+0.5))
	if now.Text != "" {
		f.Detail = now.Text
	}
	if now.Stage == "probe" && loggedIn(n) {
		f.Short = "login accepted, " + f.Short
		f.Hints = []string{"reproduce with: ssh " + n.Name + " true"}
	}
	return &f
}

// lateness describes the stages that take too long. Other stages are "no answer".
var lateness = map[reach.Stage]reach.Failure{
	"name": {Class: reach.ClassUnknownHost, Short: "name not resolved", Meaning: "The host name does not resolve."},
	"ssh": {Class: reach.ClassFrozen, Short: "sshd not responding",
		Meaning: "sshd does not respond: the node is hung, or the login takes long."},
	"login": {Class: reach.ClassLoginHangs, Short: "login not finished",
		Meaning: "sshd responds but the login hangs: LDAP, PAM or the home file system."},
	"shell": {Class: reach.ClassProbeLate, Short: "login accepted, but no command runs",
		Meaning: "The login shell does not begin nvnodetop's command: its startup files print, read or hang."},
	"probe": {Class: reach.ClassProbeLate, Short: "probe not started",
		Meaning: "Commands on the node do not start in time: the startup files of the shell print, read or hang, the node " +
			"is overloaded, or its home file system hangs."},
	"driver": {Class: reach.ClassDriverHangs, Short: "driver not responding",
		Meaning: "The probe runs, but the NVIDIA driver does not respond."},
	"stream": {Class: reach.ClassSilent, Short: "no report", Meaning: "The probe runs, but has not reported yet."},
}

// loggedIn reports whether a login of the current attempt is done.
func loggedIn(n *cluster.Node) bool {
	return slices.ContainsFunc(n.Steps, func(s reach.Step) bool {
		return s.State == reach.StepDone && (s.Stage == "login" || s.Stage == "shell" || s.Stage == "master")
	})
}

package soak

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/slurm/notation"
)

// mood is the behavior of the controller.
type mood string

const (
	fine       mood = "fine"
	away       mood = "away"       // it refuses connections
	hanging    mood = "hangs"      // it never answers
	babbling   mood = "garbage"    // the answers are not those of SLURM's commands
	truncating mood = "truncates"  // the answers end in the middle
	restarting mood = "restarting" // it has no jobs yet
	slow       mood = "slow"
)

// controller is a fake slurmctld with its jobs, as squeue, scontrol and sacct show it.
type controller struct {
	mu      sync.Mutex // protects the following
	random  *rand.Rand
	mood    mood
	since   time.Time // time of the mood
	jobs    []*fakeJob
	ended   map[string]*fakeJob // ended jobs that it remembers, by number
	drained map[string]bool
	next    int // number of the next job
	total   int // number of jobs so far
	calls   int
	answers int // number of valid answers to squeue
}

// fakeJob is a running job.
type fakeJob struct {
	id, number, name string
	nodes            []string
	start, over      time.Time // over: time of its end, planned or past
}

// run is a command.Runner.
func (c *controller) run(ctx context.Context, argv ...string) (stdout, stderr []byte, err error) {
	c.mu.Lock()
	mood := c.mood
	c.calls++
	c.mu.Unlock()
	took := 20 * time.Millisecond
	if mood == slow {
		took = 6 * time.Second
	}
	if mood == hanging {
		took = time.Hour
	}
	if !wait(ctx, took) {
		return nil, nil, context.Cause(ctx)
	}
	if mood == away && !isLocal(argv) {
		return nil, []byte("slurm_load_jobs error: Unable to contact slurm controller (connect failure)\n"),
			errors.New("exit status 1")
	}
	if mood == babbling {
		return []byte("\x00\x01<html><body>502 Bad Gateway</body></html>\n"), nil, nil
	}
	out, words, err := c.answer(argv)
	if mood == truncating {
		out = out[:len(out)*2/3]
	}
	return out, words, err
}

// isLocal reports whether a command asks nobody.
func isLocal(argv []string) bool { return len(argv) > 2 && argv[2] == "hostnames" }

func (c *controller) answer(argv []string) (stdout, stderr []byte, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if argv[0] == "squeue" {
		c.answers++
	}
	var out strings.Builder
	switch line := strings.Join(argv, " "); {
	case argv[0] == "squeue":
		c.squeue(&out, argv)
	case strings.HasPrefix(line, "scontrol show hostnames "):
		for i, list := range strings.Split(argv[3], ",-,") {
			if i > 0 {
				out.WriteString("-\n")
			}
			hosts, err := notation.ExpandHosts(list)
			if err != nil {
				return nil, nil, err
			}
			out.WriteString(strings.Join(hosts, "\n") + "\n")
		}
	case strings.HasPrefix(line, "scontrol show node "):
		c.showNodes(&out, strings.Split(argv[3], ","))
	case strings.HasPrefix(line, "scontrol show job -d "):
		return c.showJob(argv[4])
	case strings.HasPrefix(line, "scontrol show job "):
		return c.showEnded(argv[3])
	case argv[0] == "sacct":
		return nil, []byte("Slurm accounting storage is disabled\n"), errors.New("exit status 1")
	default:
		return nil, nil, fmt.Errorf("the test expects no %q", line)
	}
	return []byte(out.String()), nil, nil
}

func (c *controller) squeue(out *strings.Builder, argv []string) {
	format := ""
	for _, a := range argv {
		if f, ok := strings.CutPrefix(a, "--format="); ok {
			format = f
		}
	}
	if !slices.Contains(argv, "--noheader") {
		out.WriteString(strings.NewReplacer("%i", "JOBID", "%A", "JOBID", "%t", "ST", "%P", "PARTITION", "%u", "USER",
			"%S", "START_TIME", "%e", "END_TIME",
			"%l", "TIME_LIMIT", "%D", "NODES", "%b", "TRES_PER_NODE", "%r", "REASON", "%N", "NODELIST", "%j",
			"NAME").Replace(format) + "\n")
	}
	if c.mood == restarting {
		return
	}
	for _, j := range c.jobs {
		stamp := func(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05") }
		out.WriteString(strings.NewReplacer("%i", j.id, "%A", j.number, "%t", "R", "%P", "gpu", "%u", "alice", "%S",
			stamp(j.start), "%e", stamp(j.start.Add(24*time.Hour)),
			"%l", "1-00:00:00", "%D", fmt.Sprint(len(j.nodes)), "%b", fmt.Sprintf("gres:gpu:%d", gpusEach), "%r",
			"None", "%N", hostlistOf(j.nodes), "%j", j.name).Replace(format) + "\n")
	}
}

// hostlistOf returns consecutive nodes in SLURM's notation.
func hostlistOf(nodes []string) string {
	if len(nodes) == 1 {
		return nodes[0]
	}
	return "n[" + nodes[0][1:] + "-" + nodes[len(nodes)-1][1:] + "]"
}

func (c *controller) showNodes(out *strings.Builder, names []string) {
	for _, name := range names {
		state := "ALLOCATED"
		if c.drained[name] {
			state = "ALLOCATED+DRAIN"
		}
		fmt.Fprintf(out, "NodeName=%s Arch=x86_64 CoresPerSocket=16 \n   Gres=gpu:h100:%d(S:0-1)\n   State=%s "+
			"ThreadsPerCore=1\n   CfgTRES=cpu=64,mem=500G,billing=64,gres/gpu=%d\n\n", name, gpusEach, state, gpusEach)
	}
}

func (c *controller) showJob(id string) (stdout, stderr []byte, err error) {
	var out strings.Builder
	for _, j := range c.jobs {
		if array, _, _ := strings.Cut(j.id, "_"); array == id {
			fmt.Fprintf(&out, "JobId=%s JobName=%s\n   JobState=RUNNING Reason=None Dependency=(null)\n   "+
				"NodeList=%s\n     Nodes=%s CPU_IDs=0-63 Mem=0 GRES=gpu:h100:%d(IDX:0-%d)\n\n", j.number, j.name,
				hostlistOf(j.nodes), hostlistOf(j.nodes), gpusEach, gpusEach-1)
		}
	}
	if out.Len() == 0 {
		return nil, []byte("slurm_load_jobs error: Invalid job id specified\n"), errors.New("exit status 1")
	}
	return []byte(out.String()), nil, nil
}

func (c *controller) showEnded(id string) (stdout, stderr []byte, err error) {
	var out strings.Builder
	for _, j := range c.ended {
		if array, _, _ := strings.Cut(j.id, "_"); array == id || j.id == id {
			fmt.Fprintf(&out, "JobId=%s JobName=%s\n   JobState=COMPLETED Reason=None Dependency=(null)\n   "+
				"Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:0\n   StartTime=%s EndTime=%s Deadline=N/A\n\n",
				j.number, j.name, j.start.UTC().Format("2006-01-02T15:04:05"),
				j.over.UTC().Format("2006-01-02T15:04:05"))
		}
	}
	if out.Len() == 0 {
		return nil, []byte("slurm_load_jobs error: Invalid job id specified\n"), errors.New("exit status 1")
	}
	return []byte(out.String()), nil, nil
}

// become gives the controller another mood.
func (c *controller) become(m mood) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mood != m {
		c.mood, c.since = m, time.Now()
	}
}

// submit starts a job.
func (c *controller) submit(name string, nodes []string, lasts time.Duration) {
	c.next++
	c.total++
	number := fmt.Sprint(c.next)
	id := number
	if c.random.IntN(3) == 0 { // a task of an array
		id = fmt.Sprintf("%d_%d", c.next-1, 1)
	}
	c.jobs = append(c.jobs, &fakeJob{id: id, number: number, name: name, nodes: nodes, start: time.Now(),
		over: time.Now().Add(lasts)})
}

// forgetAfter is SLURM's MinJobAge.
const forgetAfter = 5 * time.Minute

// turn ends the jobs whose time is over, starts others on the nodes that are free, and requeues the large job now and
// then.
func (c *controller) turn(large, small []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	for number, j := range c.ended {
		if now.Sub(j.over) > forgetAfter {
			delete(c.ended, number)
		}
	}
	busy := map[string]bool{}
	c.jobs = slices.DeleteFunc(c.jobs, func(j *fakeJob) bool {
		if j.over.After(now) {
			for _, n := range j.nodes {
				busy[n] = true
			}
			return false
		}
		c.ended[j.number] = j
		return true
	})
	if !busy[large[0]] {
		c.submit("llama-70b", large, 3*time.Hour)
	} else if c.random.IntN(400) == 0 {
		c.jobs[0].start = now // requeued
	}
	for i := 0; i < len(small); i++ {
		width := 1 + c.random.IntN(2)
		if nodes := small[i:min(i+width, len(small))]; !slices.ContainsFunc(nodes,
			func(n string) bool { return busy[n] }) && c.random.IntN(4) > 0 {
			c.submit("eval", nodes, time.Minute+time.Duration(c.random.Int64N(int64(2*time.Minute))))
			i += len(nodes) - 1
		}
	}
	slices.SortFunc(c.jobs, func(a, b *fakeJob) int { return len(b.nodes) - len(a.nodes) })
}

// watched are the nodes of running jobs.
func (c *controller) watched() map[string]bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	nodes := map[string]bool{}
	for _, j := range c.jobs {
		for _, n := range j.nodes {
			nodes[n] = true
		}
	}
	return nodes
}

package cluster

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/pkg/schema"
)

// hangs is how many jobs the test of hangs starts, each on all nodes; 0: each kind once, on two nodes.
var hangs = flag.Int("hangs", 0, "how many jobs that hang, or seem to, to start on all nodes")

// hang is something that a rank of testdata/train.py does while the others wait for it.
type hang struct {
	does   string   // a method of Trouble
	frame  string   // where the rank is, if it is anywhere
	says   []string // a sentence contains it; %d is the rank
	nccl   string   // the scenario of test/rasd
	states []schema.StackState
}

var someHangs = []hang{
	{"data", "_try_get_data", []string{"rank %d ", "/run/frozen/shard-0317.tar"}, "stuck %d", stuck},
	{"sleep", "sleep", []string{"rank %d "}, "stuck %d", stuck},
	{"stopped", "", []string{"rank %d ", "is stopped by a signal"}, "silent %d", stuck},
	// Without NCCL a rank that has not come to its GPU yet looks the same.
	{"killed", "", []string{"ank %d: no process"}, "silent %d",
		[]schema.StackState{schema.StacksStuck, schema.StacksUnclear}},
	// A loop looks like work that takes long.
	{"loop", "loop", []string{"rank %d "}, "stuck %d", []schema.StackState{schema.StacksUnclear}},
	{"deadlock", "deadlock", []string{"rank %d "}, "stuck %d", stuck},
	{"evaluate", "evaluate", nil, "stuck %d", []schema.StackState{schema.StacksMoving, schema.StacksUnclear}},
	{"none", "", nil, "moving", []schema.StackState{schema.StacksMoving}},
}

var stuck = []schema.StackState{schema.StacksStuck}

// The verdict on a job names the rank for which the others wait, and its frame; and a job that works is not stuck.
func TestHangsNameTheRank(t *testing.T) {
	rasd, train := withRASD(t), do(t, "put", "testdata/train.py")
	sets := make(chan []string, nodes/2)
	if *hangs == 0 {
		for i := 1; i < nodes; i += 2 {
			sets <- []string{fmt.Sprintf("node%02d", i), fmt.Sprintf("node%02d", i+1)}
		}
	} else {
		var all []string
		for i := range nodes {
			all = append(all, fmt.Sprintf("node%02d", i+1))
		}
		sets <- all
	}
	for i := range cmp.Or(*hangs, len(someHangs)) {
		h := someHangs[i%len(someHangs)]
		name := fmt.Sprintf("%02d %s", i+1, h.does)
		var ras []string
		if (i+i/len(someHangs))%2 == 1 {
			name += " and NCCL"
			ras = []string{"RASD=" + rasd}
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			on := <-sets
			t.Cleanup(func() { sets <- on })
			victim := rand.IntN(4 * len(on))
			if h.does == "evaluate" {
				victim = 0
			}
			d, took := h.stacks(t, on, victim, append(ras, "TRAIN="+train))
			t.Logf("rank %d: %s after %.1f s: %s", victim, d.State, took.Seconds(), strings.Join(d.Said, " "))
			if wrong := h.wrong(victim, d); wrong != "" {
				text, _ := json.MarshalIndent(d, "", " ")
				t.Errorf("rank %d: %s\n%s", victim, wrong, text)
			}
		})
	}
}

// withRASD puts the fake RAS where all hosts see it, and returns its path there.
func withRASD(t *testing.T) string {
	t.Helper()
	exe := filepath.Join(t.TempDir(), "rasd")
	if out, err := exec.Command("go", "build", "-o", exe, "../rasd").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return do(t, "put", exe)
}

// stacks starts a job on some nodes, of which a rank does something, and asks about it then.
func (h hang) stacks(t *testing.T, on []string, victim int, env []string) (d *schema.Stacks, took time.Duration) {
	t.Helper()
	disk := on[victim/4]
	if h.does == "data" {
		fault(t, "disk", disk)
	}
	dir := do(t, "on", "-u", "alice", "login", "mktemp", "-d", "-p", "/home/alice")
	t.Cleanup(func() { do(t, "on", "login", "rm", "-r", dir) })
	line := fmt.Sprintf("export HEAD=$(hostname) %s; srun --kill-on-bad-exit=0 /usr/bin/python3 $TRAIN %s %d %s",
		strings.Join(env, " "), h.does, victim, dir)
	id := submits(t, "alice", line, "-w", strings.Join(on, ","), "-N", strconv.Itoa(len(on)), "--ntasks-per-node=4",
		"--gres=gpu:4", "-J", h.does, "-o", dir+"/out")
	appears(t, dir+"/troubled")
	do(t, "on", "login", "sh", "-c", `echo "$1" >"$2"/scenario`, "sh",
		strings.ReplaceAll(h.nccl, "%d", strconv.Itoa(victim)), dir)
	if h.does == "data" {
		do(t, "fault", "freeze", disk)
		t.Cleanup(func() { do(t, "fault", "thaw", disk) })
	}
	time.Sleep(time.Second) // the others arrive
	r := runs(t, "stacks", "--json", id)
	if err := json.Unmarshal([]byte(r.stdout), &d); err != nil {
		t.Fatalf("stacks printed %q (stderr %q): %v", r.stdout, r.stderr, err)
	}
	return d, r.took
}

// appears waits for a file on the login node.
func appears(t *testing.T, file string) {
	t.Helper()
	for began := time.Now(); time.Since(began) < slack; time.Sleep(200 * time.Millisecond) {
		if _, err := script("on", "login", "test", "-e", file); err == nil {
			return
		}
	}
	t.Fatalf("there is no %s", file)
}

// wrong says what is wrong with a verdict; "": nothing.
func (h hang) wrong(victim int, d *schema.Stacks) string {
	said := strings.Join(d.Said, " ")
	for _, want := range h.says {
		if want = strings.ReplaceAll(want, "%d", strconv.Itoa(victim)); !strings.Contains(said, want) {
			return fmt.Sprintf("it does not say %q", want)
		}
	}
	if !slices.Contains(h.states, d.State) {
		return fmt.Sprintf("the state is %s, want one of %v", d.State, h.states)
	}
	for i := range d.Groups {
		g := &d.Groups[i]
		for _, r := range g.Ranks {
			if r.Rank == nil {
				return "a rank has no number"
			} else if g.Outlier && *r.Rank != victim && d.State == schema.StacksStuck {
				return fmt.Sprintf("rank %d is marked too", *r.Rank)
			} else if *r.Rank == victim && !at(g.Frames, h.frame) {
				return fmt.Sprintf("the rank is not in %s", h.frame)
			}
		}
	}
	return ""
}

// at reports whether a function is among the frames; "" always is.
func at(frames []schema.StackFrame, function string) bool {
	return function == "" || slices.ContainsFunc(frames, func(f schema.StackFrame) bool {
		return f.Function == function
	})
}

package doctor

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
	"github.com/nvnodetop/nvnodetop/test/golden"
	"github.com/nvnodetop/nvnodetop/test/valid"
)

var now = time.Date(2026, 11, 20, 18, 42, 7, 0, time.UTC)

// sound is facts without anything wrong: one job with four GPUs on one node, which ssh and srun reach.
func sound() *Facts {
	job := cluster.Job{ID: "12", Number: "12", Nodes: []string{"gpu01"}, Counts: map[string]int{"gpu01": 4}}
	return &Facts{
		At: now, Program: "1.0", User: "alice", Host: "login1", ClockLimit: 5 * time.Second,
		Slurm: Slurm{
			Tools: []Tool{{Name: "squeue", Version: "slurm 23.11.4", Took: 3 * time.Millisecond},
				{Name: "scontrol", Version: "slurm 23.11.4"}, {Name: "srun", Missing: true}},
			Cluster: "alps", Asked: true, Jobs: []cluster.Job{job}, Pending: 1, Took: 12 * time.Millisecond,
		},
		Nodes: []Node{{Name: "gpu01", Choice: "ssh", Ways: []TransportTrial{
			{Door: "local", Here: true, Unfit: "this host is login1"}, way("ssh", "12", "login", "driver"),
			{Door: "control", Unfit: "no ControlPath in the ssh configuration"}, way("srun", "12", "job", "driver"),
		}}},
	}
}

// way is a connection that has led to a report from a session in a job.
func way(door, job string, stages ...reach.Stage) TransportTrial {
	w := TransportTrial{Door: door, Stages: stages, Arrived: now, Reported: 40 * time.Millisecond}
	for _, s := range stages {
		w.Steps = append(w.Steps, reach.Step{Stage: s, State: reach.StepDone, Text: string(s) + " is fine",
			Took: 7 * time.Millisecond})
	}
	uid := 1000
	w.Hello = &wire.Hello{Build: "1.0", System: "linux/amd64",
		Program: "/home/alice/.cache/nvnodetop/nvnodetop-probe-0", Job: job, GPUs: make([]wire.Card, 4)}
	w.Report = &wire.Report{WallMS: now.UnixMilli() - 100, Listed: true,
		Processes: []wire.Process{{PID: 1, Identity: wire.Identity{UID: &uid}}}}
	return w
}

// fails makes the last stage of a way fail.
func (w *TransportTrial) fails(f *reach.Failure, text string) {
	last := &w.Steps[len(w.Steps)-1]
	last.State, last.Text = reach.StepFailed, text
	w.Failure, w.Hello, w.Report = f, nil, nil
}

var refused = &reach.Failure{
	Class: reach.ClassAuth, Short: "permission denied", Detail: "publickey",
	Words:   "Permission denied (publickey).\nKeys offered: id_rsa.",
	Meaning: `The node accepts none of your keys for user "alice".`,
	Hints: []string{"check that your public key is in ~/.ssh/authorized_keys on gpu01",
		"reproduce with: ssh -v gpu01 true"},
}

// cases change sound facts: each shows one or more verdicts.
var cases = map[string]struct {
	want   Verdict
	change func(f *Facts, n *Node, ssh, srun *TransportTrial)
}{
	"sound": {OK, func(*Facts, *Node, *TransportTrial, *TransportTrial) {}},
	"one of two clusters": {Warning,
		func(f *Facts, _ *Node, _, _ *TransportTrial) { f.Slurm.Note = "only one cluster is asked" }},
	"ssh refused, srun works": {Warning, func(_ *Facts, n *Node, ssh, _ *TransportTrial) {
		ssh.fails(refused, "no key accepted (1 key tried)")
		ssh.Steps = ssh.Steps[:2]
		n.Choice = "srun"
	}},
	"all refused": {Failed, func(_ *Facts, n *Node, ssh, srun *TransportTrial) {
		ssh.fails(refused, "no key accepted (1 key tried)")
		srun.fails(refused, "")
		n.Choice, n.None = "", refused
	}},
	"none is used though one works": {Failed, func(_ *Facts, n *Node, ssh, _ *TransportTrial) {
		f := &reach.Failure{Class: reach.ClassNoSpace, Short: "no space for the probe"}
		ssh.fails(f, "")
		n.Choice, n.None = "", f
	}},
	"adopted into another job": {Warning, func(f *Facts, n *Node, ssh, srun *TransportTrial) {
		f.Slurm.Jobs = append(f.Slurm.Jobs, cluster.Job{ID: "13", Number: "13", Nodes: []string{"gpu01"},
			Counts: map[string]int{"gpu01": 0}})
		ssh.Hello.Job, ssh.Hello.GPUs, n.Choice = "13", nil, "srun"
	}},
	"in a foreign job": {Warning, func(_ *Facts, _ *Node, ssh, _ *TransportTrial) { ssh.Hello.Job = "99" }},
	"in an unknown job": {OK, func(_ *Facts, _ *Node, ssh, _ *TransportTrial) {
		ssh.Hello.Job, ssh.Hello.SLUID = "",
			"sEKNKTV3WPV500"
	}},
	"in an unknown job, which hides GPUs": {Warning, func(_ *Facts, _ *Node, ssh, _ *TransportTrial) {
		ssh.Hello.Job, ssh.Hello.SLUID, ssh.Hello.GPUs = "", "sEKNKTV3WPV500", ssh.Hello.GPUs[:3]
	}},
	"in no job":        {OK, func(_ *Facts, _ *Node, ssh, _ *TransportTrial) { ssh.Hello.Job = "" }},
	"a GPU is missing": {Warning, func(_ *Facts, _ *Node, ssh, _ *TransportTrial) { ssh.Hello.GPUs = ssh.Hello.GPUs[:3] }},
	"a GPU is lost": {Warning, func(_ *Facts, _ *Node, ssh, _ *TransportTrial) {
		ssh.Hello.GPUs[1] = wire.Card{PCIBus: "00000000:1B:00.0", Lost: "GPU is lost"}
	}},
	"no driver": {Failed, func(_ *Facts, _ *Node, ssh, _ *TransportTrial) {
		ssh.Hello.Fault, ssh.Hello.FaultID = "Driver Not Loaded", wire.FaultNoDriver
	}},
	"no report": {Failed, func(_ *Facts, _ *Node, ssh, _ *TransportTrial) {
		ssh.Report, ssh.Broken = nil, &reach.Failure{Class: reach.ClassSilent, Short: "no report after 10s"}
	}},
	"nvidia-smi stands in": {Warning, func(_ *Facts, _ *Node, ssh, _ *TransportTrial) {
		ssh.Steps[1].Stage = "probe"
		ssh.Hello.StandIn = "no probe for Linux ppc64le"
	}},
	"a noisy shell": {Warning, func(_ *Facts, _ *Node, ssh,
		_ *TransportTrial) {
		ssh.Noise = "\x1b[31mwelcome\n2\n3\n4\n"
	}},
	"a wrong clock": {Warning, func(_ *Facts, _ *Node, ssh, _ *TransportTrial) { ssh.Report.WallMS += 61_000 }},
	"no clock":      {OK, func(_ *Facts, _ *Node, ssh, _ *TransportTrial) { ssh.Report.WallMS = 0 }},
	"processes hidden": {Warning, func(_ *Facts, _ *Node, ssh, _ *TransportTrial) {
		ssh.Report.Processes = append(ssh.Report.Processes, wire.Process{PID: 2})
	}},
	"processes of a container": {Warning,
		func(_ *Facts, _ *Node, ssh, _ *TransportTrial) { ssh.Report.Processes[0].Foreign = true }},
	"no list": {OK, func(_ *Facts, _ *Node, ssh, _ *TransportTrial) { ssh.Report.Listed = false }},
	"no job":  {Warning, func(f *Facts, _ *Node, _, _ *TransportTrial) { f.Slurm.Jobs, f.Nodes = nil, nil }},
	// the session is in a job of somebody
	"no job, but a name": {Warning, func(f *Facts, _ *Node, _, _ *TransportTrial) {
		f.Slurm.Jobs, f.Named = nil,
			true
	}},
	"squeue fails":             {Failed, func(f *Facts, _ *Node, _, _ *TransportTrial) { slurmFails(f) }},
	"squeue fails, but a name": {Warning, func(f *Facts, _ *Node, _, _ *TransportTrial) { slurmFails(f); f.Named = true }},
	"no SLURM": {OK, func(f *Facts, n *Node, ssh, srun *TransportTrial) {
		noSlurm(f)
		ssh.Hello.Job,
			srun.Hello.Job = "", ""
	}},
	"its ranks are stuck": {Warning, func(f *Facts, _ *Node, _, _ *TransportTrial) {
		f.Job = AskedJob{ID: "12", Runs: true, Took: 6 * time.Second, Stacks: stuck()}
	}},
	"its ranks move": {OK, func(f *Facts, _ *Node, _, _ *TransportTrial) {
		f.Job = AskedJob{ID: "12", Runs: true, Took: 6 * time.Second, Stacks: &rankstacks.Verdict{Version: 1, Job: "12",
			State: rankstacks.Moving, Asked: 4, Read: 4, Groups: []rankstacks.Group{}, Said: []string{
				"All 4 ranks are in forward (train.py:12).", "All have moved within 5 s."}}}
	}},
	"its NCCL is old": {OK, func(f *Facts, _ *Node, _, _ *TransportTrial) {
		f.Job = AskedJob{ID: "12", Runs: true, Took: 6 * time.Second, Stacks: &rankstacks.Verdict{Version: 1, Job: "12",
			State: rankstacks.Moving, Asked: 4, Read: 4, Groups: []rankstacks.Group{}, Said: []string{
				"All 4 ranks are in forward (train.py:12).", "All have moved within 5 s."},
			NCCL: &rankstacks.NCCL{State: rankstacks.NCCLNotAsked, Said: []string{"NCCL: not asked: it is old."}}}}
	}},
	"its ranks are hidden": {Warning, func(f *Facts, _ *Node, _, _ *TransportTrial) {
		f.Job = AskedJob{ID: "12", Runs: true, Took: 6 * time.Second, Stacks: &rankstacks.Verdict{Version: 1, Job: "12",
			State: rankstacks.Unclear, Asked: 4, Groups: []rankstacks.Group{}, Said: []string{
				"No stack of a rank could be read."}, Refused: []rankstacks.Refusal{{ID: wire.RefusedPtrace, Count: 4,
				Cause: "kernel.yama.ptrace_scope is 1", Hint: "an administrator sets it to 0"}}}}
	}},
	"its ranks do not answer": {Failed, func(f *Facts, _ *Node, _, _ *TransportTrial) {
		f.Job = AskedJob{ID: "12", Runs: true, Failure: errors.New("no node lists a process of the job on a GPU")}
	}},
	"its job has ended":      {Failed, func(f *Facts, _ *Node, _, _ *TransportTrial) { f.Job.ID = "7" }},
	"interrupted in a stage": {OK, func(_ *Facts, n *Node, ssh, srun *TransportTrial) { stopped(n, ssh, srun) }},
	"interrupted before a stage": {Skipped,
		func(f *Facts, n *Node, ssh, srun *TransportTrial) {
			stopped(n, ssh, srun)
			f.Slurm = Slurm{}
			ssh.Steps = nil
		}},
}

func stuck() *rankstacks.Verdict {
	return &rankstacks.Verdict{Version: 1, Job: "12", State: rankstacks.Stuck, Asked: 4, Read: 4, Said: []string{
		"3 of 4 ranks are in all_reduce, rank 2 (gpu01 GPU2, PID 17) is in _try_get_data " +
			"(torch/utils/data/dataloader.py:1144).", "None has moved within 5 s."},
		Groups: []rankstacks.Group{},
		NCCL: &rankstacks.NCCL{Version: "2.29.7", State: "stuck", Said: []string{"NCCL 2.29.7: 3 of 4 ranks wait in " +
			"AllReduce #66502 for rank 2 (gpu01 GPU2, PID 17).", "In 4 s nothing has been launched."}}}
}

func slurmFails(f *Facts) {
	failure := &reach.Failure{Class: reach.ClassSlurmTimeout, Short: "slurmctld not responding",
		Cause: "Socket timed out", Hints: []string{"check with: scontrol ping"}}
	f.Slurm.Tools = []Tool{{Name: "squeue", Failure: failure}}
	f.Slurm.Failure, f.Slurm.Jobs, f.Nodes = failure, nil, nil
}

func noSlurm(f *Facts) {
	f.Slurm = Slurm{Tools: []Tool{{Name: "squeue", Missing: true}, {Name: "scontrol", Idle: true}}, Asked: true,
		None: true}
}

func stopped(n *Node, ssh, srun *TransportTrial) {
	last := &ssh.Steps[1]
	last.State, last.Text = reach.StepBegan, "connecting"
	*srun = TransportTrial{Door: "srun", Stopped: true}
	ssh.Stopped, ssh.Hello, ssh.Report, n.Choice = true, nil, nil, ""
}

// TestVerdicts compares the text of each case with testdata, and its JSON with the schema.
func TestVerdicts(t *testing.T) {
	var made []string
	for name, c := range cases {
		path := "testdata/" + strings.NewReplacer(" ", "-", ",", "").Replace(name) + ".txt"
		made = append(made, path)
		t.Run(name, func(t *testing.T) {
			f := sound()
			c.change(f, &f.Nodes[0], &f.Nodes[0].Ways[1], &f.Nodes[0].Ways[3])
			r := Judge(f)
			if r.Verdict != c.want {
				t.Errorf("verdict %v, want %v", r.Verdict, c.want)
			}
			text := printed(t, r)
			golden.Equal(t, path, text)
			fitsSchema(t, r)
		})
	}
	golden.Only(t, "testdata/*.txt", made)
}

func printed(t *testing.T, r *Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := Text(&b, r, colorprofile.NoTTY, false); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if draw.Width(strings.TrimRight(line, "\n")) > 80 {
			t.Errorf("wider than 80 columns: %q", line)
		}
	}
	return b.String()
}

func fitsSchema(t *testing.T, r *Report) {
	t.Helper()
	var b bytes.Buffer
	if err := JSON(&b, r); err != nil {
		t.Fatal(err)
	}
	valid.Document(t, Schema, b.Bytes())
}

// No text from a node can move the cursor or widen the output, and colors are for terminals that have them.
func TestTextIsSafe(t *testing.T) {
	f := sound()
	nasty := strings.Repeat("\x1b]0;x\a\x1b[2J\r\n\u202e👾", 500)
	w := &f.Nodes[0].Ways[1]
	w.Hello.Build, w.Hello.Program, w.Hello.Job, w.Noise, w.Steps[1].Text = nasty, nasty, nasty, nasty, nasty
	f.Job = AskedJob{ID: nasty, Runs: true, Stacks: &rankstacks.Verdict{Said: []string{nasty, nasty},
		Groups: []rankstacks.Group{
			{Summary: nasty}}, NCCL: &rankstacks.NCCL{Said: []string{nasty}}}}
	if text := printed(t, Judge(f)); strings.ContainsAny(text, "\x1b\a\r\u202e") {
		t.Errorf("%q", text)
	}
	for profile, want := range map[colorprofile.Profile]bool{colorprofile.ASCII: false, colorprofile.ANSI: true} {
		var b bytes.Buffer
		if err := Text(&b, Judge(sound()), profile, true); err != nil {
			t.Fatal(err)
		}
		if colored := strings.Contains(b.String(), "\x1b[0;36m"); colored != want {
			t.Errorf("%v: %q", profile, b.String())
		}
	}
}

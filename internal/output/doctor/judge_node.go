package doctor

import (
	"slices"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// judgeNode judges the ways to a node, and the session over the way that nvnodetop would use.
func judgeNode(f *Facts, n *Node) NodeResult {
	p := NodeResult{Name: n.Name, Choice: n.Choice, Transports: []Transport{}}
	var chosen *TransportTrial
	stopped := false
	for i := range n.Ways {
		w := &n.Ways[i]
		if w.Here && w.Unfit != "" && len(n.Ways) > 1 { // nobody expects this way to apply
			continue
		}
		if w.Door == n.Choice {
			chosen = w
		}
		stopped = stopped || w.Stopped
		p.Transports = append(p.Transports, judgeWay(f, n, w))
	}
	if chosen != nil {
		p.Steps = judgeSession(f, n, chosen)
	}
	p.Steps = append([]Step{judgeChoice(n, p.workingDoors(), stopped)}, p.Steps...)
	p.Verdict = worstVerdict(p.Steps)
	for i := range p.Transports {
		t := &p.Transports[i]
		if n.Choice != "" && n.Choice != t.Name {
			softenFailures(t.Steps)
		}
		t.Verdict = worstVerdict(t.Steps)
		p.Verdict = max(p.Verdict, t.Verdict)
	}
	return p
}

// judgeChoice names the transport that nvnodetop would use, and others that would work.
func judgeChoice(n *Node, works []string, stopped bool) Step {
	s := Step{Name: "transport", Verdict: OK}
	others := slices.DeleteFunc(slices.Clone(works), func(name string) bool { return name == n.Choice })
	switch {
	case stopped:
		s.Verdict, s.Text = Skipped, interrupted
	case n.Choice == "" && len(works) == 0:
		s.Verdict, s.Text = Failed, "no transport reaches this node"
		if n.None != nil {
			s.Class = string(n.None.Class)
		}
	case n.Choice == "":
		s.Verdict, s.Text = Failed, "nvnodetop would use no transport, although "+worksText(works)+": "+n.None.Summary()
		s.Hints = []string{"choose it yourself: nvnodetop --transport " + works[0]}
	case len(others) == 0:
		s.Text = "nvnodetop uses " + n.Choice
	default:
		s.Text = "nvnodetop uses " + n.Choice + "; " + worksText(others) + " too"
	}
	return s
}

// worksText returns "a works", "a and b work".
func worksText(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0] + " works"
	}
	return strings.Join(names[:last], ", ") + " and " + names[last] + " work"
}

// judgeWay judges the stages of a way, and which job its session sees.
func judgeWay(f *Facts, n *Node, w *TransportTrial) Transport {
	t := Transport{Name: w.Door, Works: w.Report != nil, Steps: []Step{}}
	if w.Unfit != "" {
		t.Steps = append(t.Steps, Step{Name: "use", Verdict: Skipped, Text: w.Unfit})
		return t
	}
	for i := range w.Steps {
		t.Steps = append(t.Steps, judgeStage(f, n, w, &w.Steps[i]))
	}
	if w.Failure != nil && !slices.ContainsFunc(w.Steps,
		func(s reach.Step) bool { return s.State == reach.StepFailed }) {
		t.Steps = append(t.Steps, failedStep("connect", w.Failure, w.Took)) // in no stage
	}
	if w.Stopped && w.Report == nil && !slices.ContainsFunc(w.Steps,
		func(s reach.Step) bool { return s.State == reach.StepBegan }) {
		t.Steps = append(t.Steps, Step{Name: "use", Verdict: Skipped, Text: interrupted})
	}
	if w.Hello != nil {
		t.Steps = append(t.Steps, judgeJob(&f.Slurm, n, w))
	}
	switch {
	case w.Broken != nil:
		t.Steps = append(t.Steps, failedStep("report", w.Broken, w.Reported))
	case w.Report != nil:
		t.Steps = append(t.Steps, Step{Name: "report", Verdict: OK, Text: "the first report has arrived",
			Took: w.Reported.Seconds()})
	}
	return t
}

// judgeStage judges one stage of an attempt.
func judgeStage(f *Facts, n *Node, w *TransportTrial, s *reach.Step) Step {
	step := Step{Name: string(s.Stage), Verdict: OK, Text: s.Text, Took: s.Took.Seconds()}
	switch {
	case s.State == reach.StepFailed && w.Failure != nil:
		step = failedStep(string(s.Stage), w.Failure, s.Took)
		if s.Text != "" && s.Text != step.Text {
			step.Text += ": " + s.Text
		}
	case s.State == reach.StepFailed:
		step.Verdict = Failed
	case s.State == reach.StepBegan:
		step.Verdict, step.Text = Skipped, strings.TrimPrefix(s.Text+", "+interrupted, ", ")
	case s.Stage == remote.StageProbe && w.Hello != nil && w.Hello.StandIn != "":
		step.Verdict = Warning
		step.Meaning = "nvidia-smi gives no metrics of the host, no Xids, NVLink or MIG instances; of processes only " +
			"PID, name and GPU memory."
	case s.Stage == remote.StageDriver && w.Hello != nil:
		judgeDriver(&f.Slurm, n.Name, w.Hello, &step)
	}
	return step
}

// judgeDriver judges whether the GPUs can be read. If no job has GPUs, the node may have none.
func judgeDriver(slurm *Slurm, node string, h *wire.Hello, step *Step) {
	var lost []string
	for i := range h.GPUs {
		if g := &h.GPUs[i]; g.Lost != "" {
			lost = append(lost, g.PCIBus+" "+g.Lost)
		}
	}
	switch {
	case h.Fault != "" && wantedGPUs(slurm, node) > 0:
		step.Verdict, step.Class = Failed, h.FaultID
		step.Hints = []string{"run nvidia-smi on " + node + "; if it fails too, report it to your admins"}
	case h.Fault != "":
		step.Verdict, step.Class = Warning, h.FaultID
	case len(lost) > 0:
		step.Verdict = Warning
		step.Words = "lost: " + strings.Join(lost, ", ")
		step.Hints = []string{"report it to your admins: " + text.Count(len(lost), "GPU") + " of " + node +
			" cannot be used"}
	}
}

// wantedGPUs returns the number of GPUs that the jobs have on a node, as far as known.
func wantedGPUs(s *Slurm, node string) (gpus int) {
	for _, j := range s.jobsOn(node) {
		n, _ := j.GPUsOn(node)
		gpus += n
	}
	return gpus
}

package doctor

import (
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// judgeJob compares the job whose cgroup the session is in with the wanted jobs.
func judgeJob(s *Slurm, n *Node, w *TransportTrial) Step {
	step := Step{Name: "cgroup", Verdict: OK}
	on := s.jobsOn(n.Name)
	known := make([]remote.KnownJob, len(on))
	of := map[string]bool{}
	own, all := 0, 0
	for i := range on {
		gpus, _ := on[i].GPUsOn(n.Name)
		known[i] = remote.KnownJob{ID: on[i].Number, Nodes: []string{n.Name}, GPUs: map[string]int{n.Name: gpus}}
		of[on[i].Number] = true
		if all += gpus; on[i].Number == w.Hello.Job {
			own = gpus
		}
	}
	seen := w.Hello.WholeGPUs()
	switch {
	case remote.WhyMisplaced(n.Name, w.Hello, known) != "":
		step.Verdict, step.Text = Warning, remote.WhyMisplaced(n.Name, w.Hello, known)
		step.Meaning = "pam_slurm_adopt puts a session into one of your jobs, not always the one you want. Only a " +
			"step (srun) shows the other."
	case w.Hello.SLUID != "":
		step.Text = "the session is in a job whose number is unknown (SLUID " + w.Hello.SLUID + ")"
	case w.Hello.Job == "":
		step.Text = "the session is in no job: no GPU is hidden"
		judgeSeen(&step, w, seen, all)
	case !of[w.Hello.Job]:
		step.Verdict, step.Text = Warning, "the session is in job "+w.Hello.Job+
			", which is not one of your running jobs"
	default:
		step.Text = "the session is in job " + w.Hello.Job
		judgeSeen(&step, w, seen, own)
	}
	return step
}

// judgeSeen warns if a session sees fewer GPUs than it should. A driver fault is judged elsewhere.
func judgeSeen(step *Step, w *TransportTrial, seen, want int) {
	if want == 0 || w.Hello.Fault != "" {
		return
	}
	step.Text += fmt.Sprintf(", %d of its %s seen", min(seen, want), text.Count(want, "GPU"))
	if w.Hello.Job == "" {
		step.Text = fmt.Sprintf("the session is in no job, %d of %s of your jobs seen", min(seen, want),
			text.Count(want, "GPU"))
	}
	if seen < want {
		step.Verdict = Warning
		step.Hints = []string{"see which GPUs SLURM has allocated: scontrol show job -d"}
	}
}

// judgeSession judges the session that nvnodetop would use.
func judgeSession(f *Facts, n *Node, w *TransportTrial) []Step {
	steps := []Step{judgeProbe(w), judgeNoise(n, w)}
	if w.Report == nil {
		return steps
	}
	return append(steps, judgeClock(f, n, w), judgeProcesses(w.Report))
}

// judgeProbe names the kind of the probe. Its state was already judged as a stage.
func judgeProbe(w *TransportTrial) Step {
	h := w.Hello
	s := Step{Name: "probe", Verdict: OK, Text: "nvidia-smi in place of a probe"}
	if h.StandIn != "" {
		return s
	}
	s.Text = "version " + h.Build
	if h.System != "" {
		s.Text += ", " + h.System
	}
	if h.Program != "" {
		s.Text += ", in " + path.Dir(h.Program)
	}
	return s
}

// judgeNoise judges the output of the login shell.
func judgeNoise(n *Node, w *TransportTrial) Step {
	s := Step{Name: "shell", Verdict: OK, Text: "prints nothing before the probe"}
	noise := strings.TrimSpace(w.Noise)
	if noise == "" {
		return s
	}
	lines := strings.Count(noise, "\n") + 1
	s.Verdict, s.Text = Warning, "prints "+text.Count(lines, "line")+" before the probe, which nvnodetop skips"
	s.Words = firstLines(noise, maxNoise)
	s.Meaning = "A login script prints something without a terminal. That breaks scp, rsync and sftp."
	s.Hints = []string{"find it in ~/.bashrc or its like: ssh " + n.Name + " true"}
	return s
}

// maxNoise limits how many lines of noise are quoted.
const maxNoise = 3

func firstLines(s string, n int) string {
	lines := strings.SplitN(s, "\n", n+1)
	if len(lines) > n {
		lines = append(lines[:n], "…")
	}
	return text.Cut(strings.Join(lines, "\n"), maxWords)
}

// judgeClock compares the clock of a node with ours.
func judgeClock(f *Facts, n *Node, w *TransportTrial) Step {
	s := Step{Name: "clock", Verdict: OK}
	if w.Report.WallMS == 0 {
		s.Verdict, s.Text = Skipped, "the node does not say its time"
		return s
	}
	off := time.UnixMilli(w.Report.WallMS).Sub(w.Arrived)
	side := "ahead of"
	if off < 0 {
		side = "behind"
	}
	if off.Abs() < time.Second { // partly the delay of the report
		s.Text = "within 1 s of this host"
	} else {
		s.Text = fmt.Sprintf("%s %s this host", off.Abs().Round(time.Second), side)
	}
	if off.Abs() > f.ClockLimit {
		s.Verdict = Warning
		s.Hints = []string{"report it to your admins: the clock of " + n.Name + " or of " + f.Host + " is wrong"}
	}
	return s
}

// judgeProcesses judges what is known of the processes on the GPUs.
func judgeProcesses(r *wire.Report) Step {
	s := Step{Name: "processes", Verdict: OK}
	foreign, hidden := 0, 0
	for i := range r.Processes {
		switch p := &r.Processes[i]; {
		case p.Foreign:
			foreign++
		case p.UID == nil && p.User == "" && !p.Ended:
			hidden++
		}
	}
	switch {
	case !r.Listed:
		s.Verdict, s.Text = Skipped, "the first report lists none"
	case len(r.Processes) == 0:
		s.Text = "none on the GPUs"
	case foreign > 0:
		s.Verdict, s.Text = Warning, fmt.Sprintf("%d of %s in another PID namespace", foreign, onGPUs(r))
		s.Meaning = "They run in a container, or the session does: only the driver knows them."
	case hidden > 0:
		s.Verdict, s.Text = Warning, fmt.Sprintf("%d of %s hidden by /proc", hidden, onGPUs(r))
		s.Meaning = "/proc is mounted with hidepid: of other users' processes only PID and GPU memory are known."
	default:
		s.Text = onGPUs(r) + ", all of them visible"
	}
	return s
}

func onGPUs(r *wire.Report) string {
	if len(r.Processes) == 1 {
		return "1 process on the GPUs"
	}
	return fmt.Sprintf("%d processes on the GPUs", len(r.Processes))
}

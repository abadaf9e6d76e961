package notify

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/history"
	"github.com/nvnodetop/nvnodetop/internal/cluster/rankstacks"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

var began = time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC)

// story is a job on two nodes, whose Snapshots a Watcher sees.
type story struct {
	*Watcher
	snap cluster.Snapshot
	job  cluster.JobView
	told []string
}

func newStory(jobs ...string) *story {
	s := &story{Watcher: NewWatcher(say.DefaultNews(), jobs)}
	s.job.Job = cluster.Job{ID: "7", Number: "7", Name: "train", Nodes: []string{"n1", "n2"}, Start: began.Add(-time.Hour)}
	s.snap.Nodes = map[string]*cluster.Node{}
	for _, name := range s.job.Nodes {
		s.snap.Nodes[name] = &cluster.Node{Name: name, State: cluster.NodeReporting}
	}
	s.snap.Discovery = cluster.Discovery{Command: "squeue", Answered: began}
	return s
}

// at lets the Watcher see the job with findings at a second.
func (s *story) at(sec int, findings ...cluster.Finding) *story {
	s.snap.At = began.Add(time.Duration(sec) * time.Second)
	s.job.Findings = findings
	s.snap.Jobs = []cluster.JobView{s.job}
	return s.look()
}

// gone lets it see that SLURM lists no job, but one that has ended.
func (s *story) gone(sec int, ended ...cluster.EndedJob) *story {
	s.snap.At = began.Add(time.Duration(sec) * time.Second)
	s.snap.Jobs, s.snap.Discovery.Ended = nil, ended
	return s.look()
}

func (s *story) look() *story {
	for _, i := range s.See(&s.snap) {
		s.told = append(s.told, fmt.Sprintf("%d %s: %s", int(s.snap.At.Sub(began).Seconds()), i.Event, i.Title))
	}
	return s
}

// state changes the state of a node.
func (s *story) state(node string, state cluster.NodeState) *story {
	n := *s.snap.Nodes[node]
	n.State = state
	if state == cluster.NodeFailed {
		n.Failure = &reach.Failure{Class: reach.ClassTimeout}
	}
	s.snap.Nodes[node] = &n
	return s
}

func (s *story) answered(sec int) *story {
	s.snap.Discovery.Answered = began.Add(time.Duration(sec) * time.Second)
	return s
}

func (s *story) says(t *testing.T, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, s.told); diff != "" {
		t.Errorf("news:\n%s", diff)
	}
}

// finding is one since a second; over, if it is positive, is when it last held.
func finding(kind cluster.Kind, severity cluster.Severity, node string, since, over int) cluster.Finding {
	f := cluster.Finding{Kind: kind, Severity: severity, Node: node, GPU: cluster.NoNumber,
		Since: began.Add(time.Duration(since) * time.Second)}
	if over > 0 {
		f.Over = began.Add(time.Duration(over) * time.Second)
	}
	return f
}

// A problem is told once, and again when it is worse than all that was told of it; its end once, when it does not
// return.
func TestAProblemIsToldOnce(t *testing.T) {
	hang := func(severity cluster.Severity, over int) cluster.Finding {
		return finding(cluster.KindJobHang, severity, "", 5, over)
	}
	s := newStory().at(0).at(10, hang(cluster.Warning, 0)).at(20, hang(cluster.Critical, 0)).
		at(30, hang(cluster.Note, 0)).at(40, hang(cluster.Warning, 35)).at(50, hang(cluster.Critical, 0)).
		at(60, hang(cluster.Warning, 55))
	worse := "20 hang: worse: 7 train: job seems to hang"
	s.says(t, "10 hang: 7 train: job seems to hang", worse)
	s.at(125).at(130).says(t, "10 hang: 7 train: job seems to hang", worse,
		"125 hang: over after 2m: 7 train: job seems to hang")
}

// What is mild, or passes at once, is no news.
func TestWhatIsNoNews(t *testing.T) {
	newStory().at(0, finding(cluster.KindLag, cluster.Note, "n1", 0, 0)).
		at(10, finding(cluster.KindDisk, cluster.Warning, "n1", 0, 0)).
		at(20, finding(cluster.KindConnecting, cluster.Waiting, "n1", 0, 0)).
		at(30, finding(cluster.KindLag, cluster.Warning, "n1", 30, 31)).
		at(40).at(120).gone(200).says(t)
}

// A node that does not report hides its problems: none of them is over. When the job ends, they end without a word.
func TestSilentNodesHideProblems(t *testing.T) {
	lost := finding(cluster.KindLost, cluster.Critical, "n2", 1, 0)
	hang := finding(cluster.KindJobHang, cluster.Warning, "", 1, 0)
	s := newStory().at(0).at(10, lost, hang).state("n2", cluster.NodeFailed).at(20).at(300).
		state("n2", cluster.NodeReporting).at(310, lost, hang).gone(400)
	s.says(t, "10 gpu: 7 train: n2 lost", "10 hang: 7 train: job seems to hang")
}

// The sessions of a job end with it: a lost node is news when SLURM has listed the job since then.
func TestLostNode(t *testing.T) {
	failed := finding(cluster.KindFailed, cluster.Critical, "n2", 10, 0)
	failed.Class = reach.ClassTimeout
	ends := newStory().at(0).state("n2", cluster.NodeFailed).at(20, failed).at(60, failed)
	ends.gone(70).says(t)
	lost := newStory().at(0).state("n2", cluster.NodeFailed).at(20, failed).answered(15).at(30, failed).at(45, failed)
	lost.at(200, failed).state("n2", cluster.NodeReporting).at(260).says(t, "45 node: 7 train: n2 unreachable",
		"260 node: over after 4m 10s: 7 train: n2 unreachable")
	silent := newStory().at(0).state("n2", cluster.NodeFailed).at(20, failed).at(120, failed).at(140, failed)
	silent.says(t, "140 node: 7 train: n2 unreachable") // squeue does not answer either
	stale := finding(cluster.KindStale, cluster.Warning, "n2", 10, 0)
	stale.Class = reach.ClassSilent
	frozen := newStory().at(0).state("n2", cluster.NodeStale).at(20, stale).answered(15).at(60, stale).at(75, stale)
	frozen.at(120, failed).at(200, failed).says(t, "75 node: 7 train: n2 not responding")
}

// Each way in which a job can end is told once, when SLURM has said it.
func TestEnds(t *testing.T) {
	for name, tc := range map[string]struct {
		job  cluster.EndedJob
		want string
	}{
		"well":     {cluster.EndedJob{State: cluster.JobCompleted, Exit: &cluster.Exit{}}, "end: 7 train: completed after 1h 1m"},
		"canceled": {cluster.EndedJob{State: cluster.JobCanceled, Exit: &cluster.Exit{Signal: 15}}, "end: 7 train: canceled after 1h 1m"},
		"failed": {cluster.EndedJob{State: cluster.JobFailed, Exit: &cluster.Exit{Code: 3}},
			"failure: 7 train: failed after 1h 1m (exit code 3)"},
		"killed": {cluster.EndedJob{State: cluster.JobOutOfMemory, Exit: &cluster.Exit{Signal: 9}},
			"failure: 7 train: out of memory after 1h 1m (signal 9)"},
		"the node": {cluster.EndedJob{State: cluster.JobNodeFailed}, "failure: 7 train: node failed after 1h 1m"},
		"unknown":  {cluster.EndedJob{}, "end: 7 train: ended after 1h 1m"},
	} {
		t.Run(name, func(t *testing.T) {
			e := tc.job
			e.ID, e.Number, e.Name, e.Start, e.Missed = "7", "7", "train", began.Add(-time.Hour), began.Add(time.Minute)
			asked := e
			asked.Asking = true
			newStory().at(0).gone(70, asked).gone(80, e).gone(90, e).says(t, "80 "+tc.want)
		})
	}
	old := cluster.EndedJob{ID: "6", State: cluster.JobFailed, Missed: began.Add(-time.Minute)}
	unused := cluster.EndedJob{ID: "8", State: cluster.JobCanceled, Missed: began.Add(time.Minute)}
	silent := cluster.EndedJob{ID: "9", Asking: true, Missed: began.Add(time.Minute), Start: began}
	newStory().at(0).gone(70, old, unused, silent).gone(200, old, unused, silent).says(t, "200 end: 9: ended after 1m")
}

// A job that begins while somebody watches is news for who wants it.
func TestStarts(t *testing.T) {
	s := newStory("8").at(0)
	s.Events = []string{"start"}
	s.job.ID, s.job.Start = "8_3", began.Add(10*time.Second)
	s.at(20).at(30).says(t, "20 start: 8_3 train: runs on 2 nodes")
	s.job.ID = "9"
	if s.at(40); len(s.told) != 1 {
		t.Errorf("told %q of a job that was not named", s.told)
	}
}

// Idle GPUs and a near time limit are news from the times on that the user has set.
func TestTimesOfTheUser(t *testing.T) {
	s := newStory()
	s.job.End, s.job.Limit = began.Add(2*time.Hour), 5*time.Hour
	idle := finding(cluster.KindJobIdle, cluster.Note, "", 60, 0)
	s.at(0).at(1800, idle).at(1860, idle).at(1900, idle).at(6590, idle).at(6600, idle).at(6660, idle)
	s.says(t, "1860 idle: 7 train: all GPUs idle", "6600 time: 7 train: 10m left before its time limit")
	short := newStory()
	short.job.End, short.job.Limit = began.Add(5*time.Minute), 8*time.Minute
	short.at(0).at(100).says(t)
}

// Memory that will be full is news, and over only if no forecast has followed for a while.
func TestForecast(t *testing.T) {
	s := newStory()
	n := s.snap.Nodes["n1"]
	const total = 80 << 30
	past := history.MemoryPast{}
	for i := range 40 {
		past = past.Add(began.Add(time.Duration(i-40)*time.Minute), (60+float64(i)/2)*(1<<30))
	}
	if _, fills := past.Trend(total); !fills {
		t.Fatal("there is no forecast")
	}
	n.GPUs = []cluster.GPU{{GPU: &wire.GPU{}, Key: "a", Number: 2, Memory: past,
		Card: &wire.Card{Values: metric.Make(map[metric.ID]float64{metric.MemoryTotal: total})}}}
	s.at(0).at(10)
	n.GPUs[0].Memory = history.MemoryPast{}
	s.at(20).at(600).at(620)
	if len(s.told) != 2 || !strings.HasPrefix(s.told[0], "0 memory: 7 train: n1 GPU2: GPU memory full in ") ||
		!strings.HasPrefix(s.told[1], "620 memory: over after 10m 20s: 7 train: n1 GPU2") {
		t.Errorf("news %q", s.told)
	}
}

// After a restart a problem that was told is not told again, but its end is.
func TestResume(t *testing.T) {
	hang := finding(cluster.KindJobHang, cluster.Warning, "", 1, 0)
	first := newStory().at(0).at(10, hang)
	ids := first.Told()
	again := newStory()
	again.Resume(ids)
	again.at(20, hang).at(60, hang).at(100).says(t, "100 hang: over after 1m 39s: 7 train: job seems to hang")
	late := newStory()
	late.Resume(ids)
	late.at(0).at(3600, hang).says(t, "3600 hang: 7 train: job seems to hang")
	if len(ids) != 1 || len(again.Told()) != 0 {
		t.Errorf("told %q, then %q", ids, again.Told())
	}
}

// After a restart a problem that was told as critical is not told as worse again; one that was told as a warning is.
func TestResumeOfWhatGetsWorse(t *testing.T) {
	hang := func(severity cluster.Severity) cluster.Finding {
		return finding(cluster.KindJobHang, severity, "", 1, 0)
	}
	for told, want := range map[cluster.Severity][]string{cluster.Critical: nil,
		cluster.Warning: {"40 hang: worse: 7 train: job seems to hang"}} {
		first := newStory().at(0).at(10, hang(told))
		again := newStory()
		ids := first.Told()
		if again.Resume(ids); len(ids) != 1 || !again.Expects(ids[0]) {
			t.Errorf("told %q, and does not expect it", ids)
		}
		again.at(20, hang(cluster.Warning)).at(30, hang(cluster.Warning)).at(40, hang(cluster.Critical)).says(t, want...)
		if now := again.Told(); len(now) != 1 || !strings.HasPrefix(now[0], critical) {
			t.Errorf("told %q", now)
		}
	}
}

// A job that is requeued is news once, and only after it ran; its end is that of its next run.
func TestRequeued(t *testing.T) {
	again := cluster.PendingJob{ID: "7", Name: "train"}
	s := newStory().at(0)
	s.snap.Discovery.Pending = []cluster.PendingJob{{ID: "8", Name: "new"}}
	s.at(10)
	ending := cluster.EndedJob{ID: "7", Number: "7", Name: "train", State: cluster.JobCompleting,
		Start: began.Add(-time.Hour)}
	s.gone(20, ending)
	s.snap.Discovery.Pending = []cluster.PendingJob{again}
	s.gone(30).gone(40)
	s.snap.Discovery.Pending = nil
	s.at(50).at(60)
	s.says(t, "30 failure: 7 train: requeued after 1h")
	ending.Missed, ending.State = began.Add(70*time.Second), cluster.JobCompleted
	s.gone(70, ending)
	s.snap.Discovery.Pending = []cluster.PendingJob{again} // somebody has reset the number of jobs
	s.gone(80, ending).says(t, "30 failure: 7 train: requeued after 1h", "70 end: 7 train: completed after 1h 1m")
}

// Clocks that are reduced for long are news; another warning is news for who wants all, or that kind.
func TestWarnings(t *testing.T) {
	hot := finding(cluster.KindThermal, cluster.Warning, "n1", 0, 0)
	left := finding(cluster.KindLeftOver, cluster.Warning, "n1", 0, 0)
	off := finding(cluster.KindPersistence, cluster.Note, "n1", 0, 0)
	xid := finding(cluster.KindXid, cluster.Warning, "n2", 0, 0)
	for name, tc := range map[string]struct {
		more []string
		want []string
	}{
		"default":  {nil, []string{"600 slow"}},
		"all":      {[]string{"warning"}, []string{"60 warning", "60 warning", "600 slow"}},
		"one kind": {[]string{"persistence_off"}, []string{"60 warning", "600 slow"}},
	} {
		s := newStory()
		s.Events = append(slices.Clone(s.Events), tc.more...)
		s.at(0, hot, left, off, xid).at(60, hot, left, off, xid).at(599, hot, left, off, xid).at(600, hot, left, off, xid)
		var got []string
		for _, line := range s.told {
			event, _, _ := strings.Cut(line, ":")
			got = append(got, event)
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s: %q", name, s.told)
		}
	}
	// An Xid that becomes critical is news, though as a warning it was none.
	s := newStory().at(0, xid).at(120, xid)
	xid.Severity = cluster.Critical
	if s.at(130, xid); len(s.told) != 1 || !strings.HasPrefix(s.told[0], "130 gpu: ") {
		t.Errorf("%q", s.told)
	}
}

// A note that was told, as the user wants that kind, is news again as a warning and when it is critical; not as an
// event that he does not want.
func TestWorse(t *testing.T) {
	for events, want := range map[string][]string{
		"xid":         {"0 gpu", "10 gpu", "20 gpu"},
		"warning":     {"60 warning"},
		"warning gpu": {"60 warning", "70 gpu"},
	} {
		s := newStory()
		s.Events = strings.Fields(events)
		xid := func(severity cluster.Severity) cluster.Finding {
			return finding(cluster.KindXid, severity, "n2", 0, 0)
		}
		critical := 20
		if s.at(0, xid(cluster.Note)).at(10, xid(cluster.Warning)); events != "xid" {
			s.at(60, xid(cluster.Warning))
			critical = 70
		}
		s.at(critical, xid(cluster.Critical)).at(critical+10, xid(cluster.Warning)).at(critical+20, xid(cluster.Critical))
		var got []string
		for _, line := range s.told {
			event, _, _ := strings.Cut(line, ":")
			got = append(got, event)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q", events, s.told)
		}
	}
}

// Only the events that the user wants are news.
func TestEventsOfTheUser(t *testing.T) {
	s := newStory()
	s.Events = []string{"lag"}
	lag := finding(cluster.KindLag, cluster.Warning, "n1", 0, 0)
	lag.GPU, lag.Key = 3, "a"
	s.at(0, finding(cluster.KindJobHang, cluster.Warning, "", 0, 0), lag)
	s.says(t, "0 lag: 7 train: n1 GPU3 lags: 0% against a median of 0%")
	if !slices.Contains(say.EventNames(), "lag") || slices.Contains(say.DefaultNews().Events, "start") ||
		slices.Contains(say.DefaultNews().Events, "warning") || !slices.Contains(say.NewsWords(), "thermal") {
		t.Error("wrong names")
	}
}

// The news that a job seems to hang waits for what its ranks do, for some time, and then names the rank for which the
// job waits. An answer about an earlier hang does not count.
func TestAHangNamesTheRank(t *testing.T) {
	hang := finding(cluster.KindJobHang, cluster.Warning, "", 0, 0)
	hang.Job = "7"
	looked := func(sec int, state rankstacks.State) map[string]*rankstacks.Verdict {
		return map[string]*rankstacks.Verdict{"7": {Job: "7", Time: began.Add(time.Duration(sec) * time.Second), State: state,
			Headline: "rank 11 in load, 63 in all_reduce", Said: []string{"63 of 64 ranks are in all_reduce."}}}
	}
	s := newStory()
	s.Asks, s.snap.Stacks = true, looked(-60, rankstacks.Stuck)
	s.at(120, hang).at(130, hang).says(t)
	s.snap.Stacks = looked(135, rankstacks.Stuck)
	s.at(140, hang).at(150, hang).says(t, "140 hang: 7 train: job hangs: rank 11 in load, 63 in all_reduce")
	others := finding(cluster.KindDisk, cluster.Warning, "n1", 0, 0)
	if s.at(160, hang, others); len(s.told) != 2 || strings.Contains(s.told[1], "stands") {
		t.Errorf("another problem of the job: %q", s.told)
	}

	s = newStory()
	s.Asks, s.snap.Stacks = true, looked(125, rankstacks.Unclear)
	s.at(130, hang).says(t, "130 hang: 7 train: job seems to hang")

	s = newStory()
	s.Asks = true
	s.at(120, hang).at(159, hang).says(t)
	s.at(160, hang).at(170, hang).says(t, "160 hang: 7 train: job seems to hang")

	s = newStory()
	s.at(120, hang).says(t, "120 hang: 7 train: job seems to hang")
}

// The end of a job is said with the reason, if it is known, in place of the exit code.
func TestHowEnded(t *testing.T) {
	e := cluster.EndedJob{State: cluster.JobFailed, Exit: &cluster.Exit{Code: 15}, Start: began,
		Missed: began.Add(22 * time.Second)}
	because, oom, both := e, e, e
	because.Cause = "rank 3: ValueError: bad batch (train.py:20)"
	oom.OutOfMemory, both.OutOfMemory, both.Cause = "0", "0", "Detected 1 oom-kill event(s) in StepId=7.0."
	atOnce := e
	atOnce.Missed, atOnce.Cause = e.Start, "slurm_script: line 4: pyton: command not found"
	for want, e := range map[string]*cluster.EndedJob{
		"failed after 22s (exit code 15)":                                      &e,
		"failed after 22s: rank 3: ValueError: bad batch (train.py:20)":        &because,
		"out of memory after 22s: step 0":                                      &oom,
		"out of memory after 22s: Detected 1 oom-kill event(s) in StepId=7.0.": &both,
		"failed: slurm_script: line 4: pyton: command not found":               &atOnce,
	} {
		if got := HowEnded(e); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A job that waits in vain is told once, and again if it did not in between.
func TestWaitsInVain(t *testing.T) {
	s := newStory().at(0)
	wait := func(sec int, reason string) {
		s.snap.Discovery.Pending = []cluster.PendingJob{{ID: "9", Name: "after", Reason: reason}}
		s.at(sec)
	}
	const never = "DependencyNeverSatisfied"
	wait(10, "Dependency")
	wait(20, never)
	wait(30, never)
	wait(40, "Priority")
	wait(50, never)
	s.says(t, "20 failure: 9 after: can never start: DependencyNeverSatisfied",
		"50 failure: 9 after: can never start: DependencyNeverSatisfied")
}

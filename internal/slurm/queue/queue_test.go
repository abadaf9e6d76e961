package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/slurm/command"
)

// shown was recorded on SLURM 22.05.
const shown = `JobId=7 JobName=wrap NumNodes=99
   UserId=alice(20001) GroupId=alice(20001) MCS_label=N/A
   Priority=4294901753 Nice=0 Account=(null) QOS=(null)
   JobState=PENDING Reason=Resources Dependency=(null)
   Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:0
   RunTime=00:00:00 TimeLimit=00:30:00 TimeMin=N/A
   SubmitTime=2026-11-27T21:12:27 EligibleTime=2026-11-27T21:12:27
   AccrueTime=2026-11-27T21:12:27
   StartTime=2026-11-27T22:12:27 EndTime=2026-11-27T22:42:27 Deadline=N/A
   Partition=gpu AllocNode:Sid=login:0
   ReqNodeList=(null) ExcNodeList=(null)
   NodeList= SchedNodeList=node[01-02]
   NumNodes=2-2 NumCPUs=8 NumTasks=8 CPUs/Task=1 ReqB:S:C:T=0:0:*:*
   TRES=cpu=8,mem=2G,node=2,billing=8
   Socks/Node=* NtasksPerN:B:S:C=0:0:*:* CoreSpec=*
   MinCPUsNode=1 MinMemoryNode=1G MinTmpDiskNode=0
   Features=(null) DelayBoot=00:00:00
   OverSubscribe=OK Contiguous=0 Licenses=(null) Network=(null)
   Command=(null)
   WorkDir=/home/alice
   StdErr=/home/alice/slurm-7.out
   StdIn=/dev/null
   StdOut=/home/alice/slurm-7.out
   Power=
   TresPerNode=gres:gpu:3

`

// cluster answers like SLURM, by the first word of a command; a missing answer is a failure.
type cluster struct {
	says  map[string]string // standard output; of sbatch, standard error
	fails map[string]string // standard error
	asked []string
}

func (c *cluster) run(_ context.Context, argv ...string) (stdout, stderr []byte, err error) {
	c.asked = append(c.asked, strings.Join(argv, " "))
	if words, fails := c.fails[argv[0]]; fails {
		return nil, []byte(words), errors.New("exit status 1")
	}
	if argv[0] == "sbatch" {
		return nil, []byte(c.says["sbatch"]), nil
	}
	return []byte(c.says[argv[0]]), nil, nil
}

func at(clock string) time.Time {
	return command.ParseTime("2026-11-27T" + clock)
}

func TestAsk(t *testing.T) {
	c := &cluster{says: map[string]string{
		"scontrol": shown,
		"squeue": "4294901760|2|Resources\n4294901759|30|Priority\n4294901758|1|Dependency\n" +
			"4294901753|2|Resources\n1|9|Priority\n",
		"sprio": "7|      1000|       250|         3|         0|         0\n",
		"sbatch": "sbatch: Job 10 to start at 2026-11-27T22:42:27 using 2 processors on nodes node[01-02] in " +
			"partition gpu\n",
	}}
	w, err := Ask(t.Context(), c.run, "7")
	if err != nil {
		t.Fatal(err)
	}
	own := Shape{Nodes: 2, Tasks: 8, PerNode: "gpu:3", Limit: 30 * time.Minute}
	one := Shape{Nodes: 1, Tasks: 4, PerNode: "gpu:3", Limit: 30 * time.Minute}
	short := Shape{Nodes: 2, Tasks: 8, PerNode: "gpu:3", Limit: 15 * time.Minute}
	trial := func(s Shape) Trial { return Trial{Shape: s, Start: at("22:42:27"), Nodes: "node[01-02]"} }
	want := &Wait{Job: "7", Reason: "Resources", Partition: "gpu", Priority: 4294901753, Start: at("22:12:27"),
		Factors: []Factor{{"age", 1000}, {"fair share", 250}, {"size", 3}, {"partition", 0}, {"QOS", 0}},
		Ahead:   &Ahead{Jobs: 2, Nodes: 32, Blocked: 1},
		Trials:  []Trial{trial(own), trial(one), trial(short)}}
	if w.Asked.IsZero() {
		t.Error("it does not say when it was asked")
	}
	w.Asked = time.Time{}
	if diff := cmp.Diff(want, w); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got, want := c.asked[3], "sbatch --test-only --partition=gpu --cpus-per-task=1 --mem=1G --nodes=2 --ntasks=8 "+
		"--gres=gpu:3 --time=30 --wrap=true"; got != want {
		t.Errorf("asked %q, want %q", got, want)
	}
}

// A site without factors of the priority, and a shape that it does not have.
func TestNoAnswers(t *testing.T) {
	c := &cluster{says: map[string]string{"scontrol": shown},
		fails: map[string]string{"sprio": "You are not running a supported priority plugin\n", "squeue": "error",
			"sbatch": "allocation failure: Requested node configuration is not available\n"}}
	w, err := Ask(t.Context(), c.run, "7")
	if err != nil || w.Factors != nil || w.Ahead != nil || len(w.Trials) != 3 ||
		w.Trials[0].Refused != "Requested node configuration is not available" {
		t.Errorf("%+v, %v", w, err)
	}
}

func TestNoWait(t *testing.T) {
	for name, test := range map[string]struct {
		says, fails string
		want        error
	}{
		"runs":          {says: strings.Replace(shown, "PENDING", "RUNNING", 1), want: RunsError("RUNNING")},
		"gone":          {fails: "slurm_load_jobs error: Invalid job id specified\n", want: ErrNoJob},
		"no controller": {fails: "Unable to contact slurm controller (connect failure)\n"},
		"no record":     {says: "hello\n"},
	} {
		c := &cluster{says: map[string]string{"scontrol": test.says}, fails: map[string]string{}}
		if test.fails != "" {
			c.fails["scontrol"] = test.fails
		}
		w, err := Ask(t.Context(), c.run, "7")
		if w != nil || err == nil || test.want != nil && !errors.Is(err, test.want) || len(c.asked) != 1 {
			t.Errorf("%s: %v, %v; asked %q", name, w, err, c.asked)
		}
	}
}

// The controller gets a pause as long as its last answer took, and at most 3 s.
func TestPauses(t *testing.T) {
	var pauses []time.Duration
	a := &asker{pause: func(_ context.Context, d time.Duration) { pauses = append(pauses, d) },
		run: func(context.Context, ...string) (stdout, stderr []byte, err error) {
			time.Sleep(2 * time.Millisecond)
			return nil, nil, nil
		}}
	for range 2 {
		_, _, _ = a.ask(t.Context(), "squeue")
	}
	a.took = time.Minute
	_, _, _ = a.ask(t.Context(), "squeue")
	if len(pauses) != 3 || pauses[0] != 0 || pauses[1] < 2*time.Millisecond || pauses[2] != longestPause {
		t.Errorf("pauses %v", pauses)
	}
}

func TestShapes(t *testing.T) {
	for _, test := range []struct{ own, want string }{
		{"4 16 gpu:a100:4  60", "4 16 gpu:a100:4  60; 2 8 gpu:a100:4  60; 4 16 gpu:a100:4  30"},
		{"1 4 gpu:4  60", "1 4 gpu:4  60; 1 2 gpu:2  60; 1 4 gpu:4  30"},
		{"1 1 gpu:1  5", "1 1 gpu:1  5"},
		{"3 0  12 8", "3 0  12 8; 1 1  6 8"},
		{"1 4  a100:4 60", "1 4  a100:4 60; 1 2  a100:2 60; 1 4  a100:4 30"},
		{"0 0   0", "0 0   0"},
	} {
		f := strings.Split(test.own, " ")
		var s Shape
		var minutes int
		fmt.Sscan(f[0], &s.Nodes)
		fmt.Sscan(f[1], &s.Tasks)
		s.PerNode, s.Total = f[2], f[3]
		fmt.Sscan(f[4], &minutes)
		s.Limit = time.Duration(minutes) * time.Minute
		var got []string
		for _, o := range shapes(s) {
			got = append(got, fmt.Sprintf("%d %d %s %s %.0f", o.Nodes, o.Tasks, o.PerNode, o.Total, o.Limit.Minutes()))
		}
		if strings.Join(got, "; ") != test.want {
			t.Errorf("%q: %q, want %q", test.own, got, test.want)
		}
	}
}

// Requests as later versions show them, and options that stay.
func TestRequest(t *testing.T) {
	r := request{"TresPerNode": "gres/gpu:h100:8,gres/shard:2", "TresPerJob": "gres:gpu:12", "Account": "ml",
		"QOS": "high", "Features": "a&b", "TresPerTask": "gres/gpu:1", "OverSubscribe": "NO", "MinMemoryCPU": "0",
		"NumNodes": "3", "ReqNodeList": "n[1-3]", "NumTasks": "x", "TimeLimit": "UNLIMITED"}
	if s := r.shape(); s != (Shape{Nodes: 3, PerNode: "gpu:h100:8,shard:2", Total: "12", On: "n[1-3]"}) {
		t.Errorf("%+v", s)
	}
	if got, want := r.fixed(), []string{"--account=ml", "--qos=high", "--constraint=a&b", "--gpus-per-task=1",
		"--exclusive"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func FuzzShow(f *testing.F) {
	f.Add(shown)
	f.Fuzz(func(t *testing.T, out string) {
		c := &cluster{says: map[string]string{"scontrol": out, "sbatch": out, "squeue": out, "sprio": out}}
		w, err := Ask(t.Context(), c.run, "7")
		if (w == nil) == (err == nil) {
			t.Errorf("%v, %v", w, err)
		}
	})
}

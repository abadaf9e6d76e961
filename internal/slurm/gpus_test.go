package slurm

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

func TestAskAgainAsksOnlyForWhatChanged(t *testing.T) {
	slurm := &fakeSlurm{
		records: []record{
			{id: "1", number: "1", state: "R", start: startedAt, nodelist: "a[1-2]"},
			{id: "2", number: "2", state: "R", start: startedAt, nodelist: "b1"},
		},
		gres: map[string]string{
			"1": shownJob("1", "a[1-2]", "gpu:4(IDX:0-3)"),
			"2": shownJob("2", "b1", "gpu:4(IDX:0)"),
			"3": "JobId=3 JobName=no lines\n",
		},
	}
	c := newClient(slurm.run)
	ask := func(want ...string) *Answer {
		t.Helper()
		answer, err := askAll(t, c)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, slurm.since(), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("asked (-want +got):\n%s", diff)
		}
		return answer
	}
	ask("scontrol show hostnames a[1-2]", "scontrol show job -d 1", "scontrol show job -d 2")
	if answer := ask(); !owns(answer.Jobs[0], "a2", 3) || owns(answer.Jobs[1], "b1", 3) {
		t.Errorf("the second answer forgot the GPUs: %+v", answer.Jobs)
	}

	slurm.records[1].start = "2026-11-20T19:00:00" // requeued
	ask("scontrol show job -d 2")
	slurm.records[0].nodelist = "a[1-3]" // grown
	ask("scontrol show hostnames a[1-3]", "scontrol show job -d 1")
	slurm.records = append(slurm.records, record{id: "3", number: "3", state: "R", start: startedAt, nodelist: "b1"})
	if answer := ask("scontrol show job -d 3"); answer.Jobs[2].Minors != nil {
		t.Errorf("GPUs out of nothing: %v", answer.Jobs[2].Minors)
	}
	ask() // that SLURM does not say is remembered too

	gone := slurm.records[0]
	slurm.records = slurm.records[1:]
	ask("sacct --allocations --noheader --parsable2 --jobs=1 --format=JobIDRaw,State,ExitCode,Start,End",
		"scontrol show job 1")
	slurm.records = append(slurm.records, gone)
	ask("scontrol show hostnames a[1-3]", "scontrol show job -d 1") // nothing is kept of jobs that went
}

// Until scontrol has answered, a job has as many GPUs as it requests of each node.
func TestGPUsBeforeTheyAreTold(t *testing.T) {
	for gres, want := range map[string]map[string]int{"gres:gpu:a100:2": {"n1": 2, "n2": 2}, "N/A": nil} {
		slurm := &fakeSlurm{records: []record{{id: "1", number: "1", state: "R", start: startedAt, nodelist: "n[1-2]",
			gres: gres}}, gres: map[string]string{"1": shownJob("1", "n[1-2]", "gpu:2(IDX:0-1)")}}
		c := newClient(slurm.run)
		answer, err := c.Ask(t.Context())
		for err == nil && len(answer.Jobs[0].Nodes) == 0 {
			answer, err = c.Next(t.Context())
		}
		if job := &answer.Jobs[0]; err != nil || !job.Asking || !maps.Equal(job.Counts, want) || job.Minors != nil {
			t.Errorf("%s: %v, %+v", gres, err, job)
		}
		for err == nil && answer.More {
			answer, err = c.Next(t.Context())
		}
		if job := &answer.Jobs[0]; err != nil || job.Asking || len(job.Minors["n2"]) != 2 {
			t.Errorf("%s: %v, %+v", gres, err, job)
		}
	}
}

func TestSlowControllerDelaysOnlyTheGPUs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const jobs = 60
		slurm := &fakeSlurm{gres: map[string]string{}}
		for i := range jobs {
			id := fmt.Sprint(i + 1)
			nodes := fmt.Sprintf("n%s[1-2]", id)
			slurm.records = append(slurm.records, record{id: id, number: id, state: "R", start: startedAt,
				nodelist: nodes})
			slurm.gres[id] = shownJob(id, nodes, "gpu:8(IDX:"+id+")")
		}
		began := time.Now()
		c := newClient(func(ctx context.Context, argv ...string) ([]byte, []byte, error) {
			time.Sleep(8 * time.Second)
			return slurm.run(ctx, argv...)
		})
		answer, err := c.Ask(t.Context())
		if took := time.Since(began); err != nil || took != 8*time.Second || len(answer.Jobs) != jobs || !answer.More {
			t.Fatalf("after %v: error %v, %+v", took, err, answer)
		}
		if diff := cmp.Diff([]string{"n601", "n602"}, answer.Jobs[59].Nodes); diff != "" {
			t.Errorf("nodes before scontrol is asked (-want +got):\n%s", diff)
		}
		for n := 0; answer.More; n++ { // the node lists first, then a job each
			asked := len(slurm.asked)
			if answer, err = c.Next(t.Context()); err != nil || len(slurm.asked) != asked+1 {
				t.Fatalf("error %v, asked %q", err, slurm.asked[asked:])
			}
			known := 0
			for _, job := range answer.Jobs {
				known += (len(job.Minors) + len(job.Counts)) / 2
			}
			if want := n - max(min(n-1, 1), 0); known != want { // the third question is about nodes
				t.Fatalf("the GPUs of %d jobs are known after %d questions", known, n+1)
			}
		}
		if asked := slurm.since(); len(asked) != 1+jobs {
			t.Errorf("%d questions: %q", len(asked), asked)
		}
	})
}

func TestAskDoesNotTrustGPUsOfOtherNodes(t *testing.T) {
	slurm := &fakeSlurm{
		records: []record{{id: "1", number: "1", state: "R", start: startedAt, nodelist: "n1"}},
		gres:    map[string]string{"1": shownJob("1", "n[1-2]", "gpu:4(IDX:0)")},
	}
	answer, err := askAll(t, newClient(slurm.run))
	if err != nil {
		t.Fatal(err)
	}
	if answer.Jobs[0].Minors != nil {
		t.Errorf("GPUs %v of a job on n1, from lines about n[1-2]", answer.Jobs[0].Minors)
	}
}

func TestAskWhenGPUsAreNotTold(t *testing.T) {
	for name, tt := range map[string]struct {
		words string
		class reach.Class
		asked int // questions of the first round: a controller that hangs is asked once
	}{
		"hangs": {"slurm_load_jobs error: Socket timed out on send/recv operation", reach.ClassSlurmTimeout, 1},
		"fails": {"slurm_load_jobs error: Access denied", reach.ClassSlurm, 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				slurm := &fakeSlurm{
					records: []record{
						{id: "1", number: "1", state: "R", start: startedAt, nodelist: "n1"},
						{id: "2", number: "2", state: "R", start: startedAt, nodelist: "n1"},
					},
					gres: map[string]string{"1": shownJob("1", "n1", "gpu:4(IDX:2)"),
						"2": shownJob("2", "n1", "gpu:4(IDX:3)")},
					fail: map[string]error{"scontrol show job": errors.New(tt.words)},
				}
				c := newClient(slurm.run)
				failing := func(after time.Duration, asked int) {
					t.Helper()
					time.Sleep(after)
					answer, err := askAll(t, c)
					if f, ok := errors.AsType[*reach.Failure](err); !ok || f.Class != tt.class {
						t.Errorf("error %v, want a failure of class %s", err, tt.class)
					}
					if answer == nil || len(answer.Jobs) != 2 {
						t.Fatalf("squeue answered, but the jobs are lost: %+v", answer)
					}
					if got := slurm.since(); len(got) != asked {
						t.Errorf("asked %q, want %d questions", got, asked)
					}
				}
				failing(0, tt.asked)
				failing(firstWait-time.Second, 0) // the failure stays, the question is not repeated
				failing(time.Second, tt.asked)
				failing(2*firstWait-time.Second, 0)

				slurm.fail = nil
				time.Sleep(time.Second)
				answer, err := askAll(t, c)
				if err != nil || !cmp.Equal(answer.Jobs[0].Minors, map[string][]int{"n1": {2}}) ||
					!cmp.Equal(answer.Jobs[1].Minors, map[string][]int{"n1": {3}}) {
					t.Errorf("asked again: %v, jobs %+v", err, answer)
				}
			})
		})
	}
}

func TestJobThatIsNotToldHoldsNobodyUp(t *testing.T) {
	slurm := &fakeSlurm{
		records: []record{
			{id: "1", number: "1", state: "R", start: startedAt, nodelist: "n1"},
			{id: "2", number: "2", state: "R", start: startedAt, nodelist: "n1"},
		},
		gres: map[string]string{"1": shownJob("1", "n1", "gpu:4(IDX:2)"), "2": shownJob("2", "n1", "gpu:4(IDX:3)")},
		fail: map[string]error{"scontrol show job -d 1": errors.New("scontrol: error: no")},
	}
	c := newClient(slurm.run)
	answer, err := askAll(t, c)
	if err == nil || answer == nil || answer.Jobs[0].Minors != nil ||
		!cmp.Equal(answer.Jobs[1].Minors, map[string][]int{"n1": {3}}) {
		t.Fatalf("error %v, answer %+v", err, answer)
	}
	slurm.fail = nil
	slurm.records[0].start = "2026-11-20T19:00:00"
	if answer, err = askAll(t, c); err != nil || !cmp.Equal(answer.Jobs[0].Minors, map[string][]int{"n1": {2}}) {
		t.Errorf("error %v, answer %+v", err, answer)
	}
}

func owns(j cluster.Job, node string, minor int) bool {
	return j.Owns(&cluster.Node{Name: node}, &cluster.GPU{Number: minor})
}

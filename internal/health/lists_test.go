package health

import (
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// A node lists its processes once a minute. Until its next list, the processes of the previous job are no news of the
// next job.
func TestProcessesOfTheJobBefore(t *testing.T) {
	for _, tc := range []struct {
		name      string
		first     wire.Process // in one list
		next      wire.Process // from the second list on
		suspended bool
		want      cluster.Kind
	}{
		{"the next task of an array", processIn(1, "me"), processIn(2, "me"), false, ""},
		{"after the job of another user", processIn(8, "you"), processIn(2, "me"), false, ""},
		{"a job that has ended", processIn(1, "me"), processIn(1, "me"), false, cluster.KindLeftOver},
		{"another job", processIn(1, "me"), processIn(3, "you"), false, cluster.KindStranger},
		{"another job, while this one is suspended", processIn(1, "me"), processIn(3, "you"), true, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := world{store.New(3*time.Second, Rules(Defaults()))}
			task := func(sec float64, number string, suspended bool) {
				w.Apply(cluster.Event{At: at(sec), Discovery: &cluster.Discovery{User: "me", Answered: at(sec),
					Jobs: []cluster.Job{{
						ID: "1_" + number, Number: number, User: "me", Nodes: []string{"a"}, Suspended: suspended,
						Minors: map[string][]int{"a": {0}}, Configured: map[string]int{"a": 1},
					}}}})
			}
			task(0, "1", false)
			w.Apply(cluster.Event{At: at(0), Node: "a", Try: &cluster.Try{Interval: 3 * time.Second}})
			w.hello(wire.Hello{GPUs: []wire.Card{{UUID: "x", Minor: new(0)}}})
			var got cluster.Kind
			for sec := 0.0; sec <= 240; sec += 3 {
				r := wire.Report{GPUs: []wire.GPU{{}}}
				if int(sec)%60 == 0 {
					if r.Listed, r.Processes = true, []wire.Process{tc.first}; sec >= 60 {
						r.Processes[0] = tc.next
						r.Processes[0].ElapsedSec = new(int64(sec + 600))
					}
				}
				w.report(sec, r)
				if sec == 3 {
					task(sec, "2", tc.suspended)
				}
				for _, f := range w.Snapshot(at(sec)).Jobs[0].Findings {
					if sec < 90 || got != "" && got != f.Kind {
						t.Fatalf("after %g s: %+v", sec, f)
					}
					got = f.Kind
				}
			}
			if got != tc.want {
				t.Errorf("found %q, want %q", got, tc.want)
			}
		})
	}
}

// A process on a GPU of the job is reported with its job.
func TestProcessesThatDoNotBelong(t *testing.T) {
	if s := sayOf(cluster.KindStranger, running(processIn(2,
		"you"))).Sentence; s != "Process 4711 (python) of job 2 is on GPU0 of this job." {
		t.Error(s)
	}
	if s := sayOf(cluster.KindLeftOver, running(processIn(9,
		"me"))).Sentence; s != "Process 4711 (python) of job 9, which has ended, holds 2.0 GiB of the memory of GPU0." {
		t.Error(s)
	}
}

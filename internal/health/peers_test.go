package health

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/test/raced"
)

// changesAt is the time at which the GPU of a trace begins to lag.
const changesAt = 20 * time.Minute

// but is the work of all GPUs except one, from changesAt on.
func but(all, others, one work, node, gpu int) func(time.Duration, int, int) work {
	usual := checkpointed(all)
	return func(at time.Duration, n, g int) work {
		switch {
		case at < changesAt:
			return usual(at, n, g)
		case n == node && g == gpu:
			return one
		}
		return others
	}
}

// The slow GPU of a job is named within 90 s, whatever the cause, and no other GPU is.
func TestLagIsNamed(t *testing.T) {
	starved := work{util: 25, memory: 12, power: 250, clock: 1980, link: 5e9, used: 70}
	partly := work{util: 99, memory: 14, power: 260, clock: 1980, link: 12e9, used: 70}
	hot := work{util: 99, memory: 50, power: 400, clock: 950, link: 30e9, used: 70, throttle: wire.ThrottleHWThermal}
	busy := work{util: 99, memory: 50, power: 560, clock: 1700, link: 30e9, used: 70}
	for _, tc := range []struct {
		name      string
		trace     trace
		word, say string
	}{
		{"starved by its host", trace{nodes: 2, gpus: 8, age: traceAge, does: but(trains, partly, starved, 1, 3),
			processes: ranks(8, 1, 3)}, "!LAG -74",
			"Lags (rank 11, PID 1003): 25% against a median of 99%, same clocks as the others (1980 MHz), its " +
				"process uses 12% of a core (others: 101%): waiting on its CPU or data loader."},
		{"starved, without processes", trace{nodes: 2, gpus: 8, age: traceAge,
			does: but(trains, partly, starved, 1, 3)}, "!LAG -74",
			"Lags: 25% against a median of 99%, same clocks as the others (1980 MHz)."},
		{"one of two", trace{nodes: 2, gpus: 1, age: traceAge, does: but(trains, partly, starved, 1, 0)}, "!LAG -74",
			"Lags: 25% against a median of 99%, same clocks as the others (1980 MHz)."},
		{"thermally slowed", trace{nodes: 2, gpus: 8, age: traceAge, does: but(trains, partly, hot, 1, 3)},
			"!LAG clk .48", "Lags: SM clock 950 MHz against a median of 1980 MHz (thermal throttling); the others " +
				"wait for it."},
		{"busy while the others wait", trace{nodes: 2, gpus: 8, age: traceAge, does: but(trains, partly, busy, 1, 3)},
			"!LAG", "Lags: it works at 560 W while the others wait at a median of 260 W."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			lags := 0
			for _, f := range tc.trace.play(t, changesAt+5*time.Minute) {
				switch {
				case f.Kind == cluster.KindThermal:
				case f.Kind != cluster.KindLag || f.Node != "n02" || f.GPU != tc.trace.gpus*3/8 ||
					f.Severity != cluster.Warning:
					t.Errorf("found %v", f)
				default:
					lags++
					if late := f.at - changesAt; late > 90*time.Second || late < 60*time.Second {
						t.Errorf("named after %v", late)
					}
					if !alike(f.words.Flag, tc.word) || !alike(f.words.Sentence, tc.say) {
						t.Errorf("%s  %s\nwant %s  %s", f.words.Flag, f.words.Sentence, tc.word, tc.say)
					}
				}
			}
			if lags != 1 {
				t.Errorf("%d findings", lags)
			}
		})
	}
}

// alike compares texts without the last digits of their numbers, which vary.
func alike(a, b string) bool {
	blur := func(s string) string {
		out := []byte(s)
		for i := range out {
			if out[i] >= '0' && out[i] <= '9' {
				out[i] = '0'
			}
		}
		return string(out)
	}
	return strings.ReplaceAll(blur(a), "000%", "00%") == strings.ReplaceAll(blur(b), "000%", "00%")
}

// calm is the work of a job that does not use the full power.
var calm = work{util: 97, memory: 30, power: 390, clock: 1650, link: 20e9, used: 70}

// powered is the work of a GPU at this power.
func powered(watts float64) work {
	w := calm
	w.power = watts
	return w
}

// An hour of healthy jobs, or of jobs with GPUs that differ for good reasons, has no finding.
func TestNoFalseAlarm(t *testing.T) {
	raced.Skip(t)
	r := rand.New(rand.NewPCG(3, 4))
	for _, tc := range []struct {
		name  string
		trace trace
	}{
		{"training with checkpoints", trace{nodes: 2, gpus: 8, age: traceAge, does: checkpointed(trains)}},
		{"the first minutes of a job", trace{nodes: 2, gpus: 8, does: beginning(checkpointed(trains))}},
		{"independent workers", trace{nodes: 1, gpus: 8, age: traceAge, does: searching(r, 8)}},
		{"two independent workers on different problems",
			trace{nodes: 1, gpus: 2, age: traceAge, does: searching(r, 2)}},
		{"inference, each GPU on its own", trace{nodes: 1, gpus: 8, age: traceAge, does: serving(r, 8, false)}},
		{"inference, all GPUs together", trace{nodes: 1, gpus: 8, age: traceAge, does: serving(r, 8, true)}},
		{"one GPU", trace{nodes: 1, gpus: 1, age: traceAge, does: checkpointed(trains)}},
		{"one GPU in bursts", trace{nodes: 1, gpus: 1, age: traceAge, does: serving(r, 1, true)}},
		{"different models", trace{nodes: 2, gpus: 8, age: traceAge,
			models: []string{"NVIDIA H100 80GB HBM3", "NVIDIA A100-SXM4-80GB"}, does: mixedModels}},
		{"pipeline stages", trace{nodes: 1, gpus: 8, age: traceAge,
			does: staged([]float64{95, 90, 92, 93, 91, 90, 92, 60})}},
		{"pipeline stages that differ much",
			trace{nodes: 1, gpus: 8, age: traceAge, does: staged([]float64{95, 95, 70, 70, 55, 55, 40, 40})}},
		{"pipeline stages, after all have warmed up",
			trace{nodes: 1, gpus: 8, does: func(at time.Duration, node, gpu int) work {
				if at < 150*time.Second {
					return trains
				}
				return staged([]float64{95, 90, 92, 93, 91, 90, 92, 60})(at, node, gpu)
			}}},
		{"more work for one GPU, which the others do not wait for",
			trace{nodes: 1, gpus: 8, age: traceAge, does: one(always(calm), until(calm, trains, changesAt), 0, 2)}},
		{"more power for one GPU, and less for all from then",
			trace{nodes: 1, gpus: 8, age: traceAge, does: one(until(powered(400), powered(240), changesAt),
				until(powered(640), powered(384), changesAt), 0, 2)}},
		{"a request now and then", trace{nodes: 1, gpus: 8, age: traceAge, does: func(at time.Duration, _, _ int) work {
			if at%(5*time.Minute) < 40*time.Second {
				return trains
			}
			return rests
		}}},
		{"evaluation in between", trace{nodes: 2, gpus: 8, age: traceAge, does: evaluating}},
		{"phases on different GPUs", trace{nodes: 1, gpus: 8, age: traceAge, does: alternating}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, f := range tc.trace.play(t, time.Hour) {
				t.Errorf("found %v", f)
			}
		})
	}
}

// beginning is a job in its first two minutes, with GPUs that begin one after the other.
func beginning(then func(time.Duration, int, int) work) func(time.Duration, int, int) work {
	return func(at time.Duration, node, gpu int) work {
		switch begins := time.Duration(node*8+gpu) * 8 * time.Second; {
		case at < begins:
			return work{util: 0, power: 80, clock: 345, used: 1}
		case at < 130*time.Second:
			return work{util: 100, power: 140, clock: 1980, used: 20 + 3*float64(gpu)}
		}
		return then(at, node, gpu)
	}
}

// searching is a search for hyperparameters: each GPU works for minutes on a problem of its own.
func searching(r *rand.Rand, gpus int) func(time.Duration, int, int) work {
	type trial struct {
		until time.Duration
		util  float64
	}
	now := make([]trial, gpus)
	return func(at time.Duration, _, gpu int) work {
		if at >= now[gpu].until {
			now[gpu] = trial{at + time.Duration(3+12*r.Float64())*time.Minute, 30 + 70*r.Float64()}
		}
		if now[gpu].until-at < 20*time.Second {
			return work{util: 2, memory: 1, power: 100, clock: 1980, used: 20}
		}
		u := now[gpu].util
		return work{util: u, memory: u / 2, power: 100 + 5*u, clock: 1800, used: 20 + u/4}
	}
}

// serving answers requests in bursts: for each GPU alone, or for all together.
func serving(r *rand.Rand, gpus int, together bool) func(time.Duration, int, int) work {
	until, busy := make([]time.Duration, gpus), make([]bool, gpus)
	return func(at time.Duration, _, gpu int) work {
		of := gpu
		if together {
			of = 0
		}
		if at >= until[of] {
			busy[of] = !busy[of]
			most := 90.0
			if !busy[of] {
				most = 200
			}
			until[of] = at + time.Duration(5+most*r.Float64()*r.Float64())*time.Second
		}
		if !busy[of] {
			return rests
		}
		return work{util: 90, memory: 60, power: 450, clock: 1900, link: 1e9, used: 70}
	}
}

func mixedModels(at time.Duration, node, gpu int) work {
	if gpu%2 == 1 {
		return checkpointed(work{util: 60, memory: 30, power: 250, clock: 1100, link: 10e9, used: 40})(at, node, gpu)
	}
	return checkpointed(trains)(at, node, gpu)
}

// staged is a job with different shares of the work for its GPUs.
func staged(utils []float64) func(time.Duration, int, int) work {
	return func(at time.Duration, node, gpu int) work {
		w := trains
		w.util, w.power = utils[gpu], 150+4.5*utils[gpu]
		return checkpointed(w)(at, node, gpu)
	}
}

// evaluating is a job that evaluates every 7 minutes for 2.
func evaluating(at time.Duration, node, gpu int) work {
	if at%(7*time.Minute) < 2*time.Minute {
		return work{util: 60 - 3*float64(gpu), memory: 30, power: 300, clock: 1980, link: 1e9, used: 70}
	}
	return trains
}

// alternating is a job in which these GPUs and those work in turn.
func alternating(at time.Duration, _, gpu int) work {
	if (at%(4*time.Minute) < 2*time.Minute) == (gpu < 2) {
		return trains
	}
	return waits
}

// All other findings about a job's GPUs come once, in time and in these words.
func TestPeersAlarms(t *testing.T) {
	raced.Skip(t)
	starved := work{util: 25, memory: 12, power: 250, clock: 1980, link: 5e9, used: 70}
	small := work{util: 0, clock: 345, power: 70, used: 0.1}
	for _, tc := range []struct {
		name  string
		trace trace
		long  time.Duration
		want  []string // kind, place, severity, the time until the finding, and its sentence
	}{
		{"always slow, and starved", trace{nodes: 2, gpus: 8, age: traceAge, does: one(always(trains), always(starved),
			1, 3), processes: ranks(8, 1, 3)}, 10 * time.Minute,
			[]string{"lag n02 GPU3 2 3m: Lags (rank 11, PID 1003): 25% against a median of 97%, a higher clock than " +
				"the others (1980 against 1650 MHz), its process uses 12% of a core (others: 101%): waiting on its " +
				"CPU or data loader."}},
		{"always slow, perhaps by design",
			trace{nodes: 2, gpus: 8, age: traceAge, does: one(always(trains), always(starved), 1, 3)}, 10 * time.Minute,
			[]string{"lag n02 GPU3 0 3m: Lags: 25% against a median of 97%, a higher clock than the others (1980 " +
				"against 1650 MHz)."}},
		{"the slow GPU changes", trace{nodes: 2, gpus: 8, age: traceAge, does: changing(trains, starved, slowedGPUs)},
			15 * time.Minute,
			[]string{"lag GPU-1 2 15m: The slow GPU changes: GPU0 on n00, then GPU0 on n00."}},
		{"idle", trace{nodes: 2, gpus: 8, age: traceAge, does: one(always(trains), until(trains, rests, 2*time.Minute),
			0, 5)}, 40 * time.Minute, []string{
			"idle n01 GPU5 0 7m: Idle while other GPUs of the job work; 70 GiB of its memory is in use.",
			"idle n01 GPU5 2 32m: Idle while other GPUs of the job work; 70 GiB of its memory is in use."}},
		{"two are not used", trace{nodes: 1, gpus: 8, age: traceAge, does: one(one(always(trains), always(small), 0, 6),
			always(small), 0, 7)}, 10 * time.Minute, []string{
			"idle n01 GPU6 0 5m: Not used since nvnodetop started watching; 2 of 8 GPUs are idle.",
			"idle n01 GPU7 0 5m: Not used since nvnodetop started watching; 2 of 8 GPUs are idle."}},
		{"none is used", trace{nodes: 1, gpus: 8, age: traceAge, does: always(small)}, 10 * time.Minute, []string{
			"job_idle n01 GPU-1 0 5m: None of the 8 GPUs has been used since nvnodetop started watching."}},
		{"all stop", trace{nodes: 2, gpus: 8, age: traceAge, does: one(until(trains, rests, 5*time.Minute),
			until(trains, rests, 4*time.Minute), 1, 4)}, 13 * time.Minute, []string{
			"job_idle GPU-1 0 6m: All GPUs paused for 60s: GPU4 on n02 has been idle since 12:04:00.",
			"job_idle GPU-1 2 12m: All GPUs idle: GPU4 on n02 has been idle since 12:04:00."}},
		{"all stop, and their processes do nothing",
			trace{nodes: 2, gpus: 8, age: traceAge, does: until(trains, rests, 5*time.Minute), processes: stuck},
			8 * time.Minute, []string{
				"job_idle GPU-1 0 6m: All GPUs paused for 60s.", "job_idle GPU-1 2 7m: All GPUs idle."}},
		{"all stop, most of them early",
			trace{nodes: 1, gpus: 8, age: traceAge, does: one(until(trains, rests, 4*time.Minute),
				until(trains, rests, 5*time.Minute), 0, 4)}, 13 * time.Minute, []string{
				"job_idle n01 GPU-1 0 6m: All GPUs paused for 60s.", "job_idle n01 GPU-1 2 12m: All GPUs idle."}},
		{"hangs", trace{nodes: 2, gpus: 8, age: traceAge, does: one(until(trains, waits, 5*time.Minute),
			until(trains, rests, 5*time.Minute), 1, 5), processes: ranks(8, 1, 5)}, 9 * time.Minute, []string{
			"job_hang GPU-1 2 8m: The job seems to hang in a collective: 15 of 16 GPUs are fully utilized, at 150 W " +
				"instead of 600 W and without memory traffic; GPU5 on n02 (rank 13, PID 1005) has been idle since 12:05:00."}},
		{"has hung for long", trace{nodes: 2, gpus: 8, age: traceAge, does: always(waits)}, 5 * time.Minute, []string{
			"job_hang GPU-1 0 3m: The job seems to hang in a collective: 16 of 16 GPUs are fully utilized, at 150 W " +
				"and without memory traffic, as long as nvnodetop has watched."}},
		{"one with more memory", trace{nodes: 1, gpus: 8, age: traceAge,
			does: one(always(fuller(trains, 40)), always(fuller(trains, 75)), 0, 0)}, 5 * time.Minute, []string{
			"memory_imbalance n01 GPU0 0 3m: 75 GiB of memory is in use, against a median of 40 GiB."}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := tc.trace.play(t, tc.long)
			if len(got) != len(tc.want) {
				t.Fatalf("found %v", got)
			}
			for i, f := range got {
				of := fmt.Sprintf("%s %s GPU%d %d ", f.Kind, f.Node, f.GPU, f.Severity)
				rest, isOf := strings.CutPrefix(tc.want[i], strings.Replace(of, "  ", " ", 1))
				within, say, _ := strings.Cut(rest, ": ")
				by, err := time.ParseDuration(within)
				if err != nil || !isOf || f.at > by+3*tracePoll || !alike(f.words.Sentence, say) {
					t.Errorf("found %v\nwant %s", f, tc.want[i])
				}
				if f.words.Long == "" || f.words.Short == "" || f.words.Hint == "" {
					t.Errorf("%+v", f.words)
				}
			}
		})
	}
}

// stuck are ranks of a training job with processes that do nothing.
func stuck(at time.Duration, node int) []wire.Process {
	list := ranks(8, 9, 9)(at, node)
	for i := range list {
		list[i].CPUPercent = new(0.0)
	}
	return list
}

// one is the work of all GPUs except one.
func one(all, other func(time.Duration, int, int) work, node, gpu int) func(time.Duration, int, int) work {
	return func(at time.Duration, n, g int) work {
		if n == node && g == gpu {
			return other(at, n, g)
		}
		return all(at, n, g)
	}
}

func until(first, then work, change time.Duration) func(time.Duration, int, int) work {
	return func(at time.Duration, _, _ int) work {
		if at < change {
			return first
		}
		return then
	}
}

func fuller(w work, gib float64) work {
	w.used = gib
	return w
}

// changing is a job in which, after some time without any slow GPU, each GPU is slow for half a minute in turn.
func changing(usual, slow, others work) func(time.Duration, int, int) work {
	return func(at time.Duration, node, gpu int) work {
		switch {
		case at <= 5*time.Minute:
			return usual
		case int(at/(30*time.Second))*7%16 == 8*node+gpu:
			return slow
		}
		return others
	}
}

// Findings depend on the Events alone, not on the times of Snapshots.
func TestPeersReplay(t *testing.T) {
	tr := trace{nodes: 2, gpus: 4, age: traceAge, does: one(always(trains), until(trains, rests, 4*time.Minute), 1, 3)}
	last := func(every time.Duration) []cluster.Finding {
		s := tr.store()
		r := rand.New(rand.NewPCG(1, 2))
		for at := time.Duration(0); at <= 20*time.Minute; at += tracePoll {
			tr.apply(s, at, r)
			if at%every == 0 {
				s.Snapshot(t0.Add(at + time.Minute))
			}
		}
		return s.Snapshot(t0.Add(20 * time.Minute)).Jobs[0].Findings
	}
	if diff := cmp.Diff(last(tracePoll), last(time.Hour)); diff != "" || len(last(time.Hour)) == 0 {
		t.Errorf("with Snapshots and without differ:\n%s", diff)
	}
}

// BenchmarkPeers1000x8 measures the report with which the 8,000 GPUs of a job are compared. The other 999 reports of an
// interval compare nothing.
func BenchmarkPeers1000x8(b *testing.B) {
	starved := work{util: 25, memory: 12, power: 250, clock: 1980, link: 5e9, used: 70}
	tr := trace{nodes: 1000, gpus: 8, age: traceAge, does: one(always(trains), always(starved), 1, 3)}
	s := tr.store()
	r := rand.New(rand.NewPCG(1, 2))
	var reports []*wire.Report
	for n := range tr.nodes {
		reports = append(reports, tr.report(0, n, r))
	}
	at := t0
	interval := func() {
		at = at.Add(tracePoll)
		for n, rep := range reports {
			if n == 1 {
				b.StopTimer()
			}
			s.Apply(cluster.Event{At: at, Node: nodeName(n), Report: rep})
		}
	}
	for range 60 {
		interval()
	}
	if f := s.Snapshot(at).Jobs[0].Findings; len(f) != 1 || f[0].Kind != cluster.KindLag {
		b.Fatalf("%+v", f)
	}
	b.ResetTimer()
	for range b.N {
		b.StartTimer()
		interval()
	}
}

package progress

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster/progress"
)

// read returns what a log says that came at once.
func read(log string) progress.Progress {
	r := &Reader{}
	r.Take([]byte(log), someTime)
	return r.Progress()
}

// A log that has no progress says nothing, and lines about it are left out.
func TestNothing(t *testing.T) {
	for _, log := range []string{
		"", "\n\r\b\x1b[A\x1b]", "step", "step 1200\n", "step 3/10\n", "loss 0.3\n",
		"E       AssertionError: loss 0.31 at step 120/400\n",
		"ValueError: step 3/10 has loss nan\n",
		"python train.py --step 3 --loss 0.3 --epoch 5\n",
		"Namespace(batch_size=32, epochs=10, lr=0.001, step=5, loss='mse')\n",
		"Validating: step 10/100 loss 0.3\n", "Best val loss 0.3 at epoch 5 step 1200\n",
		"val:  10%|█  | 10/100 [00:01<00:10, 9.5it/s]\n",
		"Compiling:  12%|█ | 12/100 [03:21<13:00, 3.1s/it]\n",
		"Extracting features:  12%|█ | 12/100 [03:21<13:00, 3.1s/it]\n",
		"Downloading data: 45%|████▌     | 450M/1.00G [00:12<00:14, 38.1MB/s]\n",
		"Number of steps: 1000, step size 0.1, loss weight 3\n",
		"[batch=100/1000]:\n\t Train time/epoch: 0\n\t Train time/batch: 99\n",
	} {
		if p := read(log); p.Step != nil || p.Loss != nil || p.Total != nil || p.SecondsPerStep != nil {
			t.Errorf("%q: %s", log, describe(p))
		}
	}
}

// Lines of programs of no known form are read by the words beside the numbers.
func TestGeneralForm(t *testing.T) {
	for _, tc := range []struct{ line, want string }{
		{"Step 100 | Loss: 2.31 | LR: 1.0e-04 | Tokens/sec: 12345.6", "general  tokens run 100 - - - - - 12345.6 2.31 0.0001 - -"},
		{"iter 300/1000 | loss 2.34 | 41ms/iter | mfu 41.2%", "general log  run 300 1000 - - - 0.041 - 2.34 - 41.2 0.3"},
		{"Epoch: 3/10 Step: 100/1000 Loss: 0.3 Time left: 1:02:03",
			"general   epoch 100 1000 10 - 3 - - 0.3 - - 0.21 1h2m3s epoch"},
		{"step=12 loss=nan lr=1e-4", "general   run 12 - - - - - - - 0.0001 - - diverged"},
		{"global step 500: loss 1.2 (12.3 sec/step)", "general log  run 500 - - - - 12.3 - 1.2 - - -"},
		{"| epoch   1 |   200/ 2323 batches | lr 20.00 | ms/batch 12.34 | loss  6.12 |",
			"general log  unknown 200 2323 - - 1 0.01234 - 6.12 20 - -"},
		{"Step 100 per-step time 0.412s loss=0.3", "general log  run 100 - - - - 0.412 - 0.3 - - -"},
		{"iter 7 time per step 412 loss 0.3", "general   run 7 - - - - - - 0.3 - - -"}, // of which unit?
		{"1200/5000 steps (24%)", "general   run 1200 5000 - - - - - - - - 0.24"},
		{"iter: 7 | loss: 2.5 | tokens_per_sec: 12.3K", "general  tokens run 7 - - - - - 12300 2.5 - - -"},
		{"iter 7 loss 2.5 12.3k tok/s", "general  tokens run 7 - - - - - 12300 2.5 - - -"},
		{"[Iter 100/30000] [D loss: 0.5/0.1] [Time: 123.456]", "general   run 100 30000 - - - - - - - - 0.00333333"},
		{"INFO step=300 loss=2.34 mfu=0.41", "general   run 300 - - - - - - 2.34 - 41 -"},
	} {
		if got := describe(read(tc.line + "\n")); got != tc.want {
			t.Errorf("%q:\n got %s\nwant %s", tc.line, got, tc.want)
		}
	}
}

// A line that may be cut within a number is not believed yet; a bar that is drawn again is.
func TestCutLines(t *testing.T) {
	const before = "step 100/500 loss 0.31 eta 1:02:03\n"
	for _, cut := range []string{"step 110/5", "step 110/500 loss 0.", "step 110/500 loss 0.3 eta 1:0"} {
		if got := read(before + cut); *got.Step != 100 || *got.Loss != 0.31 {
			t.Errorf("%q: %s", cut, describe(got))
		}
	}
	if got := read("\r 10%|█  | 10/100 [00:10<01:30,  1.00s/it]\r 11%|█  | 11/100 [00:11<01:29,  1.00s/it]"); *got.Step != 11 {
		t.Error(describe(got))
	}
}

// Long lines, and bytes that are no text, cost no memory.
func TestMemoryIsBounded(t *testing.T) {
	r := &Reader{}
	for _, piece := range []string{strings.Repeat("step 1/2 loss 3 ", 1<<12), strings.Repeat("\x1b[", 1<<12), "\x1b]" +
		strings.Repeat("x", 1<<16), strings.Repeat("\x00", 1<<12), strings.Repeat("step,a,b\n", 1<<10)} {
		for range 16 {
			r.Take([]byte(piece), someTime)
		}
	}
	if cap(r.split.text) > 2*maxLine {
		t.Errorf("a line has room for %d bytes", cap(r.split.text))
	}
	r.Take([]byte("\nstep 5/9 loss 3\n"), someTime)
	if p := r.Progress(); p.Step == nil || *p.Step != 5 {
		t.Error(describe(p))
	}
}

// Steps that begin again with each epoch are told from those that go on, and EndsIn follows.
func TestEpochs(t *testing.T) {
	p := read("[epoch 4/20] [batch 781/782] loss=0.8\n[epoch 4/20] [batch 782/782] loss=0.8\n[epoch 5/20] [batch 2/782] loss=0.8\n")
	if p.Scope != progress.OfEpoch || math.Abs(*p.Done()-(4*782+2)/(20*782.0)) > 1e-9 {
		t.Error(describe(p))
	}
	p = read("epoch 1/4 step 249/1000 loss 1\nepoch 2/4 step 251/1000 loss 1\n")
	if p.Scope != progress.OfRun || *p.Done() != 0.251 {
		t.Error(describe(p))
	}
	p = read("epoch 2/4 step 350/1000 loss 1\n") // of the epoch, or of the run?
	if p.Scope != progress.UnknownScope || p.Done() != nil {
		t.Error(describe(p))
	}
}

// Checkpoints and resumes are noted with their steps.
func TestEvents(t *testing.T) {
	for _, tc := range []struct {
		line           string
		saved, resumed int64 // 0: none
	}{
		{"saving checkpoint at iteration    8000 to /ckpt/gpt", 8000, 0},
		{"Saving model checkpoint to out/checkpoint-500", 500, 0},
		{"fvcore.common.checkpoint INFO: Saving checkpoint to ./output/model_0004999.pth", 4999, 0},
		{"Saved checkpoint checkpoints/checkpoint4.pt (epoch 4 @ 4524 updates, score 5.012)", 4524, 0},
		{"WRITING COORDINATES TO RESTART FILE AT STEP 904", 904, 0},
		{"Resuming from step 1200", 0, 1200},
		{"Continuing training from global step 1200", 0, 1200},
		{"successfully loaded checkpoint from /ckpt/gpt [ t 1/8, p 1/4 ] at iteration 8000", 0, 8000},
		{"Loaded checkpoint runs/a/step_1200.pt (optimizer, scheduler, rng)", 0, 1200},
		{"Training starts at step 501", 0, 501},
	} {
		p := read(tc.line + "\n")
		if tc.saved > 0 && (p.LastCheckpoint == nil || p.LastCheckpoint.Step == nil || *p.LastCheckpoint.Step != tc.saved) ||
			(tc.saved == 0) != (p.LastCheckpoint == nil) {
			t.Errorf("%q: checkpoint %+v, want %d", tc.line, p.LastCheckpoint, tc.saved)
		}
		if tc.resumed > 0 && (p.Resumed == nil || *p.Resumed != tc.resumed) || (tc.resumed == 0) != (p.Resumed == nil) {
			t.Errorf("%q: resumed %v, want %d", tc.line, p.Resumed, tc.resumed)
		}
	}
}

// live feeds a Reader with lines as they come: each after a number of seconds.
func live(r *Reader, at time.Time, seconds float64, from, to int, line func(int) string) time.Time {
	for i := from; i < to; i++ {
		at = at.Add(time.Duration(seconds * float64(time.Second)))
		r.Take([]byte(line(i)+"\n"), at)
	}
	return at
}

func stepLine(i int) string { return fmt.Sprintf("step %d/100000 loss 2.31", i) }

// A pace is counted from the arrival of lines. Evaluations and checkpoints are no slow-down; a change that lasts is.
func TestPace(t *testing.T) {
	r := &Reader{}
	at := someTime
	for part := range 10 {
		at = live(r, at, 2.4, part*20, part*20+20, stepLine)
		r.Take([]byte("Evaluating\neval batch 1/2 loss 3\n"), at)
		at = at.Add(90 * time.Second)
	}
	p := r.Progress()
	if p.Source != progress.Counted || math.Abs(*p.SecondsPerStep-2.4) > 0.01 || p.Slower != nil {
		t.Fatalf("%s, slower %+v", describe(p), p.Slower)
	}
	since := at
	at = live(r, at, 3.1, 200, 260, stepLine)
	p = r.Progress()
	if math.Abs(*p.SecondsPerStep-3.1) > 0.01 {
		t.Error(describe(p))
	}
	if s := p.Slower; s == nil || math.Abs(s.Before-2.4) > 0.01 || s.Since.Sub(since).Abs() > 15*time.Second {
		t.Errorf("slower %+v, want 2.4 until %v", s, since)
	}
	live(r, at, 2.4, 260, 400, stepLine)
	if p = r.Progress(); p.Slower != nil {
		t.Errorf("slower %+v, but it is as fast as before", p.Slower)
	}
}

// A pace that only varies has not changed.
func TestNoiseIsNoChange(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		r, at := &Reader{}, someTime
		for i := range 200 {
			at = live(r, at, 1+random.ExpFloat64(), i, i+1, stepLine)
		}
		if p := r.Progress(); p.Slower != nil {
			t.Fatalf("slower %+v", p.Slower)
		}
	}
}

// Lines with times of their own have a pace at once; several ranks write the same line.
func TestPaceOfHistory(t *testing.T) {
	var log strings.Builder
	for i := range 60 {
		for rank := range 4 {
			fmt.Fprintf(&log, "[rank%d]: %s INFO step %d/900 loss 2.%d\n", rank,
				someTime.Add(time.Duration(i)*1500*time.Millisecond).Format("2006-01-02 15:04:05,000"), i, rank)
		}
	}
	p := read(log.String())
	if p.Source != progress.Counted || math.Abs(*p.SecondsPerStep-1.5) > 0.01 {
		t.Error(describe(p))
	}
	if ends := p.EndsIn(someTime); ends == nil || (*ends-841*1500*time.Millisecond).Abs() > 2*time.Second {
		t.Errorf("ends in %v", ends)
	}
}

// An end is compared with the time limit of the job.
func TestForecast(t *testing.T) {
	p := read("step 41200/100000 loss 2.31 3.1 s/step\n")
	limit := someTime.Add(16 * time.Hour)
	f := p.Compare(someTime.Add(time.Minute), limit)
	if f == nil || f.EndsIn.Round(time.Hour) != 51*time.Hour || f.After.Round(time.Hour) != 35*time.Hour ||
		math.Abs(*f.Done-0.597) > 0.003 {
		t.Errorf("%+v", f)
	}
	if f = p.Compare(someTime, someTime.Add(60*time.Hour)); f.After > 0 || *f.Done != 1 {
		t.Errorf("%+v", f)
	}
	if f = p.Compare(someTime, someTime.Add(-time.Hour)); *f.Done != 0.412 {
		t.Errorf("%+v", f)
	}
	for _, log := range []string{"step 41200 loss 2.31 3.1 s/step\n", "step 41200/100000 loss 2.31\n", "\n",
		"Epoch 1: 10%|█  | 10/100 [03:00<27:00, 18.0s/it]\n"} {
		if p := read(log); p.EndsIn(someTime) != nil || p.Compare(someTime, limit) != nil {
			t.Errorf("%q ends in %v", log, p.EndsIn(someTime))
		}
	}
}

// A log that used to grow each 5 s is silent after minutes; one that pauses for evaluations is not.
func TestSilence(t *testing.T) {
	r := &Reader{}
	at := live(r, someTime, 5, 0, 40, stepLine)
	if s := r.Silence(at.Add(time.Minute)); s != nil {
		t.Errorf("after a minute: %+v", s)
	}
	if s := r.Silence(at.Add(12 * time.Minute)); s == nil || s.Usual != 5*time.Second || !s.Since.Equal(at) {
		t.Errorf("after 12 minutes: %+v", s)
	}
	at = live(r, at.Add(8*time.Minute), 5, 40, 60, stepLine)
	if s := r.Silence(at.Add(12 * time.Minute)); s != nil {
		t.Errorf("it paused for 8 minutes before: %+v", s)
	}
}

func FuzzReader(f *testing.F) {
	for _, e := range expectedTails(f) {
		f.Add(readTail(f, e.file), 100)
	}
	f.Fuzz(func(t *testing.T, data []byte, size int) {
		whole, pieces := &Reader{}, &Reader{}
		whole.Take(data, someTime)
		for rest := data; len(rest) > 0; {
			n := min(max(size, 1), len(rest))
			pieces.Take(rest[:n], someTime)
			pieces.Progress()
			rest = rest[n:]
		}
		p := whole.Progress()
		if got, want := describe(pieces.Progress()), describe(p); got != want {
			t.Errorf("in pieces of %d:\n got %s\nwant %s", size, got, want)
		}
		for _, v := range []*float64{p.Done(), p.SecondsPerStep, p.UnitsPerSecond, p.Epoch} {
			if v != nil && !(*v >= 0) {
				t.Errorf("%v in %s", *v, describe(p))
			}
		}
		p.Compare(someTime, someTime.Add(time.Hour))
		if _, err := json.Marshal(p); err != nil {
			t.Error(err)
		}
	})
}

func BenchmarkReader(b *testing.B) {
	chatter := bytes.Repeat([]byte("2026-11-27 03:10:01,112 INFO worker.py:412] request 41231 from 10.0.0.12 done: 200 in 31 ms\n"+
		"W external/local_xla/xla/tsl/framework/bfc_allocator.cc:310] Allocator (GPU_0_bfc) ran out of memory\n"+
		"node1:4121:4190 [3] NCCL INFO Channel 00/0 : 3[3] -> 4[4] via P2P/CUMEM/read\n"), 300)
	for _, of := range []struct {
		name string
		data []byte
	}{{"chatter", chatter}, {"tqdm", readTail(b, "02-tqdm-plain-sit.log")}, {"Megatron-LM", readTail(b, "38-megatron-lm-training-log.log")}} {
		b.Run(of.name, func(b *testing.B) {
			b.SetBytes(int64(len(of.data)))
			r := &Reader{}
			for b.Loop() {
				r.Take(of.data, someTime)
			}
		})
	}
}

func BenchmarkProgress(b *testing.B) {
	r, at := &Reader{}, someTime
	live(r, at, 12, 0, 500, stepLine)
	for b.Loop() {
		r.Progress()
	}
}

package joblog

import (
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

func TestMarks(t *testing.T) {
	for line, want := range map[string]string{
		"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB":               "GPU out of memory",
		"torch.cuda.OutOfMemoryError: CUDA out of memory.":                                     "GPU out of memory",
		"[rank3]: RuntimeError: shape mismatch":                                                "exception",
		"ValueError: bad batch":                                                                "exception",
		"KeyboardInterrupt: ":                                                                  "exception",
		"jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying": "GPU out of memory",
		"Traceback (most recent call last):":                                                   "traceback",
		"[rank0]: Traceback (most recent call last):":                                          "traceback",
		"RuntimeError: CUDA error: an illegal memory access was encountered":                   "CUDA error",
		"node1:81:99 [0] NCCL WARN Call to ibv_reg_mr failed":                                  "NCCL warning",
		"[rank1]:[E1120 12:00:00 ProcessGroupNCCL.cpp:616] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL": "NCCL watchdog",
		"torch.distributed.DistBackendError: NCCL error in: x.cpp, unhandled system error, ncclSystemError: x":              "NCCL error",
		"step 12 loss=nan lr 3e-4":  "loss is NaN",
		"{'loss': nan, 'epoch': 1}": "loss is NaN",
		"train_loss: NaN":           "loss is NaN",
		"Loss is inf, stopping":     "loss is NaN",
		"[ 123.4] NVRM: Xid (PCI:0000:1b:00): 79, pid=81, GPU has fallen off the bus.":               "Xid",
		"srun: error: node02: task 1: Exited with exit code 1":                                       "error of srun",
		"slurmstepd: error: Detected 1 oom_kill event in StepId=7.0.":                                "host out of memory",
		"slurmstepd: error: *** JOB 7 ON node01 CANCELLED AT 2026-11-20T12:00 DUE TO TIME LIMIT ***": "end by SLURM",
		"slurmstepd-node01: error: *** STEP 1.0 ON node01 CANCELLED AT 2026-11-23T13:33:03 ***":      "end by SLURM",
		"slurmstepd: error: execve(): No such file":                                                  "error of SLURM",
		"OSError: [Errno 28] No space left on device":                                                "disk full",
		"Segmentation fault (core dumped)":                                                           "crash",
		// a line about errors is no error
		"loss 1.9 nan_to_num=True":                    "",
		"INFO using --on-error: continue":             "",
		"errors: 0":                                   "",
		"Registered handler for RuntimeError: none":   "",
		"loading ValueError.py":                       "",
		"banana: 3":                                   "",
		"loss: 1.93 inflation: 2":                     "",
		"NCCL INFO Using network Socket":              "",
		"memory: 10 GiB left":                         "",
		"Note: out of memory errors are retried here": "",
		"eval loss 2.1, infinite loader":              "",
	} {
		if got := markOf(line).Name(); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

// cites follows a log that is written in steps of a minute.
func cites(t *testing.T, steps ...string) (Trail, *Window) {
	t.Helper()
	var trail Trail
	d, w := &disk{}, NewWindow(-wire.MaxLog)
	for i, step := range steps {
		d.data = append(d.data, step...)
		p := d.read(w.Next(true))
		p.At = noon.Add(time.Duration(i) * time.Minute)
		w.Take(p)
		trail.Note(p, w)
	}
	return trail, w
}

// A cause is cited rather than what follows from it.
func TestCite(t *testing.T) {
	const oom, srun = "torch.OutOfMemoryError: CUDA out of memory\n", "srun: error: node02: task 1: Exited\n"
	for _, test := range []struct {
		steps []string
		want  string
		after time.Duration // from noon; -1: not known
	}{
		{[]string{"fine\n", "fine too\n"}, "", 0},
		{[]string{"fine\n", oom, srun}, oom, time.Minute},
		{[]string{"fine\n", srun, oom}, oom, 2 * time.Minute},
		{[]string{"fine\n", srun}, srun, time.Minute},
		{[]string{"fine\n", oom + "ValueError: later\n" + srun}, "ValueError: later\n", time.Minute},
		{[]string{oom}, oom, -1},
		{[]string{"2026-11-20 11:30:00 NCCL WARN x\n"}, "2026-11-20 11:30:00 NCCL WARN x\n", -30 * time.Minute},
		{[]string{"fine\n", "CUDA out of", " memory now\n"}, "CUDA out of memory now\n", 2 * time.Minute},
	} {
		trail, _ := cites(t, test.steps...)
		c, is := trail.Cite()
		when := noon.Add(test.after)
		if test.after == -1 {
			when = time.Time{}
		}
		if is != (test.want != "") || is && (c.Text+"\n" != test.want || !c.When.Equal(when)) {
			t.Errorf("%q: %q at %v, %v", test.steps, c.Text, c.When, is)
		}
	}
}

// While a log is followed, its length at any time is known.
func TestOffsetAtATime(t *testing.T) {
	trail, w := cites(t, "one\n", "two\n", "", "three\n")
	for after, want := range map[time.Duration]int64{-time.Second: -1, 0: 4, 30 * time.Second: 4, time.Minute: 8,
		150 * time.Second: 8, time.Hour: 14} {
		at, known := trail.At(noon.Add(after))
		if !known {
			at = -1
		}
		if at != want {
			t.Errorf("after %v: %d, want %d", after, at, want)
		}
	}
	if _, known := Stamped(w.Lines(), noon); known {
		t.Error("lines without a time have one")
	}
	for i := range 3 * maxMoments {
		trail.remember(moment{noon.Add(time.Duration(i) * time.Second), int64(i)})
	}
	if len(trail.moments) > maxMoments {
		t.Errorf("%d moments", len(trail.moments))
	}
}

// Lines with times tell where a moment is, in the formats of Python's logging and others.
func TestStamped(t *testing.T) {
	_, w := cites(t, "start\n2026-11-20 11:58:00,123 INFO a\n[2026-11-20T11:59:00.5Z] b\nno time\n"+
		"2026/11/20 12:01:00 c\n11/20/2026 12:02:00 - d\n")
	for when, want := range map[time.Time]int{noon: 4, noon.Add(-90 * time.Second): 2, noon.Add(-time.Hour): -1,
		noon.Add(time.Hour): -1} {
		at, known := Stamped(w.Lines(), when)
		if !known {
			at = -1
		}
		if at != want {
			t.Errorf("%v is line %d, want %d", when, at, want)
		}
	}
}

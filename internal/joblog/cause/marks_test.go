package cause

import (
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
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
		"Loss is inf, stopping":     "loss is infinite",
		"[ 123.4] NVRM: Xid (PCI:0000:1b:00): 79, pid=81, GPU has fallen off the bus.":               "Xid",
		"srun: error: node02: task 1: Exited with exit code 1":                                       "error of srun",
		"slurmstepd: error: Detected 1 oom_kill event in StepId=7.0.":                                "host out of memory",
		"slurmstepd: error: *** JOB 7 ON node01 CANCELLED AT 2026-11-20T12:00 DUE TO TIME LIMIT ***": "end by SLURM",
		"slurmstepd-node01: error: *** STEP 1.0 ON node01 CANCELLED AT 2026-11-23T13:33:03 ***":      "end by SLURM",
		"AssertionError":                              "exception",
		"3: RuntimeError: with srun --label":          "exception",
		"[1,3]<stderr>:RuntimeError: with mpirun":     "exception",
		"(Worker pid=1234) RuntimeError: with Ray":    "exception",
		"│ RuntimeError: in a box │":                  "exception",
		"slurmstepd: error: execve(): No such file":   "error of SLURM",
		"OSError: [Errno 28] No space left on device": "disk full",
		"Segmentation fault (core dumped)":            "crash",
		// a line about errors is no error
		"loss 1.9 nan_to_num=True":                    "",
		"INFO using --on-error: continue":             "",
		"best_loss = inf":                             "",
		"min_loss: inf":                               "",
		"EarlyStopping: best val_loss=inf":            "",
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
		var m Marker
		if got := m.Next(line).Name(); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

// Whatever a log has, its cause is one of its lines, and a sentence that a screen can show.
func FuzzFirst(f *testing.F) {
	for _, c := range tails(f, "testdata") {
		f.Add(strings.Join(c.lines, "\n"))
	}
	f.Fuzz(func(t *testing.T, log string) {
		lines := strings.Split(log, "\n")
		c, is := First(lines)
		if is && (c.At < 0 || c.At >= len(lines) || c.Mark == 0 || len(c.Text) > maxText ||
			c.Text != safe.Line(c.Text, maxText)) {
			t.Errorf("%+v", c)
		}
	})
}

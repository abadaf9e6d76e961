package realgpu

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The loads for a real GPU start, on stubs that do nothing.
func TestLoadsStart(t *testing.T) {
	t.Parallel()
	bin := build(t)
	const loads = "../../scripts/realgpu.d/loads"
	for _, c := range []struct{ load, says string }{
		{"product.py", "done 10 "}, {"copy.py", "done 34359738368 "}, {"transfer.py to", "done 2147483648 "},
		{"transfer.py from", "done 2147483648 "}, {"hold.py 64", "ready "}, {"hold.py 64 fork", "ready "},
		{"fault.py", "failed CUDA_STUB"}, {"grow.py 64 0.1", "allocated 67108864"}, {"train.py busy", "ready "},
		{"nccl.py 0 1 4711", "ready "},
	} {
		t.Run(c.load, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			args := strings.Fields(c.load)
			args[0] = filepath.Join(loads, "load_"+args[0])
			cmd := exec.CommandContext(ctx, "python3", args...)
			cmd.Env = append(os.Environ(), "PYTHONPATH="+absolute(t, "stubtorch"), "LD_LIBRARY_PATH="+bin,
				"PYTHONDONTWRITEBYTECODE=1", "PYTHONUNBUFFERED=1")
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			var errs bytes.Buffer
			cmd.Stderr = &errs
			out, err := cmd.StdoutPipe()
			if err := errors.Join(err, cmd.Start()); err != nil {
				t.Fatal(err)
			}
			defer func() {
				_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
				_ = cmd.Wait()
			}()
			var said bytes.Buffer
			buffer := make([]byte, 4096)
			for !strings.Contains(said.String(), c.says) {
				n, err := out.Read(buffer)
				said.Write(buffer[:n])
				if err != nil {
					t.Fatalf("it says %.500q, want %q: %v\n%s", said.String(), c.says, err, errs.String())
				}
			}
		})
	}
}

package smi_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/test/apptest"
)

// smiHost is the environment of a host without SLURM and without a probe, whose nvidia-smi reads these files.
func smiHost(t *testing.T, files map[string]string) (env []string) {
	t.Helper()
	smi, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	fake := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(fake, name), []byte(content+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return []string{"FAKE=" + fake, "HOME=" + t.TempDir(), "PATH=" + smi + ":" + os.Getenv("PATH"), apptest.NoProbe + "=1"}
}

// A GPU that nvidia-smi cannot read is lost in every output, and never free. The other one is free.
func TestLostGPUWithoutAProbe(t *testing.T) {
	const words = "Unable to determine the device handle for GPU1: 00000000:17:00.0: Unknown Error"
	for name, files := range map[string]map[string]string{
		"lost":         {"say": "1 [GPU is lost]"},
		"later":        {"say.loop": "1 [GPU is lost]"},
		"broken":       {"say": "1 [Unknown Error]"},
		"to be reset":  {"say": "1 [GPU requires reset]"},
		"refused":      {"refuse": "1 " + words},
		"refused late": {"refuse.loop": "1 " + words},
		"vanished":     {"gpus.loop": "0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, tc := range []struct {
				args     []string
				code     int
				out, not string
			}{
				{[]string{"--json"}, cli.ExitFailed, `"kind": "gpu_lost"`, ""},
				{[]string{"--once"}, cli.ExitFailed, "GPU1 lost", "GPU0 lost"},
				{[]string{"available"}, 0, "0\n", "1"},
				{[]string{"list"}, cli.ExitFailed, "\n 1  [x]", " 0  [x]"},
				{[]string{"snapshot", "--format", "prometheus"}, cli.ExitFailed, `gpu="1"} 0`, `nvnodetop_gpu_up{node="` + hostname(t) + `",gpu="0"} 0`},
			} {
				t.Run(tc.args[0], func(t *testing.T) {
					t.Parallel() // each waits for a second sample
					code, out, errs := apptest.Process(t, smiHost(t, files), append(tc.args, "--timeout", "60s")...)
					if code != tc.code || !strings.Contains(out, tc.out) || tc.not != "" && strings.Contains(out, tc.not) {
						t.Errorf("%s: exit code %d, stderr %q, stdout\n%s", tc.args, code, errs, out)
					}
					if code != 0 && !strings.Contains(errs, "GPU1 (lost)") {
						t.Errorf("%s: stderr %q", tc.args, errs)
					}
				})
			}
		})
	}
}

func hostname(t *testing.T) string {
	t.Helper()
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// An nvidia-smi without data says why.
func TestWordsOfNvidiaSMI(t *testing.T) {
	env := smiHost(t, map[string]string{"fail": "NVIDIA-SMI has failed because of the moon"})
	if code, _, errs := apptest.Process(t, env, "--once"); code != cli.ExitNoJobs || !strings.Contains(errs, "nvidia-smi: NVIDIA-SMI has failed because of the moon") {
		t.Errorf("exit code %d, stderr %q", code, errs)
	}
}

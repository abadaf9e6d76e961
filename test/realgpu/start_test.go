package realgpu

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/app"
	_ "github.com/nvnodetop/nvnodetop/internal/probe/nvml" // of which the programs are made, as in test/promises
	"github.com/nvnodetop/nvnodetop/test/apptest"
	"github.com/nvnodetop/nvnodetop/test/inputs"
	_ "github.com/nvnodetop/nvnodetop/test/ras"
)

const script = "../../scripts/realgpu"

// built are the programs that the script needs here.
var built struct {
	sync.Once
	dir string
	err error
}

func TestMain(m *testing.M) {
	if os.Getenv(apptest.NoProbe) != "" { // this is the program, on a host that cannot run a probe
		apptest.Main(m, apptest.App{Main: app.Main, Run: app.Run})
	}
	_ = flag.Set("test.parallel", "12") // they mostly sleep
	status := apptest.WithoutSLURM(m.Run)
	_ = os.RemoveAll(built.dir)
	os.Exit(status)
}

// need skips a test where a program is missing. The result depends on what those programs read.
func need(t *testing.T, programs ...string) {
	inputs.Watch(t, ".", script, script+".d", "../../scripts/fakenvml", "../rasd")
	for _, name := range programs {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip("needs ", name, ": ", err)
		}
	}
}

// build builds them once, and returns their directory, which every user may read.
func build(t *testing.T) string {
	need(t, "python3", "gcc")
	built.Do(func() {
		built.dir, built.err = os.MkdirTemp("", "realgpu-test-")
		commands := [][]string{
			{"go", "build", "-pgo=off", "-ldflags=-s -w", "-o", built.dir, "../../cmd/nvnodetop", "../rasd"},
			{"../../scripts/fakenvml/build", built.dir},
			{"gcc", "-shared", "-fPIC", "-o", filepath.Join(built.dir, "libcuda.so.1"), "stub/cuda.c"},
		}
		errs := make([]error, len(commands))
		var wg sync.WaitGroup
		for i, args := range commands {
			wg.Go(func() { errs[i] = runProgram(args) })
		}
		wg.Wait()
		built.err = errors.Join(built.err, errors.Join(errs...), runProgram([]string{"chmod", "-R", "go+rX", built.dir}))
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.dir
}

func runProgram(args []string) error {
	if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
		return fmt.Errorf("%q: %w\n%s", args, err, out)
	}
	return nil
}

// run is a run of the script on a GPU of its own.
type run struct {
	cmd  *exec.Cmd
	out  string // directory
	said bytes.Buffer
}

// start starts the script with an idle GPU, the loads of a directory, and more variables of the environment.
func start(t *testing.T, loads string, env []string, args ...string) *run {
	dir, bin := t.TempDir(), build(t)
	scenario := filepath.Join(dir, "scenario")
	const idle = "hopper\ncount 1\nutil 0\nproc none\n"
	for name, text := range map[string]string{".base": idle, "": idle + "memory_used 1000\n", ".lock": ""} {
		if err := os.WriteFile(scenario+name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		permit(t, scenario+name, 0o666)
	}
	for d := dir; d != os.TempDir(); d = filepath.Dir(d) { // a part runs as another user if this one is root
		permit(t, d, 0o755)
	}
	permit(t, dir, 0o777)
	r := &run{out: filepath.Join(dir, "out")}
	args = append([]string{"--program", filepath.Join(bin, "nvnodetop"), "--out", r.out}, args...)
	r.cmd = exec.Command(script, args...)
	r.cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "LD_LIBRARY_PATH="+filepath.Join(bin, "current"),
		"FAKENVML_SCENARIO="+scenario, "PYTHONPATH="+absolute(t, "stub"), "REALGPU_LOADS="+loads,
		"RASD="+filepath.Join(bin, "rasd"), "NCCL_RAS_ADDR=localhost:"+freePort(t), "PYTHONDONTWRITEBYTECODE=1",
		"SLURM_CONF=/none")
	r.cmd.Env = append(r.cmd.Env, env...)
	r.cmd.Stdout, r.cmd.Stderr = &r.said, &r.said
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return r
}

// wait returns the exit status.
func (r *run) wait() int {
	_ = r.cmd.Wait()
	return r.cmd.ProcessState.ExitCode()
}

// verdict returns the verdict of a row; empty: there is no such row.
func (r *run) verdict(what string) string {
	found := regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(what) + ` \|.*\| ([^|]*) \|$`).FindSubmatch(r.said.Bytes())
	if found == nil {
		return ""
	}
	return string(found[1])
}

func permit(t *testing.T, path string, mode os.FileMode) {
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func absolute(t *testing.T, path string) string {
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func freePort(t *testing.T) string {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	_, port, _ := strings.Cut(l.Addr().String(), ":")
	return port
}

package srun

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/probe"
	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/test/stubs"
)

// fakeVariable makes this test binary a fake srun; its value is a directory with these files:
//
//	log      the arguments of each srun, one line per srun, and "end PID" when it has ended
//	answers  lines of ARGUMENT|TEXT: an srun with that argument prints the text and exits with 1; "hold": waits for SIGTERM after it
//	dead     lines of NODE|x: its task does not start, and 2 s later srun aborts the step
//	gpus     lines of ARGUMENT|N: probes of an srun with that argument see N GPUs; the first line counts
const fakeVariable = "NVNODETOP_FAKE_SRUN"

func TestMain(m *testing.M) {
	switch dir := os.Getenv(fakeVariable); {
	case len(os.Args) > 1 && os.Args[1] == "probe":
		os.Exit(fakeProbe())
	case dir != "":
		os.Exit(fakeSrun(dir, os.Args[1:]))
	}
	_ = flag.Set("test.parallel", "12") // they wait for their sruns
	os.Exit(m.Run())
}

// fakeProbe is a probe with as many GPUs as the fake srun gives it.
func fakeProbe() int {
	n, _ := strconv.Atoi(os.Getenv("FAKE_GPUS"))
	fold, _ := strconv.Atoi(os.Getenv("NVNODETOP_FOLD"))
	opts := probe.Options{Build: "test", Library: fakeLibrary(n), Name: os.Getenv("NVNODETOP_NAME"), Fold: fold}
	if probe.Run(context.Background(), os.Stdin, os.Stdout, opts) != nil {
		return 1
	}
	return 0
}

// fakeLibrary is NVML with some lost GPUs: the probe lists them and reads nothing of them.
type fakeLibrary int

func (fakeLibrary) Init() error                { return nil }
func (fakeLibrary) Shutdown()                  {}
func (fakeLibrary) Versions() (string, string) { return "550.54", "12.4" }
func (fakeLibrary) Missing() []string          { return nil }
func (n fakeLibrary) Devices() ([]driver.Slot, error) {
	return slices.Repeat([]driver.Slot{{Lost: "lost", LostID: wire.LostOther}}, int(n)), nil
}

// fakeSrun behaves like the srun of SLURM 22.05: labels, lines cut at 1,024 bytes, input to all tasks.
func fakeSrun(dir string, args []string) int {
	log := func(line string) {
		f, _ := os.OpenFile(filepath.Join(dir, "log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		fmt.Fprintln(f, line)
		f.Close()
	}
	log(strings.Join(args[:slices.Index(args, "/bin/sh")], " "))
	if text := lookUp(dir, "answers", args); text != "" {
		text, hold := strings.CutPrefix(text, "hold ")
		fmt.Fprintln(os.Stderr, text)
		if hold {
			stop := make(chan os.Signal, 1)
			signal.Notify(stop, syscall.SIGTERM)
			<-stop
		}
		log("end")
		return 1
	}
	tasks := fakeTasks(dir, args)
	go func() {
		input := bufio.NewReader(os.Stdin)
		for buf := make([]byte, 1024); ; {
			n, err := input.Read(buf)
			for _, t := range tasks {
				if err != nil {
					t.in.Close()
				} else {
					t.in.Write(buf[:n]) // one that has ended hears nothing
				}
			}
			if err != nil {
				return
			}
		}
	}()
	if len(tasks) == 0 {
		select {}
	}
	for label, t := range tasks {
		t.reading.Wait()
		if err := t.cmd.Wait(); err != nil && !t.cmd.ProcessState.Success() {
			word := "Killed"
			if code := t.cmd.ProcessState.ExitCode(); code >= 0 {
				word = fmt.Sprintf("Exited with exit code %d", code)
			}
			fmt.Fprintf(os.Stderr, "srun: error: %s: task %d: %s\n", t.node, label, word)
		}
	}
	log("end")
	return 0
}

type fakeTask struct {
	node    string
	cmd     *exec.Cmd
	in      io.WriteCloser
	reading sync.WaitGroup
}

// printing keeps the lines of tasks apart, as srun does.
var printing sync.Mutex

func fakeTasks(dir string, args []string) []*fakeTask {
	var tasks []*fakeTask
	at := slices.IndexFunc(args, func(a string) bool { return strings.HasPrefix(a, "--nodelist=") })
	nodes := strings.Split(strings.TrimPrefix(args[at], "--nodelist="), ",")
	slices.Sort(nodes) // in SLURM's order
	script := args[slices.Index(args, "/bin/sh")+2]
	for label, node := range nodes {
		if lookUp(dir, "dead", []string{node}) != "" {
			time.AfterFunc(2*time.Second, func() {
				fmt.Fprintf(os.Stderr, "srun: error: Task launch for StepId=7.1 failed on node %s: Communication "+
					"connection failure\n", node)
				os.Exit(1)
			})
			continue
		}
		t := &fakeTask{node: node, cmd: exec.Command("/bin/sh", "-c", script)}
		t.cmd.Env = append(os.Environ(), "SLURMD_NODENAME="+node, "FAKE_GPUS="+lookUp(dir, "gpus", args))
		t.in, _ = t.cmd.StdinPipe()
		out, _ := t.cmd.StdoutPipe()
		errs, _ := t.cmd.StderrPipe()
		if err := t.cmd.Start(); err != nil {
			panic(err)
		}
		t.reading.Go(func() { relabel(out, os.Stdout, label) })
		t.reading.Go(func() { relabel(errs, os.Stderr, label) })
		tasks = append(tasks, t)
	}
	return tasks
}

// relabel prints lines with a label, in pieces of at most 1,024 bytes.
func relabel(r io.Reader, w io.Writer, label int) {
	for lines := bufio.NewReaderSize(r, 1024); ; {
		line, err := lines.ReadSlice('\n')
		if len(line) > 0 {
			printing.Lock()
			fmt.Fprintf(w, "%2d: %s", label, line)
			if line[len(line)-1] != '\n' {
				fmt.Fprintln(w)
			}
			printing.Unlock()
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}

// lookUp finds the first line of a file whose beginning is among the arguments; "*" always is.
func lookUp(dir, file string, args []string) string {
	content, _ := os.ReadFile(filepath.Join(dir, file))
	for line := range strings.Lines(string(content)) {
		if key, value, _ := strings.Cut(strings.TrimSpace(line), "|"); key == "*" || slices.Contains(args, key) {
			return value
		}
	}
	return ""
}

// fake is a Door with a fake srun.
type fake struct {
	*Door
	t       *testing.T
	dir     string
	silence time.Duration // after which a session ends; 0: the default
}

func newFake(t *testing.T, files map[string]string) *fake {
	t.Helper()
	dir := t.TempDir()
	stubs.Write(t, dir, "srun", fakeVariable+"="+dir+" exec "+os.Args[0]+" \"$@\"")
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	f := &fake{Door: New(), t: t, dir: dir}
	f.program = filepath.Join(dir, "srun")
	f.limits.aborting = 600 * time.Millisecond
	f.limits.gather, f.limits.gpus, f.limits.held, f.limits.closing = 50*time.Millisecond, 50*time.Millisecond,
		300*time.Millisecond, 300*time.Millisecond
	f.limits.partial, f.limits.retry = 500*time.Millisecond, 50*time.Millisecond
	t.Cleanup(f.allEnd) // before dir is removed: they write there
	return f
}

// sruns returns the arguments of each srun so far that its test looks at, and how many of them have ended.
func (f *fake) sruns() (started []string, ended int) {
	content, _ := os.ReadFile(filepath.Join(f.dir, "log"))
	for line := range strings.Lines(string(content)) {
		if line == "end\n" {
			ended++
			continue
		}
		started = append(started, strings.TrimSpace(line))
	}
	return started, ended
}

// noProbes says that the scripts on these nodes are no probes: no Hello comes.
func (f *fake) noProbes(nodes ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, n := range nodes {
		f.crews[0].ladderOf(n).settled = true
	}
}

// allEnd waits until no srun runs.
func (f *fake) allEnd() {
	f.t.Helper()
	for range 1000 {
		f.mu.Lock()
		running := len(f.open)
		f.mu.Unlock()
		if running == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	f.t.Error("a step does not end")
}

//go:build linux && cgo && (amd64 || arm64)

package probe_test

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/test/inputs"
)

// patience is how long a test waits for something that takes milliseconds on an idle machine.
const patience = 30 * time.Second

// built holds the executable and the libraries, built once for all tests.
var built struct {
	once sync.Once
	dir  string
	err  error
}

func TestMain(m *testing.M) {
	_ = flag.Set("test.parallel", "12") // they wait for their probes
	code := m.Run()
	if built.dir != "" {
		if err := os.RemoveAll(built.dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	os.Exit(code)
}

func build(t *testing.T) string {
	t.Helper()
	inputs.Watch(t, "../../scripts/fakenvml", "testdata")
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("needs gcc, which builds the fake NVML")
	}
	built.once.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "probe-test-"); built.err != nil {
			return
		}
		for _, argv := range [][]string{
			{"../../scripts/fakenvml/build", built.dir},
			{"go", "build", "-ldflags=-s -w", "-o", built.dir + "/probe", "./testdata/probe"},
		} {
			if out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
				built.err = fmt.Errorf("%q: %w\n%s", argv, err, out)
				return
			}
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.dir
}

// process is a running probe.
type process struct {
	t        *testing.T
	cmd      *exec.Cmd
	in       io.WriteCloser
	msgs     chan wire.Message
	stderr   bytes.Buffer
	scenario string
}

// run starts a probe that loads its library from a directory of the build ("current", "old", or one that does not
// exist).
func run(t *testing.T, library, scenario string) *process {
	t.Helper()
	dir := build(t)
	p := &process{t: t, msgs: make(chan wire.Message, 1000), scenario: filepath.Join(t.TempDir(), "scenario")}
	p.set(scenario)
	p.cmd = exec.Command(dir + "/probe")
	p.cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+filepath.Join(dir, library), "FAKENVML_SCENARIO="+p.scenario,
		wire.NameVariable+"=n7")
	p.cmd.Stderr = &p.stderr
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.msgs)
		lines := wire.NewReader(out)
		if lines.SkipToMagic() != nil {
			return
		}
		for {
			var m wire.Message
			if lines.Next(&m) != nil {
				return
			}
			p.msgs <- m
		}
	}()
	t.Cleanup(func() { _ = p.cmd.Process.Kill() }) // usually it has ended already
	return p
}

// set replaces the scenario.
func (p *process) set(scenario string) {
	p.t.Helper()
	if err := os.WriteFile(p.scenario+"~", []byte(scenario), 0o600); err != nil {
		p.t.Fatal(err)
	}
	if err := os.Rename(p.scenario+"~", p.scenario); err != nil {
		p.t.Fatal(err)
	}
}

func (p *process) say(line string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

func (p *process) close() {
	p.t.Helper()
	if err := p.in.Close(); err != nil {
		p.t.Error(err)
	}
}

// finish ends a probe at the end of its test.
func (p *process) finish() {
	p.t.Helper()
	p.close()
	if err := p.wait(); err != nil {
		p.t.Errorf("ended with %v, %s", err, &p.stderr)
	}
}

func (p *process) signal(s os.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Error(err)
	}
}

func (p *process) hello() *wire.Hello {
	p.t.Helper()
	return p.next(func(m wire.Message) bool { return m.Hello != nil }).Hello
}

func (p *process) report() *wire.Report {
	p.t.Helper()
	return p.next(func(m wire.Message) bool { return m.Report != nil }).Report
}

// next waits for a message.
func (p *process) next(wanted func(wire.Message) bool) wire.Message {
	p.t.Helper()
	late := time.After(patience)
	for {
		select {
		case m, ok := <-p.msgs:
			if !ok {
				p.t.Fatalf("the probe ended: %v, %s", p.cmd.Wait(), &p.stderr)
			}
			if wanted(m) {
				return m
			}
		case <-late:
			p.t.Fatal("nothing came")
		}
	}
}

// wait returns how the probe ended.
func (p *process) wait() error {
	p.t.Helper()
	killer := time.AfterFunc(patience, func() { _ = p.cmd.Process.Kill() })
	defer killer.Stop()
	for range p.msgs {
		// Wait closes the pipe: read everything first.
	}
	return p.cmd.Wait()
}

const (
	paceAlone     = `{"id":1,"pace":{"interval_ms":250}}`
	paceProcesses = `{"id":1,"pace":{"interval_ms":250,"processes":true}}`
)

package procs

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
	"github.com/nvnodetop/nvnodetop/internal/probe/sample"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/test/fakeproc"
)

// titled is the variable that makes this test a program that writes a title over its arguments and its environment.
const titled = "NVNODETOP_TEST_TITLE"

func TestMain(m *testing.M) {
	if title, is := os.LookupEnv(titled); is {
		setTitle(title)
		return
	}
	os.Exit(m.Run())
}

// setTitle writes a title, once it is told to: "TEXT" with zeros behind it over all of the environment, "TEXT+" with one
// zero, "" none. Then it has another name, as with setproctitle.
func setTitle(title string) {
	in := bufio.NewReader(os.Stdin)
	fmt.Println("ready")
	_, _ = in.ReadString('\n')
	arguments, environ := 0, 0
	for _, arg := range os.Args {
		arguments += len(arg) + 1
	}
	for _, variable := range os.Environ() {
		environ += len(variable) + 1
	}
	memory := unsafe.Slice(unsafe.StringData(os.Args[0]), arguments+environ)
	text, bare := strings.CutSuffix(title, "+")
	text = strings.ReplaceAll(text, "ARGUMENTS", strings.Repeat("x", arguments))
	copy(memory, text+"\x00")
	if title != "" && !bare {
		clear(memory[len(text):])
	}
	_ = os.WriteFile("/proc/self/comm", []byte("renamed"), 0) // where it fails, the test does
	fmt.Println("titled")
	_, _ = io.Copy(io.Discard, in)
}

// startTitled starts such a program. set makes it write its title.
func startTitled(t *testing.T, title string, environ ...string) (pid int, set func()) {
	t.Helper()
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("needs Linux: ", err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self)
	c.Env = append(environ, titled+"="+title)
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close(); _ = c.Wait() })
	lines := bufio.NewReader(out)
	expect := func(want string) {
		if line, err := lines.ReadString('\n'); line != want+"\n" {
			t.Fatalf("the program says %q, %v", line, err)
		}
	}
	expect("ready")
	return c.Process.Pid, func() {
		_, _ = io.WriteString(in, "go\n")
		expect("titled")
	}
}

// said is what a list says of the rank of its first process.
func said(list []wire.Process) string {
	if len(list) == 0 {
		return "not listed"
	}
	p := list[0]
	if p.Rank == nil {
		return "none: " + p.NoRank
	}
	return fmt.Sprint(p.Rank.Rank, " ", p.NoRank)
}

// A title that a program writes over its environment is no environment, nor is what is left behind it: the rank is
// unknown, and the process says why. A program that had a rank before keeps it.
func TestOverwrittenEnvironment(t *testing.T) {
	ranked := []string{"RANK=3", "WORLD_SIZE=8"}
	// The title ends like a variable, and leaves a rank of the first one.
	torn := []string{"A=1XRANK=7", "WORLD_SIZE=8", "RANK=3"}
	const lost = "none: " + wire.NoRankOverwritten
	for _, test := range []struct {
		name, title string
		environ     []string
		want        string
	}{
		{"plain", "", ranked, "3 "},
		{"a title within the arguments, and zeros", "train", ranked, lost},
		{"a title beyond the arguments, and zeros", "ARGUMENTS: step 100", ranked, lost},
		{"a title within the arguments alone", "train+", ranked, "3 "},
		{"a title that ends in the first variable", "ARGUMENTS+", torn, lost},
		{"a title that ends like a variable", "ARGUMENTSA=1+", torn, lost},
		{"a title that ends like a rank", "ARGUMENTSRANK=2+", torn, lost},
	} {
		at := sample.Moment{Mono: time.Hour, Boot: time.Hour, Wall: time.Unix(1000, 0)}
		pid, set := startTitled(t, test.title, test.environ...)
		running := on("/proc", &at, pid)
		before := said(running.take().Processes)
		set()
		if got := said(on("/proc", &at, pid).take().Processes); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
		if list := running.take().Processes; before != "3 " || list[0].Name != "renamed" || said(list) != before {
			t.Errorf("%s: it had rank %q, and has %q as %q", test.name, before, said(list), list[0].Name)
		}
	}
}

// On request a process tells the environment that its C library has, if the program has overwritten the other one.
func TestOverwrittenEnvironmentOnRequest(t *testing.T) {
	for _, title := range []string{"", "train", "ARGUMENTS: step 100", "ARGUMENTSA=1+"} {
		pid, set := startTitled(t, title, "A=1XRANK=7", "SECRET=s")
		set()
		stat, err := proc.Of("/proc", pid).Stat()
		if err != nil {
			t.Fatal(err)
		}
		in := NewInspector("/proc", func() sample.Moment { return sample.Moment{} })
		e, err := in.Environ(wire.ProcessID{PID: pid, StartTicks: stat.Start})
		switch {
		case title == "":
			if err != nil || !slices.Contains(e.Variables, "SECRET=s") {
				t.Errorf("without a title: %+v, %v", e, err)
			}
		case err == nil: // a C library that has no other copy
			t.Errorf("%s: %+v", title, e)
		case !strings.Contains(err.Error(), "has overwritten it") || strings.Contains(err.Error(), "SECRET"):
			t.Errorf("%s: %v", title, err)
		}
	}
}

// A program that another one has replaced leaves no rank to it. Only the addresses of its arguments tell it from a
// program that has another name.
func TestRankEndsWithExec(t *testing.T) {
	me := strconv.Itoa(os.Getuid())
	program := func(name, environ string, arguments int) map[string]string {
		files := fakeproc.Of("4242", name, "1000", name+"\x00", me)
		fields := strings.Fields(files["4242/stat"])
		fields[47] = strconv.Itoa(arguments)
		files["4242/stat"], files["4242/environ"] = strings.Join(fields, " ")+"\n", environ
		return files
	}
	const zeros = "\x00\x00\x00\x00\x00"
	for _, test := range []struct {
		name      string
		arguments int // of the second program
		environ   string
		want      string
	}{
		{"another name", 1000, zeros, "1 "},
		{"another program", 2000, zeros, "none: " + wire.NoRankOverwritten},
		{"not known", 0, zeros, "none: " + wire.NoRankOverwritten},
		{"another rank", 1000, "RANK=0\x00WORLD_SIZE=2\x00", "0 "},
	} {
		mount := fakeproc.Write(t, program("first", "RANK=1\x00WORLD_SIZE=2\x00", 1000))
		at := sample.Moment{Mono: time.Hour, Boot: time.Hour, Wall: time.Unix(1000, 0)}
		s := on(mount, &at, 4242)
		if got := said(s.take().Processes); got != "1 " {
			t.Fatalf("%s: at first %q", test.name, got)
		}
		for path, content := range program("second", test.environ, test.arguments) {
			fakeproc.File(t, mount+"/"+path, content)
		}
		for range 2 {
			if got := said(s.take().Processes); got != test.want {
				t.Errorf("%s: %q, want %q", test.name, got, test.want)
			}
		}
	}
}

// An environment that cannot be read, or is too long, has a reason too; of another user's process nothing is said.
func TestNoRank(t *testing.T) {
	me, other := strconv.Itoa(os.Getuid()), strconv.Itoa(os.Getuid()+1)
	for _, test := range []struct{ name, uid, environ, want string }{
		{"of another user", other, "\x00\x00\x00\x00", "none: "},
		{"empty", me, "", "none: "},
		{"one empty variable", me, "A=1\x00\x00RANK=1\x00WORLD_SIZE=2\x00", "1 "},
		{"the end of a title", me, "step 100\x00=1\x00RANK=1\x00WORLD_SIZE=2\x00", "none: " + wire.NoRankOverwritten},
		{"spaces", me, strings.Repeat(" ", 100) + "\x00", "none: " + wire.NoRankOverwritten},
		{"too long", me, strings.Repeat("A=1\x00", 1<<17), "none: " + wire.NoRankTooLong},
	} {
		files := fakeproc.Of("4242", "python", "1000", "python\x00", test.uid)
		files["4242/environ"] = test.environ
		at := sample.Moment{Mono: time.Hour, Boot: time.Hour, Wall: time.Unix(1000, 0)}
		if got := said(on(fakeproc.Write(t, files), &at, 4242).take().Processes); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// The processes that one process has started have the ranks of the first list in each further list, and the first
// process too, if it has overwritten its environment.
func TestSpawnedInEachList(t *testing.T) {
	me := strconv.Itoa(os.Getuid())
	files, list := map[string]string{}, make([]driver.Listing, 3)
	for i := range list {
		pid := strconv.Itoa(10 + i)
		maps.Copy(files, fakeproc.Of(pid, "python", "1000", "python3\x00", me))
		if i > 0 {
			files[pid+"/stat"] = strings.Replace(files[pid+"/stat"], " S 1 ", " S 10 ", 1)
		}
		files[pid+"/environ"] = fmt.Sprintf("WORLD_SIZE=3\x00NODE_RANK=0\x00LOCAL_RANK=%d\x00", i)
		list[i] = driver.Listing{GPU: i, Contexts: []driver.Context{{PID: 10 + i, Type: driver.Compute}}}
	}
	files["10/environ"] = "\x00\x00\x00\x00"
	root := fakeproc.Write(t, files)
	at := sample.Moment{Mono: time.Hour, Boot: time.Hour, Wall: time.Unix(1000, 0)}
	s := &lister{Table: New(root, proc.NewLaunchJobs(root)), at: &at, on: list}
	for n := range 3 {
		got := s.take().Processes
		for i := range got {
			if said(got[i:]) != strconv.Itoa(i)+" " {
				t.Errorf("list %d: rank %d is %q", n, i, said(got[i:]))
			}
		}
	}
}

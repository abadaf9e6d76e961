package probe

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/test/fakeproc"
)

// ask sends a request to a probe over proc and returns its reply.
func ask(t *testing.T, proc, request string) (reply wire.Reply) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		lib, _ := newFakeLibrary(0)
		s := open(t, lib, proc)
		time.Sleep(time.Second)
		s.got()
		s.say(`{"id":5,` + request + `}`)
		msgs := s.got()
		if len(msgs) != 1 || msgs[0].Reply == nil || msgs[0].Reply.ID != 5 {
			t.Fatalf("got %+v, want one reply", msgs)
		}
		reply = *msgs[0].Reply
		s.finish()
	})
	return reply
}

func processID(pid, ticks int) string { return fmt.Sprintf(`{"pid":%d,"start_ticks":%d}`, pid, ticks) }

// mine is a /proc with the process 42 of ours, and 43 of root's or somebody else's; both began 1000 ticks after boot.
func mine(t *testing.T, environ string) string {
	t.Helper()
	own := os.Getuid()
	files := fakeproc.Of("42", "python", "1000", "python\x00train me.py\x00", strconv.Itoa(own))
	maps.Copy(files, fakeproc.Of("43", "bash", "1000", "bash\x00", strconv.Itoa(own+1)))
	files["42/environ"], files["43/environ"] = environ, "SECRET=1\x00"
	return fakeproc.Write(t, files)
}

func TestEnviron(t *testing.T) {
	proc := mine(t, "SLURM_JOB_ID=77\x00EMPTY=\x00LINES=a\nb\x00")
	reply := ask(t, proc, `"environ":`+processID(42, 1000))
	if reply.Error != "" || reply.Environ == nil || reply.Environ.Truncated || !slices.Equal(reply.Environ.Variables,
		[]string{"SLURM_JOB_ID=77", "EMPTY=", "LINES=a\nb"}) {
		t.Errorf("got %+v", reply)
	}
	owner := strconv.Itoa(os.Getuid() + 1)
	if u, err := user.LookupId(owner); err == nil {
		owner = u.Username
	}
	for request, words := range map[string]string{
		processID(42, 999):  "pid 42 has been reused",
		processID(42, 0):    "pid 42 was not in /proc of the node: it cannot be told from another process",
		processID(44, 1000): "no process 44",
		processID(43, 1000): "process 43 belongs to " + owner + ": you can only",
		processID(0, 0):     "invalid pid 0",
		processID(-1, 0):    "invalid pid -1",
	} {
		if reply := ask(t, proc, `"environ":`+request); !strings.HasPrefix(reply.Error, words) || reply.Environ != nil {
			t.Errorf("%s: got %+v, want %q", request, reply, words)
		}
	}
}

// RAS of NCCL is asked for a process of the user, at the port that the process names; nothing of its environment is in
// the answer.
func TestAskRAS(t *testing.T) {
	proc := mine(t, "SECRET=1\x00NCCL_RAS_ADDR=localhost:5\x00")
	want := "no RAS of NCCL listens at port 5"
	if os.Getuid() == 0 {
		want = "RAS of NCCL is asked only by the user of the job"
	}
	for request, words := range map[string]string{
		processID(42, 1000):                         want,
		processID(42, 999):                          "pid 42 has been reused",
		processID(43, 1000):                         "process 43 belongs to ",
		`{"pid":42,"start_ticks":1000,"more":true}`: "RAS of NCCL: the answer took too long",
	} {
		reply := ask(t, proc, `"ras":`+request)
		if !strings.HasPrefix(reply.Error, words) || reply.RAS != nil || strings.Contains(reply.Error, "SECRET") {
			t.Errorf("%s: got %+v, want %q", request, reply, words)
		}
	}
}

func TestEnvironIsCapped(t *testing.T) {
	for name, one := range map[string]string{"plain": "K=" + strings.Repeat("v", 1000), "that grows in JSON": "K=" +
		strings.Repeat("\x01", 1000)} {
		reply := ask(t, mine(t, strings.Repeat(one+"\x00", 600)), `"environ":`+processID(42, 1000))
		if reply.Environ == nil || !reply.Environ.Truncated {
			t.Fatalf("%s: got no part of it: %.200s", name, reply.Error)
		}
		if n := len(reply.Environ.Variables); n < 30 || n > wire.MaxEnviron/1000 ||
			reply.Environ.Variables[n-1] != one {
			t.Errorf("%s: %d variables", name, n)
		}
	}
	if reply := ask(t, mine(t, strings.Repeat("=\x00", 1<<17)),
		`"environ":`+processID(42, 1000)); reply.Environ == nil || !reply.Environ.Truncated ||
		len(reply.Environ.Variables) != wire.MaxStrings {
		t.Errorf("short variables: %.200s", fmt.Sprintf("%+v", reply))
	}
	// An environment of zeros is none: a program has overwritten it.
	if reply := ask(t, mine(t, strings.Repeat("\x00", 1<<17)),
		`"environ":`+processID(42, 1000)); reply.Environ != nil || !strings.Contains(reply.Error, "has overwritten it") {
		t.Errorf("zeros: %.200s", fmt.Sprintf("%+v", reply))
	}
	if reply := ask(t, mine(t, ""), `"environ":`+processID(42, 1000)); reply.Environ == nil ||
		reply.Environ.Variables == nil || reply.Environ.Truncated {
		t.Errorf("an empty one: %+v", reply)
	}
}

func TestProcessDetails(t *testing.T) {
	proc := mine(t, "")
	for link, to := range map[string]string{"42/exe": "/usr/bin/python3.11", "42/cwd": "/home/alice/run"} {
		if err := os.Symlink(to, proc+"/"+link); err != nil {
			t.Fatal(err)
		}
	}
	d := ask(t, proc, `"process":`+processID(42, 1000)).Process
	if d == nil || d.PID != 42 || d.StartTicks != 1000 || d.Parent != 1 || d.State != "S" || d.Threads != 4 ||
		d.Name != "python" || d.UID == nil || *d.UID != os.Getuid() ||
		d.User == "" || !slices.Equal(d.Arguments, []string{"python", "train me.py"}) || d.Job != "77" ||
		!strings.Contains(d.Cgroup, "/job_77/") ||
		d.Executable != "/usr/bin/python3.11" || d.Directory != "/home/alice/run" || d.ElapsedSec == nil ||
		*d.ElapsedSec != 3591 {
		t.Errorf("got %+v", d)
	}
	if reply := ask(t, proc, `"process":`+processID(43, 1000)); reply.Process == nil || reply.Process.Name != "bash" ||
		reply.Process.Executable != "" {
		t.Errorf("another's: %+v", reply)
	}
	if reply := ask(t, proc, `"process":`+processID(42, 1)); reply.Process != nil ||
		!strings.Contains(reply.Error, "has been reused") {
		t.Errorf("another process: %+v", reply)
	}
	long := fakeproc.Of("42", "python", "1000", strings.Repeat(strings.Repeat("a", 1000)+"\x00", 100), "0")
	if d := ask(t, fakeproc.Write(t, long), `"process":`+processID(42, 1000)).Process; d == nil || !d.Truncated ||
		len(d.Arguments) < 60 {
		t.Errorf("a long command line: %d arguments", len(d.Arguments))
	}
}

// A line for probes of other nodes on the same input is not answered, and is no sign that this probe is still wanted.
func TestAddressedRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lib, _ := newFakeLibrary(0)
		s := open(t, lib)
		for range 5 {
			time.Sleep(10 * time.Second)
			s.say(string(wire.Address("n2", []byte(`{"id":1,"alive":{}}`))))
			s.say("@broken")
		}
		s.say(string(wire.Address("n1", []byte(`{"id":2,"alive":{}}`))))
		s.say(`{"id":3,"alive":{}}`)
		var ids []uint64
		for _, m := range s.got() {
			if m.Reply != nil {
				ids = append(ids, m.Reply.ID)
			}
		}
		if !slices.Equal(ids, []uint64{2, 3}) {
			t.Errorf("answered %d, want what was for it and what was for all", ids)
		}
		for range 6 {
			time.Sleep(10 * time.Second)
			s.write(string(wire.Address("n2", []byte(`{"id":1,"alive":{}}`))) + "\n")
		}
		if err := <-s.ended; !errors.Is(err, ErrSilence) {
			t.Errorf("Run returned %v", err)
		}
	})
}

// A piece of a log comes with its offset. What is not the user's own file is refused, and so is more than a piece.
func TestReadLog(t *testing.T) {
	log := filepath.Join(t.TempDir(), "slurm-7.out")
	if err := os.WriteFile(log, []byte("one\ntwo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	reply := ask(t, mine(t, ""), fmt.Sprintf(`"read_log":{"path":%q,"from":-4,"max":100}`, log))
	if p := reply.Log; p == nil || string(p.Data) != "two\n" || p.From != 4 || p.Size != 8 {
		t.Errorf("got %+v", reply)
	}
	for request, words := range map[string]string{
		`{"path":"/dev/zero","from":0,"max":100}`: "not a regular file",
		`{"path":"slurm-7.out","from":0,"max":9}`: "not an absolute path",
		`{"path":"/x","from":0,"max":70000}`:      "not within 1 and 65536",
	} {
		if reply := ask(t, mine(t, ""), `"read_log":`+request); !strings.Contains(reply.Error, words) ||
			reply.Log != nil {
			t.Errorf("%s: %+v, want %q", request, reply, words)
		}
	}
}

// Logs that hang keep no other request from its answer.
func TestHangingLogs(t *testing.T) {
	read := readLog
	defer func() { readLog = read }()
	proc := mine(t, "A=1\x00")
	synctest.Test(t, func(t *testing.T) {
		back := make(chan struct{})
		readLog = func(wire.ReadLog) (*wire.LogPiece, error) {
			<-back
			return &wire.LogPiece{}, nil
		}
		lib, _ := newFakeLibrary(0)
		s := open(t, lib, proc)
		time.Sleep(time.Second)
		s.got()
		for id := 1; id <= 4; id++ {
			s.say(fmt.Sprintf(`{"id":%d,"read_log":{"path":"/nfs/o","from":0,"max":9}}`, id))
		}
		s.say(`{"id":5,"environ":` + processID(42, 1000) + `}`)
		time.Sleep(answerWithin)
		said := map[uint64]string{}
		for _, m := range s.got() {
			if m.Reply != nil {
				said[m.Reply.ID] = m.Reply.Error
			}
		}
		const hangs, busy = `"/nfs/o" cannot be read: its file system does not respond`,
			"2 requests are still being answered"
		if want := map[uint64]string{1: hangs, 2: hangs, 3: busy, 4: busy, 5: ""}; !maps.Equal(said, want) {
			t.Errorf("got %v", said)
		}
		close(back)
		s.finish()
	})
}

// Stacks are those of the user's own processes; a request names them by PID and start.
func TestStacks(t *testing.T) {
	reply := ask(t, mine(t, ""), `"stacks":{"processes":[`+processID(42, 1000)+`,`+processID(43, 1000)+`,`+
		processID(42, 999)+`]}`)
	if reply.Error != "" || len(reply.Stacks) != 3 || reply.Stacks[0].Name != "python" {
		t.Fatalf("%+v", reply)
	}
	for i, want := range []string{"", wire.RefusedUser, wire.RefusedGone} {
		if s := reply.Stacks[i]; want != "" && (s.Refusal == nil || s.Refusal.ID != want || s.Threads != nil) {
			t.Errorf("%+v, want %s", s, want)
		}
	}
	if reply := ask(t, mine(t, ""), `"stacks":{"processes":[]}`); !strings.Contains(reply.Error, "1 to 64 processes") {
		t.Errorf("%+v", reply)
	}
	if reply := ask(t, mine(t, ""), `"stacks":{"processes":[`+processID(42, 0)+`]}`); !strings.Contains(reply.Error,
		"no start time") {
		t.Errorf("%+v", reply)
	}
	if reply := ask(t, mine(t, ""), `"stacks":{"processes":[`+processID(42, 1000)+`],"over_ms":10001}`); !strings.Contains(
		reply.Error, "not within 0 and 10000") {
		t.Errorf("%+v", reply)
	}
}

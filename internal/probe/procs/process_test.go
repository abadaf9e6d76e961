package procs

import (
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
	"github.com/nvnodetop/nvnodetop/internal/probe/proc"
	"github.com/nvnodetop/nvnodetop/internal/probe/sample"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/test/fakeproc"
)

// lister lists processes on GPUs, at times that the test sets.
type lister struct {
	*Table
	at      *sample.Moment
	unasked bool
	on      []driver.Listing
}

// on is a lister with one GPU, which has contexts of these processes.
func on(root string, at *sample.Moment, pids ...int) *lister {
	l := &lister{Table: New(root, proc.NewLaunchJobs(root)), at: at, on: make([]driver.Listing, 1)}
	l.alive = func(int) bool { return false } // only those in root
	for _, pid := range pids {
		l.on[0].Contexts = append(l.on[0].Contexts, driver.Context{PID: pid, Type: driver.Compute})
	}
	return l
}

// take makes a report.
func (l *lister) take() *sample.Report {
	sm := &sample.Report{}
	sm.Begin(*l.at)
	if !l.unasked || l.Due(*l.at) {
		l.Read(sm, l.on, true, *l.at)
	}
	return sm
}

// The environment of the user's own process has its rank, and also its job and step if its cgroup does not name them.
// The environments of others are private.
func TestOrigin(t *testing.T) {
	me, other := strconv.Itoa(os.Getuid()), strconv.Itoa(os.Getuid()+1)
	const environ = "HOME=/home/alice\x00SLURM_JOB_ID=16\x00SLURM_STEP_ID=2\x00RANK=3\x00LOCAL_RANK=1\x00WORLD_SIZE=4\x00"
	const noJob = "0::/user.slice/user-1.slice/session-2.scope\n"
	rank := &wire.Rank{Rank: 3, Local: new(1), World: new(4), From: "RANK"}
	for _, test := range []struct {
		name, uid, cgroup, environ string
		want                       wire.Identity
	}{
		{"all", me, "", environ, wire.Identity{Job: "77", Step: "0", Rank: rank}},
		{"no cgroup of a job", me, noJob, environ, wire.Identity{Job: "16", Step: "2", Rank: rank}},
		{"a step in one hierarchy only", me,
			"4:cpu:/slurm/uid_1/job_77\n3:devices:/slurm/uid_1/job_77/step_batch/task_0\n", environ,
			wire.Identity{Job: "77", Step: "batch", Rank: rank}},
		{"a cgroup without a step", me, "4:cpu:/slurm/uid_1/job_77\n", environ, wire.Identity{Job: "77", Rank: rank}},
		{"no variables", me, noJob, "HOME=/home/alice\x00", wire.Identity{}},
		{"of another user", other, noJob, environ, wire.Identity{}},
		{"of another user in a job", other, "", environ, wire.Identity{Job: "77", Step: "0"}},
	} {
		files := fakeproc.Of("4242", "python", "1000", "python3\x00", test.uid)
		files["4242/environ"] = test.environ
		if test.cgroup != "" {
			files["4242/cgroup"] = test.cgroup
		}
		proc := fakeproc.Write(t, files)
		if err := os.Symlink("/scratch/"+strings.Repeat("x", 2*maxDirectory), proc+"/4242/cwd"); err != nil {
			t.Fatal(err)
		}
		at := sample.Moment{Mono: time.Hour, Boot: time.Hour, Wall: time.Unix(1000, 0)}
		s := on(proc, &at, 4242)
		for range 2 {
			p := s.take().Processes[0]
			if got := (wire.Identity{Job: p.Job, Step: p.Step, Rank: p.Rank}); cmp.Diff(test.want, got) != "" {
				t.Errorf("%s (-want +got):\n%s", test.name, cmp.Diff(test.want, got))
			}
			if want := ("/scratch/" + strings.Repeat("x", maxDirectory))[:maxDirectory]; p.Directory != want {
				t.Errorf("%s: directory %q", test.name, p.Directory)
			}
			if err := os.RemoveAll(proc + "/4242/environ"); err != nil { // it is read once
				t.Fatal(err)
			}
		}
	}
}

// If an environment cannot be read, only the rank is unknown; if the read hangs, so is everything read with it. No
// report is late.
func TestHungEnviron(t *testing.T) {
	me := strconv.Itoa(os.Getuid())
	files := fakeproc.Of("4242", "stuck", "1000", "python3\x00", me)
	maps.Copy(files, fakeproc.Of("4243", "python", "1000", "python3\x00", me))
	maps.Copy(files, fakeproc.Of("4244", "python", "1000", "python3\x00", me))
	files["4243/environ"] = "RANK=1\x00WORLD_SIZE=2\x00"
	proc := fakeproc.Write(t, files)
	if err := syscall.Mkfifo(proc+"/4242/environ", 0o600); err != nil {
		t.Skip("needs a file system with FIFOs: ", err)
	}
	at := sample.Moment{Mono: time.Hour, Boot: time.Hour, Wall: time.Unix(1000, 0)}
	s := on(proc, &at, 4242, 4243, 4244)
	began := time.Now()
	list := s.take().Processes
	if took := time.Since(began); took > lookupPatience+time.Second || len(list) != 3 || list[0].Name != "stuck" ||
		list[0].State != "S" {
		t.Errorf("the first report took %v: %+v", took, list)
	}
	time.Sleep(stuckAfter)
	for range 3 { // the first gives it up
		list = s.take().Processes
	}
	if list[0].Command != "" || list[0].Rank != nil || list[1].Rank == nil || list[1].Rank.Rank != 1 ||
		list[2].Command != "python3" || list[2].Rank != nil {
		t.Errorf("when it is given up: %+v", list)
	}
	fakeproc.Release(t, proc+"/4242/environ")
}

// An entry of the driver's list is a process as long as it can be one. Of a process that /proc lacks, only proven facts
// are reported.
func TestAbsentProcesses(t *testing.T) {
	here := fakeproc.Of("42", "python", "1000", "python3\x00", "0")
	stat := func(from, to string) map[string]string {
		files := maps.Clone(here)
		files["42/stat"] = strings.Replace(files["42/stat"], from, to, 1)
		return files
	}
	type step struct {
		sec   float64 // since the first
		alive bool
		files map[string]string
		want  string
	}
	for _, test := range []struct {
		name  string
		whole bool
		steps []step
	}{
		{"exits", false, []step{{0, true, here, "python S"}, {3, false, nil, ""}, {12.5, false, nil, ""},
			{13, false, nil, "ended"}, {60, false, nil, "ended"}}},
		{"exits, and its PID comes back", false, []step{{0, true, here, "python S"}, {3, false, nil, ""},
			{6, true, here, "python S"}}},
		{"a zombie", false, []step{{0, true, here, "python S"}, {3, true, stat(" S ", " Z "), "python Z"},
			{6, true, stat(" S 1 1 1 0 -1 4194304 10 0 0 0 100 50 0 0 20 0 4 ",
				" Z 1 1 1 0 -1 4194304 10 0 0 0 100 50 0 0 20 0 1 "), ""}}},
		{"hangs in the kernel", false, []step{{0, true, stat(" S ", " D "), "python D"}}},
		{"of another namespace", false, []step{{0, false, nil, "?"}, {1, false, nil, "?"}, {2, false, nil, "foreign"},
			{60, false, nil, "foreign"}}},
		{"comes from another namespace", false, []step{{0, false, nil, "?"}, {60, false, nil, "foreign"},
			{63, true, here, "python S"}}},
		{"has exited, in the first namespace", true, []step{{0, false, nil, ""}, {60, false, nil, "ended"},
			{63, true, here, "python S"}}},
		{"hidden", false, []step{{0, true, nil, "?"}, {60, true, nil, "?"}}},
		{"hidden in the first namespace", true, []step{{0, true, nil, "?"}, {60, true, nil, "?"},
			{63, false, nil, ""}}},
		{"hidden, and exits", false, []step{{0, true, nil, "?"}, {60, false, nil, ""}, {120, false, nil, "ended"}}},
	} {
		proc := fakeproc.Write(t, nil)
		if err := os.MkdirAll(filepath.Join(proc, "self", "ns"), 0o755); err != nil {
			t.Fatal(err)
		}
		namespace := "pid:[4026532000]"
		if test.whole {
			namespace = firstNamespace
		}
		if err := os.Symlink(namespace, filepath.Join(proc, "self", "ns", "pid")); err != nil {
			t.Fatal(err)
		}
		at := sample.Moment{Mono: time.Hour, Boot: time.Hour, Wall: time.Unix(1000, 0)}
		s := on(proc, &at, 42)
		for _, step := range test.steps {
			if err := os.RemoveAll(proc + "/42"); err != nil {
				t.Fatal(err)
			}
			for path, content := range step.files {
				fakeproc.File(t, filepath.Join(proc, path), content)
			}
			s.alive = func(pid int) bool { return step.alive && pid == 42 }
			at.Mono = time.Hour + time.Duration(step.sec*float64(time.Second))
			got := ""
			sm := s.take()
			for _, p := range sm.Processes {
				switch got = p.Name + " " + p.State; {
				case p.Foreign:
					got = "foreign"
				case p.Ended:
					got = "ended"
				case got == " ":
					got = "?"
				}
				if bare := (wire.Process{PID: 42, Type: "C",
					Identity: wire.Identity{Foreign: p.Foreign, Ended: p.Ended}}); p.Name == "" && cmp.Diff(bare, p) != "" {
					t.Errorf("%s: said of what is not known: %+v", test.name, p)
				}
			}
			if got != step.want || !sm.Listed || len(sm.Faults) > 0 {
				t.Errorf("%s: %q after %g s, want %q; listed %v, faults %v", test.name, got, step.sec, step.want,
					sm.Listed, sm.Faults)
			}
		}
	}
}

// A rank that one task has passed on to several processes does not belong to them.
func TestInheritedRanks(t *testing.T) {
	me := strconv.Itoa(os.Getuid())
	files, on := map[string]string{}, make([]driver.Listing, 2)
	for i, pid := range []string{"4242", "4243"} {
		maps.Copy(files, fakeproc.Of(pid, "python", "1000", "python3\x00", me))
		files[pid+"/stat"] = strings.Replace(files[pid+"/stat"], " S 1 ", " S 4241 ", 1)
		files[pid+"/environ"] = "SLURM_JOB_ID=77\x00SLURM_STEP_ID=0\x00SLURM_PROCID=1\x00SLURM_NTASKS=2\x00"
		on[i] = driver.Listing{GPU: i, Contexts: []driver.Context{{PID: 4242 + i, Type: driver.Compute}}}
	}
	at := sample.Moment{Mono: time.Hour, Boot: time.Hour, Wall: time.Unix(1000, 0)}
	root := fakeproc.Write(t, files)
	s := &lister{Table: New(root, proc.NewLaunchJobs(root)), at: &at, on: on}
	for range 2 {
		if list := s.take().Processes; len(list) != 2 || list[0].Parent != 4241 || list[0].Rank != nil ||
			list[1].Rank != nil {
			t.Errorf("%+v", list)
		}
	}
	on[1].Contexts = nil
	if list := s.take().Processes; len(list) != 1 || list[0].Rank == nil {
		t.Errorf("when one is left: %+v", list)
	}
}

// A name that the directory server does not tell is absent until it does.
func TestHungUserName(t *testing.T) {
	proc := fakeproc.Write(t, fakeproc.Of("4242", "python", "1000", "python3\x00", "1234"))
	synctest.Test(t, func(t *testing.T) {
		at := sample.Moment{Mono: time.Hour, Boot: time.Hour, Wall: time.Now()}
		s := on(proc, &at, 4242)
		server := make(chan struct{})
		s.users = newLookups(func(uid int) string { <-server; return "alice" })
		if p := s.take().Processes[0]; p.User != "" || *p.UID != 1234 || p.Command != "python3" {
			t.Errorf("while nobody answers: %+v", p)
		}
		close(server)
		synctest.Wait()
		if p := s.take().Processes[0]; p.User != "alice" {
			t.Errorf("then: %+v", p)
		}
	})
}

// A process that was not looked up in time is in the next list with all that is known of it.
func TestListsAgainWhenLate(t *testing.T) {
	proc := fakeproc.Write(t, fakeproc.Of("4242", "python", "1000", "python3\x00", "1234"))
	synctest.Test(t, func(t *testing.T) {
		at := sample.Moment{Mono: time.Hour, Boot: time.Hour, Wall: time.Now()}
		s := on(proc, &at, 4242)
		s.unasked = true
		s.users = newLookups(func(int) string { time.Sleep(time.Second); return "alice" })
		for i, want := range []string{"", "alice", "-", "-"} {
			got := "-"
			if list := s.take().Processes; len(list) > 0 {
				got = list[0].User
			}
			if got != want {
				t.Errorf("report %d: %q, want %q", i, got, want)
			}
			at.Mono += 3 * time.Second
			time.Sleep(3 * time.Second)
		}
	})
}

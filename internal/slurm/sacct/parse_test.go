package sacct

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/test/golden"
)

// mark is the mark in the recorded outputs.
const mark = "|MARK|"

func recorded(t testing.TB, name string) []byte {
	t.Helper()
	out, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Real outputs of sacct are read as they were: completed, failed, canceled jobs, one out of time, an array, a
// heterogeneous job, jobs of several steps, and a job with a hostile name.
func TestRealOutput(t *testing.T) {
	jobs, err := Parse(recorded(t, "jobs.txt"), mark)
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.MarshalIndent(jobs, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	golden.Equal(t, "testdata/jobs.json", string(got)+"\n")
}

// The name of a job is its owner's: it cannot pretend to be a field or another job.
func TestHostileNames(t *testing.T) {
	jobs, err := Parse(recorded(t, "jobs.txt"), mark)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{}
	for i := range jobs {
		names[jobs[i].ID] = jobs[i].Name
		for _, s := range jobs[i].Steps {
			names[jobs[i].ID+"."+s.Name] = s.Program
		}
	}
	if got, want := names["8"], "ev|il\nJobId=1|\x1b[31mred|| x"; got != want {
		t.Errorf("name %q, want %q", got, want)
	}
	if got, want := names["8.0"], "st|ep\n9999|root"; got != want {
		t.Errorf("step %q, want %q", got, want)
	}
	if len(jobs) != 12 {
		t.Errorf("%d jobs", len(jobs))
	}
}

// Text of a wrapper before the output is no job. Output that is cut is an error.
func TestOddOutput(t *testing.T) {
	out := string(recorded(t, "jobs.txt"))
	for name, tc := range map[string]struct {
		out  string
		jobs int
		ok   bool
	}{
		"nothing": {"", 0, true}, "blank": {"\n\n", 0, true},
		"a greeting":  {"Welcome to the cluster!\n" + out, 12, true},
		"no marks":    {"sacct: something else\n", 0, false},
		"cut":         {out[:len(out)/2], 0, false},
		"one record":  {strings.SplitAfter(out, "complete\n")[0], 1, true},
		"step alone":  {strings.Replace(strings.SplitAfter(out, "complete\n")[0], "1", "1.batch", 1), 0, true},
		"other lines": {strings.Repeat("x\n", 9), 0, false},
	} {
		jobs, err := Parse([]byte(tc.out), mark)
		if (err == nil) != tc.ok || len(jobs) != tc.jobs {
			t.Errorf("%s: %d jobs, %v", name, len(jobs), err)
		}
	}
}

func TestNumbers(t *testing.T) {
	for text, want := range map[string]uint64{"": 0, "590912K": 590912 << 10, "2G": 2 << 30, "1.50G": 3 << 29,
		"1024": 1024, "-5K": 0, "NaN": 0, "1e99T": 0, "K": 0, "InfK": 0} {
		if got := parseBytes(text); got != want {
			t.Errorf("%q is %d bytes, want %d", text, got, want)
		}
	}
	for text, want := range map[string]time.Duration{"": 0, "00:04.440": 4440 * time.Millisecond,
		"01:02:03": time.Hour + 2*time.Minute + 3*time.Second, "2-03:00:00": 51 * time.Hour, "1:2:3:4": 0, "x:y": 0,
		"-1:00": 0, "99999999-00:00:00": 0, "INVALID": 0, "1.5:00": 0} {
		if got := parseClock(text); got != want {
			t.Errorf("%q is %v, want %v", text, got, want)
		}
	}
	for text, want := range map[string]int64{"": 0, "10": 10, "-1": 0, "UNLIMITED": 0, "4294967295": 0,
		"4294967294": 0, "4294967293": 0, "4294967292": 4294967292, "4294967296": 4294967296, "2147483648": 2147483648,
		"1000000000000000": 1e15, "1000000000000001": 0, "Partition_Limit": 0} {
		if got := parseCount(text); got != want {
			t.Errorf("%q is %d, want %d", text, got, want)
		}
	}
	for list, want := range map[string]string{"gres/gpu:a100=2,gres/gpu=2": "a100", "gres/gpu=2": "",
		"gres/gpu:a100=1,gres/gpu:v100=1": "", "gres/gpu:a100=1,gres/gpu:v100=0": "a100", "": ""} {
		if got := gpuModel(list); got != want {
			t.Errorf("%q is a %q, want %q", list, got, want)
		}
	}
}

// A site may account for the GPUs of types only, of jobs and of steps.
func TestTypedGPUs(t *testing.T) {
	out := string(recorded(t, "gpus.txt"))
	jobs, err := Parse([]byte(strings.ReplaceAll(out, ",gres/gpu=", ",gres/nic=")), mark)
	if err != nil {
		t.Fatal(err)
	}
	if j := jobs[0]; j.GPUs != 2 || !j.CountsGPUs || j.Model != "a100" || j.Steps[0].GPUs != 2 {
		t.Errorf("%+v", j)
	}
}

// SLURM has written a job's memory in three ways.
func TestRequestedMemory(t *testing.T) {
	for text, want := range map[string]Request{"4Gc": {4 << 30, true}, "16Gn": {16 << 30, false},
		"64G": {Bytes: 16 << 30}, "": {}} {
		r := record{reqMem: text}
		r.Nodes = 4
		if got := r.memoryRequest(); got != want {
			t.Errorf("%q is %+v, want %+v", text, got, want)
		}
	}
	r := record{reqMem: "64G", alloc: "cpu=1,mem=80G,node=4"}
	r.Nodes = 4
	if got := r.memoryRequest(); got.Bytes != 20<<30 {
		t.Errorf("allocated %+v", got)
	}
}

// A job that was requeued has several runs: the last one counts.
func TestLast(t *testing.T) {
	at := func(h int) time.Time { return time.Date(2026, 11, 20, h, 0, 0, 0, time.UTC) }
	got := Last([]Job{{ID: "1", Start: at(9)}, {ID: "2", Start: at(8)}, {ID: "1", Start: at(5)}})
	if len(got) != 2 || got[0].ID != "2" || !got[1].Start.Equal(at(9)) {
		t.Errorf("%+v", got)
	}
}

// A job that was canceled while it waited to run again is canceled: its last record has no start.
func TestLastWithoutAStart(t *testing.T) {
	at := func(m int) time.Time { return time.Date(2026, 11, 20, 9, m, 0, 0, time.UTC) }
	run := Job{ID: "7", State: "REQUEUED", Submit: at(1), Start: at(2), End: at(5), NodeList: "n1"}
	end := Job{ID: "7", State: "CANCELLED", Submit: at(5), End: at(9), NodeList: nowhere}
	other := Job{ID: "8", State: "COMPLETED", Submit: at(0), Start: at(3), End: at(4), NodeList: "n1"}
	soon := run
	soon.Submit, soon.End = at(5), at(5)
	for title, records := range map[string][]Job{"in order": {run, end, other}, "reversed": {other, end, run},
		"in one second": {end, soon, other}} {
		got := Last(records)
		if len(got) != 2 || got[0].State != "CANCELLED" || len(got[0].Earlier) != 1 ||
			got[0].Earlier[0].State != "REQUEUED" || got[1].ID != "8" {
			t.Errorf("%s: %+v", title, got)
		}
	}
	first, second := other, other // tasks of an array
	first.ID, second.ID = "9_1", "9_2"
	if got := Last([]Job{first, second}); got[0].ID != "9_1" {
		t.Errorf("in another order: %+v", got)
	}
	again := Job{ID: "7", State: "COMPLETED", Submit: at(5), Start: at(6), End: at(8), NodeList: "n1"}
	if got := Last([]Job{again, run}); len(got) != 1 || got[0].State != "COMPLETED" || len(got[0].Earlier) != 1 {
		t.Errorf("%+v", got)
	}
}

// Numbers that cannot be are left out, and named.
func TestImpossibleNumbers(t *testing.T) {
	out := string(recorded(t, "gpus.txt"))
	read := func(old, with string) Job {
		t.Helper()
		changed := strings.Replace(out, old, with, 1)
		if changed == out {
			t.Fatalf("no %q", old)
		}
		jobs, err := Parse([]byte(changed), mark)
		if err != nil {
			t.Fatal(err)
		}
		return jobs[0]
	}
	if j := read("|alice|", "|bob|"); len(j.Impossible) > 0 || j.CPUTime == 0 || j.Steps[2].GPUUtilMost == nil {
		t.Errorf("nothing is wrong with %+v", j)
	}
	for title, test := range map[string]struct {
		old, with, want string
		left            func(j Job) bool
	}{
		"nodes": {"|600|MARK|1|", "|600|MARK|4294967294|", "4294967294 nodes",
			func(j Job) bool { return j.Nodes == 0 && j.CPUs == 4 }},
		"CPUs": {"|node01|MARK|4|", "|node01|MARK|4294967295|", "4294967295 CPUs", func(j Job) bool { return j.CPUs == 0 }},
		"of 64 bits": {"|600|MARK|1|", "|600|MARK|18446744073709551614|", "18446744073709551614 nodes",
			func(j Job) bool { return j.Nodes == 0 }},
		"elapsed time": {"|7200|MARK|00:00:00|MARK|600|", "|4294967294|MARK|00:00:00|MARK|600|",
			"4294967294 elapsed seconds", func(j Job) bool { return j.Elapsed == 0 }},
		"CPU time": {"|02:30:00|", "|1-16:00:00|", "40h0m0s of CPU time in 2h0m0s on 4 CPUs",
			func(j Job) bool { return j.CPUTime == 0 && j.Steps[2].CPUTime > 0 }},
		"utilization": {"gres/gpuutil=71", "gres/gpuutil=808334905", "808334905 % GPU utilization of step 0",
			func(j Job) bool { return j.Steps[2].GPUUtilMost == nil && j.Steps[2].MaxGPUMemory != nil }},
	} {
		j := read(test.old, test.with)
		if len(j.Impossible) != 1 || j.Impossible[0] != test.want || !test.left(j) {
			t.Errorf("%s: %q, want %q; %+v", title, j.Impossible, test.want, j)
		}
	}
}

// SLURM sees neither the work nor the memory of MIG instances.
func TestInstances(t *testing.T) {
	out := strings.ReplaceAll(string(recorded(t, "gpus.txt")), "gres/gpu:a100=", "gres/gpu:a100_1g.10gb=")
	out = strings.ReplaceAll(strings.ReplaceAll(out, "gres/gpuutil=71", "gres/gpuutil=0"), "gres/gpumem=16G",
		"gres/gpumem=0")
	jobs, err := Parse([]byte(out), mark)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range jobs[0].Steps {
		if s.GPUUtilMost != nil || s.MaxGPUMemory != nil {
			t.Errorf("%+v", s)
		}
	}
	for text, known := range map[string]bool{"0": true, "16G": true, "18446744073709551614": false, "x": false} {
		if (parseMemory(text) != nil) != known {
			t.Errorf("%q", text)
		}
	}
}

// Nothing that sacct may print ends the program, or becomes a number that cannot be.
func FuzzParse(f *testing.F) {
	f.Add(recorded(f, "jobs.txt"))
	f.Add(recorded(f, "gpus.txt"))
	f.Add([]byte(strings.Repeat(mark, len(columns)-1)))
	f.Fuzz(func(t *testing.T, out []byte) {
		jobs, err := Parse(out, mark)
		if err != nil {
			return
		}
		for i := range jobs {
			j := &jobs[i]
			if j.Elapsed < 0 || j.Limit < 0 || j.CPUTime < 0 || j.CPUs < 0 || j.Nodes < 0 || len(j.Steps) > maxSteps {
				t.Errorf("%+v", j)
			}
		}
	})
}

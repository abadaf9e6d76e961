package slurm

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseShowJobRecorded(t *testing.T) {
	out, err := os.ReadFile("testdata/show-job.txt")
	if err != nil {
		t.Fatal(err)
	}
	jobs := parseShowJob(out)
	line := func(nodes string, minors ...int) gresLine {
		return gresLine{nodes: nodes, minors: append([]int{}, minors...), known: true}
	}
	for number, want := range map[string][]gresLine{
		"1":  {line("node[01-03,07]", 0, 1, 2, 3)},
		"16": {line("node08", 0)}, // the array task 2_1
		"3":  {line("node09", 0, 1)},
		"4":  {line("node08", 3)},
		"5":  {line("node10", 0)}, // "my job with  spaces"
		"9":  {line("node07")},    // no GPU
		"10": {line("node11", 0, 1), line("node12", 0)},
		"11": {line("node11", 2)}, // a tab in its name
		"2":  nil,                 // the waiting rest of the array
		"15": nil,                 // waits
	} {
		got, ok := jobs[number]
		if !ok {
			t.Errorf("job %s is missing", number)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(gresLine{})); diff != "" {
			t.Errorf("job %s (-want +got):\n%s", number, diff)
		}
	}
}

func TestParseGresLine(t *testing.T) {
	for _, tt := range []struct {
		gres   string
		minors []int
		known  bool
	}{
		{"gpu:a100:4(IDX:0-3)", []int{0, 1, 2, 3}, true},
		{"gpu:4(IDX:0,2-3,7)", []int{0, 2, 3, 7}, true},
		{"gpu:a100:2(IDX:0-1),gpu:v100:1(IDX:4)", []int{0, 1, 4}, true},
		{"gpu:a100:1(IDX:2),nic:1(IDX:0)", []int{2}, true},
		{"shard:a100:3(3/8,0/8)", []int{}, false}, // it has a share of a GPU: which is not said
		{"mps:100(IDX:0)", []int{}, false},        // likewise: the IDX is of the share
		{"gpu:a100:1(IDX:2),shard:2(0/8,2/8)", []int{}, false},
		{"nic:1(IDX:0)", []int{}, true},
		{"gpu:0(IDX:N/A)", []int{}, true},
		{"gpu:0(IDX:)", []int{}, true},
		{"", []int{}, true},
		{"gpu:a100:2", []int{}, false}, // which ones is not said
		{"gpu:a100:2(CNT:2)", []int{}, false},
		{"gpu(CNT:2)", []int{}, false}, // of a type without a name
		{"gpu(IDX:1)", []int{1}, true},
		{"shard(CNT:3)", []int{}, false},
		{"gres/gpu:2(IDX:0-1)", []int{}, false}, // not the form that is understood
		{"(null)", []int{}, false},
		{"nic(CNT:1)", []int{}, true},
		{"gpu:1(IDX:0),(null)", []int{}, false},
		{"gpu:a100:2(IDX:0-1", []int{}, false},
		{"gpu:a100:2(IDX:3-1)", []int{}, false},
		{"gpu:a100:2(IDX:0-999999999)", []int{}, false},
		{"gpu:a100:2(IDX:-1)", []int{}, false},
		{"gpu:a100:2(IDX:0-3) Foo=bar", []int{0, 1, 2, 3}, true},
	} {
		got, ok := parseGresLine("n1 CPU_IDs=0-3 Mem=0 GRES=" + tt.gres)
		want := gresLine{nodes: "n1", minors: tt.minors, known: tt.known}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(gresLine{})); !ok || diff != "" {
			t.Errorf("GRES=%s, ok %t (-want +got):\n%s", tt.gres, ok, diff)
		}
	}
	if l, ok := parseGresLine("n1 CPU_IDs=0 Mem=0"); ok {
		t.Errorf("a line without GRES gives %+v", l)
	}
}

// A person can give a job a name that looks like the record of another one's job.
func TestParseShowJobImitation(t *testing.T) {
	out := "JobId=7 JobName=mine\n     Nodes=n1 CPU_IDs=0 Mem=0 GRES=gpu:4(IDX:0-1)\n\n" +
		"JobId=8 JobName=x\nJobId=7 JobName=mine\n     Nodes=n1 CPU_IDs=0 Mem=0 GRES=gpu:4(IDX:0-3)\n" +
		"\nJobId=9 JobName=z\n     Nodes=n2 CPU_IDs=0 Mem=0 GRES=gpu:1(IDX:0)\n"
	jobs := parseShowJob([]byte(out))
	if lines, ok := jobs["7"]; ok {
		t.Errorf("job 7 is told twice, yet one was believed: %+v", lines)
	}
	if len(jobs["9"]) != 1 {
		t.Errorf("job 9 is lost: %+v", jobs)
	}
}

func FuzzParseShowJob(f *testing.F) {
	recorded, err := os.ReadFile("testdata/show-job.txt")
	if err != nil {
		f.Fatal(err)
	}
	for record := range strings.SplitSeq(string(recorded), "\n\n") {
		f.Add([]byte(record))
	}
	f.Add([]byte("JobId=1 JobName=\n     Nodes=n[1-2] CPU_IDs=0 Mem=0 GRES=gpu:a:2(IDX:0-1),gpu:b:1(IDX:((\n"))
	f.Fuzz(func(t *testing.T, out []byte) {
		for number, lines := range parseShowJob(out) {
			for _, l := range lines {
				for _, minor := range l.minors {
					if minor < 0 || minor > maxMinor {
						t.Fatalf("job %q has the GPU %d", number, minor)
					}
				}
			}
		}
	})
}

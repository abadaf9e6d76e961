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
		return gresLine{nodes: nodes, minors: append([]int{}, minors...), count: len(minors), counted: true}
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
		count  int // if minors is nil; -1: not known either
	}{
		{"gpu:a100:4(IDX:0-3)", []int{0, 1, 2, 3}, 0},
		{"gpu:4(IDX:0,2-3,7)", []int{0, 2, 3, 7}, 0},
		{"gpu:a100:2(IDX:0-1),gpu:v100:1(IDX:4)", []int{0, 1, 4}, 0},
		{"gpu:a100:1(IDX:2),nic:1(IDX:0)", []int{2}, 0},
		{"shard:a100:3(3/8,0/8)", nil, -1}, // it has a share of a GPU: which is not said
		{"mps:100(IDX:0)", nil, -1},        // likewise: the IDX is of the share
		{"gpu:a100:1(IDX:2),shard:2(0/8,2/8)", nil, -1},
		{"gpu:a100:1(IDX:2),shard:a100:0(0/8,-/8)", []int{2}, 0}, // no share of any
		{"shard:a100:3(3/8,?/8)", nil, -1},
		{"nic:1(IDX:0)", []int{}, 0},
		{"gpu:0(IDX:N/A)", []int{}, 0},
		{"gpu:0(IDX:)", []int{}, 0},
		{"", []int{}, 0},
		{"gpu:a100:2", nil, 2}, // without the numbers
		{"gpu:a100:2(CNT:2)", nil, 2},
		{"gpu(CNT:2)", nil, 2}, // of a type without a name
		{"gpu:a100:2(CNT:2),gpu:v100:1(IDX:0)", nil, 3},
		{"gpu:a100:0", []int{}, 0},
		{"gpu:a100:9999", nil, -1},
		{"gpu:a100", nil, -1},
		{"gpu(CNT:2", nil, -1},
		{"gpu(IDX:1)", []int{1}, 0},
		{"shard(CNT:3)", nil, -1},
		{"gres/gpu:2(IDX:0-1)", nil, -1}, // not the form that is understood
		{"(null)", nil, -1},
		{"nic(CNT:1)", []int{}, 0},
		{"gpu:1(IDX:0),(null)", nil, -1},
		{"gpu:a100:2(IDX:0-1", nil, -1},
		{"gpu:a100:2(IDX:3-1)", nil, -1},
		{"gpu:a100:2(IDX:0-999999999)", nil, -1},
		{"gpu:a100:2(IDX:-1)", nil, -1},
		{"gpu:a100:2(IDX:0-3) Foo=bar", []int{0, 1, 2, 3}, 0},
	} {
		got, ok := parseGresLine("n1 CPU_IDs=0-3 Mem=0 GRES=" + tt.gres)
		want := gresLine{nodes: "n1", minors: tt.minors, count: max(tt.count, len(tt.minors)), counted: tt.count >= 0}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(gresLine{})); !ok || diff != "" {
			t.Errorf("GRES=%s, ok %t (-want +got):\n%s", tt.gres, ok, diff)
		}
	}
	if l, ok := parseGresLine("n1 CPU_IDs=0 Mem=0"); ok {
		t.Errorf("a line without GRES gives %+v", l)
	}
}

// A user can give a job a name that looks like the record of another user's job. Lines of a name, or of another text,
// that are no record change nothing.
func TestParseShowJobImitation(t *testing.T) {
	const gpus = "   NodeList=n1\n     Nodes=n1 CPU_IDs=0 Mem=0 GRES=gpu:4(IDX:0-1)\n"
	const forged = "JobId=7 JobName=mine\n   NodeList=n1\n     Nodes=n1 CPU_IDs=0 Mem=0 GRES=gpu:4(IDX:0-3)\n"
	jobs := parseShowJob([]byte("JobId=7 JobName=mine\n" + gpus + "\nJobId=8 JobName=x\n\n" + forged +
		"\nJobId=9 JobName=z\n" + gpus +
		"\nJobId=10 JobName=x\nJobId=9 JobName=y\n     Nodes=n1 CPU_IDs=0 Mem=0 GRES=gpu:4(IDX:0-3)\n" +
		"   UserId=a(1)\n" + gpus +
		"   Command=/x\n   Comment=a\n     Nodes=n1 CPU_IDs=0 Mem=0 GRES=gpu:4(IDX:0-3)\n" +
		"\nJobId=11 JobName=x\n   UserId=a(1)\n" + gpus + "   UserId=a(1)\n" + gpus))
	if lines, told := jobs["7"]; !told || lines != nil {
		t.Errorf("job 7 is told twice, which is an answer (%t) without lines: %+v", told, lines)
	}
	for _, number := range []string{"9", "10"} {
		if l := jobs[number]; len(l) != 1 || len(l[0].minors) != 2 {
			t.Errorf("job %s: %+v", number, l)
		}
	}
	if lines, told := jobs["11"]; !told || lines != nil {
		t.Errorf("job 11 has two users: %t, %+v", told, lines)
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
	f.Add([]byte("JobId=1 JobName=\n   NodeList=n[1-2]\n     Nodes=n[1-2] CPU_IDs=0 Mem=0 GRES=gpu:a:2(IDX:0-1),gpu:b:1(IDX:((\n"))
	f.Fuzz(func(t *testing.T, out []byte) {
		for number, lines := range parseShowJob(out) {
			for _, l := range lines {
				if l.minors != nil && len(l.minors) != l.count || l.count < 0 || !l.counted && l.count > 0 {
					t.Fatalf("job %q: %+v", number, l)
				}
				for _, minor := range l.minors {
					if minor < 0 || minor > 1023 {
						t.Fatalf("job %q has the GPU %d", number, minor)
					}
				}
			}
		}
	})
}

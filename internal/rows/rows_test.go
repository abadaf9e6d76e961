package rows

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/progress"
	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/field"
	"github.com/nvnodetop/nvnodetop/internal/rows/filter"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/test/golden"
)

var now = time.Unix(1_800_000_000, 0)

// gpu is a GPU with a number.
func gpu(number int, util, celsius, watts float64) cluster.GPU {
	g := cluster.GPU{GPU: &wire.GPU{}, Number: number, Key: "GPU-" + string(rune('a'+number))}
	g.Index = number
	g.Values = metric.Make(map[metric.ID]float64{metric.Util: util, metric.Temperature: celsius, metric.Power: watts,
		metric.MemoryUsed: 60 << 30, metric.PerformanceState: 0})
	g.Card = &wire.Card{UUID: g.Key, Name: "NVIDIA H100 80GB HBM3", PCIBus: "00000000:1B:00.0",
		Values: metric.Make(map[metric.ID]float64{metric.MemoryTotal: 80 << 30, metric.NUMANode: 1})}
	return g
}

// snapshot is a job on two nodes: one reports, with three processes, one has failed.
func snapshot() (*cluster.Snapshot, *cluster.JobView, map[string][]*cluster.Finding) {
	n := &cluster.Node{Name: "gpu-n01", Switch: "leaf01", State: cluster.NodeReporting, Listed: true,
		Host:  wire.Host{Values: metric.Make(map[metric.ID]float64{metric.HostMemoryTotal: 16 << 30})},
		Hello: &wire.Hello{Driver: "550.54.15"}, GPUs: []cluster.GPU{gpu(0, 99, 70, 600), gpu(1, 21, 49, 200)}}
	n.Processes = []wire.Process{
		{PID: 101, GPU: 0, Type: "C", State: "R", GPUMemory: new(uint64(40 << 30)), SMPercent: new(98),
			MemPercent: new(50), CPUPercent: new(100.5), RSS: new(uint64(4 << 30)), ElapsedSec: new(int64(7300)),
			Identity: wire.Identity{CPUAffinity: "0-15", User: "alice", Command: "python -u train.py", Job: "48211",
				Rank: &wire.Rank{Rank: 12, World: new(14), From: "RANK"}}},
		{PID: 102, GPU: 1, Type: "C+G", State: "D", Identity: wire.Identity{User: "bob", Name: "Xorg"}},
	}
	s := &cluster.Snapshot{At: now, Nodes: map[string]*cluster.Node{"gpu-n01": n,
		"gpu-n02": {Name: "gpu-n02", State: cluster.NodeFailed}}}
	job := cluster.JobView{Job: cluster.Job{ID: "48211", Number: "48211", User: "alice", Partition: "gpu",
		Nodes: []string{"gpu-n01", "gpu-n02"}}}
	job.Findings = []cluster.Finding{
		{Kind: cluster.KindFailed, Severity: cluster.Critical, Node: "gpu-n02", GPU: -1, Job: "48211",
			Since: now.Add(-time.Hour)},
		{Kind: cluster.KindLag, Severity: cluster.Warning, Node: "gpu-n01", GPU: 1, Key: "GPU-b", Job: "48211",
			Since: now.Add(-time.Minute)},
		{Kind: cluster.KindThermal, Severity: cluster.Warning, Node: "gpu-n01", GPU: 0, Key: "GPU-a", Over: now,
			Job: "48211"},
	}
	s.Jobs = []cluster.JobView{job}
	by := map[string][]*cluster.Finding{"gpu-n01": {&s.Jobs[0].Findings[1]}, "gpu-n02": {&s.Jobs[0].Findings[0]}}
	return s, &s.Jobs[0], by
}

// check filters rows by each text, and compares the names of the remaining rows.
func check[T, Row any](t *testing.T, table *field.Table[Row], rows []T, of func(*T) *Row, name func(*T) string,
	tests map[string]string) {
	t.Helper()
	for text, want := range tests {
		e, err := filter.Parse(text, filter.Of(table))
		if err != nil {
			t.Errorf("%s: %s", text, err)
			continue
		}
		var got []string
		for _, row := range filter.Keep(e, table, rows, of) {
			got = append(got, name(&row))
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%s keeps %q, want %q", text, got, want)
		}
	}
}

// wantEveryField wants a case with each field of a table. Metrics, numbers of processes and fields of a GPU are rows of
// other tables.
func wantEveryField[Row any](t *testing.T, table *field.Table[Row], cases map[string]string) {
	t.Helper()
	texts := strings.Join(slices.Collect(maps.Keys(cases)), "\n")
	for i := range table.Fields {
		f := &table.Fields[i]
		_, isMetric := metric.Find(f.Key, metric.GPU)
		isNumber := slices.ContainsFunc(wire.Numbers(),
			func(n field.Field[wire.Process]) bool { return n.Key == f.Key })
		isOfGPU := slices.ContainsFunc(ofGPU, func(g field.Field[cluster.GPU]) bool { return g.Key == f.Key })
		names := strings.Join(append([]string{f.Key}, f.Also...), "|")
		if !isMetric && !isNumber && !isOfGPU && !regexp.MustCompile(`(?m)(^| )(`+names+`)[=<>~!]`).MatchString(texts) {
			t.Errorf("no case of this test has the field %s of %s: add some that keep its value, just miss it, and "+
				"find none", f.Key, table.Name)
		}
	}
}

func TestNodes(t *testing.T) {
	s, job, by := snapshot()
	r := &Node{Snapshot: s, Job: job, Findings: by}
	cases := map[string]string{
		"N01": "gpu-n01", "GPU": "gpu-n01 gpu-n02", "LAG": "gpu-n01", "node~02$": "gpu-n02", "state=failed": "gpu-n02",
		"util=60": "", "util_low<50": "gpu-n01",
		"util<50": "gpu-n01", "util=99": "gpu-n01", "util_avg=60": "gpu-n01", "util_avg<50": "",
		"not util>50": "gpu-n02", "temp>=70": "gpu-n01", "temp<50": "gpu-n01", "power=800W": "",
		"power<300W": "gpu-n01", "power_sum=800W": "gpu-n01", "mem_used=60GiB": "gpu-n01",
		"mem_used_sum=120GiB": "gpu-n01", "mem_total=80GiB": "gpu-n01", "mem_pct=75": "gpu-n01",
		"mem_pct_avg=75": "gpu-n01",
		"gpu=1":          "gpu-n01", "index=2": "", "gpu_name~^h100": "gpu-n01", "driver=550.54.15": "gpu-n01",
		"uuid=gpu-b": "gpu-n01", "bus~:1b:": "gpu-n01", "device_type=gpu": "gpu-n01",
		"pstate=0": "gpu-n01", "numa=1": "gpu-n01", "problem=lag": "gpu-n01", "problem=node_failed": "gpu-n02",
		"problem=thermal": "", "letter=L": "gpu-n01", "severity=critical": "gpu-n02",
		"rank=12": "gpu-n01", "rank=13": "", "switch=leaf01": "gpu-n01", "switch=leaf02": "",
		"not switch~leaf": "gpu-n02", "user=alice": "gpu-n01 gpu-n02", "job=48211 partition=gpu node~01": "gpu-n01",
	}
	check(t, &Nodes, job.Nodes, r.Of, func(name *string) string { return *name }, cases)
	wantEveryField(t, &Nodes, cases)
}

// A failed node has its past, which the screen shows beside it.
func TestFailedNodes(t *testing.T) {
	s, job, by := snapshot()
	s.Nodes["gpu-n02"].Past = &cluster.Past{GPUs: []cluster.GPU{gpu(0, 55, 61, 500)},
		Processes: []wire.Process{{PID: 7, GPU: 0, Identity: wire.Identity{Job: "48211", Rank: &wire.Rank{Rank: 13}}}}}
	r := &Node{Snapshot: s, Job: job, Findings: by}
	check(t, &Nodes, job.Nodes, r.Of, func(name *string) string { return *name }, map[string]string{
		"util=55": "gpu-n02", "util_avg>50": "gpu-n01 gpu-n02", "power_sum=500W": "gpu-n02", "rank=13": "gpu-n02",
		"state=failed": "gpu-n02", "problem=node_failed": "gpu-n02", "not util>50": "",
	})
}

func TestProcesses(t *testing.T) {
	s, job, by := snapshot()
	n := s.Nodes["gpu-n01"]
	list, _ := tally.Processes(job, n)
	r := &Process{Findings: by[n.Name]}
	of := func(p *tally.Process) *Process { return r.Set(s, n, p) }
	name := func(p *tally.Process) string { return p.User }
	cases := map[string]string{
		"train": "alice", "PYTHON n01": "alice", "xorg": "bob", "102": "bob", "48211": "alice", "user=bob": "bob",
		"pid=101,102": "alice bob", "rank=12": "alice", "rank!=12": "",
		"node=gpu-n01": "alice bob", "mem>10GiB": "alice", "mem<10GiB": "", "sm>90": "alice", "mbw=50": "alice",
		"cpu>100": "alice", "rss=4GiB": "alice", "time>2h": "alice",
		"cmd~train.*py$": "alice", "type=C": "alice bob", "type=G": "bob", "type=C+G": "bob", "state=D": "bob",
		"job=48211": "alice", "util<50": "bob", "temp=70": "alice", "power<300W": "bob",
		"gpu=1": "bob", "uuid=GPU-a": "alice", "mem_pct=75": "alice bob", "driver~^550": "alice bob",
		"problem=lag": "bob", "letter=T": "", "severity=warning": "bob", "severity=critical": "",
		"cpu_affinity~15": "alice", "gpu_memory_percent=50": "alice", "gpu_memory_percent<50": "",
		"host_memory_percent=25": "alice", "host_memory_percent<25": "",
	}
	check(t, &Processes, list, of, name, cases)
	wantEveryField(t, &Processes, cases)
}

// A process has the ID of its job, as squeue prints it, on the GPU's row too.
func TestTasksOfArrays(t *testing.T) {
	s, job, _ := snapshot()
	n := s.Nodes["gpu-n01"]
	job.ID = "48100_7" // its processes have the number 48211
	list, _ := tally.Processes(job, n)
	r := &Process{}
	of := func(p *tally.Process) *Process { return r.Set(s, n, p) }
	check(t, &Processes, list, of, func(p *tally.Process) string { return p.User },
		map[string]string{"job=48100_7": "alice", "48100_7": "alice", "job=48211": ""})
	g := &GPU{Snapshot: s, Node: n}
	check(t, &GPUs, []*cluster.GPU{&n.GPUs[0], &n.GPUs[1]}, g.Of,
		func(g **cluster.GPU) string { return strconv.Itoa((*g).Number) }, map[string]string{
			"job=48100_7": "0", "48100_7": "0", "job=48211": "",
		})
}

// A GPU has its own values, and those of each process on it.
func TestGPUs(t *testing.T) {
	s, _, by := snapshot()
	n := s.Nodes["gpu-n01"]
	gpus := []*cluster.GPU{&n.GPUs[0], &n.GPUs[1],
		{Number: 2, Card: &wire.Card{Index: -1}, GPU: &wire.GPU{Lost: "missing"}}}
	r := &GPU{Snapshot: s, Node: n, Findings: by[n.Name]}
	check(t, &GPUs, gpus, r.Of, func(g **cluster.GPU) string { return strconv.Itoa((*g).Number) },
		map[string]string{
			"util>50": "0", "util<50": "1", "gpu=1,2": "1 2", "user=bob": "1", "user!=bob": "0", "pid=101": "0",
			"rank=12": "0", "sm>90": "0", "cmd~train": "0", "train": "0", "XORG": "1", "lag": "1",
			"problem=lag": "1", "node=gpu-n01": "0 1 2", "n01": "0 1 2", "type=G": "1", "not user=alice": "1 2",
			"uuid=GPU-a": "0", "power>500W or user=bob": "0 1",
		})
}

func TestRanks(t *testing.T) {
	s, job, by := snapshot()
	r := &Rank{Snapshot: s, Job: job, Findings: by}
	list := tally.Ranks(s, job)
	list = append(list, tally.RankRow{Rank: &wire.Rank{Rank: 13}, State: tally.RankGone, Node: "gpu-n02",
		Number: cluster.NoNumber})
	name := func(row *tally.RankRow) string { return row.Node }
	check(t, &Processes, list, r.Of, name, map[string]string{
		"rank>=12 and rank<=13": "gpu-n01 gpu-n02", "state=gone": "gpu-n02", "gone": "gpu-n02", "state=R": "gpu-n01",
		"gpu!=5 rank=13": "", "problem=lag": "gpu-n01", "job=48211 rank=13": "gpu-n02",
		"pid>0 train": "gpu-n01", "util>90": "gpu-n01",
	})
}

func TestProblems(t *testing.T) {
	s, job, _ := snapshot()
	r := &Problem{Snapshot: s}
	name := func(f *cluster.Finding) string { return string(f.Kind) }
	cases := map[string]string{
		"severity=warning": "lag thermal", "node~n01": "lag thermal", "state=cleared": "thermal",
		"state=holds severity=critical": "node_failed", "problem=lag": "lag", "letter=L": "lag",
		"gpu=1": "lag", "uuid=GPU-a": "thermal", "time>10m": "node_failed", "time<10m": "lag",
		"job=48211": "node_failed lag thermal", "N02": "node_failed", "lag": "lag",
	}
	check(t, &Problems, job.Findings, r.Of, name, cases)
	wantEveryField(t, &Problems, cases)
}

// named has the parts of a field that a test compares.
type named struct {
	table string
	filter.Field
}

// everyField are the fields that filters know, of all tables.
func everyField() (all []named) {
	for _, k := range kinds() {
		for _, f := range k.fields {
			all = append(all, named{k.name, f})
		}
	}
	return all
}

// A name means one number in all lists: no field shares a name, or another name, with a different field. Each has a
// help and an example that can be compared with.
func TestOneNameForOneNumber(t *testing.T) {
	meant, inTable := map[string]named{}, map[string]bool{}
	for _, f := range everyField() {
		for _, name := range append([]string{f.Name}, f.Also...) {
			was, known := meant[name]
			if known && (was.Name != f.Name || was.Unit != f.Unit) {
				t.Errorf("%s: %q means %s, of %s it means %s", f.table, name, f.Name, was.table, was.Name)
			}
			if meant[name] = f; inTable[f.table+" "+name] || name == "" || name != strings.ToLower(name) {
				t.Errorf("%s: %q", f.table, name)
			}
			inTable[f.table+" "+name] = true
		}
		if f.Example == "" || f.Help == "" {
			t.Errorf("the field %s of %s has no Example of a value, or no Help", f.Name, f.table)
			continue
		}
		for _, op := range f.Ops() {
			example := f.Name + op + f.Example
			if _, err := filter.Parse(example, filter.Fields{f.Field}); err != nil {
				t.Errorf("%s: %v", example, err)
			}
		}
	}
}

// The page about filters has the table of all fields.
func TestFieldsPage(t *testing.T) {
	const path, mark = "../../docs/FILTERS.md", "-update. -->\n"
	golden.After(t, path, mark, "\n| Field | Example | What it is | Rows |\n|---|---|---|---|\n"+table())
}

// operator is the operator of the example of a field.
func operator(f *filter.Field) string {
	switch {
	case slices.Contains([]string{"command", "gpu_name", "uuid"}, f.Name):
		return "~"
	case f.Unit == field.Text || f.Unit == field.Count:
		return "="
	}
	return ">"
}

// kind is the fields of a table.
type kind struct {
	name   string
	fields filter.Fields
}

func kinds() []kind {
	return []kind{{Nodes.Name, filter.Of(&Nodes)}, {Processes.Name, filter.Of(&Processes)},
		{Problems.Name, filter.Of(&Problems)}, {Jobs.Name, filter.Of(&Jobs)}, {Users.Name, filter.Of(&Users)},
		{Partitions.Name, filter.Of(&Partitions)}, {ClusterNodes.Name, filter.Of(&ClusterNodes)},
		{AllJobs.Name, filter.Of(&AllJobs)}, {IdleGPUs.Name, filter.Of(&IdleGPUs)}}
}

var declared = regexp.MustCompile(`(?m)^var \w+ = field\.Table\[`)

// Every list stands in the table of docs/FILTERS.md. GPUs have the fields of processes.
func TestEveryListIsDocumented(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	lists := 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lists += len(declared.FindAll(text, -1))
	}
	if lists != len(kinds())+1 {
		t.Errorf("%d lists have fields, and %d are in kinds", lists-1, len(kinds()))
	}
}

// table is all fields, a line each.
func table() string {
	var lines []string
	for _, k := range kinds() {
		for i := range k.fields {
			f := &k.fields[i]
			line := "| `" + strings.Join(append([]string{f.Name}, f.Also...), "`, `") + "` | `" + f.Name + operator(f) +
				f.Example + "` | " + f.Help + " | "
			if at := slices.IndexFunc(lines, func(s string) bool { return strings.HasPrefix(s, line) }); at >= 0 {
				lines[at] += ", " + k.name
			} else {
				lines = append(lines, line+k.name)
			}
		}
	}
	return strings.Join(lines, " |\n") + " |\n"
}

func TestJobs(t *testing.T) {
	s, job, _ := snapshot()
	job.Name, job.Start, job.End = "llama-70b", now.Add(-3*time.Hour), now.Add(5*time.Hour)
	job.Progress = &cluster.JobProgress{Progress: progress.Progress{At: now, Scope: progress.OfRun,
		Step: new(int64(3000)), Total: new(int64(4000)), SecondsPerStep: new(3.5)}}
	s.Discovery.Pending = []cluster.PendingJob{{ID: "48377_[5-9]", Name: "eval", Partition: "short", Nodes: 1,
		GPUs: new(2), Reason: "Priority"}}
	s.Discovery.Ended = []cluster.EndedJob{{ID: "48377_2", Name: "eval", Nodes: 1, State: cluster.JobFailed}}
	s.Discovery.User = "alice"
	r := &Job{Snapshot: s}
	name := func(row *tally.JobRow) string { return row.ID }
	cases := map[string]string{
		"eval": "48377_[5-9] 48377_2", "job~^482": "48211", "name=eval state=pending": "48377_[5-9]",
		"state=PD": "48377_[5-9]", "failed": "48211 48377_2", "state=F": "48377_2",
		"partition=short": "48377_[5-9]", "priority": "48377_[5-9]", "node~n02": "48211", "nodes>1": "48211",
		"gpus=2": "48377_[5-9]", "util_avg=60": "48211", "util=60": "", "util<50": "48211", "util_low<50": "48211",
		"power_sum=800W": "48211", "power=600W": "48211", "time>2h": "48211", "problem=lag": "48211",
		"letter=L": "48211", "severity=critical": "48211", "user=alice": "48211 48377_[5-9] 48377_2",
		"gpu-n02": "48211", "left>4h": "48211", "left<4h": "", "step=3000": "48211", "step!=3000": "",
		"done_percent=75": "48211", "done_percent<75": "", "pace~3.5": "48211", "ends>50m": "48211", "ends<50m": "",
	}
	check(t, &Jobs, tally.Jobs(s), r.Of, name, cases)
	wantEveryField(t, &Jobs, cases)
}

func TestUsers(t *testing.T) {
	s, _, _ := snapshot()
	s.Discovery.User = "alice"
	name := func(row *UserRow) string { return row.User }
	cases := map[string]string{
		"": "alice bob", "user=bob": "bob", "nodes=1": "alice bob", "gpus=1": "alice bob", "mem>10GiB": "alice",
		"power_sum=600W": "alice", "power_sum<300W": "bob", "time>2h": "alice", "job=48211": "alice",
		"cmd~train": "alice", "processes=1": "alice bob", "processes>1": "", "48211": "alice", "TRAIN": "alice",
		"bob": "bob",
	}
	check(t, &Users, UsersOf(s, nil), func(u *UserRow) *UserRow { return u }, name, cases)
	wantEveryField(t, &Users, cases)
}

// The numbers of a process keep all properties of their rows, and each has a place of its own among charts and ranks.
func TestNumbersOfProcesses(t *testing.T) {
	for _, f := range wire.Numbers() {
		got, want := reflect.ValueOf(*Processes.Field(f.Key)), reflect.ValueOf(f)
		for i := range want.NumField() {
			if name := want.Type().Field(i).Name; want.Field(i).Kind() != reflect.Func &&
				!reflect.DeepEqual(got.Field(i).Interface(), want.Field(i).Interface()) {
				t.Errorf("%s of %s is %v, want %v", name, f.Key, got.Field(i), want.Field(i))
			}
		}
	}
	for name, place := range map[string]func(f *field.Field[Process]) int{
		"ranks":  func(f *field.Field[Process]) int { return f.AtRank },
		"charts": func(f *field.Field[Process]) int { return f.Chart.Place }} {
		for i, f := range InOrder(place) {
			if place(f) != i+1 {
				t.Errorf("%s: %s has place %d, want %d", name, f.Key, place(f), i+1)
			}
		}
	}
}

// A key ends in the unit of its numbers.
func TestKeysHaveUnits(t *testing.T) {
	for _, f := range everyField() {
		unit := map[field.Unit]string{field.Percent: "_percent", field.Bytes: "_bytes", field.Watts: "_watts",
			field.BytesPerSecond: "_bytes_per_second", field.Celsius: "_celsius", field.Seconds: "_seconds"}[f.Unit]
		if !strings.HasSuffix(f.Name, unit) {
			t.Errorf("the key %s of %s does not end in %q, its unit", f.Name, f.table, unit)
		}
	}
}

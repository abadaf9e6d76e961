package vacancy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/store"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

var now = time.Date(2026, 11, 20, 18, 42, 7, 0, time.UTC)

var plain = draw.NewTheme(colorprofile.NoTTY, false, false)

// card is a GPU of a test: its use, and the processes on it.
type card struct {
	name              string
	memory, used      float64 // MiB; NaN: not known
	util, temp, clock float64
	lost              string
	mig               bool
	parent            string // of an instance
	unlisted          string
	processes         []wire.Process
}

func seconds(n int64) *int64 { return &n }

// smaller is the process with 7 GiB.
func smaller(p wire.Process) wire.Process {
	p.GPUMemory = new(uint64(7 << 30))
	return p
}

// byUser is a process.
func byUser(pid int, user, command string, elapsed int64) wire.Process {
	return wire.Process{PID: pid, Type: "C", ElapsedSec: seconds(elapsed), GPUMemory: new(uint64(8 << 30)),
		Identity: wire.Identity{User: user, Command: command}}
}

// node is the state after a report of a host with these GPUs.
func node(cards ...card) *cluster.Snapshot {
	hello, report := &wire.Hello{Host: "box", Driver: "550.54.15"}, &wire.Report{Listed: true}
	for i, c := range cards {
		stock, g := wire.Card{Index: i, Minor: new(i + 4), UUID: fmt.Sprintf("GPU-%d%d", i, i), Name: c.name,
			Lost: c.lost, MIG: c.mig}, wire.GPU{Index: i, Unlisted: c.unlisted, Lost: c.lost}
		if c.parent != "" {
			stock.Index, stock.UUID, stock.Instance = 1000+i, fmt.Sprintf("MIG-%d", i),
				&wire.Instance{Parent: c.parent, Index: 1}
			g.Index = stock.Index
		}
		if !math.IsNaN(c.memory) {
			stock.Values.Set(metric.MemoryTotal, c.memory*(1<<20))
		}
		for id, v := range map[metric.ID]float64{metric.MemoryUsed: c.used * (1 << 20), metric.Util: c.util,
			metric.Temperature: c.temp, metric.SMClock: c.clock} {
			if !math.IsNaN(v) && c.lost == "" {
				g.Values.Set(id, v)
			}
		}
		hello.GPUs, report.GPUs = append(hello.GPUs, stock), append(report.GPUs, g)
		for _, p := range c.processes {
			p.GPU = stock.Index
			report.Processes = append(report.Processes, p)
		}
	}
	return snapshot(
		cluster.Event{Discovery: &cluster.Discovery{Answered: now,
			Jobs: []cluster.Job{{Name: "box", Nodes: []string{"box"}}}}},
		cluster.Event{Node: "box", Try: &cluster.Try{Interval: time.Second}}, cluster.Event{Node: "box", Hello: hello},
		cluster.Event{Node: "box", Report: report},
	)
}

func snapshot(events ...cluster.Event) *cluster.Snapshot {
	store := store.New(time.Second, func(cluster.Subject) []cluster.Condition { return nil })
	for _, e := range events {
		e.At = now
		store.Apply(e)
	}
	return store.Snapshot(now)
}

// seed are the GPUs of the table in nvgpu's documentation.
func seed() *cluster.Snapshot {
	const small, large = "GeForce GTX 1070", "GeForce GTX 1080 Ti"
	return node(
		card{name: small, memory: 8119, used: 4, temp: 44, clock: 139},
		card{name: large, memory: 11178, used: 10795, temp: 44, clock: 139,
			processes: []wire.Process{byUser(19028, "alice", "/usr/bin/python -m ipykernel_launcher -f x.json",
				2*86400+5)}},
		card{name: large, memory: 11178, used: 10789, temp: 44, clock: 139,
			processes: []wire.Process{byUser(8479, "bob", "python -m ipykernel_launcher", 14*3600+5)}},
		card{name: small, memory: 8119, used: 7881, util: 46, temp: 54, clock: 1506,
			processes: []wire.Process{smaller(byUser(20883, "bob", "python train.py", 7*86400))}},
		card{name: small, memory: 8119, used: 7881, util: 35, temp: 64, clock: 1480,
			processes: []wire.Process{smaller(byUser(26228, "bob", "python evaluate.py", 7*86400))}},
		card{name: large, memory: 11178, used: 10795, temp: 44, clock: 139,
			processes: []wire.Process{{PID: 9305, Type: "C", Identity: wire.Identity{Foreign: true}}}},
		card{name: large, memory: 11178, used: 2, temp: 44, clock: 139,
			processes: []wire.Process{{PID: 900, Type: "G", Identity: wire.Identity{User: "root", Name: "Xorg"}}}},
	)
}

const seedTable = `    status    type                 util.    mem. used      temp.    MHz  users    since         pids    cmd
--  --------  -------------------  -------  -----------  -------  -----  -------  ------------  ------  -----------
 0  [ ]       GeForce GTX 1070       0 %    0.0GB             44    139
 1  [~]       GeForce GTX 1080 Ti    0 %    11.32GB           44    139  alice    2 days ago    19028   jupyter
 2  [~]       GeForce GTX 1080 Ti    0 %    11.31GB           44    139  bob      14 hours ago  8479    jupyter
 3  [~]       GeForce GTX 1070      46 %    8.26GB            54   1506  bob      7 days ago    20883   train.py
 4  [~]       GeForce GTX 1070      35 %    8.26GB            64   1480  bob      7 days ago    26228   evaluate.py
 5  [!]       GeForce GTX 1080 Ti    0 %    11.32GB           44    139  ?                      9305
 6  [ ]       GeForce GTX 1080 Ti    0 %    0.0GB             44    139
`

// The table is that of nvgpu's documentation, with the memory of nvgpu 0.10.
func TestListIsNvgpus(t *testing.T) {
	var out bytes.Buffer
	s := seed()
	if err := List(&out, Nodes(s, false), s.At, plain); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(seedTable, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	out.Reset()
	theme := draw.NewTheme(colorprofile.ANSI, false, false)
	if err := List(&out, Nodes(s, false), s.At, theme); err != nil || !strings.Contains(out.String(), "\x1b[") {
		t.Errorf("no color in a terminal: %q, %v", out.String(), err)
	}
}

func TestStates(t *testing.T) {
	nan := math.NaN()
	for name, test := range map[string]struct {
		card
		want State
	}{
		"idle":             {card{memory: 100, used: 20}, Free},
		"memory of nobody": {card{memory: 100, used: 21}, Unknown},
		"a user": {card{memory: 100, used: 1, processes: []wire.Process{byUser(1, "al", "x", 1)}},
			Used},
		"a user and nobody": {card{memory: 100, used: 1, processes: []wire.Process{byUser(2, "", "x", 1),
			byUser(1, "al", "x", 1)}}, Used},
		"nobody": {card{memory: 100, used: 1, processes: []wire.Process{byUser(2, "", "x", 1)}},
			Unknown},
		"lost":                    {card{memory: 100, lost: "GPU is lost"}, Out},
		"nothing known":           {card{memory: 100, used: nan, unlisted: "no permission"}, Out},
		"memory not known, empty": {card{memory: 100, used: nan}, Free},
		"MIG without instances":   {card{memory: 100, used: 1, mig: true}, Out},
		"processes not known":     {card{memory: 100, used: 1, unlisted: "no permission"}, Free},
	} {
		g := Nodes(node(test.card), false)[0].GPUs[0]
		if g.State != test.want {
			t.Errorf("%s: %s, want %s", name, g.State.Mark(), test.want.Mark())
		}
	}
}

// A node without numbers is a line with the reason, and nodes are distinct.
func TestListOfSeveralNodes(t *testing.T) {
	s := snapshot(
		cluster.Event{Discovery: &cluster.Discovery{Answered: now,
			Jobs: []cluster.Job{{ID: "1", Nodes: []string{"n1", "n2", "n3"}}}}},
		cluster.Event{Node: "n1", Try: &cluster.Try{}}, cluster.Event{Node: "n1", Hello: &wire.Hello{}},
		cluster.Event{Node: "n1", Report: &wire.Report{}},
		cluster.Event{Node: "n2", Try: &cluster.Try{}},
		cluster.Event{Node: "n2", Down: &cluster.Down{Failure: reach.Failure{Class: reach.ClassAdopt,
			Short: "login refused"}}},
	)
	var out bytes.Buffer
	if err := List(&out, Nodes(s, false), s.At, plain); err != nil ||
		out.String() != "n1\nno GPU\n\nn2\nlogin refused\n\nn3\nnot reporting yet\n" {
		t.Errorf("%v, %q", err, out.String())
	}
	out.Reset()
	if err := JSON(&out, Nodes(s, false), false, func(n *Node) any { return Agent(n, s.At) }); err != nil {
		t.Fatal(err)
	}
	if list := []map[string]any{}; json.Unmarshal(out.Bytes(), &list) != nil || len(list) != 3 ||
		list[1]["error"] != "login refused" {
		t.Errorf("%s", out.String())
	}
}

// With --job only the GPUs of the job are listed.
func TestOwnGPUs(t *testing.T) {
	s := node(card{memory: 100}, card{memory: 100}, card{memory: 100})
	s.Jobs[0].ID, s.Jobs[0].Minors = "7", map[string][]int{"box": {5}}
	if all, own := Nodes(s, false)[0].GPUs, Nodes(s, true)[0].GPUs; len(all) != 3 || len(own) != 1 ||
		own[0].Index != "1" {
		t.Errorf("%d GPUs, of the job %v", len(all), own)
	}
}

func TestAgo(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Hour: "just now", 9 * time.Second: "just now", 44 * time.Second: "44 seconds ago",
		89 * time.Second: "a minute ago", 100 * time.Second: "2 minutes ago",
		44 * time.Minute: "44 minutes ago", 80 * time.Minute: "an hour ago", 14 * time.Hour: "14 hours ago",
		30 * time.Hour: "a day ago", 47 * time.Hour: "2 days ago", 400 * 24 * time.Hour: "400 days ago",
	} {
		if got := formatAgo(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

func TestShort(t *testing.T) {
	for command, want := range map[string]string{
		"/usr/bin/python3.12 -m ipykernel_launcher -f k.json": "jupyter",
		"": "", "python /a/b/train.py --x 1": "/a/b/train.py",
		"/opt/bin/simulate --steps 100000": "/opt/bin/simulate --steps...", "x": "x",
	} {
		if got := shortCommand(command); got != want {
			t.Errorf("%q: %q, want %q", command, got, want)
		}
	}
}

// An agent of nvgpu does not tell the UUIDs of its GPUs: they are null then.
func TestUnknownUUIDs(t *testing.T) {
	s := seed()
	nodes := Nodes(s, false)
	for i := range nodes[0].GPUs {
		card := *nodes[0].GPUs[i].Card
		card.UUID = ""
		nodes[0].GPUs[i].Card = &card
	}
	for name, of := range map[string]any{"nvgpu": Agent(&nodes[0], s.At), "gpustat": Stat(&nodes[0], s.At)} {
		text, err := json.Marshal(of)
		if err != nil || strings.Count(string(text), `"uuid":null`) != len(nodes[0].GPUs) {
			t.Errorf("%s: %v, %s", name, err, text)
		}
	}
}

// Other keys, or other types of values, break readers of nvgpu's agents and gpustat.
func TestDialects(t *testing.T) {
	s := seed()
	nodes := Nodes(s, false)
	for name, test := range map[string]struct {
		of   func(*Node) any
		want []string
	}{
		"nvgpu": {func(n *Node) any { return Agent(n, s.At) }, []string{
			`"hostname": "box"`, `"index": "5",
            "uuid": "GPU-55",
            "mem_used": 10795,
            "mem_total": 11178,
            "mem_used_percent": 96.57362676686348,
            "type": "GeForce GTX 1080 Ti",
            "is_available": false,
            "pids": "9305",
            "users": "?",
            "running_since": null,
            "utilization": 0,
            "memory": {
                "total": 11720982528,
                "free": 401604608,
                "used": 11319377920
            },
            "clock_mhz": 139,
            "temperature": 44,
            "cmd": null`}},
		"gpustat": {func(n *Node) any { return Stat(n, s.At) }, []string{
			`"hostname": "box",
    "driver_version": "550.54.15",
    "query_time": "2026-11-`, `"index": 3,
            "uuid": "GPU-33",
            "name": "GeForce GTX 1070",
            "temperature.gpu": 54,
            "fan.speed": null,
            "utilization.gpu": 46,
            "utilization.enc": null,
            "utilization.dec": null,
            "power.draw": null,
            "enforced.power.limit": null,
            "memory.used": 7881,
            "memory.total": 8119,
            "processes": [
                {
                    "username": "bob",
                    "command": "python",
                    "full_command": [
                        "python",
                        "train.py"
                    ],
                    "gpu_memory_usage": 7168,
                    "cpu_percent": null,
                    "cpu_memory_usage": null,
                    "pid": 20883
                }`}},
	} {
		var out bytes.Buffer
		if err := JSON(&out, nodes, true, test.of); err != nil || !json.Valid(out.Bytes()) {
			t.Fatalf("%s: %v", name, err)
		}
		for _, want := range test.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: no %s in\n%s", name, want, out.String())
			}
		}
	}
}

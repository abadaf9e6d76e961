package recording

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// textOf returns the lines of a recording.
func textOf(t *testing.T, file []byte) string {
	t.Helper()
	zip, err := zstd.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	defer zip.Close()
	text, err := io.ReadAll(zip)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// open are the fields whose text stays: our own words, which no node sends.
var open = regexp.MustCompile(`^(Try|Step|Down|Discovery\.Failure)(\..*)?\.(Door|Class|Stage|Stages|State)$`)

// fill sets each text in v to one of its own, and returns those that must not be seen.
func fill(v reflect.Value, path string, secrets map[string]string) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.Type() == reflect.TypeFor[*reach.Tried]() || v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		fill(v.Elem(), path, secrets)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				fill(v.Field(i), path+"."+f.Name, secrets)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), path, secrets)
	case reflect.Map:
		key := reflect.New(v.Type().Key()).Elem()
		fill(key, path+".key", secrets)
		value := reflect.New(v.Type().Elem()).Elem()
		fill(value, path, secrets)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.String:
		text := fmt.Sprintf("9secret%d", len(secrets))
		secrets[text] = path
		v.SetString(text)
	case reflect.Int, reflect.Int64:
		v.SetInt(424242)
	case reflect.Bool:
		v.SetBool(true)
	}
}

// No text that an Event can have is in an anonymous recording, but those of a list.
func TestAnonymousLeavesNothing(t *testing.T) {
	secrets := map[string]string{}
	at := time.Unix(1_700_000_000, 0)
	var events []cluster.Event
	for _, e := range []cluster.Event{
		{Discovery: &cluster.Discovery{}}, {Try: &cluster.Try{}}, {Step: &reach.Step{}}, {Hello: &wire.Hello{}},
		{Report: &wire.Report{}}, {Pace: &cluster.Pace{}}, {Down: &cluster.Down{}},
	} {
		v := reflect.ValueOf(&e).Elem()
		for i := range v.NumField() {
			if f := v.Field(i); f.Kind() == reflect.Pointer && !f.IsNil() {
				fill(f, v.Type().Field(i).Name, secrets)
			}
		}
		e.At, e.Node = at, "9secretnode"
		events = append(events, e)
	}
	file := recorded(t, Header{User: "9secretuser", Host: "9secrethost", Anonymous: true}, events)
	text := textOf(t, file)
	for secret, path := range secrets {
		if strings.Contains(text, `"`+secret+`"`) && !open.MatchString(path) {
			t.Errorf("the text of %s is in the recording", path)
		}
	}
	for _, secret := range []string{"9secretnode", "9secretuser", "9secrethost"} {
		if bytes.Contains(file, []byte(secret)) || strings.Contains(text, secret) {
			t.Errorf("%s is in the recording", secret)
		}
	}
	if strings.Contains(text, `"uid"`) {
		t.Error("a UID is in the recording")
	}
	if !strings.Contains(textOf(t, recorded(t, Header{}, events)), "9secretnode") {
		t.Error("with names there are none either")
	}
}

// The same names become the same ones, and the story stays the same.
func TestAnonymousStaysTheSameStory(t *testing.T) {
	events := story(t, 4, 8, time.Minute, 5*time.Minute)
	file := recorded(t, Header{User: "alice", Host: "login1", Anonymous: true}, events)
	// where any letters stand together
	text := regexp.MustCompile(linePacked+`[^"]*"`).ReplaceAllString(textOf(t, file), "")
	for _, name := range []string{"alice", "bob", "carol", "login1", "gpu-n0", "gpu-s1", "48211", "llama", "train.py",
		"mmlu", "/scratch"} {
		if strings.Contains(text, name) || bytes.Contains(file, []byte(name)) {
			t.Errorf("%q is in the recording", name)
		}
	}
	r := opened(t, file)
	if !r.Header.Anonymous || r.Header.User != "user1" {
		t.Errorf("header %+v", r.Header)
	}
	live := newStore()
	for _, e := range events {
		live.Apply(e)
	}
	at := events[len(events)-1].At
	want, got := live.Snapshot(at), NewPlayer(r, newStore()).Snapshot(t.Context(), at)
	if len(want.Jobs) != len(got.Jobs) || len(want.Nodes) != len(got.Nodes) || got.Jobs[0].User != "user1" {
		t.Fatalf("%d jobs, %d nodes, want %d and %d", len(got.Jobs), len(got.Nodes), len(want.Jobs), len(want.Nodes))
	}
	for i := range want.Jobs {
		a, b := &want.Jobs[i], &got.Jobs[i]
		if a.GPUs != b.GPUs || a.GPUsSeen != b.GPUsSeen || a.Reporting != b.Reporting ||
			len(a.Findings) != len(b.Findings) {
			t.Errorf("job %s: %d GPUs, %d findings; want %d, %d", a.ID, b.GPUs, len(b.Findings), a.GPUs,
				len(a.Findings))
		}
		for k := range a.Findings {
			if f, g := &a.Findings[k], &b.Findings[k]; f.Kind != g.Kind || !f.Since.Equal(g.Since) {
				t.Errorf("job %s: %s since %v, want %s since %v", a.ID, g.Kind, g.Since, f.Kind, f.Since)
			}
		}
		if a.User == "alice" && b.User != "user1" {
			t.Errorf("alice is %s in job %s", b.User, a.ID)
		}
	}
}

// A number of SLURM's leads to a user: there is another one in its place, the same everywhere.
func TestAnonymousNumbers(t *testing.T) {
	m := newMask()
	for _, c := range []struct{ real, want string }{
		{"48211", "1"}, {"48300_7", "2_7"}, {"48211", "1"}, {"48300_[8-99%4]", "2_[8-99%4]"}, {"48307", "3"},
		{"48211+1", "1+1"}, {"", ""},
		{"48211.alice", "1"}, {"alice", "4"}, {"48300_alice", "2"},
	} {
		if got := m.number(c.real); got != c.want {
			t.Errorf("%q became %q, want %q", c.real, got, c.want)
		}
	}
	hello := m.event(cluster.Event{Hello: &wire.Hello{Job: "48211"}}).Hello
	report := m.event(cluster.Event{Report: &wire.Report{Jobs: []wire.JobMemory{{Job: "48211"}},
		Processes: []wire.Process{{Identity: wire.Identity{Job: "48307", Step: "batch"}}}}}).Report
	if hello.Job != "1" || report.Jobs[0].Job != "1" || report.Processes[0].Job != "3" ||
		report.Processes[0].Step != "batch" {
		t.Errorf("%+v, %+v", hello, report)
	}
}

// SLUIDs lead to users, too. Nodes of one job have the same one, also after each new Hello.
func TestAnonymousSLUIDs(t *testing.T) {
	m := newMask()
	for _, step := range [][2]string{{"sEKNKTV3WPV500", "sluid1"}, {"sEKNKTV3WPV501", "sluid2"},
		{"sEKNKTV3WPV500", "sluid1"}, {"", ""}} {
		if got := m.hello(wire.Hello{SLUID: step[0]}).SLUID; got != step[1] {
			t.Errorf("%q becomes %q, want %q", step[0], got, step[1])
		}
	}
}

// What a node sends as a version or the name of a variable may be any text. What looks like one stays.
func TestAnonymousTextsOfANode(t *testing.T) {
	m := newMask()
	hello := m.hello(wire.Hello{
		Kernel: "5.14.0-427.el9.alice.x86_64", Driver: "550.54.15", CUDA: "12.4", System: "linux/amd64",
		Missing: []string{"nvmlDeviceGetX_v2", "alice"},
		GPUs: []wire.Card{{
			Name: "NVIDIA H100 80GB HBM3", PCIBus: "00000000:1B:00.0", VBIOS: "96.00.74.00.01", Capability: "9.0",
			Serial: "1",
			Absent: map[string][]string{"Not Supported": {"fan_percent", wire.AbsentXids, "alice"},
				"the home of alice is full": {"power_watts"}},
		}, {Name: "alice's GPU"}},
	})
	first := hello.GPUs[0]
	want := map[string][]string{"Not Supported": {"fan_percent", wire.AbsentXids}, "other": {"power_watts"}}
	if !reflect.DeepEqual(first.Absent, want) || first.Name != "NVIDIA H100 80GB HBM3" || first.PCIBus == "" ||
		first.VBIOS == "" || first.Capability != "9.0" || first.Serial != "" {
		t.Errorf("%+v", first)
	}
	if hello.Kernel != "5.14.0" || hello.Driver != "550.54.15" || hello.CUDA != "12.4" ||
		hello.System != "linux/amd64" || len(hello.Missing) != 1 || hello.GPUs[1].Name != "GPU model 1" {
		t.Errorf("%+v", hello)
	}
	report := m.report(wire.Report{
		Faults: []wire.Fault{{Collector: "processes"}, {Collector: "alice"}},
		Processes: []wire.Process{{Type: "C+G",
			Identity: wire.Identity{Step: "0", Rank: &wire.Rank{From: "SLURM_PROCID"}}},
			{Type: "alice", Identity: wire.Identity{Step: "alice", Rank: &wire.Rank{From: "alice"}}}},
	})
	if report.Faults[0].Collector != "processes" || report.Faults[1].Collector != "other" ||
		report.Processes[0].Type != "C+G" || report.Processes[0].Step != "0" ||
		report.Processes[0].Rank.From != "SLURM_PROCID" || report.Processes[1].Type+report.Processes[1].Step+
		report.Processes[1].Rank.From != "" {
		t.Errorf("%+v", report)
	}
}

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
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
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

// open are the fields that keep their text: our own words, which no node sends.
var open = regexp.MustCompile(`^(Try|Step|Down|Discovery\.Failure)(\..*)?\.(Door|Class|Stage|Stages|State)$`)

// fill sets each text in v to a text of its own, and returns the texts that must not be seen.
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

// An anonymous recording has no text of an Event, except those of a list.
func TestAnonymousLeavesNothing(t *testing.T) {
	secrets := map[string]string{}
	at := time.Unix(1_700_000_000, 0)
	var events []cluster.Event
	for _, e := range []cluster.Event{
		{Discovery: &cluster.Discovery{}}, {Try: &cluster.Try{}}, {Step: &reach.Step{}}, {Hello: &wire.Hello{}},
		{Report: &wire.Report{}}, {Pace: &cluster.Pace{}}, {Down: &cluster.Down{}}, {Mark: &cluster.Mark{}},
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

// The same names become the same other names, and the story stays the same.
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

package cluster

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

// A job of four nodes is tracked, served and recorded, and replayed: all outputs agree, to the last digit.
func TestAllAgree(t *testing.T) {
	id := job(t, 4)
	runsNow(t, id)
	name := func(of string) string { return fmt.Sprintf("/home/alice/agree-%s-%s.nvr", id, of) }
	t.Cleanup(func() { _, _ = script("on", "login", "rm", "-f", name("track"), name("serve")) })
	s := serves(t, "--record", name("serve"), "1")
	tracked := make(chan result, 1)
	go func() {
		tracked <- runs(t, "track", "--job", id, "--format", "json", "--sleep-time", "1", "--record", name("track"))
	}()
	time.Sleep(8 * time.Second)
	var seen []document
	for range 3 {
		_, text := s.get("api/v1/snapshot")
		seen = append(seen, decode(t, text))
		time.Sleep(1300 * time.Millisecond)
	}
	_, page := s.get("api/v1/jobs/" + id)
	do(t, "on", "login", "scancel", id)
	live := <-tracked
	if err := s.stop(); err != nil {
		t.Errorf("serve: %v, %s", err, s.out.String())
	}
	if live.code != 0 || !strings.Contains(live.stdout, `"gpus_seen": 16`) {
		t.Fatalf("track: exit code %d, stderr %q, printed\n%s", live.code, live.stderr, live.stdout)
	}
	if again := runs(t, "replay", "--report", "json", name("track")); again.stdout != live.stdout {
		t.Errorf("the recording (exit code %d, stderr %q) reports\n%s\ntrack reported\n%s", again.code, again.stderr,
			again.stdout, live.stdout)
	}
	for _, served := range seen {
		replayed := decode(t, runs(t, "replay", "--json", "--at",
			served.Time.Local().Format("2006-01-02T15:04:05.999999999"), name("serve")).stdout)
		was, is := served.numbers(), replayed.numbers()
		if len(was) != 1+4+16 || len(is) != len(was) {
			t.Errorf("at %v: %d things were served, %d are replayed", served.Time, len(was), len(is))
		}
		for what := range was {
			if !reflect.DeepEqual(was[what], is[what]) {
				t.Errorf("at %v, %s: served\n%v\nreplayed\n%v", served.Time, what, was[what], is[what])
			}
		}
	}
	if strings.Count(page, `"uuid":`) != 16 {
		t.Errorf("the page of the job has\n%s", page)
	}
}

// document is the JSON document without the parts that depend on the times of process lists.
type document struct {
	Time time.Time
	Jobs []struct {
		ID     string
		Totals map[string]any
	}
	Nodes []struct {
		Name, State string
		Age         float64 `json:"age_seconds"`
		Host        map[string]any
		GPUs        []map[string]any
	}
}

func decode(t *testing.T, text string) (d document) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &d); err != nil || len(d.Jobs) != 1 {
		t.Fatalf("%v in %s", err, text)
	}
	return d
}

// numbers returns all values by their places.
func (d *document) numbers() map[string]any {
	all := map[string]any{"totals": d.Jobs[0].Totals}
	for _, n := range d.Nodes {
		all[n.Name] = []any{n.State, n.Age, n.Host}
		for _, g := range n.GPUs {
			all[fmt.Sprint(n.Name, " ", g["uuid"])] = g
		}
	}
	return all
}

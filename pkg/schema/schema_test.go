package schema

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A field that a newer version has added to a GPU or a node is a metric if it is a number, and null is not 0.
func TestDecodeNewer(t *testing.T) {
	const text = `{"name":"n1","state":"reporting","later":{"x":1},"host":{"load1":0.5,"frost_percent":3,"names":["a"],"cpu_percent":null},` +
		`"gpus":[{"index":0,"lost":"","util_percent":7,"power_watts":null,"frost_percent":2,"frost":"deep","throttle_reasons":["gpu_idle"],"nvlink_up":[]}]}`
	var n Node
	if err := json.Unmarshal([]byte(text), &n); err != nil {
		t.Fatal(err)
	}
	want := Node{
		Name: "n1", State: NodeReporting, Host: Metrics{Load1: 0.5, "frost_percent": 3},
		GPUs: []GPU{{Index: new(0), Metrics: Metrics{UtilPercent: 7, "frost_percent": 2},
			ThrottleReasons: []string{"gpu_idle"}, NVLinksUp: []int{}}},
	}
	if diff := cmp.Diff(want, n); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	again, err := json.Marshal(&n)
	if want := `{"name":"n1","state":"reporting","host":{"load1":0.5,"frost_percent":3},"gpus":[{"index":0,"util_percent":7,"frost_percent":2,"throttle_reasons":["gpu_idle"],"nvlink_up":[]}]}`; err != nil || string(again) != want {
		t.Errorf("%s, %v", again, err)
	}
}

func TestDecodeGarbage(t *testing.T) {
	for _, text := range []string{`[]`, `{"index":"x"}`, `{"util_percent":`, `7`} {
		var g GPU
		if json.Unmarshal([]byte(text), &g) == nil {
			t.Errorf("%s is a GPU: %+v", text, g)
		}
		var m Metrics
		if text != `{"index":"x"}` && json.Unmarshal([]byte(text), &m) == nil {
			t.Errorf("%s has metrics: %+v", text, m)
		}
	}
}

// A number without a JSON form is left out, and so is every unknown value.
func TestEncodeAbsent(t *testing.T) {
	for want, v := range map[string]any{
		`{}`:                          GPU{Metrics: Metrics{PowerWatts: math.NaN()}},
		`{"name":"","state":""}`:      Node{Host: Metrics{}},
		`{"power_watts":0}`:           GPU{Metrics: Metrics{PowerWatts: 0}},
		`{"load1":1,"power_watts":2}`: Metrics{PowerWatts: 2, Load1: 1},
	} {
		if got, err := json.Marshal(v); err != nil || string(got) != want {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
	}
}

func TestGPUs(t *testing.T) {
	s := Snapshot{Nodes: []Node{{Name: "a", GPUs: make([]GPU, 2)}, {Name: "b"}, {Name: "c", GPUs: make([]GPU, 1)}}}
	var names []string
	for n, g := range s.GPUs() {
		names = append(names, n.Name)
		g.UUID = n.Name
	}
	if diff := cmp.Diff([]string{"a", "a", "c"}, names); diff != "" || s.Nodes[2].GPUs[0].UUID != "c" {
		t.Errorf("%v, %+v", names, s)
	}
	for n := range s.GPUs() {
		if n != s.Node("a") {
			t.Errorf("the first node is %+v", n)
		}
		break
	}
}

// A bin without a value is null in JSON, and never 0.
func TestSeries(t *testing.T) {
	const text = `{"bin_seconds":3,"newest":"2026-11-22T12:00:00Z","metrics":{"util_percent":[97.5,null,0]},"throttle_reasons":[["sw_power_cap"],null,[]]}`
	var h History
	if err := json.Unmarshal([]byte(text), &h); err != nil {
		t.Fatal(err)
	}
	if s := h.Metrics[UtilPercent]; len(s) != 3 || s[0] != 97.5 || !math.IsNaN(s[1]) || s[2] != 0 ||
		h.ThrottleReasons[1] != nil {
		t.Errorf("%+v", h)
	}
	if again, err := json.Marshal(&h); err != nil || string(again) != text {
		t.Errorf("%s, %v", again, err)
	}
	if json.Unmarshal([]byte(`["x"]`), new(Series)) == nil {
		t.Error("a text is a value")
	}
}

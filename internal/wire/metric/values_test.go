package metric

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestAbsentIsAbsent(t *testing.T) {
	var v Values
	if _, known := v.Get(Util); known || v.Has(Power) || v.Float(Power) == v.Float(Power) {
		t.Errorf("the zero value holds %v", v)
	}
	v.Set(Util, 0)
	if x, known := v.Get(Util); !known || x != 0 || v.Float(Util) != 0 || v.Has(MemUtil) {
		t.Errorf("0 is a number: %v", v)
	}
	for name, x := range map[string]float64{"NaN": math.NaN(), "infinite": math.Inf(1), "negative": -1,
		"beyond its unit": 101} {
		w := Make(map[ID]float64{Util: 50})
		if w.Set(Util, x); w != (Values{}) {
			t.Errorf("%s was taken: %v", name, w)
		}
	}
}

// Numbers that drivers give in place of an unknown value are absent. Those of any GPU, now and some day, are not.
func TestPlausible(t *testing.T) {
	absent := map[ID][]float64{
		Temperature: {255, 0, -1, math.MaxUint32}, MemoryTemperature: {255, 0}, Slowdown: {0, 255},
		Power: {math.MaxUint32 / 1e3, -1}, PowerLimit: {0}, PowerLimitDefault: {0}, Fan: {255, math.MaxUint32},
		ECCUncorrected: {math.MaxUint32, math.MaxUint64, math.MaxInt32, -1}, PCIeReplays: {math.MaxUint32},
		RetiredCorrectable: {math.MaxUint32}, MemoryUsed: {math.MaxUint64}, MemoryTotal: {0}, SMClock: {math.MaxUint32},
	}
	present := map[ID][]float64{
		Temperature: {1, 5, 94, 110}, MemoryTemperature: {95, 110}, Shutdown: {120}, Power: {0, 1400, 3600},
		PowerLimit: {1400, 3600}, MemoryTotal: {1440 << 30, 16 << 40}, MemoryUsed: {0}, Fan: {0, 120},
		SMClock: {0, 2610}, MemClock: {14001}, ECCCorrected: {0, 65535, 1e9, math.MaxUint32 + 1}, PCIeReplays: {255, 65535},
		NVLinkUp: {math.MaxUint32}, Energy: {math.MaxUint32}, Util: {0, 100},
	}
	for id, numbers := range absent {
		for _, x := range numbers {
			if id.Plausible(x) {
				t.Errorf("%v is %v", id, x)
			}
		}
	}
	for id, numbers := range present {
		for _, x := range numbers {
			if v := Make(map[ID]float64{id: x}); !id.Plausible(x) || v.Float(id) != x {
				t.Errorf("%v is not %v", id, x)
			}
		}
	}
	if got, want := Temperature.Doubt(255), "implausible value 255 °C"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := ECCCorrected.Doubt(math.MaxUint32), "implausible value 4294967295"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// NVML's percentage of the fan's speed may be over 100.
func TestFanBeyondItsMaximum(t *testing.T) {
	v := Make(map[ID]float64{Fan: 120})
	var back Values
	if err := back.Parse(v.Append(nil), GPU); err != nil || back.Float(Fan) != 120 {
		t.Errorf("got %v, %v, want 120 %%", back, err)
	}
}

func TestSetRounds(t *testing.T) {
	for want, v := range map[string]Values{
		`{"util_percent":50,"power_watts":312.5}`: Make(map[ID]float64{Util: 49.6, Power: 312.50049}),
		`{"cpu_percent":33.33,"load1":2}`:         Make(map[ID]float64{CPU: 33.333333, Load: 2.0049}),
	} {
		if got := v.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// Metrics of a GPU and of a node share their places, but none is taken for the other.
func TestOtherScopeIsAbsent(t *testing.T) {
	v := Make(map[ID]float64{Util: 50})
	if x, known := v.Get(CPU); known || x != 0 || !math.IsNaN(v.Float(CPU)) {
		t.Errorf("a GPU has %v %% of the node's CPU", x)
	}
}

func TestValuesAsJSON(t *testing.T) {
	v := Make(map[ID]float64{MemoryUsed: exact, Throttle: 0x1000000000068, Util: 0, Power: 0.001, Temperature: -3})
	const want = `{"util_percent":0,"memory_used_bytes":9007199254740992,"temperature_celsius":-3,"power_watts":0.001,"throttle_reasons":281474976710760}`
	text, err := json.Marshal(v)
	if err != nil || string(text) != want {
		t.Fatalf("got %s, %v, want %s", text, err, want)
	}
	var back Values
	if err := json.Unmarshal(text, &back); err != nil || back != v {
		t.Errorf("got back %v, %v", back, err)
	}
	if text, err := json.Marshal(Values{}); err != nil || string(text) != "{}" {
		t.Errorf("the zero value is %s, %v", text, err)
	}
}

func TestParse(t *testing.T) {
	for name, tc := range map[string]struct {
		text  string
		scope Scope
		want  Values
	}{
		"nothing": {`{}`, GPU, Values{}},
		"null":    {`null`, GPU, Values{}},
		"blanks": {" { \"util_percent\" : 7 ,\n\"sm_mhz\":1 } ", GPU,
			Make(map[ID]float64{Util: 7, SMClock: 1})},
		"the last one wins": {`{"util_percent":7,"util_percent":8}`, GPU, Make(map[ID]float64{Util: 8})},
		"unknown key":       {`{"warp":9,"util_percent":7}`, GPU, Make(map[ID]float64{Util: 7})},
		"other scope":       {`{"cpu_percent":9,"memory_used_bytes":7}`, GPU, Make(map[ID]float64{MemoryUsed: 7})},
		"of a host": {`{"cpu_percent":9,"memory_used_bytes":7}`, Host,
			Make(map[ID]float64{CPU: 9, HostMemoryUsed: 7})},
		"no number": {`{"util_percent":"7","sm_mhz":null,"mem_mhz":{"a":[1,"}"]},"power_watts":2}`, GPU,
			Make(map[ID]float64{Power: 2})},
		"absurd": {`{"util_percent":1e9,"power_watts":1e999,"sm_mhz":-5,"memory_used_bytes":1e300,"mem_mhz":5}`, GPU,
			Make(map[ID]float64{MemClock: 5})},
		"odd key": {`{"a,b}":1,"c\"":2,"mem_mhz":5}`, GPU, Make(map[ID]float64{MemClock: 5})},
	} {
		t.Run(name, func(t *testing.T) {
			got := Make(map[ID]float64{MemUtil: 55, Uptime: 55})
			if err := got.Parse([]byte(tc.text), tc.scope); err != nil || got != tc.want {
				t.Errorf("got %v, %v, want %v", got, err, tc.want)
			}
		})
	}
	for _, text := range []string{``, `{`, `{"util_percent":`, `{"util_percent":1`, `{"util_percent":1,`,
		`{"util_percent":1,}`, `{"util_percent":1}}`, `[1]`, `"x"`, `7`} {
		var v Values
		if err := v.Parse([]byte(text), GPU); err == nil {
			t.Errorf("%s gave %v and no error", text, v)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`{"util_percent":7,"power_watts":312.5}`)
	f.Add(`{"util_percent":"7","x":{}}`)
	f.Fuzz(func(t *testing.T, text string) {
		var v, again Values
		if v.Parse([]byte(text), GPU) != nil {
			return
		}
		for id := range count {
			low, high := id.Row().Unit.Range()
			if x, known := v.Get(id); known && !(x >= low && x <= high) || !known && x != 0 {
				t.Errorf("%v is %v", id, x)
			}
		}
		if err := again.Parse(v.Append(nil), GPU); err != nil || again != v {
			t.Errorf("%s is read, written and read as %v, %v", strings.ToValidUTF8(text, "?"), again, err)
		}
	})
}

// No number prints with digits that come only from the arithmetic.
func TestRound(t *testing.T) {
	for ms := range int64(100_000) {
		want := strconv.FormatInt(ms, 10)
		for len(want) < 4 {
			want = "0" + want
		}
		want = strings.TrimSuffix(strings.TrimRight(want[:len(want)-3]+"."+want[len(want)-3:], "0"), ".")
		d := time.Duration(ms)*time.Millisecond + 300*time.Microsecond
		if got := string(AppendNumber(nil, InSeconds(d))); got != want {
			t.Fatalf("%v: %s, want %s", d, got, want)
		}
		if got := string(AppendNumber(nil, Round(d.Seconds(), 3))); got != want {
			t.Fatalf("%v: %s, want %s", d, got, want)
		}
	}
	if got := string(AppendNumber(nil, Round(4577.503000000001, 3))); got != "4577.503" {
		t.Error(got)
	}
}

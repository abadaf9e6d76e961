package smi

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/remote/link"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// handleError is what nvidia-smi says of a GPU that has fallen off the bus before it started.
const handleError = "Unable to determine the device handle for GPU1: 00000000:17:00.0: Unknown Error"

// The tests do not wait for a look as long as a node does.
func init() { lookEvery = time.Second }

func (m *machine) remove(names ...string) {
	for _, name := range names {
		if err := os.Remove(filepath.Join(m.dir, name)); err != nil {
			m.t.Error(err)
		}
	}
}

// isWell reports whether a GPU of a report has values.
func isWell(g wire.GPU) bool { return g.Lost == "" && g.Values.Has(metric.Util) }

// A GPU that does not answer is lost, with the words of nvidia-smi, whether they come at the start or later, in its
// cells or in place of all rows. The others go on, and the GPU is back as soon as nvidia-smi has values of it.
func TestLostGPU(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ file, says, words, id string }{
		"lost":         {"say", "1 [GPU is lost]", "GPU is lost", wire.LostFellOff},
		"later":        {"say.loop", "1 [GPU is lost]", "GPU is lost", wire.LostFellOff},
		"broken":       {"say", "1 [Unknown Error]", "Unknown Error", wire.LostFellOff},
		"new words":    {"say.loop", "1 [The moon fell down]", "The moon fell down", wire.LostFellOff},
		"to be reset":  {"say", "1 [GPU requires reset]", "GPU requires reset", wire.LostReset},
		"refused":      {"refuse", "1 " + handleError, handleError, wire.LostFellOff},
		"refused late": {"refuse.loop", "1 " + handleError, handleError, wire.LostFellOff},
		"by its bus": {"refuse", "1 Unable to determine the device handle for GPU 0000:17:00.0: GPU is lost. Reboot the system",
			"Unable to determine the device handle for GPU 0000:17:00.0: GPU is lost. Reboot the system", wire.LostFellOff},
		"vanished": {"gpus.loop", "0", unlisted, wire.LostFellOff},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			m.put(tc.file, tc.says+"\n")
			s, _ := m.open()
			pace(t, s, wire.Pace{IntervalMS: 250})
			r := report(t, s, func(r *wire.Report) bool { return len(r.GPUs) == 2 && r.GPUs[1].Lost != "" && isWell(r.GPUs[0]) })
			if g := r.GPUs[1]; g.Lost != tc.words || g.LostID != tc.id || !g.Values.Empty() {
				t.Errorf("lost GPU %+v", g)
			}
			m.remove(tc.file)
			report(t, s, func(r *wire.Report) bool { return isWell(r.GPUs[0]) && isWell(r.GPUs[1]) })
		})
	}
}

// The Hello says which GPU is lost, and which one it is.
func TestHelloOfALostGPU(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.put("refuse", "1 "+handleError+"\n")
	_, hello := m.open()
	if len(hello.GPUs) != 2 || hello.GPUs[0].Lost != "" || hello.GPUs[0].Name == "" {
		t.Fatalf("cards %+v", hello.GPUs)
	}
	if c := hello.GPUs[1]; c.Index != 1 || c.PCIBus != "00000000:17:00.0" || c.Lost != handleError || c.Absent != nil {
		t.Errorf("card %+v", c)
	}
}

// A GPU that takes the place of one that vanished is not mistaken for it.
func TestMovedGPU(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.put("gpus", "0 1 2\n")
	m.put("gpus.loop", "0 2\n")
	s, _ := m.open()
	pace(t, s, wire.Pace{IntervalMS: 250})
	r := report(t, s, func(r *wire.Report) bool { return r.GPUs[1].Lost != "" })
	if g := r.GPUs[2]; g.Index != 2 || value(&g.Values, metric.Util) != 92 {
		t.Errorf("the last GPU is %+v", g)
	}
	m.put("gpus.loop", "0 1 2\n")
	r = report(t, s, func(r *wire.Report) bool { return isWell(r.GPUs[1]) && isWell(r.GPUs[2]) })
	if value(&r.GPUs[1].Values, metric.Util) != 91 || value(&r.GPUs[2].Values, metric.Util) != 92 {
		t.Errorf("afterwards %+v", r.GPUs)
	}
}

// If nvidia-smi reads no GPU because of one, even if asked for the others alone, reports say so.
func TestRefusedAltogether(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"refuse", "refuse.loop"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			m.put("deaf", "")
			m.put(file, "1 "+handleError+"\n")
			s, hello := m.open()
			pace(t, s, wire.Pace{IntervalMS: 250})
			lost := func(r *wire.Report) bool { return r.GPUs[len(r.GPUs)-1].Lost == handleError }
			for range 2 {
				r := report(t, s, lost)
				if len(r.GPUs) == 1 {
					continue
				}
				if g := r.GPUs[0]; g.Lost != "" || g.Reading || g.Unlisted != handleError || len(r.Faults) != 1 ||
					r.Faults[0].Error != handleError {
					t.Errorf("the other GPU is %+v, faults %+v", g, r.Faults)
				}
			}
			if last := hello.GPUs[len(hello.GPUs)-1]; last.Index != 1 {
				t.Errorf("cards %+v", hello.GPUs)
			}
			m.remove(file)
			report(t, s, func(r *wire.Report) bool { return len(r.GPUs) == 2 && isWell(r.GPUs[0]) && isWell(r.GPUs[1]) })
		})
	}
}

// A loop that ends after rows begins again. One that ends without any ends the session, with its words.
func TestLoopEnds(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.put("ends.loop", "3")
	s, _ := m.open()
	pace(t, s, wire.Pace{IntervalMS: 250})
	first := report(t, s, anyReport)
	if again := report(t, s, anyReport); !isWell(again.GPUs[1]) || again.Seq != first.Seq+1 {
		t.Errorf("%+v after %+v", again, first)
	}
	m.put("fail", "NVIDIA-SMI has failed\n")
	_, err := s.Next()
	for err == nil {
		_, err = s.Next()
	}
	if e, ok := errors.AsType[*UnusableError](err); !ok || e.Words != "NVIDIA-SMI has failed" {
		t.Errorf("error %v", err)
	}
	if _, ok := errors.AsType[*link.EndError](err); !ok {
		t.Errorf("error %#v", err)
	}
}

// A value that nvidia-smi should have is a fault with its words, and a value that cannot be is absent with the reason.
func TestReasonsOfCells(t *testing.T) {
	q := query{
		{"utilization.gpu", metric.Util, parseNumber(1)}, {"memory.used", metric.MemoryUsed, parseNumber(1 << 20)},
		{"temperature.gpu", metric.Temperature, parseNumber(1)}, {"fan.speed", metric.Fan, parseNumber(1)},
		{"enforced.power.limit", metric.PowerLimit, parseNumber(1)},
		{"ecc.errors.corrected.volatile.total", metric.ECCCorrected, parseNumber(1)},
	}
	r := q.readRow(strings.Split("97, 4, 255, [Unknown Error], 0.00, 4294967295", ", "), all)
	if words := r.failureWords(); words != "" {
		t.Errorf("a working GPU is lost: %q", words)
	}
	if f := r.listFaults(3); len(f) != 1 || f[0].Collector != "fan" || f[0].Error != "nvidia-smi: Unknown Error" ||
		f[0].GPUs[0] != 3 {
		t.Errorf("faults %+v", f)
	}
	absent := q.listAbsent(&r)
	for why, id := range map[string]metric.ID{"implausible value 255 °C": metric.Temperature,
		"implausible value 0 W": metric.PowerLimit, "implausible value 4294967295": metric.ECCCorrected,
		"nvidia-smi: Unknown Error": metric.Fan} {
		if keys := absent[why]; len(keys) != 1 || keys[0] != id.String() || r.values.Has(id) {
			t.Errorf("%s: %q, %v", why, keys, absent)
		}
	}
}

func TestFailure(t *testing.T) {
	q := query{
		{"utilization.gpu", metric.Util, parseNumber(1)}, {"memory.used", metric.MemoryUsed, parseNumber(1)},
		{"power.draw", metric.Power, parseNumber(1)}, {"temperature.gpu", metric.Temperature, parseNumber(1)},
		{"fan.speed", metric.Fan, parseNumber(1)}, {"clocks.sm", metric.SMClock, parseNumber(1)},
	}
	for row, want := range map[string]string{
		"97, 4, 300, 61, 30, 1980":                                                 "",
		"[N/A], [N/A], [N/A], [N/A], [N/A], [N/A]":                                 "",
		"[N/A], [Insufficient Permissions], [Not Supported], 61, 30, 1980":         "",
		"97, 4, 300, [Unknown Error], [Unknown Error], 1980":                       "",
		"[Unknown Error], 4, [N/A], 61, 30, 1980":                                  "",
		"[N/A], [GPU is lost], [N/A], 61, 30, 1980":                                "GPU is lost",
		"[GPU is lost], [GPU is lost], [N/A], [N/A], [N/A], [N/A]":                 "GPU is lost",
		"ERR!, ERR!, ERR!, ERR!, ERR!, ERR!":                                       "ERR!",
		"0, [GPU is lost], [GPU is lost], [GPU is lost], [GPU is lost], 0":         "GPU is lost",
		"[N/A], [N/A], [N/A], [Unknown Error], [Unknown Error], [Not Supported]":   "",
		"[GPU requires reset], [Unknown Error], [N/A], [Unknown Error], [N/A], 10": "GPU requires reset",
	} {
		r := q.readRow(strings.Split(row, ", "), all)
		if got := r.failureWords(); got != want {
			t.Errorf("%s: %q, want %q", row, got, want)
		}
	}
}

func TestNaming(t *testing.T) {
	for line, want := range map[string]namedGPU{
		handleError: {1, "00000000:17:00.0", ""},
		"Unable to determine the device handle for GPU 0000:08:00.0: GPU is lost.": {-1, "0000:08:00.0", ""},
		"Unable to determine the device handle for GPU0000:08:00.0: Unknown Error": {-1, "0000:08:00.0", ""},
		"Unable to determine the device handle for gpu 12: Not Found":              {12, "", ""},
		"GPU #3: fallen off the bus":                                               {3, "", ""},
		"lost GPU-000000a0-1111-2222-3333-444444444444": {-1, "",
			"GPU-000000a0-1111-2222-3333-444444444444"},
		"No devices were found": {-1, "", ""},
		"NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.": {-1, "", ""},
	} {
		if got, ok := findNamed(line); got != want || ok != (want != namedGPU{-1, "", ""}) {
			t.Errorf("%q: %+v, %v", line, got, ok)
		}
	}
}

package probe

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// The Hello says what a GPU lacks and why. A metric that the GPU lacks is not requested again. A metric that only fails
// for a while is not absent, and a metric that is permitted later is no longer absent.
func TestAbsentMetrics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lib, devices := newFakeLibrary(2)
		d := devices[0]
		lacking := map[string]error{
			"encoder": errAbsent, "decoder": errDenied, "fan": errAbsent, "BAR1 memory": errDenied,
			"maximum SM clock": errAbsent, "optical flow": errOther,
		}
		for label, err := range lacking {
			d.err[label] = err
		}
		s := open(t, lib)
		s.paced(pace1s)
		cards := s.got()[0].Hello.GPUs
		want := map[string][]string{
			"Not Supported":            {"encoder_percent", "fan_percent", "sm_max_mhz"},
			"Insufficient Permissions": {"decoder_percent", "bar1_used_bytes"},
		}
		if diff := cmp.Diff(want, cards[0].Absent); diff != "" || len(cards[1].Absent) != 0 {
			t.Errorf("absent (-want +got):\n%s, of the other GPU %v", diff, cards[1].Absent)
		}
		lib.change(func() { delete(d.err, "decoder"); d.err["JPEG decoder"] = errAbsent })
		time.Sleep(50 * time.Second)
		s.say(`{"id":2,"alive":{}}`)
		time.Sleep(50 * time.Second)
		msgs := s.got()
		last := msgs[len(msgs)-1].Report.GPUs[0].Values
		healed := helloes(msgs)
		if len(healed) != 1 || !last.Has(metric.Decoder) || last.Has(metric.JPEG) || last.Has(metric.Encoder) {
			t.Fatalf("%d more Hellos, last report %v", len(healed), last)
		}
		want["Insufficient Permissions"] = []string{"bar1_used_bytes"}
		if diff := cmp.Diff(want, healed[0].GPUs[0].Absent); diff != "" {
			t.Errorf("when one is permitted (-want +got):\n%s", diff)
		}
		s.finish()
		for id, want := range map[metric.ID]int{metric.Encoder: 1, metric.Fan: 1, metric.Decoder: 102, metric.JPEG: 102,
			metric.BAR1Used: 2} {
			if d.reads[id] != want {
				t.Errorf("%v was read %d times, want %d", id, d.reads[id], want)
			}
		}
	})
}

// The Hello of a GPU that hangs at first says once, when the GPU answers, what it lacks.
func TestAbsentMetricsOfAGPUThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lib, devices := newFakeLibrary(2)
		for _, d := range devices {
			d.err["encoder"] = errAbsent
		}
		release := devices[0].hangAt()
		s := open(t, lib)
		s.paced(pace1s)
		s.after(5 * time.Second)
		told := func(msgs []wire.Message) (n int) {
			for _, h := range helloes(msgs) {
				n += len(h.GPUs[0].Absent)
			}
			return n
		}
		release()
		time.Sleep(5 * time.Second)
		msgs := s.got()
		h := slices.IndexFunc(msgs, func(m wire.Message) bool { return m.Hello != nil })
		if told(msgs) != 1 || len(helloes(msgs)) != 1 || msgs[h+1].Report == nil {
			t.Errorf("got %+v, want one Hello before a report", msgs)
		}
		s.finish()
	})
}

// A number that the driver cannot mean is absent, with the reason: in the card if it is there from the first reading
// on, and with a fault later. A later number that it can mean counts.
func TestDoubtfulNumbers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lib, devices := newFakeLibrary(1)
		d := devices[0]
		d.says = map[metric.ID]float64{metric.MemoryTemperature: 255, metric.ECCUncorrected: 1<<32 - 1,
			metric.SMClockMax: 0}
		s := open(t, lib)
		s.paced(pace1s)
		card := s.got()[0].Hello.GPUs[0]
		want := map[string][]string{"implausible value 255 °C": {"memory_temperature_celsius"},
			"implausible value 4294967295": {"ecc_uncorrected_volatile"}, "implausible value 0 MHz": {"sm_max_mhz"}}
		if diff := cmp.Diff(want, card.Absent); diff != "" {
			t.Errorf("absent (-want +got):\n%s", diff)
		}
		lib.change(func() { d.says = map[metric.ID]float64{metric.MemoryTemperature: 95, metric.Temperature: 255} })
		time.Sleep(10 * time.Second)
		msgs := s.got()
		last := msgs[len(msgs)-1].Report
		v := last.GPUs[0].Values
		if v.Float(metric.MemoryTemperature) != 95 || v.Has(metric.Temperature) || !v.Has(metric.ECCUncorrected) {
			t.Errorf("last report %v", v)
		}
		if diff := cmp.Diff([]wire.Fault{{Collector: "temperature", Error: "implausible value 255 °C", GPUs: []int{0}}},
			last.Faults); diff != "" {
			t.Errorf("faults (-want +got):\n%s", diff)
		}
		if healed := helloes(msgs); len(healed) != 1 || len(healed[0].GPUs[0].Absent) != 1 {
			t.Errorf("Hellos %+v", healed)
		}
		s.finish()
	})
}

// A metric that the GPU gave before, and that the driver then says it does not have, is absent with a fault that says
// so. It is asked for at its usual pace, and counts when it is back. A link without a width is that of a GPU that
// sleeps.
func TestMetricsCease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lib, devices := newFakeLibrary(1)
		d := devices[0]
		d.err["fan"] = errAbsent
		s := open(t, lib)
		s.paced(pace1s)
		s.got()
		lib.change(func() {
			for _, label := range []string{"temperature", "PCIe width", "page retirement pending", "fan"} {
				d.err[label] = errAbsent
			}
			d.err["decoder"] = errDenied
			d.reads = map[metric.ID]int{}
		})
		time.Sleep(40 * time.Second)
		s.say(`{"id":2,"alive":{}}`)
		time.Sleep(30 * time.Second)
		msgs := s.got()
		last := msgs[len(msgs)-1].Report
		ceased := func(label, why string) wire.Fault {
			return wire.Fault{Collector: label, Error: why, GPUs: []int{0}, Ceased: true}
		}
		want := []wire.Fault{ceased("page retirement pending", "Not Supported"),
			ceased("decoder", "Insufficient Permissions"), ceased("temperature", "Not Supported")}
		if diff := cmp.Diff(want, last.Faults); diff != "" || last.GPUs[0].Values.Has(metric.Temperature) {
			t.Errorf("faults (-want +got):\n%s", diff)
		}
		if n := d.reads[metric.RetiredPending]; n != 1 {
			t.Errorf("a slow metric that has ceased was read %d times in 70 s", n)
		}
		lib.change(func() { clear(d.err) })
		s.say(`{"id":3,"alive":{}}`)
		time.Sleep(55 * time.Second)
		msgs = s.got()
		if last := msgs[len(msgs)-1].Report; len(last.Faults) != 0 || !last.GPUs[0].Values.Has(metric.Temperature) {
			t.Errorf("when they are back: %+v", last)
		}
		s.finish()
	})
}

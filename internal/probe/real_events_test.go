//go:build linux && cgo && (amd64 || arm64)

package probe_test

import (
	"slices"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

const paceRarely = `{"id":1,"pace":{"interval_ms":600000}}`

// Xids arrive when they happen, earlier Xids do not, and a probe that waits for an Xid ends at once.
func TestRealProbeXids(t *testing.T) {
	t.Parallel()
	for _, library := range []string{"current", "r535", "r470", "old"} {
		t.Run(library, func(t *testing.T) {
			t.Parallel()
			p := run(t, library, "count 2\nproc none\nxid 1 31\n")
			p.hello()
			p.say(paceRarely)
			if r := p.report(); len(r.Xids) != 0 {
				t.Errorf("at the beginning, got %+v", r.Xids)
			}
			time.Sleep(300 * time.Millisecond) // the events are registered beside the first report
			p.set("count 2\nproc none\nxid 1 31\nxid 0 79\nxid 1 48\nxid 5 13\n")
			var got []wire.Xid
			for len(got) < 2 {
				r := p.report()
				if len(r.Xids) == 0 || !r.OffBeat || r.Xids[0].MonoMS > r.MonoMS {
					t.Fatalf("report %+v", r)
				}
				got = append(got, r.Xids...)
			}
			if len(got) != 2 || got[0].GPU != 0 || got[0].Code != 79 || got[1].GPU != 1 || got[1].Code != 48 {
				t.Errorf("got %+v", got)
			}
			ended := time.Now()
			p.close()
			if err := p.wait(); err != nil || time.Since(ended) > 3*time.Second {
				t.Errorf("ended after %v: %v, %s", time.Since(ended), err, &p.stderr)
			}
		})
	}
}

// If events cannot be registered, the Hello says why.
func TestRealProbeWithoutXids(t *testing.T) {
	t.Parallel()
	p := run(t, "current", "count 2\ngpu 1 unsupported nvmlDeviceRegisterEvents\n")
	h := p.hello()
	for !slices.Contains(h.GPUs[1].Absent["Not Supported"], wire.AbsentXids) {
		h = p.hello()
	}
	if got := h.GPUs[0].Absent["Not Supported"]; slices.Contains(got, wire.AbsentXids) {
		t.Errorf("the other GPU: %v", got)
	}
	p.finish()
}

// The driver goes away while the probe waits for an event, and comes back. The fake NVML ends a program that detaches
// while it waits.
func TestRealProbeReopensWhileItWaits(t *testing.T) {
	t.Parallel()
	p := run(t, "current", "count 1\n")
	p.hello()
	p.say(paceAlone)
	p.set("count 1\ninit 9\nfail nvmlDevice* 1\n")
	for h := p.hello(); h.Fault == ""; h = p.hello() {
	}
	p.set("count 1\n")
	for h := p.hello(); h.Fault != ""; h = p.hello() {
	}
	p.finish()
}

// Two GPUs of eight leave the driver's list and come back to the running probe: they are read, and their Xids told, as
// before.
func TestRealProbeGPUsComeBack(t *testing.T) {
	t.Parallel()
	p := run(t, "current", "count 8\nproc none\n")
	was := p.listed()
	p.say(paceAlone)
	lost := func(m wire.Message) (n int) {
		for i := range m.Report.GPUs {
			if m.Report.GPUs[i].Lost != "" {
				n++
			}
		}
		return n
	}
	p.set("count 6\nproc none\n")
	p.next(func(m wire.Message) bool { return m.Report != nil && lost(m) == 2 })
	p.set("count 8\nproc none\n")
	p.next(func(m wire.Message) bool { return m.Report != nil && len(m.Report.GPUs) == 8 && lost(m) == 0 })
	time.Sleep(time.Second) // the events are registered beside the reports
	p.set("count 8\nproc none\nxid 6 79\nxid 7 48\nxid 0 31\n")
	var got []wire.Xid
	for len(got) < 3 {
		got = append(got, p.report().Xids...)
	}
	if got[0].GPU != 6 || got[0].Code != 79 || got[1].GPU != 7 || got[1].Code != 48 || got[2].GPU != 0 {
		t.Errorf("got %+v, of the GPUs %+v", got, was.GPUs)
	}
	p.finish()
}

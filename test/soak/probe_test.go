package soak

import (
	"fmt"
	"io"
	"math"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/remote/link"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// gpusEach is the number of GPUs of a node.
const gpusEach = 2

// order is an event of a probe.
type order string

const (
	hang    order = "hangs"        // its connection loses all data
	cut     order = "cut mid-line" // the connection ends in the middle of a report
	garble  order = "garbage"
	greet   order = "greets" // its GPUs have changed
	restart order = "other GPUs"
	kill    order = "killed"
	flood   order = "flood" // far more reports than requested
	jump    order = "clock"
)

// probe is one running probe and the connection to it.
type probe struct {
	node   *node
	orders chan order
	in     io.ReadCloser // requests
	out    io.WriteCloser
	silent time.Duration // time without input, after which it ends
	killed chan struct{} // closed when nvnodetop has closed its end
	exit   chan link.Exit
	wire   wire.Writer
	began  time.Time
	pace   wire.Pace
	seq    uint64
	listed time.Time
}

// start starts a probe on the node.
func (n *node) start() *link.Pipe {
	requests, in := io.Pipe()
	out, reports := io.Pipe()
	p := &probe{node: n, orders: make(chan order, 16), in: requests, out: reports,
		silent: wire.SilenceMS * time.Millisecond, killed: make(chan struct{}), exit: make(chan link.Exit, 1),
		began: time.Now()}
	n.mu.Lock()
	n.probes[p] = true
	n.mu.Unlock()
	n.fleet.add(&n.fleet.count.pipes, 1)
	n.fleet.add(&n.fleet.count.probes, 1)
	closed := sync.OnceFunc(func() {
		close(p.killed)
		_ = in.Close()
		_ = out.Close()
		n.fleet.add(&n.fleet.count.pipes, -1)
	})
	go p.run()
	return &link.Pipe{In: in, Out: out, Words: link.NewWords(), Kill: closed, Wait: func() link.Exit {
		select {
		case e := <-p.exit:
			return e
		case <-p.killed:
			return link.Exit{}
		}
	}}
}

// tell passes an event to the probe. It does not block.
func (p *probe) tell(o order) {
	select {
	case p.orders <- o:
	default:
	}
}

// run is the probe's life. It ends as a real one does: with its input, after a minute without any, or when nobody reads
// its output.
func (p *probe) run() {
	requests := make(chan wire.Request)
	ended := make(chan struct{})
	go p.hear(requests, ended)
	exit := p.serve(requests)
	close(ended)
	p.node.mu.Lock()
	delete(p.node.probes, p)
	p.node.mu.Unlock()
	p.node.fleet.add(&p.node.fleet.count.probes, -1)
	p.exit <- exit
	_ = p.out.Close()
	_ = p.in.Close()
}

// hear reads requests until the input ends.
func (p *probe) hear(requests chan<- wire.Request, ended <-chan struct{}) {
	defer close(requests)
	for lines := wire.NewReader(p.in); ; {
		var r wire.Request
		if lines.Next(&r) != nil {
			return
		}
		select {
		case requests <- r:
		case <-ended:
			return
		}
	}
}

func (p *probe) serve(requests <-chan wire.Request) link.Exit {
	done := link.Exit{Known: true}
	if p.node.now() == garbling {
		_, _ = io.WriteString(p.out, wire.Magic+"\nSegmentation fault\n")
		return done
	}
	if _, err := io.WriteString(p.out, "Welcome to "+p.node.name+"\n"+wire.Magic+"\n"); err != nil {
		return done
	}
	if p.greet() != nil {
		return done
	}
	tick := time.NewTicker(time.Hour)
	defer tick.Stop()
	silence := time.NewTimer(p.silent)
	defer silence.Stop()
	for {
		var err error
		select {
		case r, ok := <-requests:
			if !ok {
				return done
			}
			silence.Reset(p.silent)
			err = p.answer(&r, tick)
		case <-tick.C:
			if p.node.now() != mute {
				err = p.report()
			}
		case o := <-p.orders:
			exit, ends := p.obey(o)
			if ends {
				return exit
			}
		case <-silence.C:
			return done
		}
		if err != nil {
			return done
		}
	}
}

func (p *probe) answer(r *wire.Request, tick *time.Ticker) error {
	if r.Pace != nil {
		p.pace = *r.Pace
		tick.Reset(time.Duration(r.Pace.IntervalMS) * time.Millisecond)
	}
	return p.wire.Write(p.out, wire.Message{Reply: &wire.Reply{ID: r.ID}})
}

// obey handles an event. It reports whether the probe ends, and how.
func (p *probe) obey(o order) (exit link.Exit, ends bool) {
	switch o {
	case hang:
		<-p.killed
		return link.Exit{}, true
	case cut:
		_, _ = io.WriteString(p.out, `{"report":{"seq":7,"mono_ms":12`)
		return link.Exit{}, true
	case garble:
		_, _ = io.WriteString(p.out, "Bus error (core dumped)\n{\"nonsense\":[[[\n")
		return link.Exit{Known: true, Status: 1}, true
	case restart:
		return link.Exit{Known: true, Status: wire.ExitOutdated}, true
	case kill:
		return link.Exit{Known: true, Signal: "KILL"}, true
	case flood:
		for range 1000 {
			if p.report() != nil {
				return link.Exit{}, true
			}
		}
	case greet:
		return link.Exit{}, p.greet() != nil
	}
	return link.Exit{}, false
}

// greet sends a Hello.
func (p *probe) greet() error {
	n := p.node
	h := &wire.Hello{Version: wire.Version, Build: "soak", Host: n.name, PID: 4000 + n.number, Kernel: "5.14.0",
		CPUs: 64, Driver: "550.54.15", CUDA: "12.4", GPUs: []wire.Card{}}
	if n.now() == noDriver {
		h.Driver, h.CUDA, h.Fault, h.FaultID = "", "", "Driver Not Loaded", wire.FaultNoDriver
	} else {
		n.mu.Lock()
		for g := range gpusEach {
			h.GPUs = append(h.GPUs, wire.Card{
				Index: g, Minor: &g, Name: "NVIDIA H100 80GB HBM3", UUID: n.uuid(g),
				PCIBus: fmt.Sprintf("00000000:%02X:00.0", 0x1b+g),
				Values: metric.Make(map[metric.ID]float64{metric.MemoryTotal: 80 << 30, metric.PowerLimitMax: 700,
					metric.Slowdown: 92}),
			})
		}
		n.mu.Unlock()
	}
	p.listed = time.Time{}
	return p.wire.Write(p.out, wire.Message{Hello: h})
}

// uuid returns the UUID of a GPU. n.mu is held.
func (n *node) uuid(gpu int) string {
	return fmt.Sprintf("GPU-%08x-%04x-4000-8000-%012x", n.series, n.number, gpu)
}

// report sends a report.
func (p *probe) report() error {
	n, now := p.node, time.Now()
	p.seq++
	n.mu.Lock()
	ahead, condition := n.ahead, n.condition
	n.mu.Unlock()
	clock := now.Add(ahead)
	r := &wire.Report{Seq: p.seq, MonoMS: clock.UnixMilli(), WallMS: clock.UnixMilli(), TookMS: 4, GPUs: []wire.GPU{}}
	wave := math.Sin(float64(now.Unix()+int64(n.number)) / 40)
	r.Host = wire.Host{Values: metric.Make(map[metric.ID]float64{
		metric.CPU: 40 + 10*wave, metric.Load: 12, metric.HostMemoryUsed: 1e11, metric.HostMemoryTotal: 1e12,
		metric.Uptime: float64(clock.Unix()),
	})}
	if condition != noDriver {
		p.addGPUs(r, wave, condition == lostGPU)
	}
	if p.pace.Processes || now.Sub(p.listed) >= metric.SlowSeconds*time.Second {
		p.listed = now
		p.addProcesses(r)
	}
	return p.wire.Write(p.out, wire.Message{Report: r})
}

func (p *probe) addGPUs(r *wire.Report, wave float64, lost bool) {
	for g := range gpusEach {
		gpu := wire.GPU{Index: g, Values: metric.Make(map[metric.ID]float64{
			metric.Util: math.Round(90 + 9*wave), metric.MemoryUsed: 60 << 30,
			metric.Temperature: math.Round(60 + 5*wave), metric.Power: 500 + 100*wave, metric.SMClock: 1980,
		})}
		if lost && g == 1 {
			gpu = wire.GPU{Index: g, Lost: "GPU is lost", LostID: wire.LostFellOff}
			if p.seq%20 == 0 {
				r.Xids = append(r.Xids, wire.Xid{GPU: g, Code: 79, MonoMS: r.MonoMS})
			}
		}
		r.GPUs = append(r.GPUs, gpu)
	}
}

// addProcesses lists a process on each GPU, which belongs to the job that the node runs now.
func (p *probe) addProcesses(r *wire.Report) {
	r.Listed = true
	for g := range r.GPUs {
		if r.GPUs[g].Lost != "" {
			continue
		}
		started, memory := uint64(p.began.Unix()), uint64(60<<30)
		r.Processes = append(r.Processes, wire.Process{
			PID: 9000 + g, StartTicks: started, GPU: g, Type: "C", State: "R", GPUMemory: &memory,
			Identity: wire.Identity{User: "alice", Name: "python", Command: "python train.py",
				Rank: &wire.Rank{Rank: gpusEach*p.node.number + g, From: "RANK"}},
		})
	}
}

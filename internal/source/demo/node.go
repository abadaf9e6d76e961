package demo

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// connectionFault is a fault of the connection to a node.
type connectionFault uint8

const (
	quietLife connectionFault = iota
	silent                    // sends nothing for a while, and the connection stays open
	drops                     // the connection is closed, and comes back later
	refuses                   // the job step there ends, and pam_slurm_adopt then refuses the login
	visits                    // is watched only while a task runs there; connects slowly
)

// The times of plots within the story.
const (
	silenceBegins, silenceEnds = 50 * time.Second, 78 * time.Second
	dropAt                     = 130 * time.Second
	stepEnds, refusesUntil     = 20 * time.Second, 14 * time.Minute // once
)

// Stages that the story mentions.
const (
	stageLogin  reach.Stage = "login"
	stageDriver reach.Stage = "driver"
)

// way lists the stages of an attempt, as with a real node over ssh: how long each takes on a usual and on a slow node,
// and its result.
var way = []struct {
	stage         reach.Stage
	takes, slowly time.Duration
	found         func(*host) string
}{
	{"name", 2 * time.Millisecond, 2 * time.Millisecond, func(h *host) string { return h.name + " is " + h.ipAddress() }},
	{"TCP", time.Millisecond, 2 * time.Second, constantText("port 22 open")},
	{"ssh", 9 * time.Millisecond, 9 * time.Millisecond, constantText("OpenSSH_8.7")},
	{"host key", time.Millisecond, time.Millisecond,
		func(h *host) string { return fmt.Sprintf("ed25519, known (known_hosts line %d)", 100+h.number) }},
	{stageLogin, 41 * time.Millisecond, 7 * time.Second, constantText("publickey accepted")},
	{"probe", 130 * time.Millisecond, 130 * time.Millisecond, constantText("already installed")},
	{stageDriver, 240 * time.Millisecond, 3 * time.Second,
		func(h *host) string { return fmt.Sprintf("driver %s, %d GPUs", driver, len(h.gpus)) }},
	{"stream", 30 * time.Millisecond, 30 * time.Millisecond, constantText("receiving reports")},
}

func constantText(text string) func(*host) string { return func(*host) string { return text } }

func routeStages() []reach.Stage {
	var out []reach.Stage
	for _, w := range way {
		out = append(out, w.stage)
	}
	return out
}

// simNode is one node as nvnodetop sees it: attempts, then reports.
type simNode struct {
	world *world
	host  *host

	next     time.Duration
	stage    int // current stage in way; noAttempt: none; len(way): the node reports
	failures int
	dropped  time.Duration // when the connection was last closed
	listing  bool
	left     bool          // it is no longer watched
	listed   time.Duration // time of the last list of processes
	seq      uint64
}

const noAttempt = -1

func newSimNode(w *world, h *host) *simNode {
	n := &simNode{world: w, host: h, stage: noAttempt, dropped: -cycle, listed: -listEvery, left: true}
	n.next = w.from + time.Duration(float64(w.poll)*w.fixedNoise('p', h.number, 0, 0))
	if h.plot == visits {
		n.next = taskBegins + noticed
	}
	return n
}

// noticed is the time from the start of a job to the first attempt to reach its node.
const noticed = 50 * time.Millisecond

// isJobless reports whether no job of the user is on the node at now.
func (n *simNode) isJobless(now time.Duration) bool {
	return n.host.plot == visits && !isWithin(now, taskBegins, taskEnds) || n.world.isDeserted(n.host, now)
}

func (n *simNode) due() time.Duration { return n.next }

func (n *simNode) isReporting() bool { return n.stage == len(way) }

func (n *simNode) act(now time.Duration) []cluster.Event {
	var events []cluster.Event
	switch {
	case n.isJobless(now):
		events = n.endVisit(now)
	case n.stage == noAttempt:
		events = n.beginTry(now)
	case n.isReporting():
		events = n.sendReport(now)
	default:
		events = n.advanceStage(now)
	}
	for i := range events {
		events[i].Node = n.host.name
	}
	return events
}

// endVisit ends the visit to a node until the next round of the story, or stops watching a node without a job.
func (n *simNode) endVisit(now time.Duration) []cluster.Event {
	n.stage, n.failures = noAttempt, 0
	n.next = now - now%cycle + cycle + taskBegins + noticed
	if n.left {
		return nil
	}
	n.left = true
	return []cluster.Event{{Gone: true}}
}

func (n *simNode) beginTry(now time.Duration) []cluster.Event {
	n.stage, n.left = 0, false
	return []cluster.Event{{Try: &cluster.Try{Interval: n.world.poll,
		Route: reach.Route{Door: "ssh", Stages: routeStages()}}}, n.beginStage(now)}
}

// beginStage begins the stage n.stage, which ends at n.next.
func (n *simNode) beginStage(now time.Duration) cluster.Event {
	n.next = now + n.stageTime()
	step := &reach.Step{Stage: way[n.stage].stage, State: reach.StepBegan}
	if step.Stage == stageLogin {
		step.Text = "trying publickey (key 1 of 1)"
	}
	return cluster.Event{Step: step}
}

// stageTime returns how long the stage n.stage takes.
func (n *simNode) stageTime() time.Duration {
	usual := way[n.stage].takes
	if n.host.plot == visits {
		usual = way[n.stage].slowly
	}
	return usual + time.Duration(float64(usual/2)*n.world.fixedNoise('s', n.host.number, n.stage, int64(n.failures)))
}

// advanceStage ends a stage and begins the next, or the reports.
func (n *simNode) advanceStage(now time.Duration) []cluster.Event {
	stage := way[n.stage].stage
	step := &reach.Step{Stage: stage, State: reach.StepDone, Text: way[n.stage].found(n.host), Took: n.stageTime()}
	if stage == stageLogin && n.refusesLogin(now) {
		return n.failLogin(now, step)
	}
	events := []cluster.Event{{Step: step}}
	if stage == stageDriver {
		events = append(events, cluster.Event{Hello: n.world.makeHello(n.host)})
	}
	n.stage++
	if !n.isReporting() {
		return append(events, n.beginStage(now))
	}
	n.failures, n.seq = 0, 0
	return append(events, n.sendReport(now)...)
}

func (h *host) ipAddress() string { return fmt.Sprintf("10.12.%d.%d", h.number/200, 11+h.number%200) }

// refusesLogin reports whether the node accepts no login at now.
func (n *simNode) refusesLogin(now time.Duration) bool {
	return n.host.plot == refuses && now >= stepEnds && now < refusesUntil
}

func (n *simNode) failLogin(now time.Duration, step *reach.Step) []cluster.Event {
	step.State, step.Text = reach.StepFailed, "publickey accepted, then closed by PAM"
	down := n.endConnection(now, 5*time.Second, reach.Failure{
		Class: reach.ClassAdopt,
		Stage: stageLogin,
		Short: "login refused", Detail: "pam_slurm_adopt",
		Words: "Access denied by pam_slurm_adopt: you have no active jobs on this node\n" +
			"Connection closed by " + n.host.ipAddress() + " port 22",
		Meaning: "No running job step of yours on this node. " +
			"Either the step has ended (crashed rank?), or this site does not allow ssh to compute nodes.",
		Hints: []string{"check whether the job still runs there: squeue --me -w " + n.host.name,
			"reproduce with: ssh -v " + n.host.name + " true"},
	})
	return []cluster.Event{{Step: step}, down}
}

// endConnection ends the attempt or the reports. The wait before the next attempt doubles from first on.
func (n *simNode) endConnection(now, first time.Duration, f reach.Failure) cluster.Event {
	n.stage = noAttempt
	n.next = now + min(first<<min(n.failures, 8), 40*time.Second)
	n.failures++
	return cluster.Event{Down: &cluster.Down{Failure: f, Retry: n.world.begin.Add(n.next)}}
}

// sendReport sends one report, unless a fault prevents it.
func (n *simNode) sendReport(now time.Duration) []cluster.Event {
	switch {
	case n.refusesLogin(now):
		return n.closeConnection(now)
	case n.host.plot == drops && isWithin(now, dropAt, dropAt+2*n.world.poll) && now-n.dropped > 2*n.world.poll+
		time.Minute:
		n.dropped = now
		return n.closeConnection(now)
	}
	n.next = now + n.world.poll
	if n.host.plot == visits {
		n.next = min(n.next, now-now%cycle+taskEnds)
	}
	if n.host.silentAt(now) {
		return nil
	}
	return []cluster.Event{{Report: n.nextReport(now)}}
}

// closeConnection ends the reports because the node closed the connection.
func (n *simNode) closeConnection(now time.Duration) []cluster.Event {
	return []cluster.Event{n.endConnection(now, 4*time.Second, reach.Failure{
		Class: reach.ClassClosed, Short: "connection closed", Words: "Connection to " + n.host.name +
			" closed by remote host.",
		Meaning: "The node, or something on the path, closed the connection.",
	})}
}

// silentAt reports whether the node sends nothing at now.
func (h *host) silentAt(now time.Duration) bool {
	return h.plot == silent && isWithin(now, silenceBegins, silenceEnds)
}

// instruct starts or stops the listing of processes, and tries at once to reach a node that waits.
func (n *simNode) instruct(now time.Duration, look string, refresh bool) []cluster.Event {
	if refresh && n.stage == noAttempt && !n.isJobless(now) {
		n.next = now
	}
	list := look == n.host.name || look == cluster.EveryNode
	started := list && !n.listing && n.isReporting() && !n.host.silentAt(now)
	n.listing = list
	if !started {
		return nil
	}
	report := n.nextReport(now)
	report.OffBeat = true
	return []cluster.Event{{Node: n.host.name, Report: report}}
}

// uptimeAtStart is the time from the boot of the node to the beginning of the story.
func (h *host) uptimeAtStart() time.Duration {
	return 41*24*time.Hour + time.Duration(h.number)*97*time.Second
}

// makeHello returns the Hello of a node's probe.
func (w *world) makeHello(of *host) *wire.Hello {
	h := &wire.Hello{
		Version: wire.Version, Build: "demo", Host: of.name, PID: 358000 + of.number,
		Kernel: "5.14.0-427.13.1.el9_4.x86_64", CPUs: 128,
		Driver: driver, CUDA: cuda,
	}
	h.GPUs = make([]wire.Card, 0, len(of.gpus))
	for g := range of.gpus {
		h.GPUs = append(h.GPUs, w.makeCard(of, g))
	}
	return h
}

func (n *simNode) nextReport(now time.Duration) *wire.Report {
	n.seq++
	// older lists are never shown, not even for a failed node
	list := now > told-2*listEvery && (n.listing || now-n.listed >= listEvery)
	if list {
		n.listed = now
	}
	return n.world.makeReport(n.host, now, n.seq, list)
}

// makeReport returns a sample of a node; list adds its processes.
func (w *world) makeReport(of *host, now time.Duration, seq uint64, list bool) *wire.Report {
	r := &wire.Report{Seq: seq, MonoMS: (of.uptimeAtStart() + now).Milliseconds(), Host: w.hostSample(of, now),
		Listed: list}
	r.GPUs = make([]wire.GPU, 0, len(of.gpus))
	for g := range of.gpus {
		r.GPUs = append(r.GPUs, w.sampleGPU(of, g, now))
	}
	r.Xids, r.Jobs = w.newXids(of, now), w.jobMemory(of, now)
	if list {
		r.Processes = w.listProcesses(of, now)
	}
	return r
}

// listEvery is the interval of the process lists that nobody asked for.
const listEvery = metric.SlowSeconds * time.Second

// jobMemory returns the host memory of the user's jobs on a node.
func (w *world) jobMemory(h *host, now time.Duration) []wire.JobMemory {
	const used, limit = 43 << 30, 112 << 30 // for each GPU of a job
	more := uint64(2*w.fixedNoise('J', h.number, 0, int64(now/time.Minute))) << 30
	var list []wire.JobMemory
	for g := range h.gpus {
		u := h.gpus[g].use
		if !w.hasProcess(h, g, now) || u.user != me {
			continue
		}
		at := slices.IndexFunc(list, func(m wire.JobMemory) bool { return m.Job == u.job })
		if at < 0 {
			at, list = len(list), append(list, wire.JobMemory{Job: u.job, Used: more})
		}
		list[at].Used, list[at].Limit = list[at].Used+used, list[at].Limit+limit
	}
	slices.SortFunc(list, func(a, b wire.JobMemory) int { return cmp.Compare(a.Job, b.Job) })
	return list
}

// callsOfReport is how many driver calls each report takes for an A100.
const callsOfReport = 18

// hostSample returns the sample of the node itself, with a few busy cores for each busy GPU.
func (w *world) hostSample(h *host, now time.Duration) wire.Host {
	busy := 0
	for g := range h.gpus {
		if w.hasProcess(h, g, now) {
			busy++
		}
	}
	r := w.fixedNoise('k', h.number, 0, int64(now/time.Second))
	load := float64(busy)*4.7 + 2
	var values metric.Values
	values.Set(metric.CPU, float64(busy)*(3.5+0.6*r)+2)
	values.Set(metric.Load, load-2+2*w.fixedNoise('k', h.number, 1, int64(now/(15*time.Second))))
	values.Set(metric.Load5, load-1+w.fixedNoise('k', h.number, 2, int64(now/time.Minute)))
	values.Set(metric.Load15, load-0.5+0.5*w.fixedNoise('k', h.number, 3, int64(now/(3*time.Minute))))
	values.Set(metric.HostMemoryUsed, math.Floor((60+45*float64(busy)+3*r)*(1<<30)))
	values.Set(metric.HostMemoryTotal, 1008<<30)
	values.Set(metric.HostMemoryBuffers, 2<<30)
	values.Set(metric.HostMemoryCached, math.Floor((210+30*w.fixedNoise('k', h.number, 4, 0))*(1<<30)))
	values.Set(metric.HostMemoryShared, math.Floor((1+3*float64(busy))*(1<<30)))
	values.Set(metric.HostMemorySlab, 9<<30)
	values.Set(metric.SwapUsed, 0)
	values.Set(metric.SwapTotal, 16<<30)
	values.Set(metric.NetTX, 2e5+3e5*r)
	values.Set(metric.NetRX, 6e5+5e5*r)
	values.Set(metric.NetTXPackets, math.Round(900+300*r))
	values.Set(metric.NetRXPackets, math.Round(1400+500*r))
	values.Set(metric.DiskRead, 0)
	values.Set(metric.DiskWrite, math.Round(4e4+3e4*r))
	values.Set(metric.DiskFree, math.Floor((310+20*w.fixedNoise('f', h.number, 0, 0))*(1<<30)))
	values.Set(metric.DiskTotal, 420<<30)
	values.Set(metric.TmpFree, math.Floor((2700-90*w.fixedNoise('f', h.number, 1, 0))*(1<<30)))
	values.Set(metric.TmpTotal, 2900<<30)
	values.Set(metric.ShmFree, 940<<30)
	values.Set(metric.ShmTotal, 944<<30)
	values.Set(metric.Uptime, math.Floor((h.uptimeAtStart() + now).Seconds()))
	values.Set(metric.NVMLCalls, float64(callsOfReport*len(h.gpus)))
	sent := 0.0
	for g := range h.gpus {
		sent += 4e9 * w.loadOf(h, g, now).Memory
	}
	values.Set(metric.InfiniBandTX, sent*(0.95+0.1*r))
	values.Set(metric.InfiniBandRX, sent*(0.95+0.1*w.fixedNoise('k', h.number, 4, int64(now/time.Second))))
	return wire.Host{Values: values}
}

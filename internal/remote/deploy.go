package remote

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// deploy starts the probe, in one round trip where a copy is there; else it copies it first. The process that it returns has
// printed the magic line.
func (a *attempt) deploy(ctx context.Context, client *client) (*process, error) {
	a.begin(reach.StageProbe, "")
	payload, err := a.d.payload()
	if err != nil {
		return nil, &localError{what: "the probe's executable", err: err}
	}
	dep := &deployment{a: a, client: client, payload: payload, places: slices.Clone(uploadOrder)}
	for { // every round ends it or leaves less to try: a closer look, the one wait, fewer places
		p, err := dep.try(ctx)
		if p != nil || err != nil {
			return p, err
		}
	}
}

// deployment is the search for a place where the probe runs.
type deployment struct {
	a       *attempt
	client  *client
	payload Payload
	look    look
	places  []string // that have not refused yet
	waited  bool     // for another node's copy
	copier  bool     // the gate waits for this node's copy
	refused []string // "home:noexec"
	words   string   // the node's, on the way
}

// try is one round. It returns neither a process nor an error when there is another round to go.
func (dep *deployment) try(ctx context.Context) (*process, error) {
	seen := dep.a.d.gate.copies()
	p, err := dep.exec(ctx, startScript(dep.payload, dep.look, dep.places), nil)
	if err == nil {
		dep.a.done("there already")
		return p, nil
	}
	n, ok := dep.understand(err)
	switch {
	case !ok && dep.lookCloser(err):
		return nil, nil
	case !ok:
		return nil, err
	}
	if n.machine != dep.payload.machine() {
		return nil, &platformError{machine: n.machine, have: dep.payload.machine()}
	}
	dep.refuse(n.refused...)
	if n.place != "" && !slices.Contains(dep.places, n.place) {
		return nil, &probeError{read: fmt.Errorf("the node wants the probe in %q, where it was not asked about", n.place)}
	}
	if n.place == "" {
		return nil, &noPlaceError{refused: dep.refused, uid: n.uid, words: dep.words}
	}
	if n.place == placeHome && dep.look != lookAway && dep.waitForOthers(ctx, seen) {
		return nil, ctx.Err()
	}
	return dep.upload(ctx, n)
}

// understand finds what a node that did not start a probe needs. A copy that is there but may not be executed after all counts as
// absent from then on.
func (dep *deployment) understand(err error) (need, bool) {
	var ended *probeError
	if !errors.As(err, &ended) {
		return need{}, false
	}
	if n, ok := parseNeed(ended.stderr); ok {
		dep.hear(withoutNeed(ended.stderr))
		return n, true
	}
	if dep.look == lookVerify && ended.refusedToRun() {
		dep.look = lookAway
		dep.hear(ended.stderr)
		return need{machine: dep.payload.machine(), place: dep.places[0]}, true
	}
	return need{}, false
}

// lookCloser reports whether to go another round because a copy that was trusted may be what ended. What it said is not kept: the
// round says it again.
func (dep *deployment) lookCloser(err error) bool {
	var ended *probeError
	if dep.look != lookTrust || !errors.As(err, &ended) || !ended.isEnd() || !ended.died() {
		return false
	}
	dep.look = lookVerify
	dep.a.begin(reach.StageProbe, "checking the copy that is there")
	return true
}

// hear keeps the node's words, those that it repeats in every place once.
func (dep *deployment) hear(words string) {
	if !strings.Contains(dep.words, strings.TrimSpace(words)) {
		dep.words = joinWords(dep.words, words)
	}
}

// refuse strikes places off the list.
func (dep *deployment) refuse(states ...string) {
	for _, s := range states {
		place, _, _ := strings.Cut(s, ":")
		if i := slices.Index(dep.places, place); i >= 0 {
			dep.refused = append(dep.refused, s)
			dep.places = slices.Delete(dep.places, i, i+1)
		}
	}
}

// waitForOthers reports whether it is worth to look again before copying: in a shared home another node may be about to copy.
func (dep *deployment) waitForOthers(ctx context.Context, seen int) bool {
	if dep.waited {
		dep.a.d.gate.setApart()
		return false
	}
	copied, copier := dep.a.d.gate.enter(seen)
	if copied == nil {
		dep.copier = copier
		return false
	}
	dep.waited = true
	dep.a.begin(reach.StageProbe, "waiting for the copy that another node makes")
	timer := time.NewTimer(dep.a.d.limits.others)
	defer timer.Stop()
	select {
	case <-copied:
	case <-timer.C:
	case <-ctx.Done():
	}
	return true
}

// upload copies the probe to n.place and starts it there.
func (dep *deployment) upload(ctx context.Context, n need) (*process, error) {
	ok := false
	if dep.copier {
		dep.copier = false
		defer func() { dep.a.d.gate.leave(ok) }()
	}
	zip, err := dep.payload.Gzip()
	if err != nil {
		return nil, &localError{what: "the probe's executable", err: err}
	}
	name := placeName(n.place, n.uid)
	dep.a.begin(reach.StageProbe, fmt.Sprintf("copying %s to %s", megabytes(len(zip)), name))
	began := time.Now()
	p, err := dep.exec(ctx, uploadScript(dep.payload, n.place, len(zip)), zip)
	if err == nil {
		ok = true
		dep.a.done(fmt.Sprintf("copied %s to %s in %.1fs", megabytes(len(zip)), name, time.Since(began).Seconds()))
		return p, nil
	}
	var ended *probeError
	if !errors.As(err, &ended) {
		return nil, err
	}
	state := ended.copyState()
	if state == "" {
		return nil, err
	}
	dep.hear(ended.stderr)
	dep.refuse(n.place + ":" + state)
	if len(dep.places) == 0 {
		return nil, &noPlaceError{refused: dep.refused, uid: n.uid, words: dep.words}
	}
	return nil, nil
}

func megabytes(n int) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

// exec runs script, feeds it stdin and waits for the magic line.
func (dep *deployment) exec(ctx context.Context, script string, stdin []byte) (*process, error) {
	limit := dep.a.d.limits.probe
	if stdin != nil {
		limit = dep.a.d.limits.upload
	}
	dep.a.conn.allow(limit)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	p, err := startProcess(ctx, dep.client, shell(script), dep.a.d.limits.exit)
	if err != nil {
		return nil, err
	}
	if len(stdin) > 0 {
		_, _ = p.in.Write(stdin) // an error means that the script has ended: its exit status says more
	}
	if err := p.out.SkipToMagic(); err != nil {
		return nil, p.autopsy(err)
	}
	return p, nil
}

// greet reads the Hello: the stage driver.
func (a *attempt) greet(p *process) (*wire.Hello, error) {
	a.begin(reach.StageDriver, "")
	a.conn.allow(a.d.limits.driver)
	var m wire.Message
	if err := p.out.Next(&m); err != nil {
		return nil, p.autopsy(err)
	}
	if m.Hello == nil {
		return nil, &probeError{read: errNoHello}
	}
	a.done(driverText(m.Hello))
	return m.Hello, nil
}

func driverText(h *wire.Hello) string {
	if h.Fault != "" {
		return "no NVML: " + h.Fault
	}
	gpus := fmt.Sprintf("%d GPUs", len(h.GPUs))
	if len(h.GPUs) == 1 {
		gpus = "1 GPU"
	}
	if h.Driver == "" {
		return gpus
	}
	return "NVIDIA " + h.Driver + ", " + gpus
}

// uploadGate makes nodes that share a home share one copy of the probe: one node copies, the others wait for it for a moment and
// look again. Once a node has waited in vain, homes are taken to be the nodes' own, and nobody waits any more.
type uploadGate struct {
	mu      sync.Mutex
	apart   bool
	done    int           // copies that have succeeded
	running chan struct{} // closed when the copy that is under way ends; nil: none is
}

// copies counts the copies that have succeeded.
func (g *uploadGate) copies() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.done
}

// enter returns a channel that is closed when it is worth looking again, or nil when the caller is to copy. Others wait for that copy
// when it is the copier: then it must call leave. seen is what copies said before the caller looked.
func (g *uploadGate) enter(seen int) (wait <-chan struct{}, copier bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.apart:
		return nil, false
	case g.done != seen:
		now := make(chan struct{})
		close(now)
		return now, false
	case g.running != nil:
		return g.running, false
	default:
		g.running = make(chan struct{})
		return nil, true
	}
}

// leave ends the copier's turn.
func (g *uploadGate) leave(copied bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if copied {
		g.done++
	}
	close(g.running)
	g.running = nil
}

func (g *uploadGate) setApart() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.apart = true
}

package track

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/app/feed"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/output/track"
	"github.com/nvnodetop/nvnodetop/internal/poller"
	"github.com/nvnodetop/nvnodetop/internal/remote/local"
	"github.com/nvnodetop/nvnodetop/internal/source"
	"github.com/nvnodetop/nvnodetop/internal/source/access"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// leastPoll is the shortest interval that a probe accepts.
const leastPoll = 250 * time.Millisecond

// tooShort is why a report has no numbers although there are GPUs.
const tooShort = "the command ended before they were read"

// gpuWatch gives a Tracker the Events of this host's probe.
type gpuWatch struct {
	tracker *track.Tracker
	cancel  context.CancelFunc
	session *source.Session // nil: there is none

	mu       sync.Mutex // protects the following
	answered chan struct{}
	once     sync.Once
	uuids    []string
	why      string // why no numbers of GPUs are known; empty: they are known
}

// watchGPUs starts a probe on this host. The probe ends when there is no GPU to read.
func watchGPUs(ctx context.Context, every time.Duration, tracker *track.Tracker) *gpuWatch {
	ctx, cancel := context.WithCancel(ctx)
	w := &gpuWatch{tracker: tracker, cancel: cancel, answered: make(chan struct{}), why: tooShort}
	opener, err := local.New()
	if err != nil {
		w.noteCards(nil, err.Error())
		return w
	}
	name, host := access.Here()
	nodes := poller.New(poller.Config{Opener: opener, Interval: max(every, leastPoll), Retries: 1})
	from := source.NewHosts(host, []string{host}, nodes, name, host)
	from.Look(cluster.EveryNode, true)
	w.session = source.StartSession(ctx, from, w.noteEvent)
	return w
}

// noteEvent keeps what an Event says.
func (w *gpuWatch) noteEvent(e cluster.Event) {
	w.tracker.Apply(e)
	switch {
	case e.Down != nil:
		w.noteCards(nil, "they cannot be read: "+e.Down.Failure.Error())
	case e.Hello != nil && len(e.Hello.GPUs) > 0:
		w.noteCards(e.Hello.GPUs, "")
	case e.Hello != nil && (e.Hello.Fault == "" || e.Hello.FaultID == wire.FaultNoLibrary):
		w.noteCards(nil, "this host has no NVIDIA GPU")
		w.cancel() // no later Event changes that
	case e.Hello != nil:
		w.noteCards(nil, "this host has no working NVIDIA driver: "+e.Hello.Fault)
	}
}

// noteCards notes the facts about the GPUs. Once a fact was known, it stays in the report.
func (w *gpuWatch) noteCards(cards []wire.Card, why string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range cards {
		if c := &cards[i]; c.Instance == nil && !slices.Contains(w.uuids, c.UUID) {
			w.uuids = append(w.uuids, c.UUID)
		}
	}
	if len(w.uuids) == 0 {
		w.why = why
	} else {
		w.why = ""
	}
	w.once.Do(func() { close(w.answered) })
}

// checkGPUs names the wanted GPUs that do not exist. It waits until the GPUs are known, if some are wanted or if it is
// told to wait.
func (w *gpuWatch) checkGPUs(ctx context.Context, wanted []string, wait bool) error {
	if len(wanted) == 0 && !wait {
		return nil
	}
	select {
	case <-w.answered:
	case <-time.After(access.OwnWithin):
	case <-ctx.Done():
		return cli.Exit(cli.ExitFailed, cli.ErrInterrupted)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, uuid := range wanted {
		switch {
		case slices.Contains(w.uuids, uuid):
		case len(w.uuids) == 0:
			return cli.Usage("--gpu-uuids: no GPU of this host is known: %s", w.why)
		default:
			return cli.Usage("--gpu-uuids: no GPU %q on this host (it has %s)", uuid, strings.Join(w.uuids, ", "))
		}
	}
	return nil
}

// closeProbe ends the probe, and returns why there are no numbers of GPUs; empty: there are. It may be called twice.
func (w *gpuWatch) closeProbe() (why string) {
	w.cancel()
	if w.session != nil {
		if err := w.session.Stop(feed.ShortParting); err != nil {
			w.noteCards(nil, fmt.Sprint(err))
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.why
}

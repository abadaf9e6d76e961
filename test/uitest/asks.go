package uitest

import (
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/joblog"
	"github.com/nvnodetop/nvnodetop/internal/slurm/capacity"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// asker is a page that asks by the clock.
type asker interface {
	Due(now time.Time, shown bool) nav.Answer
	Press(msg tea.Msg, s *part.Scene) nav.Answer
}

// Count lets the page of the cluster hear an answer, and then a failure, if there is one.
func Count(page asker, s *part.Scene, c *capacity.Cluster, failed ...error) {
	for i, err := range append([]error{nil}, failed...) {
		if i == 0 && c == nil {
			continue
		}
		due := page.Due(s.Snap.At.Add(time.Duration(i)*time.Minute), true).Ask
		page.Press(nav.Result{Ask: due[0], GPUs: c, Err: err}, s)
	}
}

// ReadLog lets the page of the log read one.
func ReadLog(page asker, s *part.Scene, text string, failed ...error) {
	for {
		due := page.Due(s.Snap.At, true).Ask
		if len(due) == 0 {
			return
		}
		ask := due[0]
		from := max(int64(len(text))+ask.Log.From, 0)
		page.Press(nav.Result{Ask: ask, Err: errors.Join(failed...), Log: joblog.Piece{At: s.Snap.At.Add(time.Second),
			Path: "/home/alice/llm/slurm-48211.out", Both: true,
			LogPiece: wire.LogPiece{Size: int64(len(text)), From: from, Data: []byte(text[from:])}}}, s)
	}
}

// stacksPage is the page of the stacks.
type stacksPage interface {
	Arrive(s *part.Scene, g nav.Go) nav.Answer
	Due(now time.Time, s *part.Scene, shown bool) nav.Answer
	Press(msg tea.Msg, s *part.Scene) nav.Answer
}

// ReadStacks lets the page of the stacks ask so many times: the third rank of a node waits for data, the fifth must
// not be read, and a node is silent. With none it asks, and nobody has answered yet.
func ReadStacks(page stacksPage, s *part.Scene, looks int) {
	now := s.Snap.At
	page.Arrive(s, nav.Go{})
	for range looks {
		asks := page.Due(now, s, true).Ask
		for len(asks) > 0 {
			ask := asks[0]
			asks = append(asks[1:], page.Press(TellStacks(ask), s).Ask...)
		}
		now = now.Add(time.Second / 2)
	}
	if looks == 0 {
		page.Due(now, s, true)
	}
}

// KeyOf is the key of the GPU with that number on a node.
func KeyOf(snap func() *cluster.Snapshot, node string, number int) string {
	for _, g := range snap().Nodes[node].AsSeen().GPUs {
		if g.Number == number && g.Card.Instance == nil {
			return g.Key
		}
	}
	return ""
}

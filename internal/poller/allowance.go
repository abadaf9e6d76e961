package poller

import (
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// tokenBucket is a token bucket: it gains one token per each, and holds at most most tokens. It starts full.
type tokenBucket struct {
	each time.Duration
	most float64
	left float64
	last time.Time // when left was last computed
}

func newAllowance(each time.Duration, most float64, now time.Time) tokenBucket {
	return tokenBucket{each: each, most: most, left: most, last: now}
}

// take uses up a token. It returns false if there is none left.
func (a *tokenBucket) take(now time.Time) bool {
	a.left = min(a.most, a.left+float64(now.Sub(a.last))/float64(a.each))
	a.last = now
	if a.left < 1 {
		return false
	}
	a.left--
	return true
}

func (a *tokenBucket) addTokens(n float64) { a.left = min(a.most, a.left+n) }

// messageLimits limits the messages of one session, so a node cannot cost more than the requests justify.
type messageLimits struct{ reports, hellos tokenBucket }

// newIntake allows one report per interval, and a little more because clocks differ. After a stalled link, or a stop of
// this program, all reports that a probe sends before it exits may arrive at once.
func (n *watchedNode) newIntake(now time.Time) *messageLimits {
	backlog := max(silenceLimit(n.base), wire.SilenceMS*time.Millisecond)
	return &messageLimits{
		reports: newAllowance(n.base*4/5, float64(backlog/n.base)+16, now),
		hellos:  newAllowance(5*time.Second, 8, now),
	}
}

// admitMessage returns a failure if the node has sent too much. asked counts the extra reports requested since the last
// call.
func (in *messageLimits) admitMessage(m *wire.Message, asked int64, now time.Time) error {
	in.reports.addTokens(float64(asked))
	switch {
	case m.Hello != nil && !in.hellos.take(now), m.Report != nil && !in.reports.take(now):
		return errTooMuch()
	case m.Hello != nil:
		in.reports.addTokens(1) // a probe whose GPUs changed reports at once
	}
	return nil
}

// errTooMuch ends a session whose node sends more than requested.
func errTooMuch() *reach.Failure {
	return &reach.Failure{
		Class: reach.ClassTooMuch, Short: "too much data from the node", Cause: "more reports than requested",
		Meaning: "The node sent more than a probe ever would; the connection was closed.",
		Hints:   []string{"check the probe on the node: pgrep -a nvnodetop-probe"},
	}
}

package stacks

import (
	"context"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

const (
	// AnswersBy is how long answers are awaited.
	AnswersBy = 5 * time.Second
	// Abreast is the maximum number of questions without an answer.
	Abreast = 32
)

// Asker sends a request to the probe of a node.
type Asker func(ctx context.Context, node string, r wire.Request) (wire.Reply, error)

// Ask asks all questions of a survey, several at a time, and returns the look. Answers still count for AnswersBy after
// the look is over.
func (s *Survey) Ask(ctx context.Context, ask Asker) *Observation {
	ctx, cancel := context.WithTimeout(ctx, s.over+AnswersBy)
	defer cancel()
	type answer struct {
		q     Question
		reply wire.Reply
		err   error
	}
	answers, room := make(chan answer), make(chan struct{}, Abreast)
	go func() {
		defer crash.End()
		for _, q := range s.questions {
			select {
			case room <- struct{}{}:
			case <-ctx.Done():
				return
			}
			go func() {
				defer func() { <-room }()
				defer crash.End()
				reply, err := ask(ctx, q.Node, q.Request)
				select {
				case answers <- answer{q, reply, err}:
				case <-ctx.Done():
				}
			}()
		}
	}()
	for !s.Over() {
		select {
		case a := <-answers:
			s.Take(a.q, &a.reply, a.err)
		case <-ctx.Done():
			s.GiveUp(AnswersBy)
		}
	}
	return &s.look
}

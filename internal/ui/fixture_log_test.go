package ui

import (
	"errors"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/joblog"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// readsLog lets the page of the log read one.
func readsLog(text string, failed ...error) func(v *view, s *part.Scene) {
	return func(v *view, s *part.Scene) {
		page := v.log
		for {
			due := page.Due(s.Snap.At, true).Ask
			if len(due) == 0 {
				break
			}
			ask := due[0]
			from := max(int64(len(text))+ask.Log.From, 0)
			page.Press(nav.Result{Ask: ask, Err: errors.Join(failed...), Log: joblog.Piece{At: s.Snap.At.Add(time.Second),
				Path: "/home/alice/llm/slurm-48211.out", Both: true,
				LogPiece: wire.LogPiece{Size: int64(len(text)), From: from, Data: []byte(text[from:])}}}, s)
		}
		v.resolveSelection(s)
	}
}

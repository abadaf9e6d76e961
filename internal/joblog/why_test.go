package joblog

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// The end of a log is read once, and within a limit. Standard error comes before standard output.
func TestWhy(t *testing.T) {
	const progress, bad = "step 1\n", "ValueError: bad\n"
	for _, tc := range []struct {
		out, err string
		both     bool
		want     string
		reads    int
	}{
		{out: progress + bad, both: true, want: "ValueError: bad", reads: 1},
		{out: progress, both: true, reads: 1},
		{out: progress + bad, err: "warning: x\n", want: "ValueError: bad", reads: 2},
		{out: progress, err: bad, want: "ValueError: bad", reads: 1},
		{out: bad + strings.Repeat("x\n", 100_000), both: true, reads: 1},
	} {
		reads := 0
		got, err := Why(t.Context(), "7", func(_ context.Context, q Query) (Piece, error) {
			reads++
			data := tc.out
			if q.Stream == Err && !tc.both {
				data = tc.err
			}
			if q.Max > 64<<10 || q.Job != "7" {
				t.Errorf("asked %+v", q)
			}
			from := max(len(data)+int(q.From), 0)
			return Piece{Both: tc.both, LogPiece: wire.LogPiece{Size: int64(len(data)), From: int64(from),
				Data: []byte(data[from:])}}, nil
		})
		if got != tc.want || err != nil || reads != tc.reads {
			t.Errorf("%.40q %q: %q, %v, %d reads", tc.out, tc.err, got, err, reads)
		}
	}
	failed := errors.New("no log")
	fails := func(context.Context, Query) (Piece, error) { return Piece{}, failed }
	if _, err := Why(t.Context(), "7", fails); !errors.Is(err, failed) {
		t.Error(err)
	}
}

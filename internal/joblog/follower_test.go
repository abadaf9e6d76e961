package joblog

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// growingLog is a file that a Follower reads.
type growingLog struct {
	text string
	at   time.Time
}

// answer returns the piece of the file that a question asks for.
func (g *growingLog) answer(q wire.ReadLog) *Piece {
	from := q.From
	if from < 0 {
		from += int64(len(g.text))
	}
	from = min(max(from, 0), int64(len(g.text)))
	if over := int64(len(g.text)) - from - int64(q.Max); over > 0 && q.Latest {
		from += over
	}
	data := g.text[from:]
	return &Piece{At: g.at, LogPiece: wire.LogPiece{Size: int64(len(g.text)), From: from, ModMS: g.at.UnixMilli(),
		Data: []byte(data[:min(len(data), q.Max)])}}
}

// poll writes to the file, and reads it some time later.
func (g *growingLog) poll(f *Follower, text string, after time.Duration) (step int64) {
	g.text += text
	g.at = g.at.Add(after)
	f.Take(g.answer(f.Next()))
	if p := f.Progress(); p.Step != nil {
		return *p.Step
	}
	return -1
}

func progressLines(from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, "step %d/100000 loss 2.31\n", i)
	}
	return b.String()
}

// A log that grows is followed: its end first, then what is new, and what is missing in between is no line.
func TestFollower(t *testing.T) {
	f, g := &Follower{}, &growingLog{at: time.Date(2026, 11, 27, 15, 0, 0, 0, time.UTC)}
	check := func(what string, got, want int64) {
		t.Helper()
		if got != want {
			t.Errorf("%s: step %d, want %d", what, got, want)
		}
	}
	check("an empty file", g.poll(f, "", time.Second), -1)
	check("the end of a long file", g.poll(&Follower{}, progressLines(0, 9000), time.Second), 8999)
	old := g.answer(f.Next())
	old.At = old.At.Add(time.Hour)
	late := &Follower{}
	if late.Take(old); !late.Progress().At.Equal(g.at) {
		t.Errorf("the last line came at %v, when the file was changed last: %v", late.Progress().At, g.at)
	}
	check("the same, from its begin", g.poll(f, "", time.Second), 8999)
	for i := 9000; i < 9100; i++ {
		check("a new line", g.poll(f, progressLines(i, i+1), 12*time.Second), int64(i))
	}
	p := f.Progress()
	if p.SecondsPerStep == nil || *p.SecondsPerStep < 11.9 || *p.SecondsPerStep > 12.1 {
		t.Errorf("%+v", p)
	}
	check("half a line", g.poll(f, "step 9999", time.Second), 9099)
	check("the other half", g.poll(f, "9/100000 loss 2\n", time.Second), 99999)
	check("more than a piece", g.poll(f, strings.Repeat("x", 2*wire.MaxLog)+"step 7 loss 9\nstep 100000/100000 loss 2\n",
		time.Second), 100000)
	g.poll(f, "step 5", time.Second)
	const rest = "00/100000 loss 2\n"
	check("the rest of a line that was left out", g.poll(f, strings.Repeat("x", wire.MaxLog)+rest+
		strings.Repeat("x", wire.MaxLog-len(rest)-1)+"\n", time.Second), 100000)
	if s := f.Silence(g.at.Add(time.Hour)); s == nil || !s.Since.Equal(g.at) {
		t.Errorf("an hour later: %+v", s)
	}
}

// What was known of another file is forgotten.
func TestFollowerOfAnotherFile(t *testing.T) {
	for name, change := range map[string]func(g *growingLog) *Piece{
		"shorter":  func(g *growingLog) *Piece { g.text = "step 1/9 loss 3\n"; return nil },
		"replaced": func(g *growingLog) *Piece { g.text = strings.Repeat("step 1/9 loss 3\n", 3000); return nil },
		"missing":  func(*growingLog) *Piece { return &Piece{LogPiece: wire.LogPiece{Missing: true}} },
	} {
		f, g := &Follower{}, &growingLog{text: progressLines(0, 100)}
		f.Take(g.answer(f.Next()))
		p := change(g)
		if p == nil {
			p = g.answer(f.Next())
		}
		f.Take(p)
		if p := f.Progress(); p.Step != nil {
			t.Errorf("%s: step %d of the file before", name, *p.Step)
		}
		if name != "missing" {
			f.Take(g.answer(f.Next()))
			if p := f.Progress(); p.Step == nil || *p.Step != 1 {
				t.Errorf("%s: %+v", name, p)
			}
		}
	}
}

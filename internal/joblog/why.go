package joblog

import (
	"context"

	"github.com/nvnodetop/nvnodetop/internal/joblog/cause"
)

// FirstCause returns the line that says why a job failed, among the last lines of its log, and a sentence about it;
// false: there is none.
func FirstCause(lines []Line) (l Line, sentence string, is bool) {
	lines = lastLines(lines)
	texts := make([]string, len(lines))
	for i := range lines {
		if !lines[i].Gap {
			texts[i] = lines[i].Text
		}
	}
	c, is := cause.First(texts)
	if !is {
		return Line{}, "", false
	}
	l = lines[c.At]
	l.Mark = c.Mark
	return l, c.Text, true
}

// lastLines returns the lines that are searched for a cause.
func lastLines(lines []Line) []Line {
	size := 0
	for i := len(lines) - 1; i >= 0; i-- {
		if size += len(lines[i].Text) + 1; size > cause.Most {
			return lines[i+1:]
		}
	}
	return lines
}

// Why reads the end of a job's log once, and returns the sentence that says why the job failed; "": the log does not
// say, or there is no log.
func Why(ctx context.Context, job string, read func(context.Context, Query) (Piece, error)) (string, error) {
	for _, of := range []Stream{Err, Out} {
		w := NewWindow(-cause.Most)
		q := Ask(job, of, w.Next(true))
		q.Max = min(q.Max, cause.Most)
		p, err := read(ctx, q)
		if err != nil {
			return "", err
		}
		w.Take(&p)
		if _, sentence, is := FirstCause(w.Lines()); is {
			return sentence, nil
		}
		if p.Both {
			break
		}
	}
	return "", nil
}

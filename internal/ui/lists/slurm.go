package lists

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// countByState counts jobs by their state: "3 running, 1 suspended, 997 pending, 2 ended". Each task of an array
// counts.
func countByState(list []tally.JobRow) string {
	counts, more := map[string]int{}, ""
	for i := range list {
		r := &list[i]
		word, n := r.State.Word, 1
		switch {
		case r.Ended != nil:
			word = "ended"
		case r.Pending != nil:
			tasks, known := r.Pending.Tasks()
			if n = tasks; !known {
				n, more = 1, "or more "
			}
		}
		counts[word] += n
	}
	words := []string{
		countText(counts["running"], "running"), countText(counts["suspended"], "suspended"),
		countText(counts["booting"], "booting"),
		countText(counts["pending"], more+"pending"), countText(counts["ended"], "ended lately"),
	}
	return strings.Join(slices.DeleteFunc(words, func(s string) bool { return s == "" }), ", ")
}

// drawSlurmRow draws row 1: a text, and a note on SLURM's answer if there is one. At its right is the age of the
// answer, or in amber the reason why there is no new one.
func drawSlurmRow(f *part.Frame, text string) {
	d, right := &f.Snap.Discovery, ""
	end := f.W - 1
	if !d.Answered.IsZero() {
		right = "job list " + draw.Age(f.Snap.At.Sub(d.Answered)) + " old "
	}
	if draw.Width(text)+draw.Width(right)+4 <= f.W {
		end -= draw.Width(right) + 1
		f.Put(f.W-draw.Width(right), 1, right, draw.Dim)
	}
	if d.Failure != nil {
		from := ""
		if !d.Answered.IsZero() {
			from = ", job list from " + d.Answered.Format(time.TimeOnly)
		}
		f.Left(1, 1, end-1, "▲ "+d.Failure.Short+from, draw.Warn)
		return
	}
	if d.Note != "" {
		text += "  " + d.Note
	}
	f.Left(1, 1, end-1, text, draw.Dim)
}

// countText is "3 running", "" for none.
func countText(n int, what string) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n) + " " + what
}

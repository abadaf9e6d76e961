package output

import (
	"fmt"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/report/words"
	"github.com/nvnodetop/nvnodetop/pkg/report"
)

// stacks says what the ranks did when they were asked.
func stacks(r *report.Report, zone *time.Location) (out []string) {
	for i := range r.Stacks {
		s := &r.Stacks[i]
		at := words.Clock(s.Time.In(zone), r.Watched.From.In(zone)) + ", "
		said := strings.Join(append(append([]string(nil), s.NCCL...), s.Said...), " ")
		out = append(out, strings.TrimSuffix(fmt.Sprintf("%s%s: %s", at, s.State, said), ": "))
		for _, g := range s.Groups {
			mark, ranks := "", "ranks"
			if g.Outlier {
				mark = "▲ "
			}
			if g.Ranks == 1 {
				ranks = "rank"
			}
			line := fmt.Sprintf("%s%s%d %s: %s", at, mark, g.Ranks, ranks, g.Summary)
			if g.Members != "" {
				line += " (" + g.Members + ")"
			}
			out = append(out, strings.TrimSuffix(line, ": "))
		}
		if s.Others > 0 {
			out = append(out, fmt.Sprintf("%s%d smaller groups", at, s.Others))
		}
	}
	return out
}

package output

import (
	"fmt"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/output/report/advice"
	"github.com/nvnodetop/nvnodetop/pkg/report"
)

// stackLines returns what the ranks did each time they were asked.
func stackLines(r *report.Report, zone *time.Location) (out []string) {
	for i := range r.Stacks {
		s := &r.Stacks[i]
		at := advice.ClockText(s.Time.In(zone), r.Watched.From.In(zone)) + ", "
		said := strings.Join(append(append([]string(nil), s.NCCL...), s.Said...), " ")
		out = append(out, strings.TrimSuffix(fmt.Sprintf("%s%s: %s", at, s.State, said), ": "))
		for _, g := range s.Groups {
			mark := ""
			if g.Outlier {
				mark = "▲ "
			}
			line := fmt.Sprintf("%s%s%s: %s", at, mark, text.Count(g.Ranks, "rank"), g.Summary)
			if g.Members != "" {
				line += " (" + g.Members + ")"
			}
			out = append(out, strings.TrimSuffix(line, ": "))
		}
		if s.Others > 0 {
			out = append(out, at+text.Count(s.Others, "smaller group"))
		}
	}
	return out
}

package output

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/pkg/report"
)

// The lines of a screen are those of the text, with its colors as tones.
func TestLines(t *testing.T) {
	code, cpu := 3, &report.CPUTime{Given: 100, Used: 10, Percent: 10}
	r := &report.Report{Job: report.Job{ID: "7", Name: "train", State: "FAILED", Code: &code,
		Cause: strings.Repeat("a long reason ", 9)}, Accounting: &report.Accounting{Elapsed: 60, CPU: cpu}}
	for _, width := range []int{20, 60, 120} {
		var text bytes.Buffer
		if err := Text(&text, r, time.UTC, TextFormat{Width: width}); err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		seen := map[Tone]string{}
		for _, line := range Lines(r, time.UTC, width) {
			for _, p := range line {
				got.WriteString(p.Text)
				seen[p.Tone] += p.Text
			}
			got.WriteByte('\n')
		}
		if got.String() != text.String() {
			t.Errorf("%d columns: the lines are\n%swant\n%s", width, got.String(), text.String())
		}
		if !strings.HasPrefix(seen[Strong], "Job 7 train") || !strings.HasPrefix(seen[Bad], "FAILED|||") {
			t.Errorf("%d columns: strong is %q, bad %q", width, seen[Strong], seen[Bad])
		}
	}
}

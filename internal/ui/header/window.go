package header

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// maxTitle limits the title, in characters. A window shows fewer.
const maxTitle = 80

// Window is the title of the window: the job and its number of problems, "nvnodetop 48211 X1 !3". job may be nil. It is
// ASCII, since some terminals mistake a byte of "✗" for the end of a title, and show the rest as text.
func Window(job *cluster.JobView) string {
	words := []string{"nvnodetop"}
	if job != nil {
		words = append(words, job.ID)
		counts := part.BySeverity(job.Findings)
		for _, s := range []cluster.Severity{cluster.Critical, cluster.Warning} {
			if n := counts[s]; n > 0 {
				words = append(words, part.Marks[s].Glyph+strconv.Itoa(n))
			}
		}
	}
	return sanitizeTitle(strings.Join(words, " "))
}

// sanitizeTitle removes everything from a title that could end it early and begin another escape sequence. Job IDs come
// from outside.
func sanitizeTitle(s string) string {
	var out []rune
	for _, r := range strings.Join(strings.Fields(s), " ") {
		if unicode.IsPrint(r) && r != unicode.ReplacementChar && len(out) < maxTitle {
			out = append(out, draw.ASCII(r))
		}
	}
	return string(out)
}

package header

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// maxTitle limits the title, in characters. A window shows fewer.
const maxTitle = 80

// Window is the title of the window: the job, its number of problems, and the worst of them in as many words as fit:
// "nvnodetop 48211 X1 !3 gpu-n03 GPU2 lost". job may be nil. It is ASCII, since some terminals mistake a byte of "✗"
// for the end of a title, and show the rest as text.
func Window(s *cluster.Snapshot, job *cluster.JobView) string {
	if job == nil {
		return "nvnodetop"
	}
	words := []string{"nvnodetop", job.ID}
	counts := part.BySeverity(job.Findings)
	for _, s := range []cluster.Severity{cluster.Critical, cluster.Warning} {
		if n := counts[s]; n > 0 {
			words = append(words, part.Marks[s].Glyph+strconv.Itoa(n))
		}
	}
	title := sanitizeTitle(strings.Join(words, " "))
	if worst := worstProblem(job); worst != nil {
		for _, text := range titleWordings(s, worst) {
			if whole := title + " " + sanitizeTitle(text); utf8.RuneCountInString(whole) <= maxTitle {
				return whole
			}
		}
	}
	return title
}

// worstProblem returns the first warning or error of a job that holds; nil: there is none.
func worstProblem(job *cluster.JobView) *cluster.Finding {
	for i := range job.Findings {
		if f := &job.Findings[i]; f.Severity >= cluster.Warning && f.Holds() {
			return f
		}
	}
	return nil
}

// titleWordings names a problem with its place, the longest wording first.
func titleWordings(s *cluster.Snapshot, f *cluster.Finding) (all []string) {
	words := say.Finding(s, f)
	for _, text := range []string{words.Long, words.Short, words.One} {
		if text != "" {
			all = append(all, strings.TrimSpace(f.Node+" "+WordsOnGPU(f, text)))
		}
	}
	return all
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

package footer

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/rows/filter"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
)

// A prompt is the line in which the user types. A FilterPrompt also keeps the typed filters: one for each job, even
// while other jobs are shown. Other prompts use a plain InputLine.
//
// A page has a FilterPrompt for its rows. While Typing is true, the page gives every message to Press, and draws the
// prompt in place of its footer. A FilterPrompt, an InputLine and their shared History belong to one goroutine. Typed
// or pasted text is always one line, whatever it contains.

// FilterPrompt is the filter of a page.
type FilterPrompt struct {
	fields filter.Fields
	past   *History
	first  acceptedFilter            // the filter of jobs for which none was typed
	of     map[string]acceptedFilter // by the ID of the job
	line   *openPrompt               // nil: the prompt is closed
}

// acceptedFilter is a filter in force: a text without mistakes.
type acceptedFilter struct {
	text string
	expr *filter.Expr
}

// openPrompt is the prompt while it is open.
type openPrompt struct {
	*InputLine
	of    string        // ID of the job of the filter
	wrong *filter.Error // mistake in the text; nil: there is none
	back  int           // number of steps back in the history
	typed string        // the text before the first of these steps
	cycle *cycle        // nil: Tab begins with the first choice
	half  bool          // Tab has inserted the name of a field, which must not be searched for
}

// NewFilterPrompt returns a page's filter of rows with these fields.
func NewFilterPrompt(fields filter.Fields, past *History) *FilterPrompt {
	return &FilterPrompt{fields: fields, past: past, of: map[string]acceptedFilter{}}
}

// Begin sets the filter of all jobs for which none was typed. nil shows all rows.
func (f *FilterPrompt) Begin(e *filter.Expr) {
	if f.first = (acceptedFilter{}); e != nil {
		f.first = acceptedFilter{e.String(), e}
	}
}

func (f *FilterPrompt) filterOf(job string) acceptedFilter {
	if k, typed := f.of[job]; typed {
		return k
	}
	return f.first
}

// Expr returns the filter that applies to a job; nil if there is none.
func (f *FilterPrompt) Expr(job string) *filter.Expr { return f.filterOf(job).expr }

// Set applies a text to a job, as if the user had typed it. A text with a mistake shows all rows.
func (f *FilterPrompt) Set(job, text string) {
	f.Clear(job)
	if expr, wrong := filter.Parse(text, f.fields); wrong == nil {
		f.of[job] = acceptedFilter{text, expr}
	}
}

// On reports whether rows of a job are filtered.
func (f *FilterPrompt) On(job string) bool { return f.Expr(job) != nil }

// Clear shows all rows of a job again.
func (f *FilterPrompt) Clear(job string) { f.of[job] = acceptedFilter{} }

// Open opens the prompt for a job.
func (f *FilterPrompt) Open(job string) {
	f.line = &openPrompt{InputLine: NewInputLine(f.filterOf(job).text, filter.MostText), of: job}
}

// Close closes the prompt. The filter still applies.
func (f *FilterPrompt) Close() { f.line = nil }

// Typing reports whether the prompt has the keyboard. It belongs to one job, and loses the keyboard while another job
// is shown.
func (f *FilterPrompt) Typing(job string) bool { return f.line != nil && f.line.of == job }

// Rows returns the number of rows that the prompt takes above the footer for a job.
func (f *FilterPrompt) Rows(job string) int {
	if f.Typing(job) {
		return 1
	}
	return 0
}

// Press passes a message to the prompt, which takes every key except Ctrl-C. The filter is applied while the user
// types. While the text has a mistake, its last form without one applies.
func (f *FilterPrompt) Press(msg tea.Msg) (taken bool) {
	l := f.line
	switch m := msg.(type) {
	case tea.PasteMsg:
		l.editText(m)
	case tea.KeyPressMsg:
		switch {
		case key.Matches(m, keys.Interrupt):
			return false
		case key.Matches(m, keys.Keep):
			f.keepFilter()
			return true
		case key.Matches(m, keys.Cancel):
			f.Clear(l.of)
			f.Close()
			return true
		}
		f.key(m)
	default:
		return false
	}
	f.applyText()
	return true
}

// keepFilter closes the prompt and keeps the filter, unless the text has a mistake.
func (f *FilterPrompt) keepFilter() {
	if f.line.wrong == nil {
		f.line.half = false
		f.applyText()
		f.past.addFilter(f.line.Text())
		f.Close()
	}
}

// key answers a key that changes the text.
func (f *FilterPrompt) key(k tea.KeyPressMsg) {
	switch l := f.line; {
	case key.Matches(k, keys.Complete):
		l.completeWord(f.fields, +1)
	case key.Matches(k, keys.CompleteBack):
		l.completeWord(f.fields, -1)
	case key.Matches(k, keys.Older):
		l.recallFilter(f.past, +1)
	case key.Matches(k, keys.Newer):
		l.recallFilter(f.past, -1)
	default:
		l.editText(k)
	}
}

// editText changes the text like any other line.
func (l *openPrompt) editText(msg tea.Msg) {
	l.Edit(msg)
	l.cycle, l.back, l.half = nil, 0, false
}

// applyText applies the text, unless it has a mistake or ends in half a comparison.
func (f *FilterPrompt) applyText() {
	l := f.line
	text := l.Text()
	expr, wrong := filter.Parse(text, f.fields)
	if l.wrong = wrong; wrong == nil && !l.half {
		f.of[l.of] = acceptedFilter{text, expr}
	}
}

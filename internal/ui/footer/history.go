package footer

import "slices"

// mostPast is the number of filters that are remembered.
const mostPast = 50

// History has the filters that the user has typed, until the program ends. The zero History is empty.
type History struct{ texts []string } // the newest first

// addFilter adds a filter to the history, once.
func (h *History) addFilter(text string) {
	if text == "" {
		return
	}
	h.texts = slices.DeleteFunc(h.texts, func(s string) bool { return s == text })
	h.texts = slices.Insert(h.texts, 0, text)
	h.texts = h.texts[:min(len(h.texts), mostPast)]
}

// recallFilter goes to the previous filter of the history, or back towards the typed text.
func (l *openPrompt) recallFilter(h *History, by int) {
	back := max(min(l.back+by, len(h.texts)), 0)
	if back == l.back {
		return
	}
	if l.back == 0 {
		l.typed = l.Text()
	}
	text := l.typed
	if back > 0 {
		text = h.texts[back-1]
	}
	l.setText(text, -1)
	l.back, l.cycle, l.half = back, nil, false
}

package ui

import (
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/ui/footer"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// A notice about a key stays for elsewhereTime, the mark of another job for otherJobTime, an alert for alertTime.
const (
	elsewhereTime = 2 * time.Second
	otherJobTime  = 3 * time.Second
	alertTime     = 10 * time.Second
)

// explainUselessKey reports whether a key has no effect on a page, and says in the footer why: it is a key of other
// pages, or there is nothing that it could act on.
func (v *view) explainUselessKey(k tea.KeyPressMsg, at keys.Page, s *part.Scene) bool {
	has := func(r keys.Row) bool { return key.Matches(k, r.Bindings...) }
	rows := v.helpOf(at)
	if i := slices.IndexFunc(rows, has); i >= 0 {
		if why := footer.WhyNoEffect(s, rows[i].Needs); why != "" && s.Job != nil {
			s.Notice = k.String() + ": " + why
			return true
		}
		return false
	}
	var on []string
	for _, e := range pages {
		if e.id != at && slices.ContainsFunc(v.helpOf(e.id), has) {
			name := "on the page " + string(e.id)
			if e.number.Enabled() {
				name = keys.PageName(e.number)
			}
			on = append(on, name)
		}
	}
	if len(on) > 0 {
		const most = 4
		if len(on) > most {
			on = append(on[:most], "…")
		}
		s.Notice = k.String() + ": on " + strings.TrimPrefix(strings.Join(on, ", "), "on ")
	}
	return true
}

// fadeNotice marks the job in row 0 if a key has changed it, and returns the command that ends the notice.
func (m *model) fadeNotice(before string, wasNotice string) tea.Cmd {
	switch job := m.scene.Job; {
	case job != nil && before != "" && job.ID != before:
		m.scene.OtherJob = true
		return m.scheduleFade(otherJobTime)
	case m.scene.Notice != wasNotice:
		return m.scheduleFade(elsewhereTime)
	}
	return nil
}

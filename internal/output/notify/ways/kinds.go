package ways

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/health/newsworthy"
)

// Settings are the user's settings for the ways.
type Settings struct {
	Command  []string                 // a program and its arguments
	Webhook  string                   // the file with the URL
	Mail     string                   // addresses
	Terminal func(title, text string) // shows a message on the terminal of this program; nil: it has none
}

// ErrNoTerminal is the error of the way to a terminal in a program without one.
var ErrNoTerminal = errors.New("this program has no terminal")

// wayRow is a row of the table of ways.
type wayRow struct {
	name  string                 // also the name of its setting, if it needs one
	needs func(s *Settings) bool // reports whether the setting is there; nil: it needs none
	open  func(s *Settings) (Way, error)
}

// kinds are the ways in which news comes.
var kinds = []wayRow{
	{newsworthy.WayTerminal, nil, onTerminal},
	{"command", func(s *Settings) bool { return len(s.Command) > 0 },
		func(s *Settings) (Way, error) { return Command(s.Command) }},
	{"webhook", func(s *Settings) bool { return s.Webhook != "" },
		func(s *Settings) (Way, error) { return Webhook(s.Webhook) }},
	{"mail", func(s *Settings) bool { return s.Mail != "" },
		func(s *Settings) (Way, error) { return Mail(s.Mail) }},
}

// Names lists the ways.
func Names() (names []string) {
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// New makes the way of that name.
func New(name string, s *Settings) (Way, error) {
	for _, k := range kinds {
		switch {
		case k.name != name:
		case k.needs != nil && !k.needs(s):
			return Way{}, fmt.Errorf("notify.%s is not set", name)
		default:
			return k.open(s)
		}
	}
	return Way{}, fmt.Errorf("%q is no way of news: use one of %s", name, strings.Join(Names(), ", "))
}

func onTerminal(s *Settings) (Way, error) {
	if s.Terminal == nil {
		return Way{}, ErrNoTerminal
	}
	return Way{Name: newsworthy.WayTerminal, Send: func(_ context.Context, d *Document) error {
		_, more, _ := strings.Cut(d.Text, "\n")
		s.Terminal(d.Title, more)
		return nil
	}}, nil
}

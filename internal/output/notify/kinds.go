package notify

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/health/say"
)

// WaySettings are the user's settings for the ways.
type WaySettings struct {
	Command  []string                 // a program and its arguments
	Webhook  string                   // the file with the URL
	Mail     string                   // addresses
	Terminal func(title, text string) // shows a message on the terminal of this program; nil: it has none
}

// ErrNoTerminal is the error of the way to a terminal in a program without one.
var ErrNoTerminal = errors.New("this program has no terminal")

// wayRow is a row of the table of ways.
type wayRow struct {
	name  string                    // also the name of its setting, if it needs one
	needs func(s *WaySettings) bool // reports whether the setting is there; nil: it needs none
	open  func(s *WaySettings) (Way, error)
}

// wayKinds are the ways in which news comes.
var wayKinds = []wayRow{
	{say.WayTerminal, nil, onTerminal},
	{"command", func(s *WaySettings) bool { return len(s.Command) > 0 },
		func(s *WaySettings) (Way, error) { return NewCommandWay(s.Command) }},
	{"webhook", func(s *WaySettings) bool { return s.Webhook != "" },
		func(s *WaySettings) (Way, error) { return NewWebhookWay(s.Webhook) }},
	{"mail", func(s *WaySettings) bool { return s.Mail != "" },
		func(s *WaySettings) (Way, error) { return NewMailWay(s.Mail) }},
}

// WayNames lists the ways.
func WayNames() (names []string) {
	for _, k := range wayKinds {
		names = append(names, k.name)
	}
	return names
}

// NewWay makes the way of that name.
func NewWay(name string, s *WaySettings) (Way, error) {
	for _, k := range wayKinds {
		switch {
		case k.name != name:
		case k.needs != nil && !k.needs(s):
			return Way{}, fmt.Errorf("notify.%s is not set", name)
		default:
			return k.open(s)
		}
	}
	return Way{}, fmt.Errorf("%q is not a way to notify: use one of %s", name, strings.Join(WayNames(), ", "))
}

func onTerminal(s *WaySettings) (Way, error) {
	if s.Terminal == nil {
		return Way{}, ErrNoTerminal
	}
	return Way{Name: say.WayTerminal, Send: func(_ context.Context, d *MessageDocument) error {
		_, more, _ := strings.Cut(d.Text, "\n")
		s.Terminal(d.Title, more)
		return nil
	}}, nil
}

package config

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/health/say"
	"github.com/nvnodetop/nvnodetop/internal/lib/text"
)

// Notify is the user's choice of news, and of the ways to deliver it.
type Notify struct {
	say.NewsSettings

	Allow     string   // the ways that may be used: one of NotifyLimits
	AllowFrom string   // origin of Allow; "": there is no limit
	Ways      []string // some of say.NewsWays
	Terminal  string   // one of NotifyStyles
	Command   []string // a program and its arguments
	Webhook   string   // the file with the URL
	Mail      string   // addresses
}

// The limits of ways.
const (
	NotifyOff = "off"
	NotifyAny = "any"
)

// NotifyLimits lists the values of Notify.Allow, the strictest first.
var NotifyLimits = []string{NotifyOff, say.WayTerminal, NotifyAny}

// NotifyStyles lists how a terminal is notified: in the way it supports, with only a bell, or with the sequence OSC 9
// or 777.
var NotifyStyles = []string{"auto", "bell", "osc9", "osc777"}

// Allows reports whether a way may be used.
func (n *Notify) Allows(way string) bool {
	return n.Allow == NotifyAny || n.Allow == way
}

// eventsSetting is the choice of events. There are too many kinds of problems to list.
func eventsSetting() setting {
	s := wordsSetting("notify.events", func(c *Config) *[]string { return &c.Notify.Events }, say.NewsWords()...)
	s.want = "a list of " + strings.Join(say.EventNames(), ", ") + ", or kinds of problems (docs/health.md)"
	s.wrong = func(v any) string { return wrongWord(v, say.NewsWords(), s.want) }
	return s
}

// notifySettings are the settings of news.
func notifySettings() []setting {
	allow := func(c *Config) *string { return &c.Notify.Allow }
	return []setting{
		withSystemLimit(choiceSetting("notify.allow", allow, NotifyLimits...), allow, func(own, system string) bool {
			return slices.Index(NotifyLimits, own) > slices.Index(NotifyLimits, system)
		}),
		wordsSetting("notify.ways", func(c *Config) *[]string { return &c.Notify.Ways }, say.NewsWays...),
		eventsSetting(),
		durationSetting("notify.idle", func(c *Config) *time.Duration { return &c.Notify.Idle }, time.Minute, 7*24*time.Hour),
		durationSetting("notify.time_left", func(c *Config) *time.Duration { return &c.Notify.TimeLeft }, time.Minute,
			7*24*time.Hour),
		countSetting("notify.per_hour", func(c *Config) *int { return &c.Notify.PerHour }, 1000),
		choiceSetting("notify.terminal", func(c *Config) *string { return &c.Notify.Terminal }, NotifyStyles...),
		commandSetting("notify.command", func(c *Config) *[]string { return &c.Notify.Command }),
		webhookSetting(),
		withExample(textSetting("notify.mail", func(c *Config) *string { return &c.Notify.Mail }), "alice@example.org"),
	}
}

// webhookSetting is the setting for the file with a webhook's URL. The URL itself is a secret: it is never a value, and
// no error quotes it.
func webhookSetting() setting {
	s := textSetting("notify.webhook", func(c *Config) *string { return &c.Notify.Webhook })
	isURL := func(v any) bool {
		_, is := asString(v, func(s string) bool { return strings.Contains(s, "://") })
		return is
	}
	s.wrong = func(v any) string {
		if isURL(v) {
			return "is the path of a file with the URL, not the URL: write that into a file of mode 0600"
		}
		return ""
	}
	plain := s.take
	s.take = func(c *Config, v any) bool { return !isURL(v) && plain(c, v) }
	return s
}

// wordsSetting is a setting with a list of different words.
func wordsSetting(key string, at func(*Config) *[]string, of ...string) setting {
	return setting{
		key: key, want: "a list of " + strings.Join(of, ", "), example: of[0], exampleInFile: `["` + of[0] + `"]`,
		wrong: func(v any) string { return wrongWord(v, of, "a list of "+strings.Join(of, ", ")) },
		take: func(c *Config, v any) bool {
			list, ok := asList(v)
			if slices.Equal(list, []string{""}) {
				list = nil
			}
			for i, word := range list {
				ok = ok && slices.Contains(of, word) && !slices.Contains(list[:i], word)
			}
			return storeValid(at(c))(list, ok)
		},
		show: func(c *Config) string { return tomlList(*at(c)) },
	}
}

// noteLackingWays notes the ways of news that cannot work, since another setting is missing.
func (o *Origins) noteLackingWays(c *Config) {
	for _, needs := range []struct {
		way, lacks string
		isSet      bool
	}{
		{"webhook", "notify.webhook names no file with the URL", c.Notify.Webhook != ""},
		{"command", "notify.command names no program", len(c.Notify.Command) > 0},
	} {
		if slices.Contains(c.Notify.Ways, needs.way) && !needs.isSet {
			o.PassedOver = append(o.PassedOver, fmt.Sprintf("notify.ways has %s, but %s", needs.way, needs.lacks))
		}
	}
}

// wrongWord says which item of a list is not one of a few words, or is there twice; "": none, or it is no list.
func wrongWord(v any, of []string, want string) string {
	list, _ := asList(v)
	for i, word := range list {
		switch {
		case !slices.Contains(of, word):
			return fmt.Sprintf("must be %s: it has %s%s", want, describeValue(word), text.Meant(word, of))
		case slices.Contains(list[:i], word):
			return fmt.Sprintf("names %s twice", describeValue(word))
		}
	}
	return ""
}

// Limits of a command line in the settings.
const (
	mostArguments = 32
	mostArgument  = 1000
)

// commandSetting is a setting with a program and its arguments.
func commandSetting(key string, at func(*Config) *[]string) setting {
	return setting{
		key: key, want: `a list of a program and its arguments, such as ["notify-send", "-a", "nvnodetop"]`,
		take: func(c *Config, v any) bool {
			list, ok := asList(v)
			ok = ok && len(list) > 0 && len(list) <= mostArguments && list[0] != "" &&
				!slices.ContainsFunc(list, func(s string) bool {
					return len(s) > mostArgument || strings.ContainsFunc(s, isNotPrintable)
				})
			return storeValid(at(c))(list, ok)
		},
		show: func(c *Config) string { return tomlList(*at(c)) },
	}
}

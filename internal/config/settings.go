package config

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/health"
)

// setting is a row of the table of settings.
type setting struct {
	key  string // key in files; dots separate the tables of TOML
	want string // the valid values, for errors

	example       string // a valid value, for errors; "": want says enough
	exampleInFile string // the same in TOML, if it is written differently there

	take func(c *Config, value any) bool // sets the value; false: it is invalid
	show func(c *Config) string          // the value in TOML; empty: none

	wrong func(value any) string // what is wrong with a value, if the valid values do not say it; may be nil
	among []string               // the valid values, if they are a few words

	// brings the value of c within the limit of the system's file, and reports whether it exceeded it
	bind  func(c, system *Config) bool
	bound string // the key of that limit; empty: the same key
}

// settings is the table of settings, in the order in which they are read, limited and printed.
var settings = inOrder(slices.Concat(general, notifySettings(), priceSettings(), columnLists(), thresholdSettings()))

// inOrder puts settings into the order of a TOML file. Settings without a table come first, then table by table, in the
// order of their first rows. Within a table, a limit comes before the setting that it limits.
func inOrder(rows []setting) []setting {
	tables := []string{""}
	for i := range rows {
		if table := rows[i].table(); !slices.Contains(tables, table) {
			tables = append(tables, table)
		}
	}
	isLimited := func(s *setting) int { return min(len(s.bound), 1) }
	slices.SortStableFunc(rows, func(a, b setting) int {
		return cmp.Or(slices.Index(tables, a.table())-slices.Index(tables, b.table()), isLimited(&a)-isLimited(&b))
	})
	return rows
}

// table returns the TOML table of a setting; "": it has none.
func (s *setting) table() string { return s.key[:max(strings.LastIndex(s.key, delim), 0)] }

// general are the settings without a file of their own, in any order.
var general = []setting{
	choiceSetting("transport", func(c *Config) *string { return &c.Transport }, Transports...),
	doorsSetting(),
	withExample(textSetting("login", func(c *Config) *string { return &c.Login }), "alice@cluster"),
	choiceSetting("view", func(c *Config) *string { return &c.View }, "auto", "node", "overview"),
	choiceSetting("keys", func(c *Config) *string { return &c.Keys }, "usual", "nvitop"),
	choiceSetting("monitor", func(c *Config) *string { return &c.Monitor }, "auto", "full", "compact"),
	choiceSetting("colors", func(c *Config) *string { return &c.Colors }, choices[Colors]...),
	choiceSetting("theme", func(c *Config) *string { return &c.Theme }, Themes...),
	levelsSetting("gpu_util_thresh", "60,85", func(c *Config) *Levels { return &c.GPULevels }),
	levelsSetting("mem_util_thresh", "60,85", func(c *Config) *Levels { return &c.MemoryLevels }),
	{key: "ascii", want: "true or false", take: takeASCII, show: showASCII},
	durationSetting("timeout", func(c *Config) *time.Duration { return &c.Timeout }, time.Millisecond, 24*time.Hour),
	textSetting("log", func(c *Config) *string { return &c.Log }),
	textSetting("recordings", func(c *Config) *string { return &c.Recordings }),
	withSystemLimit(durationSetting("idle_exit", idleExit, time.Minute, 365*24*time.Hour), idleExit,
		func(own, system time.Duration) bool {
			return system > 0 && (own == 0 || own > system)
		}),
	withSystemLimit(textSetting("banner", bannerField), bannerField, isOtherText),
	withSystemLimit(addressSetting("help_url", helpURL), helpURL, isOtherText),
	withSystemLimit(yesNo("readonly", readOnly), readOnly, func(own, system bool) bool { return system && !own }),
	withSystemLimit(choiceSetting("serve", serveField, ServePlaces...), serveField, listensWider),
	withSystemLimit(yesNo("record", recordField), recordField, isLooser),
	withSystemLimit(yesNo("logs", logsField), logsField, isLooser),
	withSystemLimit(yesNo("progress", progressField), progressField, isLooser),
	withSystemLimit(yesNo("runs", runsField), runsField, isLooser),
	withSystemLimit(countSetting("max_nodes", maxNodes, mostNodes), maxNodes, exceedsNumber),
	withSystemLimit(countSetting("max_programs", maxPrograms, mostPrograms), maxPrograms, exceedsNumber),
	adminsSetting(),
	durationSetting("history", func(c *Config) *time.Duration { return &c.History }, minHistory, maxHistory),
	withSystemLimit(yesNo("hang.ask", hangAsk), hangAsk, isLooser),
	withSystemLimit(durationSetting("poll.min_interval", pollFloor, MinPoll, MaxPoll), pollFloor, isShorter),
	atLeast("poll.interval", func(c *Config) *time.Duration { return &c.Poll }, MinPoll, MaxPoll,
		"poll.min_interval", pollFloor),
	durationSetting("display.interval", func(c *Config) *time.Duration { return &c.Display }, MinDisplay, MaxDisplay),
	withSystemLimit(durationSetting("slurm.min_interval", slurmFloor, MinSlurm, maxSlurm), slurmFloor, isShorter),
	atLeast("slurm.interval", func(c *Config) *time.Duration { return &c.Slurm }, leastSlurm, maxSlurm,
		"slurm.min_interval", slurmFloor),
}

func idleExit(c *Config) *time.Duration   { return &c.IdleExit }
func bannerField(c *Config) *string       { return &c.Banner }
func readOnly(c *Config) *bool            { return &c.ReadOnly }
func serveField(c *Config) *string        { return &c.Serve }
func recordField(c *Config) *bool         { return &c.Record }
func logsField(c *Config) *bool           { return &c.Logs }
func progressField(c *Config) *bool       { return &c.Progress }
func runsField(c *Config) *bool           { return &c.Runs }
func hangAsk(c *Config) *bool             { return &c.HangAsk }
func maxNodes(c *Config) *int             { return &c.MaxNodes }
func maxPrograms(c *Config) *int          { return &c.MaxPrograms }
func helpURL(c *Config) *string           { return &c.HelpURL }
func pollFloor(c *Config) *time.Duration  { return &c.PollFloor }
func slurmFloor(c *Config) *time.Duration { return &c.SlurmFloor }

func isShorter(own, system time.Duration) bool { return own < system }

// exceedsNumber reports whether a number exceeds the limit; 0 means any number.
func exceedsNumber(own, system int) bool { return system > 0 && (own == 0 || own > system) }

// isOtherText reports whether a text differs from the one that the system's file fixes.
func isOtherText(own, system string) bool { return system != "" && own != system }

// isLooser reports whether something is allowed that the system's file forbids.
func isLooser(own, system bool) bool { return own && !system }

// listensWider reports whether serve may listen at more places than the system's file allows.
func listensWider(own, system string) bool {
	return slices.Index(ServePlaces, own) > slices.Index(ServePlaces, system)
}

// findSetting returns the row of a key; nil: there is none.
func findSetting(key string) *setting {
	i := slices.IndexFunc(settings, func(s setting) bool { return s.key == key })
	if i < 0 {
		return nil
	}
	return &settings[i]
}

// isTable reports whether a table with that name has keys.
func isTable(name string) bool {
	return slices.ContainsFunc(settings, func(s setting) bool { return strings.HasPrefix(s.key, name+".") })
}

// withSystemLimit lets the system's file limit a setting: a value that exceeds the system's value is replaced by it.
func withSystemLimit[T any](s setting, at func(*Config) *T, exceeds func(own, system T) bool) setting {
	s.bind = func(c, system *Config) bool {
		if !exceeds(*at(c), *at(system)) {
			return false
		}
		*at(c) = *at(system)
		return true
	}
	return s
}

// atLeast is a setting with a duration that another setting limits.
func atLeast(key string, at func(*Config) *time.Duration, low, high time.Duration, bound string,
	floor func(*Config) *time.Duration) setting {
	s := durationSetting(key, at, low, high)
	s.bound = bound
	s.bind = func(c, _ *Config) bool {
		if *at(c) >= *floor(c) {
			return false
		}
		*at(c) = *floor(c)
		return true
	}
	return s
}

// choiceSetting is a setting with a few words as values.
func choiceSetting(key string, at func(*Config) *string, of ...string) setting {
	want := strings.Join(of[:len(of)-1], ", ") + " or " + of[len(of)-1]
	return setting{
		key: key, want: want, among: of,
		take: func(c *Config, v any) bool {
			return storeValid(at(c))(asString(v, func(s string) bool { return slices.Contains(of, s) }))
		},
		show: func(c *Config) string { return tomlString(*at(c)) },
	}
}

// textSetting is a setting with any text in one line.
func textSetting(key string, at func(*Config) *string) setting {
	const most = 200
	return setting{
		key: key, want: "a line of at most " + strconv.Itoa(most) + " printable characters",
		take: func(c *Config, v any) bool {
			return storeValid(at(c))(asString(v, func(s string) bool {
				return len([]rune(s)) <= most &&
					!strings.ContainsFunc(s, isNotPrintable)
			}))
		},
		show: func(c *Config) string { return tomlString(*at(c)) },
	}
}

// withExample adds the example of a text.
func withExample(s setting, example string) setting {
	s.example, s.exampleInFile = example, strconv.Quote(example)
	return s
}

// addressSetting is a setting with the address of a page or of a person.
func addressSetting(key string, at func(*Config) *string) setting {
	s := textSetting(key, at)
	s.want = "an address that begins with https://, http:// or mailto:, in at most 200 printable characters"
	plain := s.take
	s.take = func(c *Config, v any) bool {
		var text Config
		if !plain(&text, v) {
			return false
		}
		u, err := url.Parse(*at(&text))
		good := err == nil && (u.Host != "" && (u.Scheme == "https" || u.Scheme == "http") ||
			u.Scheme == "mailto" && u.Opaque != "") && !strings.Contains(*at(&text), " ")
		return storeValid(at(c))(*at(&text), good)
	}
	return s
}

// durationSetting is a setting with a duration. A plain number means seconds.
func durationSetting(key string, at func(*Config) *time.Duration, low, high time.Duration) setting {
	return setting{
		key: key, want: "a time from " + shortDuration(low) + " to " + shortDuration(high),
		example: exampleTime(low, high, "s", ""), exampleInFile: exampleTime(low, high, " (seconds)", `"`),
		take: func(c *Config, v any) bool {
			d, ok := asTime(v)
			return storeValid(at(c))(d, ok && d >= low && d <= high)
		},
		show: func(c *Config) string {
			if *at(c) == 0 {
				return ""
			}
			return tomlString(shortDuration(*at(c)))
		},
	}
}

// exampleTimes are times for examples, in seconds or with a unit.
var exampleTimes = []time.Duration{5 * time.Second, time.Second, 30 * time.Second, 2 * time.Minute, 30 * time.Minute,
	500 * time.Millisecond}

// exampleTime returns two times that are allowed, if there are two: "5s or 2m". A file takes numbers without a unit, a
// flag may not.
func exampleTime(low, high time.Duration, unitOfSeconds, quote string) string {
	seconds, unit := "", ""
	for _, d := range exampleTimes {
		switch {
		case d < low || d > high:
		case seconds == "" && d < time.Minute && d >= time.Second:
			seconds = strconv.Itoa(int(d/time.Second)) + unitOfSeconds
		case unit == "" && (d >= time.Minute || d < time.Second):
			unit = quote + shortDuration(d) + quote
		}
	}
	return strings.Join(slices.DeleteFunc([]string{seconds, unit}, func(s string) bool { return s == "" }), " or ")
}

// yesNo is a setting that is true or false.
func yesNo(key string, at func(*Config) *bool) setting {
	return setting{
		key: key, want: "true or false",
		take: func(c *Config, v any) bool { return storeValid(at(c))(asBool(v)) },
		show: func(c *Config) string { return strconv.FormatBool(*at(c)) },
	}
}

// countSetting is a setting with a number of at least 1; 0: it is not set.
func countSetting(key string, at func(*Config) *int, most int) setting {
	return setting{
		key: key, want: "a whole number from 1 to " + strconv.Itoa(most),
		take: func(c *Config, v any) bool {
			n, ok := asNumber(v)
			return storeValid(at(c))(int(n), ok && n >= 1 && n <= float64(most) && n == float64(int(n)))
		},
		show: func(c *Config) string {
			if *at(c) == 0 {
				return ""
			}
			return strconv.Itoa(*at(c))
		},
	}
}

// takeASCII sets a value that is true or false. If it is not set, TERM and the locale decide.
func takeASCII(c *Config, v any) bool {
	b, ok := asBool(v)
	if ok {
		c.ASCII, c.UTF8 = b, !b
	}
	return ok
}

func showASCII(c *Config) string {
	if !c.ASCII && !c.UTF8 {
		return ""
	}
	return strconv.FormatBool(c.ASCII)
}

// thresholdSettings are the settings of the health rules' thresholds.
func thresholdSettings() []setting {
	var all []setting
	for _, name := range health.Names() {
		t, _ := health.Named(name)
		row := t.Row()
		all = append(all, setting{
			key: "thresholds." + name, want: "a number from " + formatNumber(row.Low) + " to " + formatNumber(row.High),
			take: func(c *Config, v any) bool {
				n, ok := asNumber(v)
				return storeValid(&c.Thresholds[t])(n, ok && n >= row.Low && n <= row.High)
			},
			show: func(c *Config) string { return formatNumber(c.Thresholds[t]) },
		})
	}
	return all
}

package config

import (
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/health"
)

// place makes files of settings in a new directory.
func place(t *testing.T, system, user string) Inputs {
	t.Helper()
	dir := t.TempDir()
	in := Inputs{System: filepath.Join(dir, "system.toml"), User: filepath.Join(dir, "user.toml")}
	for path, text := range map[string]string{in.System: system, in.User: user} {
		if text == "" {
			continue
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return in
}

// Each place overrides those below it, and every value names its origin.
func TestTheOrderOfPlaces(t *testing.T) {
	in := place(t, "theme = 'dark'\nview='node'\n[poll]\ninterval = 7\n[display]\ninterval=2\n",
		"view = 'overview'\npoll.interval = '8s'\n[thresholds]\nclock_skew_seconds = 2.5 # s\n")
	in.Environ = []string{"HOME=/x", "NVNODETOP_DISPLAY_INTERVAL=3", "NVNODETOP_POLL_INTERVAL=9s",
		"NVNODETOP_THRESHOLDS_LAG_RATIO=0.5", "NVNODETOP_ROOT=/opt/nvnodetop"}
	in.Line = map[string]Word{"poll.interval": {"POLL", "10"}, "ascii": {"--ascii", "false"}}
	c := Default()
	o, err := c.Load(in)
	if err != nil {
		t.Fatal(err)
	}
	want := Default()
	want.Theme, want.View, want.Poll, want.Display, want.UTF8 = "dark", "overview", 10*time.Second, 3*time.Second, true
	want.Thresholds[health.ClockSkewSeconds], want.Thresholds[health.LagRatio] = 2.5, 0.5
	if !reflect.DeepEqual(c, want) {
		t.Errorf("%+v\nwant %+v", c, want)
	}
	for key, want := range map[string]string{
		"theme": in.System + ":1", "view": in.User + ":1", "poll.interval": "POLL",
		"display.interval": "NVNODETOP_DISPLAY_INTERVAL",
		"ascii":            "--ascii", "colors": "default", "thresholds.clock_skew_seconds": in.User + ":4",
		"thresholds.lag_ratio": "NVNODETOP_THRESHOLDS_LAG_RATIO",
	} {
		if got := o.Of(key); got != want {
			t.Errorf("%s is from %q, want %q", key, got, want)
		}
	}
	if !slices.Equal(o.Files, []string{in.System, in.User}) || len(o.Notes) != 0 {
		t.Errorf("files %q, notes %q", o.Files, o.Notes)
	}
}

// A mistake in a file is one line that names the file, the line in it and the key.
func TestMistakesInTheFile(t *testing.T) {
	for text, want := range map[string]string{
		"# nothing":               "",
		"\ufeffview = 'node'\r\n": "",
		"[thresholds]\n":          "",
		"[thresholds]\n\ngpu_memory_full_percent = 101\n": ":3: thresholds.gpu_memory_full_percent must be a " +
			"number from 1 to 100, not 101",
		"[thresholds]\nclock_skew_seconds = nan\n": ":2: thresholds.clock_skew_seconds must be a " +
			"number from 0.1 to 86400, not NaN",
		"[thresholds]\ngpu_memory_full_percent = \"98\"\n":       `:2: thresholds.gpu_memory_full_percent must be a number from 1 to 100, not "98"`,
		"thresholds.gpu_memory_full_percent = true\n":            `:1: thresholds.gpu_memory_full_percent must be a number from 1 to 100, not true`,
		"poll = {\n  interval = 'x', # c\n}\n":                   ":2: poll.interval must be a time",
		"poll . 'interval' = 'x'\n":                              ":1: poll.interval must be a time",
		"thresholds = 3\n":                                       ":1: thresholds must be a table: [thresholds]",
		"[[thresholds]]\nx = 1\n":                                ":1: thresholds must be a table: [thresholds]",
		"[thresholds]\nclock_skew_seconds = 1\nclock skew = 3\n": ":3: ",
		"view = 'x'":                            `:1: view must be auto, node or overview, not "x"`,
		"view = ['node']":                       `:1: view must be auto, node or overview, not a list`,
		"ascii = 'true'":                        `:1: ascii must be true or false, not "true"`,
		"poll.interval = 0":                     `:1: poll.interval must be a time from 250ms to 10m, such as 5 (seconds) or "2m", not 0`,
		"poll.interval = '5'":                   `, not "5"`,
		"poll.interval = -1":                    `, not -1`,
		"poll.interval = 1e300":                 `, not 1e+300`,
		"poll.interval = 1979-05-27T07:32:00Z":  `, not 1979-05-27`,
		"idle_exit = '59s'":                     `:1: idle_exit must be a time from 1m to 8760h`,
		"slurm.interval = '9s'":                 `:1: slurm.interval must be a time from 10s to 1h, such as`,
		"history = '25h'":                       `:1: history must be a time from 2m to 24h, such as`,
		"slurm.min_interval = '1s'":             `:1: slurm.min_interval must be a time from 2s to 1h`,
		"banner = \"a\\nb\"":                    `:1: banner must be a line of at most 200 printable characters`,
		"banner = '" + strings.Repeat("a", 201): `:1: `,
		"'poll.interval' = 3":                   `the key "poll.interval" has a dot in it`,
		"\x00":                                  ":1: ",
		strings.Repeat("#", 2<<20):              `is not a file of at most 1048576 bytes`,
		"[thresholds]\n\xff = \"\"\n":           ":2: ",
		"banner = '" + strings.Repeat("a", 201) +
			"'": `:1: banner must be a line of at most 200 printable characters, not "` + strings.Repeat("a", 40) + `"`,
	} {
		for _, in := range []Inputs{place(t, text, ""), place(t, "", text)} {
			c := Default()
			_, err := c.Load(in)
			switch {
			case want == "" && err != nil:
				t.Errorf("%.60q: %v", text, err)
			case want != "" && (err == nil || !strings.Contains(err.Error(), want) ||
				!strings.Contains(err.Error(), filepath.Dir(in.User)) || strings.Contains(err.Error(), "\n")):
				t.Errorf("%.60q: error %v, want %s", text, err, want)
			}
		}
	}
}

// A key that means nothing here is passed over, and named: other versions may share the file. The rest of the file
// counts.
func TestUnknownKeys(t *testing.T) {
	const file = "theme = 'dark'\n"
	for text, want := range map[string]string{
		"[thresholds]\ngpu_memory = 1\n":           `:3: unknown key "thresholds.gpu_memory" (the nearest is thresholds.gpu_memory_full_percent): ignored`,
		"[thresholds]\nclock_skew_second = 1\n":    `:3: unknown key "thresholds.clock_skew_second" (the nearest is thresholds.clock_skew_seconds): ignored`,
		"interval = 1\n":                           `:2: unknown key "interval" (the nearest is poll.interval): ignored`,
		"viwe = 1\nx = 2":                          `:2: unknown key "viwe" (the nearest is view): ignored (and 1 more: nvnodetop config --check)`,
		"\n[nonsense]\nabcdefgh = 1\n":             `:4: unknown key "nonsense.abcdefgh" (nvnodetop config lists all keys): ignored`,
		"[nonsense]\n":                             `:2: unknown key "nonsense" (nvnodetop config lists all keys): ignored`,
		"[thresholds.clock_skew_seconds]\nx = 1\n": `: unknown key "thresholds.clock_skew_seconds.x" (the nearest is thresholds.clock_skew_seconds): ignored`,
		"\"a\\nb\" = 3":                            `:2: unknown key "a\nb" (nvnodetop config lists all keys): ignored`,
		"columns.gpus = ['gpu']":                   `:2: unknown key "columns.gpus" (the nearest is columns.jobs): ignored`,
	} {
		for _, in := range []Inputs{place(t, file+text, ""), place(t, "", file+text)} {
			c := Default()
			o, err := c.Load(in)
			if err != nil {
				t.Errorf("%.60q: %v", text, err)
				continue
			}
			if c.Theme != "dark" || c.Thresholds != health.Defaults() || c.Columns != (Default().Columns) {
				t.Errorf("%.60q: %+v", text, c)
			}
			if remarks := o.Remarks(); len(remarks) != 1 || !strings.HasPrefix(remarks[0], filepath.Dir(in.User)) ||
				!strings.HasSuffix(remarks[0], want) {
				t.Errorf("%.60q: remarks %q, want %s", text, remarks, want)
			}
		}
	}
	// A user's value in place of a table does not override the table of the system's file.
	c := Default()
	o, err := c.Load(place(t, "thresholds.clock_skew_seconds = 3", "[thresholds.clock_skew_seconds]\nx = 1\n"))
	if err != nil || len(o.PassedOver) != 1 || c.Thresholds[health.ClockSkewSeconds] != 3 {
		t.Errorf("%v, %v, %v", err, o, c.Thresholds)
	}
}

// A variable that the program sets for its own processes is none of a setting, whatever the settings are called.
func TestOwnVariables(t *testing.T) {
	constant := regexp.MustCompile(`\w+ += "(NVNODETOP_[A-Z]\w*)"`)
	names := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, found := range constant.FindAllStringSubmatch(string(text), -1) {
			names[found[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Concat(ownVariables, slices.Collect(maps.Keys(names))) {
		if !names[name] || !slices.Contains(ownVariables, name) {
			t.Errorf("%s is a constant of the program: %t; make it one of ownVariables (load.go) if it is, and only "+
				"then", name, names[name])
		}
	}
}

func TestMistakesElsewhere(t *testing.T) {
	for variable, want := range map[string]string{
		"NVNODETOP_THEME=blue":         `NVNODETOP_THEME must be auto, dark, light, high-contrast, colorblind or mono, not "blue"`,
		"NVNODETOP_ASCII=x":            `NVNODETOP_ASCII must be true or false, not "x"`,
		"NVNODETOP_POL_INTERVAL=3":     `unknown variable "NVNODETOP_POL_INTERVAL" in the environment (the nearest is NVNODETOP_POLL_INTERVAL)`,
		"NVNODETOP_POLL_INTERVAL=1e99": `NVNODETOP_POLL_INTERVAL must be a time`,
		"NVNODETOP_POLL_INTERVAL=":     `NVNODETOP_POLL_INTERVAL must be a time`,
		"NVNODETOP_CLUSTER=x":          "",
	} {
		c := Default()
		if _, err := c.Load(Inputs{Environ: []string{variable}}); (err == nil) != (want == "") || err != nil &&
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", variable, err, want)
		}
	}
	for text, want := range map[string]string{
		"abc": `POLL must be a time from 250ms to 10m, such as 5s or 2m, not "abc"`, "0": `, not "0"`,
		"-3": `, not "-3"`, "NaN": `, not "NaN"`, "601": `, not "601"`,
		"0.25": "", "10m": "", "600": "",
	} {
		c := Default()
		if _, err := c.Load(Inputs{Line: map[string]Word{"poll.interval": {"POLL",
			text}}}); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", text, err, want)
		}
	}
}

// No user's file, environment or command line lifts a limit of the system's file, and the user is told.
func TestTheSystemsLimits(t *testing.T) {
	const system = "banner = 'be kind'\nidle_exit = '12h'\n[poll]\nmin_interval = '10s'\n[slurm]\nmin_interval = '1m'\n"
	type values struct {
		poll, floor, slurm, idle time.Duration
		banner                   string
	}
	limits := values{10 * time.Second, 10 * time.Second, time.Minute, 12 * time.Hour, "be kind"}
	for _, test := range []struct {
		name, user string
		environ    []string
		line       map[string]Word
		want       values
		notes      string
	}{
		{name: "nothing", want: limits},
		{
			name: "the user's file", user: "idle_exit='24h'\nbanner='x'\npoll.interval=1\npoll.min_interval=1\nslurm.min_interval='59s'", want: limits,
			notes: "idle_exit = \"24h\" (USER:1) becomes \"12h\": the limit is idle_exit (SYSTEM:2)\nbanner = \"x\" " +
				"(USER:2) becomes \"be kind\": the limit is banner (SYSTEM:1)\n" +
				"poll.min_interval = \"1s\" (USER:4) becomes \"10s\": the limit is poll.min_interval (SYSTEM:4)\n" +
				"poll.interval = \"1s\" (USER:3) becomes \"10s\": the limit is poll.min_interval (SYSTEM:4)\n" +
				"slurm.min_interval = \"59s\" (USER:5) becomes \"1m\": the limit is slurm.min_interval (SYSTEM:6)",
		},
		{
			name: "the environment", environ: []string{"NVNODETOP_SLURM_MIN_INTERVAL=2"}, want: limits,
			notes: "slurm.min_interval = \"2s\" (NVNODETOP_SLURM_MIN_INTERVAL) becomes \"1m\": the limit is " +
				"slurm.min_interval (SYSTEM:6)",
		},
		{
			name: "the command line", line: map[string]Word{"poll.interval": {"POLL", "3"}}, want: limits,
			notes: "poll.interval = \"3s\" (POLL) becomes \"10s\": the limit is poll.min_interval (SYSTEM:4)",
		},
		{
			name: "a slower controller", user: "slurm.interval='20s'", want: limits,
			notes: "slurm.interval = \"20s\" (USER:1) becomes \"1m\": the limit is slurm.min_interval (SYSTEM:6)",
		},
		{
			name: "stricter than the system", user: "idle_exit='1h'\npoll.min_interval=20\nslurm.min_interval='5m'",
			want: values{20 * time.Second, 20 * time.Second, 5 * time.Minute, time.Hour, "be kind"},
		},
	} {
		in := place(t, system, test.user)
		in.Environ, in.Line = test.environ, test.line
		c := Default()
		o, err := c.Load(in)
		if err != nil {
			t.Fatal(err)
		}
		if got := (values{c.Poll, c.PollFloor, c.SlurmFloor, c.IdleExit, c.Banner}); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
		if notes := strings.NewReplacer(in.User, "USER", in.System,
			"SYSTEM").Replace(strings.Join(o.Notes, "\n")); notes != test.notes {
			t.Errorf("%s: notes\n%s\nwant\n%s", test.name, notes, test.notes)
		}
		if test.name != "stricter than the system" && o.Of("poll.interval") != in.System+":4" {
			t.Errorf("%s: the interval is from %s", test.name, o.Of("poll.interval"))
		}
	}
}

// The output is a file of settings with the same values, and each names its origin.
func TestPrint(t *testing.T) {
	in := place(t, "banner = '''say \"hi\" \\ 'now' '''\nslurm.min_interval = 90\n",
		"ascii = true\nidle_exit = '36h30m'\nhistory = '20m'\n[thresholds]\nlag_ratio = 0.25\n")
	in.Line = map[string]Word{"slurm.min_interval": {"--x", "5"}, "colors": {"--colors", "classic"}}
	c := Default()
	o, err := c.Load(in)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := c.Print(&out, o); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"# read: " + in.System + "\n# read: " + in.User + "\n# slurm.min_interval = \"5s\" (--x) becomes",
		"\ncolors = \"classic\" ", " # --colors\n", "\nidle_exit = \"36h30m\" ", "\n[poll]\nmin_interval = \"250ms\" ",
		"interval = \"3s\"                  # default\n", "lag_ratio = 0.25                 # " + in.User + ":5\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
	inTable := false // behind [poll], history would be poll.history
	for _, v := range c.Values(o) {
		if inTable && !strings.Contains(v.Key, ".") {
			t.Errorf("%s is printed behind a table", v.Key)
		}
		inTable = inTable || strings.Contains(v.Key, ".")
	}
	again := Default()
	if _, err := again.Load(place(t, out.String(), "")); err != nil || !reflect.DeepEqual(again, c) {
		t.Errorf("%v: read again\n%+v\nis not\n%+v", err, again, c)
	}
}

// A row of the table of settings may stand anywhere: the printed file and the limits are the same.
func TestSettingsInAnyOrder(t *testing.T) {
	printed := func() string {
		c := Default()
		in := place(t, "slurm.min_interval = 90\n", "slurm.interval = 60\nreport.currency = 'EUR'\n")
		if _, err := c.Load(in); err != nil {
			t.Fatal(err)
		}
		if c.Slurm != 90*time.Second {
			t.Errorf("SLURM is asked every %v, below the limit", c.Slurm)
		}
		var out strings.Builder
		if err := c.Print(&out, &Origins{}); err != nil {
			t.Fatal(err)
		}
		again := Default()
		if _, err := again.Load(place(t, out.String(), "")); err != nil || !reflect.DeepEqual(again, c) {
			t.Errorf("%v: read again\n%+v\nis not\n%+v", err, again, c)
		}
		lines := strings.Split(out.String(), "\n")
		slices.Sort(lines)
		return strings.Join(lines, "\n")
	}
	usual, rows := printed(), settings
	t.Cleanup(func() { settings = rows })
	for seed := range uint64(20) {
		settings = slices.Clone(rows)
		rand.New(rand.NewPCG(seed, 0)).Shuffle(len(settings), func(i, j int) {
			settings[i], settings[j] = settings[j], settings[i]
		})
		settings = inOrder(settings)
		if got := printed(); got != usual {
			t.Fatalf("seed %d: %s", seed, got)
		}
	}
}

func TestNoFile(t *testing.T) {
	dir := t.TempDir()
	c := Default()
	if o, err := c.Load(Inputs{System: dir + "/none", User: dir + "/none/either"}); err != nil || !reflect.DeepEqual(c, Default()) ||
		len(o.Files) != 0 {
		t.Errorf("%v, %+v", err, c)
	}
	if _, err := c.Load(Inputs{User: dir}); err == nil {
		t.Error("a directory is taken for a file of settings")
	}
	t.Setenv("XDG_CONFIG_HOME", dir)
	if want := dir + "/nvnodetop/config.toml"; UserFile() != want {
		t.Errorf("the user's file is %q, want %q", UserFile(), want)
	}
}

// The example of the page for admins is a file of settings.
func TestThePageForAdmins(t *testing.T) {
	text, err := os.ReadFile("../../docs/ADMINS.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(text), "```toml\n")
	example, _, _ = strings.Cut(example, "```")
	c := Default()
	if o, err := c.Load(place(t, example, "")); err != nil || len(o.PassedOver) > 0 || c.SlurmFloor != time.Minute {
		t.Errorf("the example: %v, %+v", err, c)
	}
}

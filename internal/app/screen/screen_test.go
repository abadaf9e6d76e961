package screen

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/term"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/source"
	"github.com/nvnodetop/nvnodetop/internal/source/demo"
	"github.com/nvnodetop/nvnodetop/internal/ui"
	"github.com/nvnodetop/nvnodetop/test/feedtest"
)

// The user's choices last until the next start, except in the demo and where the command line decides.
func TestChoicesAreKept(t *testing.T) {
	for _, test := range []struct {
		name    string
		change  func(*config.Config)
		view    string
		classic bool
		files   int
	}{
		{"plain", func(*config.Config) {}, ui.ViewOverview, true, 2},
		{"demo", func(c *config.Config) { c.Demo = "4x8" }, ui.ViewAuto, false, 0},
		{"--view", func(c *config.Config) { c.View = ui.ViewNode }, ui.ViewNode, true, 1},
		{"--colors", func(c *config.Config) { c.Colors = config.ColorsJob }, ui.ViewOverview, false, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			t.Setenv("XDG_STATE_HOME", dir)
			cfg := config.Default()
			test.change(&cfg)
			choices := newSaver(&cfg)
			ctx, quit := context.WithCancel(t.Context())
			saved := source.StartTask(func() error { return choices.runSaver(ctx) })
			var first ui.Options
			(&backgroundTasks{choices: choices, teller: &newsTeller{}}).addAides(ctx, &first)
			first.RememberView(ui.ViewNode)
			first.RememberView(ui.ViewOverview)
			first.RememberClassic(true)
			quit()
			if done, err := saved.Wait(time.Minute); !done || err != nil {
				t.Fatal("the choices are not saved", err)
			}
			next := Options(&cfg, nil, nil, cli.Selection{})
			if next.View != test.view || next.Classic != test.classic {
				t.Errorf("view %q, classic %v, want %q, %v", next.View, next.Classic, test.view, test.classic)
			}
			if files, _ := os.ReadDir(dir + "/nvnodetop"); len(files) != test.files {
				t.Errorf("%d files, want %d", len(files), test.files)
			}
		})
	}
}

// The screen knows the login host, which stands in commands that the user copies.
func TestScreenKnowsTheLoginHost(t *testing.T) {
	cfg := config.Default()
	cfg.Login = "al@cluster"
	if o := Options(&cfg, nil, nil, cli.Selection{}); o.Login != "al@cluster" {
		t.Errorf("got %q", o.Login)
	}
}

// A panic in a source ends the screen and gives the terminal back.
func TestWatchSurvivesAPanic(t *testing.T) {
	tty, written := feedtest.Terminal(t)
	before, err := term.GetState(tty.Fd())
	if err != nil {
		t.Fatal(err)
	}
	panics := &feedtest.Feed{Events: feedtest.ThreeNodes(),
		Then: func(context.Context) error { time.Sleep(300 * time.Millisecond); panic("a source that panics") }}
	cfg := config.Default()
	cfg.Demo, cfg.Theme = config.DefaultDemo, "dark" // remembers nothing, asks the terminal nothing
	p := &cli.Program{Config: cfg, Streams: cli.Streams{In: tty, Out: tty, Err: io.Discard}}
	failed := Watch(p, cli.Selection{})(t.Context(), panics)
	after, err := term.GetState(tty.Fd())
	if err != nil {
		t.Fatal(err)
	}
	if failed == nil || !strings.Contains(failed.Error(), "a source that panics") || *after != *before {
		t.Errorf("error %v; the terminal is as before: %t", failed, *after == *before)
	}
	if !strings.Contains(written(), "\x1b[?1049l") {
		t.Error("the screen is still on the terminal")
	}
}

// A screen that nobody uses ends by itself, and says why on the terminal that it has given back.
func TestTheIdleScreenEnds(t *testing.T) {
	t.Setenv("TERM", "xterm")
	tty, written := feedtest.Terminal(t)
	cfg := config.Default()
	cfg.Demo, cfg.IdleExit = "1x1", 3*time.Second // it is drawn before, on a busy host too
	began := time.Now()
	p := &cli.Program{Config: cfg, Streams: cli.Streams{In: tty, Out: tty, Err: &bytes.Buffer{}}}
	err := Watch(p, cli.Selection{})(t.Context(), demo.New(1, 1, 1, time.Second, 0))
	shown := written()
	exit, ours := errors.AsType[*cli.ExitError](err)
	if !ours || exit.Code != cli.ExitOK || exit.Err.Error() != "ended after 3s without a key (nvnodetop config shows "+
		"where idle_exit is set)" {
		t.Errorf("error %v", err)
	}
	if took := time.Since(began); took < cfg.IdleExit || took > 10*time.Second || shown == "" {
		t.Errorf("it took %v and wrote %d bytes", took, len(shown))
	}
}

// notOfScreens are the settings that no option of the screens depends on.
var notOfScreens = []string{
	"Poll", "PollFloor", "Slurm", "SlurmFloor", "History", "Timeout", "Thresholds", // of what the screens show
	"Demo", "Nodes", "Job", "Transport", "Doors", "MaxNodes", "MaxNodesFrom", // where it comes from
	"IdleExit", "Admins", "Notify", // showScreens takes them
	"ReadOnly",                                                              // ReadOnlyFrom says so, too
	"Log", "Serve", "ServeFrom", "MaxPrograms", "MaxProgramsFrom", "Prices", // of other parts of the program
	"Recordings", "Record", "RecordFrom", "Logs", "LogsFrom", "Progress", "Runs", "HangAsk", // of the aides and sources
}

// Every other setting changes an option of the screens, in some locale.
func TestOptionsHaveTheSettings(t *testing.T) {
	t.Setenv("TERM", "xterm-256color")
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	for field := range reflect.TypeFor[config.Config]().Fields() {
		changes := false
		for _, locale := range []string{"C.UTF-8", "C"} { // the second turns ASCII on
			t.Setenv("LC_ALL", locale)
			usual, cfg := config.Default(), config.Default()
			setting := reflect.ValueOf(&cfg).Elem().FieldByIndex(field.Index)
			if words := wordsOf(field.Name); words != nil {
				setting.SetString(words[len(words)-1])
			} else {
				change(t, setting)
			}
			changes = changes || !reflect.DeepEqual(optionsOf(&usual), optionsOf(&cfg))
		}
		switch other := slices.Contains(notOfScreens, field.Name); {
		case !changes && !other:
			t.Errorf("config.Config.%s changes no option of the screens: fill one in Options, choicesOf or lookOf of "+
				"internal/app/screen, or add it to notOfScreens (screen_test.go) if they do without it", field.Name)
		case changes && other:
			t.Errorf("config.Config.%s changes an option of the screens: take it from notOfScreens", field.Name)
		}
	}
	for _, name := range notOfScreens {
		if _, is := reflect.TypeFor[config.Config]().FieldByName(name); !is {
			t.Errorf("config.Config.%s is gone: take it from notOfScreens", name)
		}
	}
}

// wordsOf returns the words of the setting that fills a field of config.Config; nil: it has other values.
func wordsOf(field string) []string {
	usual := config.Default()
	for _, v := range usual.Values(&config.Origins{}) {
		if strings.EqualFold(strings.ReplaceAll(v.Key, "_", ""), field) {
			return config.Words(v.Key)
		}
	}
	return nil
}

// optionsOf returns the options of the screens that are no functions.
func optionsOf(cfg *config.Config) map[string]any {
	options, values := reflect.ValueOf(Options(cfg, nil, nil, cli.Selection{})), map[string]any{}
	for field, value := range options.Fields() {
		if field.Type.Kind() != reflect.Func {
			values[field.Name] = value.Interface()
		}
	}
	return values
}

// change gives a setting another value.
func change(t *testing.T, v reflect.Value) {
	switch {
	case v.Kind() == reflect.Bool:
		v.SetBool(!v.Bool())
	case v.CanInt():
		v.SetInt(v.Int() + 1)
	case v.CanFloat():
		v.SetFloat(v.Float() + 1)
	case v.Kind() == reflect.String:
		v.SetString(v.String() + "x")
	case v.Kind() == reflect.Array:
		change(t, v.Index(0))
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	case v.CanUint():
		v.SetUint(v.Uint() + 1)
	case v.Kind() == reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
	case v.Kind() == reflect.Struct:
		change(t, v.Field(0))
	default:
		t.Fatalf("change knows no other value of a %s", v.Type())
	}
}

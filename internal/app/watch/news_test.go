package watch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
)

func newsSettings(ways ...string) *config.Config {
	cfg := config.Default()
	cfg.Notify.Ways = ways
	return &cfg
}

// A way that the site forbids, or that lacks what it needs, is refused in one line. A terminal that the settings want,
// and that is not there, is no mistake.
func TestWays(t *testing.T) {
	open := filepath.Join(t.TempDir(), "url")
	if err := os.WriteFile(open, []byte("https://example.org"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		change func(c *config.Notify)
		named  []string
		opened int
		wrong  string
	}{
		"none": {func(*config.Notify) {}, nil, 0, ""},
		"a command": {func(c *config.Notify) { c.Ways, c.Command = []string{"command"}, []string{"true"} }, nil, 1,
			""},
		"no command": {func(c *config.Notify) { c.Ways = []string{"command"} }, nil, 0,
			"no notification by command: notify.command is not set"},
		"no terminal": {func(c *config.Notify) { c.Ways = []string{"terminal"} }, nil, 0, ""},
		"named": {func(*config.Notify) {}, []string{"terminal"}, 0,
			"no notification by terminal: this program has no terminal"},
		"in its place": {func(c *config.Notify) { c.Ways, c.Command = []string{"mail"}, []string{"true"} },
			[]string{"command"}, 1, ""},
		"forbidden": {func(c *config.Notify) {
			c.Ways, c.Command, c.Allow, c.AllowFrom = []string{"command"}, []string{"true"}, "terminal", "/etc/x:3"
		}, nil, 0, `no notification by command: notify.allow = "terminal" (/etc/x:3) forbids it`},
		"off": {func(c *config.Notify) { c.Ways, c.Allow = []string{"terminal"}, "off" }, nil, 0,
			`notify.allow = "off"`},
		"readable": {func(c *config.Notify) { c.Ways, c.Webhook = []string{"webhook"}, open }, nil, 0,
			"others can read it"},
		"no mail": {func(c *config.Notify) { c.Ways = []string{"mail"} }, nil, 0, "notify.mail is not set"},
		"not there": {func(c *config.Notify) { c.Ways, c.Command = []string{"command"}, []string{"/no/x"} }, nil, 0,
			"is not found"},
	} {
		cfg := newsSettings()
		tc.change(&cfg.Notify)
		opened, wrong := OpenWays(cfg, NewsOptions{Ways: tc.named, Named: tc.named != nil})
		said := ""
		for _, err := range wrong {
			said += err.Error()
		}
		if len(opened) != tc.opened || !strings.Contains(said, tc.wrong) || tc.wrong == "" && said != "" ||
			strings.Contains(said, "\n") {
			t.Errorf("%s: %d ways, wrong %q", name, len(opened), said)
		}
	}
}

// What one program has told another one does not tell again, and the end of it is forgotten.
func TestTwoPrograms(t *testing.T) {
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	synctest.Test(t, func(t *testing.T) {
		snap := &cluster.Snapshot{Nodes: map[string]*cluster.Node{},
			Jobs: []cluster.JobView{{Job: cluster.Job{ID: "7"}}}}
		hang := []cluster.Finding{{Kind: cluster.KindJobHang, Severity: cluster.Warning, GPU: -1, Since: time.Now()}}
		run := func(looks ...[]cluster.Finding) (titles []string) {
			cfg := newsSettings("terminal")
			cfg.HangAsk = false // a hang is told at once
			d, _ := OpenNews(cfg, NewsOptions{Terminal: func(title, _ string) { titles = append(titles, title) }})
			for _, found := range looks {
				time.Sleep(time.Minute)
				s := *snap
				s.At, s.Jobs = time.Now(), []cluster.JobView{{Job: snap.Jobs[0].Job, Findings: found}}
				d.See(&s)
				if d.saved != nil {
					<-d.saved.Done()
				}
			}
			if !d.Close(time.Minute) {
				t.Error("not delivered")
			}
			return titles
		}
		first, second, third := run(hang, hang), run(hang, nil), run(nil, hang)
		if strings.Join(first, ",") != "7: job seems to hang" || len(second) != 1 ||
			!strings.HasPrefix(second[0], "over after") || len(third) != 1 {
			t.Errorf("told %q, then %q, then %q", first, second, third)
		}
	})
}

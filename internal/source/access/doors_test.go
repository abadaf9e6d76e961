package access

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/config"
	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/remote/srun"
	"github.com/nvnodetop/nvnodetop/internal/remote/ssh"
)

func TestNotHere(t *testing.T) {
	for _, c := range []struct {
		node, host string
		here       bool
	}{
		{"gpu1", "gpu1", true}, {"GPU1", "gpu1", true}, {"gpu1", "gpu1.example.org", true},
		{"gpu1.example.org", "gpu1", true},
		{"gpu1.example.org.", "gpu1.example.org", true},
		{"gpu1.a.org", "gpu1.b.org", false}, {"gpu2", "gpu1", false}, {"gpu1", "gpu10", false},
	} {
		if why := notHere(c.node, c.host); (why == "") != c.here {
			t.Errorf("%q on %q: %q", c.node, c.host, why)
		}
	}
}

func nativeDoor(t *testing.T) *ssh.Door {
	t.Helper()
	d, err := ssh.New("test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

// TestEveryTransportIsADoor: a chosen transport leaves only its door, and auto begins with the remembered door.
func TestEveryTransportIsADoor(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("SLURM_CONF", "/nowhere")
	for _, name := range config.Transports[1:] {
		cfg := config.Default()
		cfg.Transport = name
		o, err := newOpener(&cfg, "login1", nativeDoor(t))
		if err != nil {
			t.Fatal(err)
		}
		if got := o.BeginsWith(config.SSH); got != (name == config.SSH) {
			t.Errorf("--transport %s begins with ssh: %v", name, got)
		}
		if r := o.Route(t.Context(), "nosuchnode"); r.Door != name {
			t.Errorf("--transport %s leads through %q", name, r.Door)
		}
	}
}

// Doors that are not allowed are not tried, not even where they last reached a node.
func TestOnlyAllowedDoorsAreTried(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("SLURM_CONF", "/nowhere")
	system := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(system, []byte("doors = ['openssh']\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := config.Remember(config.Transport("login1"), config.SSH); err != nil {
		t.Fatal(err)
	}
	cfg := config.Default()
	if _, err := cfg.Load(config.Inputs{System: system}); err != nil {
		t.Fatal(err)
	}
	native, err := ssh.New("test")
	if err != nil {
		t.Fatal(err)
	}
	o, err := newOpener(&cfg, "login1", native)
	if err != nil {
		t.Fatal(err)
	}
	if r := o.Route(t.Context(), "nosuchnode"); r.Door != "openssh" || o.BeginsWith(config.SSH) {
		t.Errorf("the node is reached through %q", r.Door)
	}
}

// TestTheTransportIsRemembered: this host comes first, then the door that last reached a node.
func TestTheTransportIsRemembered(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("SLURM_CONF", "/nowhere")
	cfg, choice := config.Default(), config.Transport("login1")
	door := func(node string) string {
		t.Helper()
		o, err := newOpener(&cfg, "login1", nativeDoor(t))
		if err != nil {
			t.Fatal(err)
		}
		if config.Remembered(choice) == "" {
			o.Won("openssh")
		}
		return o.Route(t.Context(), node).Door
	}
	if got := door("nosuchnode"); got != "ssh" {
		t.Errorf("a node is reached through %q", got)
	}
	for began := time.Now(); config.Remembered(choice) != "openssh"; time.Sleep(time.Millisecond) {
		if time.Since(began) > 5*time.Second {
			t.Fatal("the transport is not remembered")
		}
	}
	if got := door("nosuchnode"); got != "openssh" {
		t.Errorf("a node is reached through %q after openssh worked", got)
	}
	if got := door("login1.example.org"); got != "local" {
		t.Errorf("this host is reached through %q", got)
	}
	old := time.Now().Add(-8 * 24 * time.Hour)
	if err := os.Chtimes(filepath.Join(os.Getenv("XDG_STATE_HOME"), "nvnodetop", choice), old, old); err != nil {
		t.Fatal(err)
	}
	if got := door("nosuchnode"); got != "ssh" {
		t.Errorf("a node is reached through %q long after openssh worked", got)
	}
}

func TestJobsByNode(t *testing.T) {
	got := jobsByNode([]cluster.Job{
		{ID: "2_1", Number: "16", Nodes: []string{"a", "b", "c"}, Minors: map[string][]int{"a": {0, 3}},
			Counts: map[string]int{"b": 4}},
	})
	want := []remote.KnownJob{{ID: "16", Nodes: []string{"a", "b", "c"}, GPUs: map[string]int{"a": 2, "b": 4}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestJobsWithSteps(t *testing.T) {
	got := withSteps([]cluster.Job{
		{ID: "1", Number: "1", Nodes: []string{"a"}, Suspended: true},
		{ID: "2_1", Number: "16", Nodes: []string{"a"}},
		{ID: "48211+1", Number: "48212", Nodes: []string{"b"}},
	})
	want := []srun.Job{
		{ID: "1", Nodes: []string{"a"}, GPUs: map[string]int{}, Suspended: true},
		{ID: "16", Nodes: []string{"a"}, GPUs: map[string]int{}},
		{ID: "48212", Nodes: []string{"b"}, GPUs: map[string]int{}, Leader: "48211", Group: "1"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

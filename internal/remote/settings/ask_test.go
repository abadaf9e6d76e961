package settings

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/nvnodetop/nvnodetop/internal/remote"
)

// ssh returns a Source that asks a real ssh, through a script that counts the calls.
func ssh(t *testing.T, config string) (s *Source, calls func() int) {
	t.Helper()
	program, err := exec.LookPath("ssh")
	if err != nil {
		t.Skip("needs ssh (scripts/testcluster install): ", err)
	}
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	s = sourceWith(t, map[string]string{"config": config, "log": "",
		"ssh": fmt.Sprintf("#!/bin/sh\necho >> HOME/log\nexec %s \"$@\"\n", program)})
	dir := s.cfg.Home
	s.cfg = Config{Home: me.HomeDir, User: me.Username, Program: filepath.Join(dir, "ssh"),
		File: filepath.Join(dir, "config")}
	if err := os.Chmod(s.cfg.Program, 0o700); err != nil {
		t.Fatal(err)
	}
	return s, func() int {
		log, err := os.ReadFile(filepath.Join(dir, "log"))
		if err != nil {
			t.Fatal(err)
		}
		return len(log)
	}
}

// TestAsked compares the answers of ssh with the files, for many nodes, and counts the questions.
func TestAsked(t *testing.T) {
	for _, c := range []struct {
		name, config string
		calls        int // for 20 nodes
	}{
		{"nothing", "", 1},
		{"tokens", "Host *\n HostName %h.Cluster\n Port ssh\n UserKnownHostsFile HOME/known.d/%k \"HOME/k 2\" " +
			"HOME/%n-%h\n ControlPath HOME/%C-%r@%h:%p\n IdentityAgent HOME/agent-%n\n IdentityFile 'HOME/a b'\n " +
			"IdentityFile HOME/%r-%n\n", 1},
		{"blocks", "Host gpu1*\n Port 23\nHost !gpu01,gpu*\n User u\nMatch final all\n Compression yes\n", 2},
		{"match host", "Host gpu0*\n HostName CPU%h\nMatch host cpugpu*\n Port 24\n ProxyJump a@b:23\nHost *\n " +
			"ProxyCommand none\n", 2},
		{"exec", "Match exec \"test %n = gpu07\"\n Port 24\n", 20},
		{"resolver", "CanonicalizeHostname yes\nCanonicalDomains invalid\n", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			asking, calls := ssh(t, c.config)
			reading := New(asking.cfg)
			reading.cfg.Program = ""
			for i := range 20 {
				node := fmt.Sprintf("gpu%02d", i)
				got, err := asking.For(t.Context(), node)
				if err != nil {
					t.Fatal(err)
				}
				want, err := reading.For(t.Context(), node)
				if err != nil {
					t.Fatal(err)
				}
				if c.name == "exec" { // only ssh can evaluate it
					want.Port = map[bool]string{true: "24", false: "22"}[node == "gpu07"]
				}
				if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Settings{}),
					cmpopts.IgnoreFields(Settings{}, "HostKeyAlgorithms", "RequiredRSASize", "CASignatureAlgorithms",
						"Ignored",
						"KexAlgorithms", "Ciphers", "MACs", "PubkeyAcceptedAlgorithms")); diff != "" {
					t.Fatalf("%s: (-files +ssh)\n%s", node, diff)
				}
				if !slices.Contains(got.HostKeyAlgorithms, "ssh-ed25519") || got.Ignored != nil {
					t.Errorf("%s: %+v", node, got)
				}
			}
			if got := calls(); got != c.calls {
				t.Errorf("%d calls of ssh, want %d", got, c.calls)
			}
		})
	}
}

// TestAskedAboutACommand: some configurations need a command, others forbid one.
func TestAskedAboutACommand(t *testing.T) {
	for config, want := range map[string]int{
		"Host *\n Port 24\n":                                                       1,
		"Host *\n Port 24\n RemoteCommand tmux\n":                                  1,
		"Host *\n Port 24\n ForkAfterAuthentication yes\n":                         2,
		"Host *\n Port 24\n ForkAfterAuthentication yes\n RemoteCommand tmux\n":    1,
		"Host *\n Port 24\n SessionType none\n ForkAfterAuthentication yes\n":      1,
		"Host *\n Port 24\n ForkAfterAuthentication yes\n StdinNull yes\n":         2,
		"Host *\n Port 24\n ForkAfterAuthentication yes\n SessionType subsystem\n": 2,
	} {
		s, calls := ssh(t, config)
		got, err := s.For(t.Context(), "n")
		if err != nil || got.Port != "24" || got.Ignored != nil {
			t.Errorf("%q: %+v, %v", config, got, err)
		}
		if n := calls(); n != want {
			t.Errorf("%q: %d calls of ssh, want %d", config, n, want)
		}
	}
}

// TestAskedOldSSH: OpenSSH 7.4 prints paths as they are configured.
func TestAskedOldSSH(t *testing.T) {
	s, calls := ssh(t, "Host *\n ControlPath ~/%r@%h:%p\n")
	writeFile(t, s.cfg.Program, "#!/bin/sh\necho >> ${0%ssh}log\nfor node; do :; done\necho \"hostname $node\nport "+
		"22\nuser u\nidentityfile ~/.ssh/id_rsa\nidentityfile ~/.ssh/id_dsa\n"+
		"controlpath ~/%r@%h:%p\nuserknownhostsfile ~/.ssh/known_hosts ~/.ssh/known_hosts2\"\n")
	for i := range 20 {
		node := fmt.Sprintf("gpu%02d", i)
		got, err := s.For(t.Context(), node)
		if err != nil {
			t.Fatal(err)
		}
		home := s.cfg.Home
		if got.HostName != node || got.ControlPath != home+"/u@"+node+":22" ||
			!slices.Equal(got.KnownHosts, []string{home + "/.ssh/known_hosts", home + "/.ssh/known_hosts2"}) ||
			!slices.Equal(got.IdentityFiles, []string{home + "/.ssh/id_rsa", home + "/.ssh/id_dsa"}) {
			t.Errorf("got %+v", got)
		}
	}
	if calls() != 1 {
		t.Errorf("%d calls of ssh, want 1", calls())
	}
}

// TestSSHThatHangsCostsOneWait asks about many nodes at a time; each needs an answer of its own.
func TestSSHThatHangsCostsOneWait(t *testing.T) {
	s, _ := ssh(t, "Match exec \"sleep 60\"\n Port 24\n")
	s.patience = time.Second
	began := time.Now()
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			if got, err := s.For(t.Context(), fmt.Sprint("n", i)); err != nil || got.Port != "22" ||
				len(got.Ignored) != 2 {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
	wg.Wait()
	if took := time.Since(began); took > 3*s.patience {
		t.Errorf("took %v", took)
	}
}

// BenchmarkFor gets the settings of many nodes, in turn, from a long configuration.
func BenchmarkFor(b *testing.B) {
	var config strings.Builder
	for i := range 100 {
		fmt.Fprintf(&config, "Host machine%d machine%d.example.org\n HostName 10.0.0.%d\n User me\n IdentityFile "+
			"~/.ssh/key%d\n", i, i, i, i)
	}
	s := sourceWith(b, map[string]string{".ssh/config": config.String() +
		"Host gpu*\n UserKnownHostsFile ~/.ssh/known_hosts.d/%k\n"})
	for i := 0; b.Loop(); i++ {
		if _, err := s.For(b.Context(), fmt.Sprintf("gpu%04d", i%1000)); err != nil {
			b.Fatal(err)
		}
	}
}

// TestRefused: a configuration that ssh refuses is refused, in the words of ssh, until the file is repaired.
func TestRefused(t *testing.T) {
	s, _ := ssh(t, "Host n\n Port 23\n NoSuchThing x\n")
	got, err := s.For(t.Context(), "n")
	if local, ok := errors.AsType[*remote.LocalError](err); !ok ||
		!strings.Contains(local.Error(), "line 3: Bad configuration option") {
		t.Fatalf("got %+v, %v", got, err)
	}
	writeFile(t, s.cfg.File, "Host n\n Port 23\n")
	s.readAt = time.Time{}
	if got, err := s.For(t.Context(), "n"); err != nil || got.Port != "23" {
		t.Errorf("got %+v, %v", got, err)
	}
	// A name is never an option.
	if got, err := s.For(t.Context(), "-oPort=5"); err == nil && got.Port == "5" {
		t.Errorf("got %+v", got)
	}
}

// TestNotAsked reads the files where ssh gives no answer, and says so.
func TestNotAsked(t *testing.T) {
	for script, reason := range map[string]string{
		"sleep 60":                                "did not answer within",
		"echo 'usage: ssh host [command]'; exit":  "printed no configuration",
		"echo 'usage: ssh -x host' >&2; exit 255": "exit status 255",
		"kill -9 $$":                              "signal: killed",
		"yes":                                     "did not answer within",
	} {
		s, _ := ssh(t, "Host n\n Port 23\n")
		s.patience = 300 * time.Millisecond
		writeFile(t, s.cfg.Program, "#!/bin/sh\n"+script+"\n")
		for range 2 {
			got, err := s.For(t.Context(), "n")
			if err != nil || got.Port != "23" || len(got.Ignored) != 1 || !strings.Contains(got.Ignored[0], reason) {
				t.Errorf("%s: got %+v, %v, want %q", script, got, err, reason)
			}
			s.patience = 0 // the second question waits for nothing
		}
	}
}

// TestNamesForAShell: a name with another meaning for a ProxyCommand's shell, or for a path, is refused, even if ssh
// was asked about another node of its group.
func TestNamesForAShell(t *testing.T) {
	asking, _ := ssh(t, "Host *\n ProxyCommand nc %h %p\n UserKnownHostsFile HOME/known.d/%k\n")
	reading := New(asking.cfg)
	reading.cfg.Program = ""
	for _, s := range []*Source{asking, reading} {
		if _, err := s.For(t.Context(), "gpu01"); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"x;id", "$(id)", "`id`", "a|b", "a&b", "a>b", "a'b", `a"b`, "a{b,c}", `a\b`,
			"-oProxyCommand=id", "a\nb", "a\x1bb", "../evil", "", strings.Repeat("n", 10_000)} {
			if got, err := s.For(t.Context(), name); err == nil {
				t.Errorf("%.20q: runs %.40q", name, got.Expand(got.ProxyCommand))
			}
		}
		for _, name := range []string{"gpu01", "GPU_1.cluster", "::1", "fe80::1%eth0"} {
			if _, err := s.For(t.Context(), name); err != nil {
				t.Error(err)
			}
		}
	}
}

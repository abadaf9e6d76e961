package ssh

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// siteWith has an SSH configuration of several files; the first two are the user's and the system's.
func siteWith(t testing.TB, files map[string]string) *site {
	t.Helper()
	s := newSite(t)
	for name, text := range files {
		writeFile(t, filepath.Join(s.home, name), strings.ReplaceAll(text, "HOME", s.home))
	}
	s.d.config.files = []string{filepath.Join(s.home, ".ssh/config"), filepath.Join(s.home, "etc/ssh_config")}
	return s
}

func TestTarget(t *testing.T) {
	t.Setenv("SITE", "north")
	s := siteWith(t, map[string]string{
		".ssh/config": `
# the user's
Host gpu-*  !gpu-9
    HostName %h.${SITE}.cluster
    Port=2222
    User "alice"
    IdentityFile "~/.ssh/a b"
    IdentityFile %d/.ssh/%r-%n-%p
    CertificateFile ~/.ssh/c-cert.pub
    IdentitiesOnly yes
    IdentityAgent none
    UserKnownHostsFile ~/.ssh/k1 "~/.ssh/k 2"
    StrictHostKeyChecking no
Host *
    Include conf.d/*.conf
Host last
    HostKeyAlias one-for-all
Match host m1,m2
    Port 23
Match exec "true"
    Port 666
    ProxyJump evil
Match final all
    User nobody
Match all
    Port 24
`,
		".ssh/conf.d/one.conf": "User carol\nHost inc\n  Port 77\nMatch user x\n  Port 667\n",
		"etc/ssh_config":       "Host guarded\n  Include HOME/etc/more\n  Port 99\nHost *\n GlobalKnownHostsFile /etc/known\n User system\n",
		"etc/more":             "Host *\n  HostName hidden\n",
	})
	for node, want := range map[string]target{
		"gpu-1": {hostName: "gpu-1.north.cluster", port: "2222", user: "alice", agent: "none", identitiesOnly: true,
			identityFiles: []string{"HOME/.ssh/a b", "HOME/.ssh/alice-gpu-1-2222"}, certificateFiles: []string{"HOME/.ssh/c-cert.pub"},
			knownHosts: []string{"HOME/.ssh/k1", "HOME/.ssh/k 2", "/etc/known"}},
		"gpu-9":   {hostName: "gpu-9", port: "24", user: "carol", knownHosts: presetKnown},
		"inc":     {hostName: "inc", port: "77", user: "carol", knownHosts: presetKnown},
		"last":    {hostName: "last", port: "24", user: "carol", alias: "one-for-all", knownHosts: presetKnown},
		"m2":      {hostName: "m2", port: "23", user: "carol", knownHosts: presetKnown},
		"guarded": {hostName: "hidden", port: "24", user: "carol", knownHosts: presetKnown},
	} {
		got, err := s.d.target(node)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.ignored) != 3 {
			t.Fatalf("ignored: %q, want the three Matches that cannot be evaluated", got.ignored)
		}
		want.node, want.ignored = node, got.ignored
		if g, w := fmt.Sprintf("%+v", *got), strings.ReplaceAll(fmt.Sprintf("%+v", want), "HOME", s.home); g != w {
			t.Errorf("%s:\n got %s\nwant %s", node, g, w)
		}
	}
}

var presetKnown = []string{"HOME/.ssh/known_hosts", "HOME/.ssh/known_hosts2", "/etc/known"}

func TestConfigThatCannotBeRead(t *testing.T) {
	s := siteWith(t, map[string]string{
		".ssh/config":    "Include config\nHost a\n  Port 5\nHost\n  Port 6\nHost b\n Port 7\n",
		"etc/ssh_config": "User u\n",
	})
	for node, port := range map[string]string{"a": "5", "b": "7", "c": "22"} {
		got, err := s.d.target(node)
		if err != nil || got.port != port || got.user != "u" {
			t.Errorf("%s: %+v %v, want port %s", node, got, err, port)
		}
	}
	got, err := s.d.target("a")
	if err != nil || !slices.ContainsFunc(got.ignored, func(i string) bool { return strings.Contains(i, errNesting.Error()) }) {
		t.Errorf("the loop is not said: %q %v", got.ignored, err)
	}
}

func TestAgentSocket(t *testing.T) {
	t.Setenv("MY_AGENT", "/run/agent")
	s := newSite(t)
	for value, want := range map[string]string{
		"": "", "SSH_AUTH_SOCK": "", "none": "none", "$MY_AGENT": "/run/agent", "${MY_AGENT}": "/run/agent", "$NO_SUCH": "none", "~/a": s.home + "/a",
	} {
		if got := s.d.agentSocket(value, s.d.path); got != want {
			t.Errorf("IdentityAgent %s: %q, want %q", value, got, want)
		}
	}
}

func TestHostNameThatIsNone(t *testing.T) {
	s := siteWith(t, map[string]string{".ssh/config": "Host a\n HostName \"x y\"\n"})
	if got, err := s.d.target("a"); err == nil {
		t.Errorf("got %+v", got)
	}
}

func FuzzConfig(f *testing.F) {
	for _, seed := range []string{
		"Host a b !c\n Port 22\nMatch final all\n Include x\n", "Match host a,b\nUser=x", "Include", "Host", "\"", "Port = \r\n", "a\x00=\"b", "Host \xff\n \xff",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c := &sshConfig{}
		r := configReader{out: c, dir: t.TempDir(), home: "/nonexistent"}
		r.text("f", []byte(text), nil, maxIncludes-1)
		before := len(c.parts)
		// Whatever stands before it, a block of its own is read.
		c.all("h", "Port")
		r.text("g", []byte(text+"\nHost fuzz-target\n  HostKeyAlias found\n"), nil, maxIncludes-1)
		if len(c.parts) <= before || !slices.Contains(c.all("fuzz-target", "HostKeyAlias"), "found") {
			t.Errorf("%q hides a Host block behind it; ignored: %q", text, c.ignored)
		}
	})
}

func FuzzSplitWords(f *testing.F) {
	f.Add(`a "b c" d"e`)
	f.Fuzz(func(t *testing.T, s string) {
		for _, w := range splitWords(s) {
			if strings.Contains(w, `"`) {
				t.Errorf("%q has the word %q", s, w)
			}
		}
		expandTokens(s, map[byte]string{'h': "x"})
	})
}

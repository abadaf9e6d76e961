package settings

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// sourceWith returns a Source without ssh for a home with these files. HOME stands for the home.
func sourceWith(t testing.TB, files map[string]string) *Source {
	t.Helper()
	home := t.TempDir()
	for name, text := range files {
		writeFile(t, filepath.Join(home, name), strings.ReplaceAll(text, "HOME", home))
	}
	s := New(Config{Home: home, User: "me"})
	s.system = filepath.Join(home, "etc/ssh_config")
	return s
}

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestFiles(t *testing.T) {
	t.Setenv("SITE", "north")
	s := sourceWith(t, map[string]string{
		".ssh/config": `
# the user's
Host gpu-*  !gpu-9
    HostName %h.${SITE}.cluster
    Port=2222
    User "alice"
    IdentityFile "~/.ssh/a b"
    IdentityFile %d/.ssh/%r-%n-%p
    CertificateFile ~/.ssh/c-cert.pub
    IdentitiesOnly true
    IdentityAgent none
    UserKnownHostsFile ~/.ssh/k1 "~/.ssh/k 2" ~/.ssh/%k
    RevokedHostKeys '~/.ssh/revoked %h'
    StrictHostKeyChecking no
Host *
    Include conf.d/*.conf
Host last
    HostKeyAlias One-For-All
    ProxyCommand none
    ProxyJump late
    IdentityFile none
Match host m1,m2,inc.cluster
    ProxyJump hop # not x#y
    ProxyCommand nc "%h" %p
Match originalhost m1
    Port 23
    HostName x.y
Match exec "true"
    Port 666
    ProxyJump evil
Match final all
    User nobody
Match all
    Port ssh
`,
		".ssh/conf.d/one.conf": "User carol\nHost inc\n  Port 77\n  HostName INC.cluster\nMatch user x\n  Port 667\n",
		"etc/ssh_config": "Host guarded\n  Include HOME/etc/more\n  Port 99\nHost *\n GlobalKnownHostsFile " +
			"/etc/known\n User system\n",
		"etc/more": "Host *\n  HostName hidden\n",
	})
	known := []string{"HOME/.ssh/known_hosts", "HOME/.ssh/known_hosts2", "/etc/known"}
	keys := []string{"HOME/.ssh/id_ed25519", "HOME/.ssh/id_ecdsa", "HOME/.ssh/id_rsa", "HOME/.ssh/id_ed25519_sk",
		"HOME/.ssh/id_ecdsa_sk"}
	for node, want := range map[string]Settings{
		"gpu-1": {HostName: "gpu-1.north.cluster", Port: "2222", User: "alice", Agent: "none", IdentitiesOnly: true,
			IdentityFiles:    []string{"HOME/.ssh/a b", "HOME/.ssh/alice-gpu-1-2222"},
			CertificateFiles: []string{"HOME/.ssh/c-cert.pub"},
			KnownHosts:       []string{"HOME/.ssh/k1", "HOME/.ssh/k 2", "HOME/.ssh/gpu-1", "/etc/known"},
			RevokedKeys:      "HOME/.ssh/revoked gpu-1.north.cluster"},
		"gpu-9": {HostName: "gpu-9", Port: "22", User: "carol", KnownHosts: known, IdentityFiles: keys,
			DefaultIdentities: true},
		"inc": {HostName: "inc.cluster", Port: "77", User: "carol", KnownHosts: known, IdentityFiles: keys,
			DefaultIdentities: true, ProxyJump: "hop"},
		"last": {HostName: "last", Port: "22", User: "carol", Alias: "one-for-all", KnownHosts: known},
		"m1": {HostName: "x.y", Port: "23", User: "carol", KnownHosts: known, IdentityFiles: keys,
			DefaultIdentities: true, ProxyJump: "hop"},
		"guarded": {HostName: "hidden", Port: "22", User: "carol", KnownHosts: known, IdentityFiles: keys,
			DefaultIdentities: true},
	} {
		got, err := s.For(t.Context(), node)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Ignored) != 3 {
			t.Fatalf("ignored: %q, want the three Matches that cannot be evaluated", got.Ignored)
		}
		want.Node, want.Ignored = node, got.Ignored
		for _, paths := range [][]string{want.KnownHosts, want.IdentityFiles, want.CertificateFiles,
			{want.RevokedKeys}} {
			for i, p := range paths {
				paths[i] = strings.ReplaceAll(p, "HOME", s.cfg.Home)
			}
		}
		want.RevokedKeys = strings.ReplaceAll(want.RevokedKeys, "HOME", s.cfg.Home)
		if diff := cmp.Diff(want, *got, cmpopts.IgnoreUnexported(Settings{})); diff != "" {
			t.Errorf("%s: %s", node, diff)
		}
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	s := sourceWith(t, map[string]string{
		".ssh/config":    "Include config\nHost a\n  Port 5\nHost\n  Port 6\nHost b\n Port 7\n",
		"etc/ssh_config": "User u\n",
	})
	for node, port := range map[string]string{"a": "5", "b": "7", "c": "22"} {
		got, err := s.For(t.Context(), node)
		if err != nil || got.Port != port || got.User != "u" {
			t.Errorf("%s: %+v %v, want port %s", node, got, err, port)
		}
	}
	got, err := s.For(t.Context(), "a")
	if err != nil || !slices.ContainsFunc(got.Ignored,
		func(i string) bool { return strings.Contains(i, errNesting.Error()) }) {
		t.Errorf("the loop is not said: %+v %v", got, err)
	}
}

func TestAgentSocket(t *testing.T) {
	t.Setenv("MY_AGENT", "/run/agent")
	s := sourceWith(t, nil)
	for value, want := range map[string]string{
		"": "", "SSH_AUTH_SOCK": "", "none": "none", "$MY_AGENT": "/run/agent", "${MY_AGENT}": "/run/agent",
		"$NO_SUCH": "none", "~/a": s.cfg.Home + "/a",
	} {
		o := options{}
		o.addLine("identityagent", value)
		got, err := s.newSettings("n", s.resolveOptions(o, "n"))
		if err != nil || got.Agent != want {
			t.Errorf("IdentityAgent %s: %+v %v, want %q", value, got, err, want)
		}
	}
}

func TestInvalid(t *testing.T) {
	for _, option := range []string{"HostName \"x y\"", "Port 0", "Port none"} {
		s := sourceWith(t, map[string]string{".ssh/config": "Host a\n " + option + "\n"})
		if got, err := s.For(t.Context(), "a"); err == nil {
			t.Errorf("%s: got %+v", option, got)
		}
	}
}

func FuzzFiles(f *testing.F) {
	for _, seed := range []string{
		"Host a b !c\n Port 22\nMatch final all\n Include x\n", "Match host a,b\nUser=x", "Include", "Host", "\"",
		"Port = \r\n", "a\x00=\"b", "Host \xff\n \xff",
	} {
		f.Add(seed)
	}
	s := New(Config{Home: "/nonexistent", User: "me"})
	f.Fuzz(func(t *testing.T, text string) {
		c := s.readFiles()
		r := configReader{out: c, dir: t.TempDir(), home: "/nonexistent"}
		r.readText("f", []byte(text), nil, maxIncludes-1)
		// A block of its own is read, whatever stands before it.
		r.readText("g", []byte(text+"\nHost fuzz-target\n  HostKeyAlias found\n"), nil, maxIncludes-1)
		o, _ := c.nodeOptions("fuzz-target")
		if !slices.Contains(o["hostkeyalias"], "found") {
			t.Errorf("%q hides a Host block behind it; ignored: %q", text, c.ignored)
		}
		_, _ = s.newSettings("fuzz-target", s.resolveOptions(o, "fuzz-target"))
	})
}

func FuzzSplitWords(f *testing.F) {
	f.Add(`a "b c" d"e`)
	f.Add(`a\ b 'c\'d' #x`)
	f.Fuzz(func(t *testing.T, s string) {
		words := splitWords(s)
		var quoted []string
		for _, w := range words {
			quoted = append(quoted, `"`+strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(w)+`"`)
		}
		if again := splitWords(strings.Join(quoted, " ")); !slices.Equal(again, words) {
			t.Errorf("%q has the words %q; quoted they are %q", s, words, again)
		}
		expandTokens(s, map[byte]string{'h': "x"})
	})
}

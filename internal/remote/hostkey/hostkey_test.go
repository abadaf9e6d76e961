package hostkey

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	knownhosts "golang.org/x/crypto/ssh/knownhosts"

	"github.com/nvnodetop/nvnodetop/test/cost"
)

// internal/remote/ssh tests the rules themselves beside OpenSSH. These are the tests that need no server.

func newKey(t testing.TB) ssh.PublicKey {
	t.Helper()
	public, _, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	key, err := ssh.NewPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func writeFile(t testing.TB, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestMatchList(t *testing.T) {
	for _, c := range []struct {
		patterns, name string
		want           bool
	}{
		{"gpu01", "gpu01", true}, {"gpu01", "gpu011", false}, {"GPU01", "gpu01", true},
		{"gpu01*", "gpu01", true}, {"gpu*1", "gpu01", true}, {"gpu*1", "gpu10", false}, {"*", "", true}, {"", "", true},
		{"?", "", false},
		{"g?u01", "gpu01", true}, {"*pu*", "gpu01", true}, {"**01", "gpu01", true}, {"*a*b*c", "xaybzcc", true},
		{"*?", "", false},
		{"!bad*,*", "bad", false}, {"*,!bad", "bad", false}, {"!bad*,*", "good", true}, {"!bad", "good", false},
		{"a,b,c", "b", true}, {"a,,b", "c", false},
		{"[*]:2222", "[gpu01]:2222", true}, {"gpu*", "[gpu01]:2222", false},
	} {
		if got := matchList(c.name, c.patterns); got != c.want {
			t.Errorf("%q matches %q: %v", c.patterns, c.name, got)
		}
	}
}

// FuzzMatch compares the patterns without brackets with those of the standard library.
func FuzzMatch(f *testing.F) {
	f.Add("gpu*1", "gpu01")
	f.Add("*a*b*c*", "xaxbxc")
	f.Add("?*?", "ab")
	f.Fuzz(func(t *testing.T, pattern, name string) {
		if strings.ContainsAny(pattern+name, `[]\/,!`) || strings.ToLower(pattern+name) != pattern+name ||
			!isASCII(pattern+name) {
			return
		}
		want, err := path.Match(pattern, name)
		if err != nil {
			t.Fatal(err)
		}
		if got := matchPattern(name, pattern); got != want {
			t.Errorf("match(%q, %q) = %v", name, pattern, got)
		}
	})
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 })
}

// FuzzFile: whatever a file contains, its own line is found, and a host without a line is not.
func FuzzFile(f *testing.F) {
	key := newKey(f)
	own := knownhosts.Line([]string{"fuzz-target"}, key)
	for _, seed := range []string{"gpu01 ssh-ed25519 AAAA", "@revoked * x y", "|1|a|b ssh-rsa A",
		"@cert-authority @revoked * a b", "\x00|1|", "# x\n\n \t"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, markerRevoked) {
			return // a line of the file may well revoke it
		}
		name := filepath.Join(t.TempDir(), "known")
		writeFile(t, name, text+"\n"+own+"\n")
		set, err := new(Cache).Load([]string{name}, "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := set.Check(Host{Name: "fuzz-target"}, key, nil, time.Now()); err != nil {
			t.Errorf("%q hides the line behind it: %v", text, err)
		}
		if known, err := set.Check(Host{Name: "fuzz-target", Port: "2"}, newKey(t), nil, time.Now()); err == nil {
			t.Errorf("%q makes a new key known: %v", text, known)
		}
		set.Algorithms(Host{Name: "fuzz-target"}, nil)
		_, _ = new(Cache).Load(nil, name)
	})
}

// FuzzNamesOfLines: the index finds the same lines as a look at each of them.
func FuzzNamesOfLines(f *testing.F) {
	f.Add("gpu01,GPU02 ssh-rsa A\ngpu* ssh-rsa B\n*,!gpu02 ssh-rsa C\ngpu01,gpu01,,gpu0? ssh-rsa D", "gpu01")
	f.Add("gpu01,GPU02 ssh-rsa A\n@revoked gpu02 ssh-rsa B\n,,x ssh-rsa C", "gpu02")
	f.Add("gpu0? ssh-rsa A\n!gpu07,gpu0* ssh-rsa B\ngpu0*,gpu09 ssh-rsa C", "gpu07")
	f.Add("gpu07,!gpu07 ssh-rsa A", "gpu07")
	f.Add("\xff,\u00c4 ssh-rsa A\n"+knownhosts.HashHostname("n")+" ssh-rsa B", "n")
	f.Fuzz(func(t *testing.T, text, name string) {
		file := &file{found: map[string][]int32{}}
		file.parseLines(text, math.MaxInt32, math.MaxInt)
		var want []int32
		for i, l := range file.lines {
			if l.hashed >= 0 && file.hashes[l.hashed].matchesName(name) || l.hashed < 0 && matchList(name, l.hosts) {
				want = append(want, int32(i))
			}
		}
		if got := file.linesOf(name); !slices.Equal(got, want) {
			t.Errorf("%q has the lines %v, want %v", name, got, want)
		}
	})
}

func TestHashed(t *testing.T) {
	for _, name := range []string{"gpu01", "[gpu01]:2222", strings.Repeat("n", 255)} {
		l, h, ok := parseLine(knownhosts.HashHostname(name) + " ssh-rsa AAAA")
		if !ok || l.hosts != "" || !h.matchesName(name) || h.matchesName(name+"1") {
			t.Errorf("%q: %+v %v", name, l, ok)
		}
	}
}

// TestFilesAreReadAgain changes a file: it appears, changes and disappears.
func TestFilesAreReadAgain(t *testing.T) {
	var c Cache
	dir := t.TempDir()
	name, revoked := filepath.Join(dir, "known"), filepath.Join(dir, "revoked")
	key, other := newKey(t), newKey(t)
	verdict := func() string {
		set, err := c.Load([]string{name, dir}, revoked)
		if err != nil {
			return "no list"
		}
		if len(set.Unread) != 1 || !strings.Contains(set.Unread[0], "is a directory") {
			t.Errorf("unread: %q", set.Unread)
		}
		known, err := set.Check(Host{Name: "n", Port: "22"}, key, nil, time.Now())
		if e, ok := errors.AsType[*Error](err); ok {
			return fmt.Sprint(e, " ", e.Line)
		}
		return known.String()
	}
	for _, step := range []struct{ known, revoked, want string }{
		{"", "", "no list"},
		{"", "#", "host key unknown 0"},
		{knownhosts.Line([]string{"n"}, other), "#", "host key changed 1"},
		{"#\n" + knownhosts.Line([]string{"n"}, key), "#", "ed25519, known (known line 2)"},
		{"#\n" + knownhosts.Line([]string{"n"}, key), string(ssh.MarshalAuthorizedKey(key)), "host key revoked 1"},
		{"#\n" + knownhosts.Line([]string{"n"}, key), binaryMagic, "no list"},
		{"", "# mended", "host key unknown 0"},
	} {
		for name, text := range map[string]string{name: step.known, revoked: step.revoked} {
			if text == "" {
				_ = os.Remove(name)
			} else {
				writeFile(t, name, text)
			}
		}
		if got := verdict(); got != step.want {
			t.Errorf("%q, %q: %s, want %s", step.known, step.revoked, got, step.want)
		}
	}
}

// TestOtherHost: if a host has no line, lines of another host count, within limits.
func TestOtherHost(t *testing.T) {
	key, other := newKey(t), newKey(t)
	line, host := knownhosts.Line([]string{"n"}, key), Host{Name: "n", Port: "2222"}
	for _, c := range []struct{ name, here, there, want string }{
		{"unknown here", "", line, "known (known_hosts of login line 1)"},
		{"with its port", "", knownhosts.Line([]string{"[n]:2222"}, key), "line 1"},
		{"changed here", knownhosts.Line([]string{"n"}, other), line, "host key changed"},
		{"changed here, with its port", knownhosts.Line([]string{"[n]:2222"}, other), line, "host key changed"},
		{"revoked here", "@revoked * " + string(ssh.MarshalAuthorizedKey(key)), line, "host key revoked"},
		{"revoked there", "", line + "\n@revoked " + line, "host key revoked"},
		{"behind many lines", "", strings.Repeat("a b c\n", maxLines) + line, "host key unknown"},
		{"in a long line", "", strings.Repeat("a,", maxLine) + line, "host key unknown"},
	} {
		name := filepath.Join(t.TempDir(), "known")
		writeFile(t, name, c.here+"\n")
		set, err := new(Cache).Load([]string{name}, "")
		if err != nil {
			t.Fatal(err)
		}
		got, err := set.With(Read("login", c.there), host).Check(host, key, nil, time.Now())
		if said := fmt.Sprint(got, err); !strings.Contains(said, c.want) {
			t.Errorf("%s: %s, want %s", c.name, said, c.want)
		}
	}
}

// bigFile has lines of other hosts.
func bigFile(t testing.TB, lines int, write func(host string) string) string {
	t.Helper()
	var b strings.Builder
	key := base64.StdEncoding.EncodeToString(newKey(t).Marshal())
	for i := range lines {
		fmt.Fprintf(&b, "%s ssh-ed25519 %s\n", write(fmt.Sprintf("host%05d", i)), key)
	}
	name := filepath.Join(t.TempDir(), "known_hosts")
	writeFile(t, name, b.String())
	return name
}

// BenchmarkCheck checks a host against 15,000 hashed lines: the first time, and again.
func BenchmarkCheck(b *testing.B) {
	name, key := bigFile(b, 15000, knownhosts.HashHostname), newKey(b)
	var c Cache
	check := func(host string) {
		set, err := c.Load([]string{name}, "")
		if err != nil {
			b.Fatal(err)
		}
		_, _ = set.Check(Host{Name: host}, key, nil, time.Now())
	}
	check("host00001")
	b.Run("new", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			check(fmt.Sprint("new", i))
		}
	})
	b.Run("again", func(b *testing.B) {
		for b.Loop() {
			check("host00001")
		}
	})
}

// TestMemory: 1,000 nodes, each with a file of its own beside a large common file, keep less than 10 MiB.
func TestMemory(t *testing.T) {
	dir, global := t.TempDir(), bigFile(t, 15000,
		func(host string) string { return host + "," + host + ".cluster.example" })
	key := newKey(t)
	for i := range 1000 {
		writeFile(t, filepath.Join(dir, fmt.Sprint(i)), knownhosts.Line([]string{fmt.Sprint("n", i)}, key)+"\n")
	}
	var c Cache
	before := cost.Heap()
	for i := range 1000 {
		set, err := c.Load([]string{filepath.Join(dir, fmt.Sprint(i)), global}, "")
		if err != nil {
			t.Fatal(err)
		}
		host := Host{Name: fmt.Sprint("n", i), Port: "22"}
		set.Algorithms(host, nil)
		if _, err := set.Check(host, key, nil, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	kept := cost.Heap() - before
	t.Logf("%.1f MiB kept", kept/(1<<20))
	if kept > 10<<20 {
		t.Errorf("%.1f MiB kept", kept/(1<<20))
	}
	runtime.KeepAlive(&c)
}

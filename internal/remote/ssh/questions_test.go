package ssh

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// person answers questions, and remembers them.
type person struct {
	answers func(host, prompt string) string

	mu    sync.Mutex
	asked []string
}

func (u *person) Ask(_ context.Context, host, prompt string, secret bool) (string, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.asked = append(u.asked, fmt.Sprintf("%s: %s %v", host[strings.Index(host, "@")+1:], prompt, secret))
	answer := u.answers(host, prompt)
	if answer == "^C" {
		return "", context.Canceled
	}
	return answer, nil
}

func (u *person) want(t *testing.T, want ...string) {
	t.Helper()
	u.mu.Lock()
	defer u.mu.Unlock()
	if strings.Join(u.asked, "|") != strings.Join(want, "|") {
		t.Errorf("asked %q, want %q", u.asked, want)
	}
	u.asked = nil
}

// says returns a person who gives the same answer to every question.
func says(answer string) *person {
	return &person{answers: func(string, string) string { return answer }}
}

// asking makes a node ask a question after the key, and take the answers that accept accepts.
func asking(prompt string, count *atomic.Int32, accept func(answer string) bool) func(*node) {
	return func(n *node) {
		byKey := n.config.PublicKeyCallback
		n.config.PublicKeyCallback = func(c ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
			if _, err := byKey(c, key); err != nil {
				return nil, err
			}
			return nil, &ssh.PartialSuccessError{Next: ssh.ServerAuthCallbacks{
				KeyboardInteractiveCallback: func(_ ssh.ConnMetadata,
					ask ssh.KeyboardInteractiveChallenge) (*ssh.Permissions, error) {
					count.Add(1)
					answers, err := ask("", "Two factors", []string{prompt}, []bool{false})
					if err != nil || !accept(answers[0]) {
						return nil, errors.New("wrong")
					}
					return nil, nil
				},
			}}
		}
	}
}

func TestCodeOfAJumpHostIsAskedOnce(t *testing.T) {
	s := newSite(t)
	s.d.limits.again = 20 * time.Millisecond
	var count atomic.Int32
	jump := startNode(t, s, asking("Verification code: ", &count, func(a string) bool { return a == "123456" }))
	s.configure("login1", jump)
	s.configure("n1", startNode(t, s, nil))
	s.configure("n2", startNode(t, s, nil))
	s.behind("login1", "n1", "n2")

	f := s.mustFail("n1", reach.ClassAuth)
	if f.Summary() != "jump host login1: login asks a question (Verification code)" ||
		!strings.Contains(strings.Join(f.Hints, "|"), "start nvnodetop in a terminal") {
		t.Errorf("nobody there: %s", describe(f))
	}
	time.Sleep(50 * time.Millisecond)

	wrong := 1
	u := &person{answers: func(string, string) string {
		wrong--
		if wrong >= 0 {
			return "000000"
		}
		return "123456"
	}}
	if err := s.d.Prepare(t.Context(), u, []string{"n1", "n2"}); err != nil {
		t.Fatal(err)
	}
	u.want(t, "login1: Two factors\nVerification code:  true", "login1: Two factors\nVerification code:  true")
	s.mustOpen("n1")
	s.mustOpen("n2")

	// An old code is useless: the failure names what is missing, and no session waits.
	jump.drop()
	asked := count.Load()
	for until := time.Now().Add(3 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		_, err := s.open("n1")
		if f := wantFailure(t, err); strings.Contains(f.Summary(), "login asks a question (Verification code)") {
			break
		}
		if time.Now().After(until) {
			t.Fatalf("the failure is %s", describe(err))
		}
	}
	if count.Load() != asked+1 {
		t.Errorf("the jump host asked %d times more, want once", count.Load()-asked)
	}
}

func wantFailure(t *testing.T, err error) *reach.Failure {
	t.Helper()
	var f *reach.Failure
	if !errors.As(err, &f) {
		t.Fatalf("error %v, want a failure", err)
	}
	return f
}

// A password is remembered for its host: after a lost connection nobody is asked.
func TestPasswordOfAJumpHostIsRemembered(t *testing.T) {
	s := newSite(t)
	s.d.limits.again = 20 * time.Millisecond
	var count atomic.Int32
	var password atomic.Value
	password.Store("secret")
	jump := startNode(t, s, asking("Password: ", &count, func(a string) bool { return a == password.Load() }))
	s.configure("login1", jump)
	// The node asks the same question, and must not get the answer.
	var got atomic.Value
	s.configure("n", startNode(t, s, asking("Password: ", new(atomic.Int32),
		func(a string) bool { got.Store(a); return false })))
	s.configure("good", startNode(t, s, nil))
	s.behind("login1", "n", "good")
	u := says("secret")
	if err := s.d.Prepare(t.Context(), u, []string{"good"}); err != nil {
		t.Fatal(err)
	}
	u.want(t, "login1: Two factors\nPassword:  true")
	s.mustFail("n", reach.ClassAuth)
	if got.Load() != nil {
		t.Errorf("a node was told %q", got.Load())
	}
	eventually := func() (err error) {
		for range 50 {
			if _, err = s.open("good"); err == nil {
				return nil
			}
			time.Sleep(20 * time.Millisecond)
		}
		return err
	}
	for range 2 {
		jump.drop()
		if err := eventually(); err != nil {
			t.Fatalf("not reached again: %s", describe(err))
		}
	}
	password.Store("another")
	jump.drop()
	if f := wantFailure(t, eventually()); f.Class != reach.ClassAuth {
		t.Errorf("got %s", describe(f))
	}
	if s.d.secrets.Knows("") {
		t.Error("a refused answer is kept")
	}
}

// Nodes ask: the user answers for one node. The others get the same answer, one after the other until it was accepted
// twice.
func TestNodesThatAskAreAnsweredByOne(t *testing.T) {
	for _, reusable := range []bool{true, false} {
		t.Run(fmt.Sprint(reusable), func(t *testing.T) {
			s := newSite(t)
			writeFile(t, filepath.Join(s.home, ".ssh", "id_ed25519"), "") // no key
			var uses, refused atomic.Int32
			var names []string
			for i := range 6 {
				names = append(names, fmt.Sprintf("n%d", i))
				s.configure(names[i], startNode(t, s, func(n *node) {
					n.config.PublicKeyCallback = nil
					n.config.PasswordCallback = func(_ ssh.ConnMetadata, password []byte) (*ssh.Permissions, error) {
						if string(password) == "secret" && (reusable || uses.Add(1) == 1) {
							return nil, nil
						}
						refused.Add(1)
						return nil, errors.New("wrong")
					}
				}))
			}
			u := says("secret")
			if err := s.d.Prepare(t.Context(), u, names); err != nil {
				t.Fatal(err)
			}
			u.want(t, "n0: Password:  true")
			var opened atomic.Int32
			var wg sync.WaitGroup
			for _, name := range names {
				wg.Go(func() {
					if session, err := s.o.Open(t.Context(), name, func(reach.Step) {}); err == nil {
						opened.Add(1)
						_ = session.Close()
					}
				})
			}
			wg.Wait()
			if reusable && (opened.Load() != 6 || refused.Load() != 0) || !reusable && refused.Load() != 1 {
				t.Errorf("%d opened, %d refused", opened.Load(), refused.Load())
			}
		})
	}
}

// Hosts of --nodes may belong to different people: an answer for hosts of one domain goes to no host of another domain,
// and the user is asked for each domain.
func TestAnswersStayInTheirDomain(t *testing.T) {
	s := newSite(t)
	writeFile(t, filepath.Join(s.home, ".ssh", "id_ed25519"), "") // no key
	var mu sync.Mutex
	got := map[string]bool{}
	names := []string{"a.one.example", "b.one.example", "c.two.example", "d"}
	for _, name := range names {
		s.configure(name, startNode(t, s, func(n *node) {
			n.config.PublicKeyCallback = nil
			n.config.PasswordCallback = func(_ ssh.ConnMetadata, password []byte) (*ssh.Permissions, error) {
				mu.Lock()
				defer mu.Unlock()
				got[name+" "+string(password)] = true
				return nil, nil
			}
		}))
	}
	u := &person{answers: func(host, _ string) string {
		return "for " + strings.TrimLeft(host[strings.Index(host, "@")+1:], "abc.")
	}}
	if err := s.d.Prepare(t.Context(), u, names); err != nil {
		t.Fatal(err)
	}
	u.want(t, "a.one.example: Password:  true", "c.two.example: Password:  true", "d: Password:  true")
	for _, name := range names {
		s.mustOpen(name)
		if domain := strings.TrimLeft(name, "abc."); len(got) == 0 || !got[name+" for "+domain] {
			t.Errorf("%s got another answer than its own: %v", name, got)
		}
	}
	if len(got) != len(names) {
		t.Errorf("sent %v", got)
	}
}

func TestPassphraseIsAskedOnce(t *testing.T) {
	s := newSite(t)
	s.d.limits.again = 20 * time.Millisecond
	path := filepath.Join(s.home, ".ssh", "id_ed25519")
	s.key = writeLockedKey(t, path)
	jump := startNode(t, s, nil)
	s.configure("login1", jump)
	s.configure("n", startNode(t, s, nil))
	s.behind("login1", "n")
	if f := s.mustFail("n", reach.ClassAuth); !strings.Contains(f.Meaning, path+" needs a passphrase") {
		t.Errorf("nobody there: %s", describe(f))
	}
	if !s.d.MayAsk(t.Context()) {
		t.Error("a locked key asks nothing")
	}
	time.Sleep(50 * time.Millisecond)
	tries := 0
	u := &person{answers: func(string, string) string {
		if tries++; tries == 1 {
			return "wrong"
		}
		return "open sesame"
	}}
	if err := s.d.Prepare(t.Context(), u, []string{"n"}); err != nil {
		t.Fatal(err)
	}
	question := fmt.Sprintf(": Passphrase of the key %q:  true", path)
	u.want(t, question, question)
	s.mustOpen("n")
	jump.drop() // after a suspend nobody is asked
	for range 50 {
		if _, err := s.open("n"); err == nil {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Error("not reached again")
}

// slowKey is like sesameKey, but has three rounds.
const slowKey = `-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAACmFlczI1Ni1jdHIAAAAGYmNyeXB0AAAAGAAAABDmQV/g/S
jYoFq2sWVDTVDqAAAAAwAAAAEAAAAzAAAAC3NzaC1lZDI1NTE5AAAAIC0VdfXFNlZSLe5f
UMl3OzlkZaQi8ujReZRcMUf7yR9tAAAAkKomvEWRIDTTI1n3PuIvsvUtan+F5hN020Kmxk
JmhWqK7VF13lQifwp046e/EgC3A4/NbOONCh1BuvaxJRzEuYy4oAv/WLMkaM7IaZXM9DQP
zMjvuh1fvILyXjKjjJfBiQVWNH/6ipU+9ZTpCNI4W0pT58PLZPdzEh+s0NsVuntASutP09
exwkKAamjjCjOrRA==
-----END OPENSSH PRIVATE KEY-----
`

// A key of many rounds takes longer than the host has for a login.
func TestAKeyOfManyRounds(t *testing.T) {
	s := newSite(t)
	writeFile(t, filepath.Join(s.home, ".ssh", "id_ed25519"), slowKey)
	began := time.Now()
	var err error
	if s.key, err = ssh.ParsePrivateKeyWithPassphrase([]byte(slowKey), []byte("open sesame")); err != nil {
		t.Fatal(err)
	}
	s.d.limits.login = time.Since(began) * 3 / 4
	s.configure("cluster", startNode(t, s, nil))
	if err := s.d.Through("alice@cluster"); err != nil {
		t.Fatal(err)
	}
	if err := s.d.Prepare(t.Context(), says("open sesame"), nil); err != nil {
		t.Error(err)
	}
}

// A key that the host refuses is no reason to ask for its passphrase.
func TestNoPassphraseForAKeyThatIsNotWanted(t *testing.T) {
	s := newSite(t)
	writeLockedKey(t, filepath.Join(s.home, ".ssh", "id_ecdsa"))
	s.configure("n", startNode(t, s, nil))
	u := says("")
	if err := s.d.Prepare(t.Context(), u, []string{"n"}); err != nil {
		t.Fatal(err)
	}
	u.want(t)
	s.mustOpen("n")
}

func TestUserGivesUp(t *testing.T) {
	s := newSite(t)
	writeLockedKey(t, filepath.Join(s.home, ".ssh", "id_ed25519"))
	var count atomic.Int32
	s.configure("n", startNode(t, s, asking("Code: ", &count, func(string) bool { return false })))
	u := says("^C")
	if err := s.d.Prepare(t.Context(), u, []string{"n"}); err != nil {
		t.Fatal(err)
	}
	if count.Load() != 0 {
		t.Error("a code is asked for without a key")
	}
}

func TestLoginHost(t *testing.T) {
	s := newSite(t)
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	s.d.limits.again = 20 * time.Millisecond
	var count atomic.Int32
	login := startNode(t, s, logins(&count))
	s.configure("cluster", login)
	n := startNode(t, s, nil)
	s.append(filepath.Join(s.home, ".ssh", "config"), n.hostBlock("n"))
	s.reread()
	// Only the login host knows the node.
	writeFile(t, filepath.Join(login.home, ".ssh", "known_hosts"),
		knownhosts.Line([]string{knownhosts.Normalize(n.ln.Addr().String())}, n.host.PublicKey())+"\n")
	if err := s.d.Through("alice@cluster"); err != nil {
		t.Fatal(err)
	}
	session := s.mustOpen("n")
	_, _ = session.Next()
	if user, host := s.d.LoginUser(t.Context()); user != "alice" || host != "cluster" {
		t.Errorf("login as %q on %q", user, host)
	}
	out, words, status, err := s.d.Run(t.Context(), "cat; echo oops >&2; exit 3", []byte("in\n"))
	if string(out) != "in\n" || string(words) != "oops\n" || status != 3 || err != nil {
		t.Errorf("printed %q and %q, status %d, %v", out, words, status, err)
	}
	if count.Load() != 1 {
		t.Errorf("%d logins, want 1", count.Load())
	}
	if len(n.users()) != 1 || n.users()[0] != "alice" {
		t.Errorf("logged in as %q, want the user of the login", n.users())
	}

	late := errors.New("late")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, late)
	defer cancel()
	if _, _, _, err := s.d.Run(ctx, "exec sleep 2", nil); !errors.Is(err, late) {
		t.Errorf("a command that hangs: %v", err)
	}
	login.drop()
	for range 100 {
		if out, _, _, err = s.d.Run(t.Context(), "echo back", nil); err == nil {
			break
		}
		if f := wantFailure(t, err); !strings.Contains(f.Summary(), "login host cluster: ") {
			t.Fatalf("got %s", describe(f))
		}
		time.Sleep(20 * time.Millisecond)
	}
	if string(out) != "back\n" {
		t.Errorf("after a lost connection: %q, %v", out, err)
	}
	if files, err := os.ReadDir(temp); len(files) > 0 || err != nil {
		t.Errorf("files that stay after a SIGKILL: %v %v", files, err)
	}
}

// This host's knowledge of a node's key counts, whatever the login host says: it could put itself between.
func TestLoginHostDoesNotReplaceWhatIsKnownHere(t *testing.T) {
	s := newSite(t)
	login := startNode(t, s, nil)
	s.configure("cluster", login)
	n := startNode(t, s, nil)
	s.append(filepath.Join(s.home, ".ssh", "config"), n.hostBlock("n"))
	s.reread()
	address := knownhosts.Normalize(n.ln.Addr().String())
	other, _ := newSigner(t)
	s.append(s.known, knownhosts.Line([]string{address}, other.PublicKey())+"\n")
	writeFile(t, filepath.Join(login.home, ".ssh", "known_hosts"),
		knownhosts.Line([]string{address}, n.host.PublicKey())+"\n")
	if err := s.d.Through("cluster"); err != nil {
		t.Fatal(err)
	}
	f := s.mustFail("n", reach.ClassHostKeyChanged)
	if !strings.Contains(describe(f), s.known) {
		t.Errorf("another file is blamed: %s", describe(f))
	}

	// For another key the login host is blamed.
	writeFile(t, s.known, knownhosts.Line([]string{knownhosts.Normalize(login.ln.Addr().String())},
		login.host.PublicKey())+"\n")
	writeFile(t, filepath.Join(login.home, ".ssh", "known_hosts"),
		knownhosts.Line([]string{address}, other.PublicKey())+"\n")
	s.d.Close()
	s.d.jumps = newJumps(s.d)
	if f = s.mustFail("n", reach.ClassHostKeyChanged); !strings.Contains(describe(f), "on the login host") ||
		!strings.Contains(describe(f), "known_hosts of cluster") {
		t.Errorf("got %s", describe(f))
	}
}

// An unreachable login host is an error before the screen starts.
func TestLoginHostIsAway(t *testing.T) {
	s := newSite(t)
	n := startNode(t, s, nil)
	s.configure("cluster", n)
	n.stop()
	if err := s.d.Through("cluster"); err != nil {
		t.Fatal(err)
	}
	err := s.d.Prepare(t.Context(), says(""), nil)
	if f := wantClass(t, err, reach.ClassRefused); f.Summary() != "login host cluster: connection refused" {
		t.Errorf("got %s", describe(f))
	}
}

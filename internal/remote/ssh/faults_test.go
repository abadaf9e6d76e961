package ssh

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/remote/ssh/advice"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// hurry gives a stage a limit that a test can wait for. The other stages keep theirs: a busy machine is slow.
func hurry(s *site, stage reach.Stage) {
	limit := map[reach.Stage]*time.Duration{
		advice.StageSSH: &s.d.limits.ssh, advice.StageLogin: &s.d.limits.login,
		remote.StageProbe:  &s.o.Installer.Limits.Start,
		remote.StageDriver: &s.o.Installer.Link.Driver,
	}[stage]
	*limit = 300 * time.Millisecond
}

const hello = `{"hello":{"version":1,"host":"n","cpus":1,"gpus":[]}}` + "\n"

// say is a session that writes text and ends with a status.
func say(text string, status int) func(ssh.Channel, string) {
	return func(ch ssh.Channel, _ string) {
		fmt.Fprint(ch, text)
		sendStatus(ch, status)
	}
}

// faults are servers with one misbehavior each, and the failures that follow.
var faults = []struct {
	name    string
	change  func(*node)
	class   reach.Class
	stage   reach.Stage
	summary string
	words   string // a part of the failure
}{
	{"silent before the version", func(n *node) { n.raw = func(c net.Conn) { swallow(c) } },
		reach.ClassFrozen, advice.StageSSH, "sshd not responding after ", ""},
	{"closes at once", func(n *node) { n.raw = func(c net.Conn) { fmt.Fprint(c, "Not allowed at this time\r\n") } },
		reach.ClassClosed, advice.StageSSH, "sshd closed the connection", "Not allowed at this time"},
	{"is no sshd", func(n *node) {
		n.raw = func(c net.Conn) { fmt.Fprint(c, "HTTP/1.1 400 Bad Request\r\n\r\n"); swallow(c) }
	}, reach.ClassFrozen, advice.StageSSH, "sshd not responding after ", "HTTP/1.1 400"},
	{"takes no key", func(n *node) {
		n.config.PublicKeyCallback = func(ssh.ConnMetadata, ssh.PublicKey) (*ssh.Permissions, error) {
			return nil, errors.New("no")
		}
	}, reach.ClassAuth, advice.StageLogin, "permission denied (publickey)",
		"Permission denied (publickey).\nKeys offered: id_ed25519."},
	{"takes passwords only", func(n *node) {
		n.config.PublicKeyCallback = nil
		n.config.PasswordCallback = func(ssh.ConnMetadata, []byte) (*ssh.Permissions, error) {
			return nil, errors.New("no")
		}
	}, reach.ClassAuth, advice.StageLogin, "permission denied (password)", ""},
	{"hangs in the login", func(n *node) {
		n.config.PublicKeyCallback = func(ssh.ConnMetadata, ssh.PublicKey) (*ssh.Permissions, error) {
			time.Sleep(time.Second)
			return nil, nil
		}
	}, reach.ClassLoginHangs, advice.StageLogin, "login timed out after ", ""},
	{"opens no session", func(n *node) { n.after = func(c *ssh.ServerConn, _ net.Conn) { closeQuietly(c) } },
		reach.ClassClosed, remote.StageProbe, "connection closed", "Connection closed by 127.0.0.1"},
	{"silent in the session", func(n *node) { n.session = func(ch ssh.Channel, _ string) { swallow(ch) } },
		reach.ClassProbeLate, remote.StageProbe, "probe not started after ", ""},
	{"prints garbage", func(n *node) { n.session = say("Welcome to node n\n", 0) },
		reach.ClassDenied, remote.StageProbe, "login accepted, but no command runs", "Welcome to node n"},
	{"its shell exits", func(n *node) { n.session = say("", 5) },
		reach.ClassDenied, remote.StageProbe, "login accepted, but no command runs", ""},
	{"cannot fork", func(n *node) {
		n.session = func(ch ssh.Channel, _ string) {
			fmt.Fprint(ch.Stderr(), "/bin/sh: 1: Cannot fork\n")
			sendStatus(ch, 2)
		}
	}, reach.ClassLimit, remote.StageProbe, "a limit has ended the probe: /bin/sh: 1: Cannot fork", "Cannot fork"},
	{"prints without end", func(n *node) {
		n.session = func(ch ssh.Channel, _ string) {
			for line := []byte(strings.Repeat("x", 4095) + "\n"); ; {
				if _, err := ch.Write(line); err != nil {
					return
				}
			}
		}
	}, reach.ClassGarbage, remote.StageProbe, "unexpected output in place of the probe's", "xxxx"},
	{"account without a shell", func(n *node) { n.session = say("This account is currently not available.\n", 1) },
		reach.ClassDenied, remote.StageProbe, "account not allowed to run commands", "not available"},
	{"garbage after the magic", func(n *node) { n.session = say(wire.Magic+"\nSegmentation fault\n", 139) },
		reach.ClassGarbage, remote.StageDriver, "unexpected output in place of the probe's", "Segmentation fault"},
	{"no hello first", func(n *node) { n.session = say(wire.Magic+"\n{\"reply\":{\"id\":1}}\n", 0) },
		reach.ClassGarbage, remote.StageDriver, "unexpected output in place of the probe's", "not a hello"},
	{"dies mid-line", func(n *node) {
		n.session = func(ch ssh.Channel, _ string) { fmt.Fprint(ch, wire.Magic+"\n{\"hel") }
	}, reach.ClassClosed, remote.StageDriver, "connection closed", ""},
	{"driver hangs", func(n *node) {
		n.session = func(ch ssh.Channel, _ string) {
			fmt.Fprint(ch.Stderr(), "NVRM: Xid 79\n")
			fmt.Fprint(ch, wire.Magic+"\n")
			swallow(ch)
		}
	}, reach.ClassDriverHangs, remote.StageDriver, "driver not responding after ", "Xid 79"},
	{"other C library", func(n *node) {
		n.session = func(ch ssh.Channel, _ string) {
			fmt.Fprint(ch, wire.Magic+"\n")
			fmt.Fprint(ch.Stderr(), "probe: symbol lookup error: undefined symbol: arc4random\n")
			sendStatus(ch, 127)
		}
	}, reach.ClassPlatform, remote.StageDriver, "probe does not run on this system", "arc4random"},
	{"line of 100 MB", func(n *node) {
		n.session = func(ch ssh.Channel, _ string) {
			fmt.Fprint(ch, wire.Magic+"\n")
			for i := 0; i < 100<<20; i += 64 << 10 {
				if _, err := ch.Write(make([]byte, 64<<10)); err != nil {
					return
				}
			}
		}
	}, reach.ClassTooMuch, remote.StageDriver, "too much data from the node: line too long", ""},
	{"probe of an older glibc", func(n *node) {
		n.session = func(ch ssh.Channel, _ string) {
			fmt.Fprint(ch.Stderr(), "probe: /lib64/libc.so.6: version `GLIBC_2.34' not found\n")
			sendStatus(ch, 1)
		}
	}, reach.ClassPlatform, remote.StageProbe, "probe does not run on this system", "GLIBC_2.34"},
	{"another machine", func(n *node) {
		n.session = func(ch ssh.Channel, _ string) {
			fmt.Fprint(ch.Stderr(), "nvnodetop-need/1: Linux sparc64 1000 home:ok\n")
			sendStatus(ch, 75)
		}
	}, reach.ClassPlatform, remote.StageProbe, "no probe for Linux sparc64", ""},
}

func TestFailuresOfNodes(t *testing.T) {
	for _, c := range faults {
		t.Run(c.name, func(t *testing.T) {
			s := newSite(t)
			switch c.class {
			case reach.ClassFrozen, reach.ClassLoginHangs, reach.ClassProbeLate, reach.ClassDriverHangs:
				hurry(s, c.stage)
			}
			n := startNode(t, s, c.change)
			s.configure("n", n)
			f := s.mustFail("n", c.class)
			if f.Stage != c.stage || !strings.HasPrefix(f.Summary(), c.summary) || !strings.Contains(f.Words, c.words) {
				t.Errorf("want %q at %q with words %q; got %s", c.summary, c.stage, c.words, describe(f))
			}
			if len(f.Words) > 4<<10 {
				t.Errorf("%d bytes of words", len(f.Words))
			}
			if step := s.steps.last(c.stage); step.State != reach.StepFailed || step.Text == "" {
				t.Errorf("stage %s is %q %q, want failed", c.stage, step.State, step.Text)
			}
		})
	}
}

// A panic of ours in a callback of x/crypto's goroutine costs this attempt, not the program.
func TestAPanicInAHostKeyCheckCostsOneAttempt(t *testing.T) {
	s := newSite(t)
	s.configure("n", startNode(t, s, nil))
	_, err := s.d.Dial(t.Context(), "n", remote.NewLog("n", func(step reach.Step) {
		if step.Stage == advice.StageHostKey {
			panic("the moon fell down")
		}
	}))
	if f, ok := errors.AsType[*reach.Failure](err); !ok || !strings.HasPrefix(f.Words, "the moon fell down\n") {
		t.Errorf("Dial returned %v", err)
	}
}

// TestAdopt imitates pam_slurm_adopt: the key is right, then come a banner and the end.
func TestAdopt(t *testing.T) {
	s := newSite(t)
	var conn net.Conn
	n := startNode(t, s, func(n *node) {
		n.raw = func(c net.Conn) { conn = c; n.speak(c) }
		n.config.PublicKeyCallback = func(ssh.ConnMetadata, ssh.PublicKey) (*ssh.Permissions, error) { return nil, nil }
		n.config.VerifiedPublicKeyCallback = func(ssh.ConnMetadata, ssh.PublicKey, *ssh.Permissions,
			string) (*ssh.Permissions, error) {
			time.AfterFunc(20*time.Millisecond, func() { closeQuietly(conn) })
			return nil, &ssh.BannerError{Err: errors.New("pam"),
				Message: "Access denied by pam_slurm_adopt: you have no active jobs on this node\n"}
		}
		n.config.MaxAuthTries = -1
	})
	s.configure("n", n)
	f := s.mustFail("n", reach.ClassAdopt)
	if f.Summary() != "login refused (pam_slurm_adopt)" || f.Stage != advice.StageLogin {
		t.Errorf("got %s", describe(f))
	}
	if got := s.steps.last(advice.StageLogin).Text; got != "publickey accepted, then closed by PAM" {
		t.Errorf("login: %q", got)
	}
	host, port, _ := net.SplitHostPort(n.ln.Addr().String())
	want := "Access denied by pam_slurm_adopt: you have no active jobs on this node\nConnection closed by " + host +
		" port " + port
	if f.Words != want {
		t.Errorf("words %q, want %q", f.Words, want)
	}
}

func TestBannerAndLoginNoiseArePassedOver(t *testing.T) {
	s := newSite(t)
	n := startNode(t, s, func(n *node) {
		n.config.BannerCallback = func(ssh.ConnMetadata) string {
			return "*** Authorized users only; see pam_slurm_adopt(8) ***\n"
		}
		n.session = func(ch ssh.Channel, command string) {
			fmt.Fprint(ch, "quota 93% used\nno newline: ")
			fmt.Fprint(ch.Stderr(), "a warning\n")
			n.sh(ch, command)
		}
	})
	s.configure("n", n)
	session := s.mustOpen("n")
	if m, err := session.Next(); err != nil || m.Hello == nil {
		t.Fatal(m, err)
	}
}

func TestHostKeys(t *testing.T) {
	s := newSite(t)
	n := startNode(t, s, nil)
	other, _ := newSigner(t)
	line := func(key ssh.PublicKey) string {
		return knownhosts.Line([]string{knownhosts.Normalize(n.ln.Addr().String())}, key) + "\n"
	}
	s.append(filepath.Join(s.home, ".ssh", "config"), n.hostBlock("n")+"StrictHostKeyChecking no\n")

	f := s.mustFail("n", reach.ClassHostKeyUnknown)
	if f.Stage != advice.StageHostKey || !strings.Contains(strings.Join(f.Hints, "|"), "ssh n") {
		t.Errorf("unknown: %s", describe(f))
	}
	if f := s.mustFail("n", reach.ClassHostKeyUnknown); !strings.Contains(f.Words,
		ssh.FingerprintSHA256(n.host.PublicKey())) {
		t.Errorf("no fingerprint: %s", describe(f))
	}

	writeFile(t, s.known, "# one\n"+line(other.PublicKey()))
	f = s.mustFail("n", reach.ClassHostKeyChanged)
	hints := strings.Join(f.Hints, "|")
	if want := fmt.Sprintf("ssh-keygen -f %q -R %q; ssh n", s.known,
		knownhosts.Normalize(n.ln.Addr().String())); !strings.Contains(hints, s.known+":2") ||
		!strings.Contains(hints, want) {
		t.Errorf("changed: %s", describe(f))
	}

	writeFile(t, s.known, "@revoked * "+string(ssh.MarshalAuthorizedKey(n.host.PublicKey()))+line(n.host.PublicKey()))
	if f := s.mustFail("n", reach.ClassHostKeyChanged); f.Summary() != "host key revoked" {
		t.Errorf("revoked: %s", describe(f))
	}

	// A corrected file works at once, and an unknown line in it does no harm.
	writeFile(t, s.known, "host 1024 35 1234567890\nbad\n@strange * x y\n"+line(n.host.PublicKey()))
	s.mustOpen("n")
	if got := s.steps.last(advice.StageHostKey).Text; got != "ed25519, known (known_hosts line 4)" {
		t.Errorf("host key: %q", got)
	}
}

// TestHostKeyHintNamesWhatTheFileSays: the hint names an alias as the file has it, without the port.
func TestHostKeyHintNamesWhatTheFileSays(t *testing.T) {
	s := newSite(t)
	n := startNode(t, s, nil)
	other, _ := newSigner(t)
	s.append(filepath.Join(s.home, ".ssh", "config"), n.hostBlock("n")+"  HostKeyAlias every-node\n")
	writeFile(t, s.known, knownhosts.Line([]string{"every-node"}, other.PublicKey())+"\n")
	f := s.mustFail("n", reach.ClassHostKeyChanged)
	if hints := strings.Join(f.Hints, "|"); !strings.Contains(hints, `-R "every-node"; ssh n`) {
		t.Errorf("hints: %s", hints)
	}
}

func TestNetworkFailures(t *testing.T) {
	s := newSite(t)
	n := startNode(t, s, nil)
	s.configure("refused", n)
	n.stop()
	if f := s.mustFail("refused", reach.ClassRefused); f.Stage != advice.StageTCP {
		t.Errorf("refused: %s", describe(f))
	}
	if f := s.mustFail("no-such-host.invalid", reach.ClassUnknownHost); f.Stage != advice.StageName {
		t.Errorf("unknown host: %s", describe(f))
	}
}

// TestCancel ends the context in each stage: Open returns soon, with the error of the context.
func TestCancel(t *testing.T) {
	for name, change := range map[string]func(*node){
		"ssh":   func(n *node) { n.raw = func(c net.Conn) { swallow(c) } },
		"probe": func(n *node) { n.session = func(ch ssh.Channel, _ string) { swallow(ch) } },
		"driver": func(n *node) {
			n.session = func(ch ssh.Channel, _ string) { fmt.Fprint(ch, wire.Magic+"\n"); swallow(ch) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			s.configure("n", startNode(t, s, change))
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			why := errors.New("the job ended")
			began := time.Now()
			_, err := s.o.Open(ctx, "n", func(step reach.Step) {
				if string(step.Stage) == name && step.State == reach.StepBegan {
					time.AfterFunc(10*time.Millisecond, func() { cancel(why) })
				}
			})
			if !errors.Is(err, why) || time.Since(began) > 2*time.Second {
				t.Errorf("after %v: %v", time.Since(began), err)
			}
		})
	}
}

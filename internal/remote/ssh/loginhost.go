package ssh

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"golang.org/x/crypto/ssh"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/remote/hostkey"
	"github.com/nvnodetop/nvnodetop/internal/remote/link"
	"github.com/nvnodetop/nvnodetop/internal/remote/settings"
	"github.com/nvnodetop/nvnodetop/internal/remote/ssh/advice"
	"github.com/nvnodetop/nvnodetop/internal/remote/ssh/sshconn"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// CheckLogin returns an error if login is not [user@]host[:port].
func CheckLogin(login string) error {
	_, err := parseHop(login)
	return err
}

// UserOf returns the user in login, which is [user@]host[:port]; "": there is none.
func UserOf(login string) string {
	h, _ := parseHop(login)
	return h.user
}

// Through makes login, which is [user@]host[:port], the host before all nodes. The nodes are reached as the same user.
// It must be called before anything else.
func (d *Door) Through(login string) error {
	to, err := parseHop(login)
	d.login = &to
	return err
}

// LoginUser returns the user of the login host, and its name.
func (d *Door) LoginUser(ctx context.Context) (user, host string) {
	t, err := d.settings.For(ctx, d.login.host)
	if err != nil {
		return d.login.user, d.login.host
	}
	return t.As(d.login.user, "").User, d.login.host
}

func (d *Door) loginHost() *jump {
	key := jumpKey("", *d.login)
	return d.jumps.findJump(key, *d.login, "", []string{key})
}

// behindLogin completes the settings of a node behind the login host: the login's user, and the host keys that the
// login host knows.
func (a *hostLogin) behindLogin(j *jump, s *shell) {
	a.target = a.target.As(s.target.User, "")
	j.mu.Lock()
	defer j.mu.Unlock()
	a.elsewhere = j.known
}

// maxKnown limits the known hosts of a login host.
const maxKnown = 16 << 20

// knownScript prints the known hosts of the host and of the user there.
const knownScript = `cat /etc/ssh/ssh_known_hosts /etc/ssh/ssh_known_hosts2 ` +
	`"$HOME/.ssh/known_hosts" "$HOME/.ssh/known_hosts2" 2>/dev/null; true`

// learnHosts fetches the known hosts of the login host, whose own key has been checked: then this host need not know
// the nodes. Keys known here take precedence.
func (j *jump) learnHosts(s *shell) {
	ctx, cancel := context.WithTimeout(j.jumps.life, j.jumps.d.limits.login)
	defer cancel()
	out, _, exit, err := runScript(ctx, s, knownScript, nil, maxKnown)
	if err != nil || !exit.Known || len(out) == 0 {
		return
	}
	known := hostkey.Read(j.to.host, string(out))
	j.mu.Lock()
	defer j.mu.Unlock()
	j.known = known
}

// Run runs a script on the login host. Its error is ctx's cause, or a *reach.Failure if the connection failed. In any
// case it returns the output so far.
func (d *Door) Run(ctx context.Context, script string, input []byte) (stdout, stderr []byte, status int, err error) {
	j := d.loginHost()
	s, err := j.getShell(ctx, nil)
	if err != nil {
		return nil, nil, 0, err
	}
	out, words, exit, err := runScript(ctx, s, script, bytes.NewReader(input), maxOutput)
	switch {
	case ctx.Err() != nil:
		return out, words, 0, context.Cause(ctx)
	case err == nil && !exit.Known:
		err = sshconn.ErrGone
	}
	if err != nil {
		f := *remote.NewLog(j.to.host, func(reach.Step) {}).Case().Settle(err, s.Explain)
		f.Short = j.roleInRoute() + " " + j.to.host + ": " + f.Short
		return out, words, 0, &f
	}
	if exit.Signal != "" {
		return out, words, 0, fmt.Errorf("ended by signal %s", exit.Signal)
	}
	return out, words, exit.Status, nil
}

// maxOutput limits the output of a script.
const maxOutput = 32 << 20

var errTooMuch = errors.New("too much output")

// runScript runs a script to its end. On an error it returns the output so far.
func runScript(ctx context.Context, s *shell, script string, input io.Reader, most int64) (stdout, stderr []byte,
	exit link.Exit, err error) {
	p, err := s.Run(ctx, script, input)
	if err != nil {
		return nil, nil, link.Exit{}, err
	}
	defer p.Kill()
	out := &text.Capture{Limit: int(most), Full: errTooMuch}
	exit, err = sshconn.Await(ctx, s.Client.Gone, func() (link.Exit, error) {
		closeQuietly(p.In)
		if _, err := io.Copy(out, p.Out); err != nil {
			return link.Exit{}, err
		}
		return p.Wait(), nil
	}, nil)
	return out.Bytes(), p.Words.Bytes(), exit, err
}

// Limits of Prepare.
const (
	maxLooks  = 32 // nodes whose settings are checked
	maxTrials = 3  // nodes logged into for the same settings, until one can be reached
)

// Prepare asks the user for the answers that logins will need, once for each jump host and each kind of node:
// passphrases, passwords, codes. It connects to the login host, whose failure it returns, and to jump hosts. It logs
// into a node only if the node may need an answer. It takes as long as the user does.
func (d *Door) Prepare(ctx context.Context, asker Asker, nodes []string) error {
	if d.login != nil {
		if _, err := d.loginHost().getShell(ctx, asker); err != nil {
			return err
		}
	}
	trials := map[string]int{}
	for _, node := range nodes[:min(len(nodes), maxLooks)] {
		t := &hostLogin{d: d, node: node, log: remote.NewLog(node, func(reach.Step) {}), asker: asker}
		if t.setTarget(ctx) != nil || ctx.Err() != nil {
			continue // the attempt on the screen will have the reason
		}
		kind := fmt.Sprint(domainOf(node), t.target.User, t.target.ProxyJump, t.target.ProxyCommand != "",
			t.target.IdentityFiles, t.target.Agent)
		if trials[kind] == maxTrials {
			continue
		}
		trials[kind]++
		if t.tryLogin(ctx) {
			trials[kind] = maxTrials
		}
	}
	return context.Cause(ctx)
}

// MayAsk reports whether a login may need the passphrase of a key in ~/.ssh, or has no key to offer.
func (d *Door) MayAsk(ctx context.Context) bool {
	files, _ := filepath.Glob(filepath.Join(d.home, ".ssh", "*"))
	return d.needsAnswer(ctx, &settings.Settings{IdentityFiles: slices.DeleteFunc(files, func(path string) bool {
		f := d.keys.Load(path)
		return !f.Locked && f.Signer == nil
	})})
}

// needsAnswer reports whether a login with these settings may have to ask the user.
func (d *Door) needsAnswer(ctx context.Context, t *settings.Settings) bool {
	ids := d.collectKeys(ctx, t, func(*sshconn.KeyFile) ssh.Signer { return nil })
	if ids.agent != nil {
		closeQuietly(ids.agent)
	}
	return ids.locked || len(ids.keys) == 0
}

// tryLogin connects to the jump host of a node, and logs into the node if it may need an answer. It reports whether
// another node would ask nothing more.
func (a *hostLogin) tryLogin(ctx context.Context) bool {
	switch {
	case a.d.needsAnswer(ctx, a.target):
		s, err := a.openShell(ctx)
		if err == nil {
			_ = s.Close()
			return true
		}
		return a.log.Case().Stage == advice.StageLogin
	case a.target.ProxyJump != "":
		j, err := a.jumpHost()
		if err == nil {
			_, err = j.getShell(ctx, a.asker)
		}
		return err == nil
	}
	return true
}

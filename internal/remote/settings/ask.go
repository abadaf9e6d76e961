package settings

import (
	"context"
	"errors"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/crash"
	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

const (
	askTime  = 5 * time.Second // a Match exec may take some time
	askers   = 4               // at a time
	maxWords = 256 << 10       // of ssh's output: ten times the longest known
	reap     = time.Second     // how long a killed ssh's pipes may stay open
	again    = time.Minute     // how soon ssh is asked again if the files do not decide alone, or if it failed
)

// answers are the answers of ssh, by group of nodes or by node.
type answers struct {
	mu sync.Mutex
	by map[string]*sshAnswer
}

// sshAnswer is ssh's answer about one node. It may be read once done is closed.
type sshAnswer struct {
	node    string
	begun   time.Time
	done    chan struct{}
	options options
	err     error  // ssh refuses the configuration
	unasked string // why ssh could not be asked; empty: it was
}

// nodeOptions returns ssh's answer about a node. One question serves all nodes to which the same blocks apply, if the
// files agree with the answer about the first of these nodes.
func (s *Source) nodeOptions(ctx context.Context, f *files, node string) (o options, ignored []string, err error) {
	raw, blocks := f.nodeOptions(node)
	if s.cfg.Program == "" {
		return s.resolveOptions(raw, node), f.ignored, nil
	}
	key := "blocks " + blocks
	if f.each {
		key = "node " + node
	}
	a, err := s.findAnswer(ctx, f, key, node)
	if err == nil && a.unasked == "" && a.err == nil {
		if o, ok := s.applyAnswer(a, raw, node); ok {
			return o, nil, nil
		}
		a, err = s.findAnswer(ctx, f, "node "+node, node)
	}
	switch {
	case err != nil:
		return nil, nil, err
	case a.unasked != "":
		return s.resolveOptions(raw, node), append([]string{"read without ssh: " + a.unasked}, f.ignored...), nil
	case a.err != nil:
		return nil, nil, &remote.LocalError{What: "ssh configuration of " + node, Err: a.err,
			Hints: []string{"see what ssh says: ssh -G " + node}}
	}
	return a.options, nil, nil
}

// applyAnswer applies an answer about one node to another node of its group. Options that depend on the name come from
// the files, if these agree with ssh's answer for the first node.
func (s *Source) applyAnswer(a *sshAnswer, raw options, node string) (options, bool) {
	plain, theirs, ours := s.addDefaults(raw, a.node), s.resolveOptions(raw, a.node), s.resolveOptions(raw, node)
	o := maps.Clone(a.options)
	for _, key := range expanded {
		switch strings.Join(a.options[key], " ") {
		case strings.Join(theirs[key], " "):
			o[key] = ours[key]
		case strings.Join(plain[key], " "): // an old ssh leaves the tokens to us
			o[key] = plain[key]
		default:
			return a.options, a.node == node
		}
	}
	return o, true
}

// findAnswer returns ssh's answer about node, or the answer kept under key.
func (s *Source) findAnswer(ctx context.Context, f *files, key, node string) (*sshAnswer, error) {
	f.answers.mu.Lock()
	a := f.answers.by[key]
	if a == nil || time.Since(a.begun) > again && (f.each || a.hasFailed()) {
		a = &sshAnswer{node: node, begun: time.Now(), done: make(chan struct{})}
		if f.answers.by == nil {
			f.answers.by = map[string]*sshAnswer{}
		}
		f.answers.by[key] = a
		crash.Go(func() { s.askSSH(a) })
	}
	f.answers.mu.Unlock()
	select {
	case <-a.done:
		return a, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// hasFailed reports whether an answer came without options.
func (a *sshAnswer) hasFailed() bool {
	select {
	case <-a.done:
		return a.options == nil
	default:
		return false
	}
}

// askSSH runs ssh. No node's context ends the run: other nodes wait for the answer too.
func (s *Source) askSSH(a *sshAnswer) {
	defer close(a.done)
	var unasked error
	defer func() {
		if unasked != nil {
			a.unasked = unasked.Error()
		}
	}()
	defer reach.Recover(&unasked)
	s.asking <- struct{}{}
	defer func() { <-s.asking }()
	if since := s.hung.Load(); since != nil && time.Since(*since) < again {
		unasked = errors.New("ssh -G has not answered for another node")
		return
	}
	ctx, cancel := context.WithTimeoutCause(context.Background(), s.patience,
		errors.New("ssh -G did not answer within "+s.patience.String()))
	defer cancel()
	out, words, err := s.runSSH(ctx, a.node)
	exit, isExit := errors.AsType[*exec.ExitError](err)
	if isExit && ctx.Err() == nil {
		out, words, err = s.runSSH(ctx, a.node, "true")
		exit, isExit = errors.AsType[*exec.ExitError](err)
	}
	switch {
	case ctx.Err() != nil: // the next ones need not wait for that too
		now := time.Now()
		s.hung.Store(&now)
		unasked = context.Cause(ctx)
	case isExit && exit.Exited() && !strings.Contains(words, "usage: "): // an ssh without -G prints its usage
		a.err = errors.New(strings.TrimPrefix(firstLine(words, err), "ssh: "))
	case err != nil:
		unasked = err
	default:
		if a.options = parseOptions(out); a.options.firstValue("hostname") == "" {
			a.options, unasked = nil, errors.New("ssh -G printed no configuration")
		}
	}
}

// firstLine returns the first line of words, or the error if there is none.
func firstLine(words string, err error) string {
	if line := text.FirstLine(strings.TrimSpace(words)); line != "" {
		return line
	}
	return err.Error()
}

// runSSH runs `ssh -G` in a group of its own. It keeps our environment, since the configuration may name variables, but
// sets the language to English. A configuration may need a command (ForkAfterAuthentication) or forbid one
// (RemoteCommand).
func (s *Source) runSSH(ctx context.Context, node string, command ...string) (out []byte, words string, err error) {
	args := append([]string{"-G", "--", node}, command...)
	if s.cfg.File != "" {
		args = slices.Insert(args, 0, "-F", s.cfg.File)
	}
	printed, said := &text.Capture{Limit: maxWords}, &text.Capture{Limit: 4 << 10}
	cmd := exec.CommandContext(ctx, s.cfg.Program, args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	cmd.Stdout, cmd.Stderr = printed, said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = reap
	err = cmd.Run()
	return printed.Bytes(), string(said.Bytes()), err
}

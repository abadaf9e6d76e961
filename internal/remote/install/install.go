// Package install puts the probe on a node and starts it there, over whatever can run a script on the node.
//
// A copy is named by its content and is found in one round trip; else it is sent once, verified there and started in the same breath.
// Nodes that share a home directory share one copy: an Installer keeps them from sending it all at once, and may be used by any number of
// goroutines. Nothing here knows how the node is reached, and no script needs more of it than sh and the usual small programs.
package install

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/remote/link"
)

// Shell runs scripts on a node. A script is for a POSIX sh; there is no single quote, backslash, exclamation mark or newline in it, so
// that it can be handed on in single quotes unread by any login shell. input comes first on its standard input.
type Shell interface {
	Run(ctx context.Context, script string, input []byte) (*link.Pipe, error)
}

// Limits are the deadlines of an installation.
type Limits struct {
	Start  time.Duration // to start a probe that is there
	Upload time.Duration // to copy it
	Others time.Duration // how long a node waits for another node's copy in a shared home
}

// DefaultLimits are for the real world.
var DefaultLimits = Limits{Start: 15 * time.Second, Upload: 60 * time.Second, Others: 3 * time.Second}

// Installer starts probes on nodes.
type Installer struct {
	Limits  Limits
	Link    link.Limits // of the sessions that it begins
	Program string      // path of a probe that is on the nodes already; empty: one is found or copied
	payload func() (Payload, error)
	gate    gate
}

// New makes an Installer of an executable. It is asked for when it is first needed, and again after an error.
func New(payload func() (Payload, error)) *Installer {
	return &Installer{Limits: DefaultLimits, Link: link.DefaultLimits, payload: once(payload)}
}

// Start finds or copies the probe and starts it. The session that it returns has said the magic line; how tells what had to be done for
// it. say tells what goes on meanwhile. Errors are a *link.EndError, one of this package's, or the shell's.
func (in *Installer) Start(ctx context.Context, shell Shell, say func(text string)) (s *link.Session, how string, err error) {
	if in.Program != "" {
		s, err := in.run(ctx, shell, become(in.Program), nil)
		return s, "started", err
	}
	payload, err := in.payload()
	if err != nil {
		return nil, "", &PayloadError{err}
	}
	a := &attempt{in: in, shell: shell, say: say, payload: payload, places: slices.Clone(uploadOrder)}
	for { // every round ends it or leaves less to try: a closer look, the one wait, fewer places
		s, how, err := a.try(ctx)
		if s != nil || err != nil {
			return s, how, err
		}
	}
}

// attempt is the search for a place where the probe runs.
type attempt struct {
	in      *Installer
	shell   Shell
	say     func(string)
	payload Payload
	trust   trust
	places  []Place // that have not refused yet
	waited  bool    // for another node's copy
	copier  bool    // the gate waits for this node's copy
	refused []Refusal
	words   []string // the node's, on the way
}

// try is one round. It returns neither a session nor an error when there is another round to go.
func (a *attempt) try(ctx context.Context) (*link.Session, string, error) {
	seen := a.in.gate.copies()
	s, err := a.in.run(ctx, a.shell, startScript(a.payload, a.trust, a.places), nil)
	if err == nil {
		return s, "already installed", nil
	}
	n, ok := a.understand(err)
	switch {
	case !ok && a.lookCloser(err):
		return nil, "", nil
	case !ok:
		return nil, "", err
	}
	if n.machine != a.payload.machine() {
		return nil, "", &PlatformError{Machine: n.machine, Have: a.payload.machine()}
	}
	a.refuse(n.refused...)
	if n.place != "" && !slices.Contains(a.places, n.place) {
		return nil, "", &link.EndError{Read: fmt.Errorf("unexpected probe location %q from the node", n.place)}
	}
	if n.place == "" {
		return nil, "", a.nowhere(n.uid)
	}
	if n.place == placeHome && a.trust != givenUp && a.waitForOthers(ctx, seen) {
		return nil, "", ctx.Err()
	}
	return a.upload(ctx, n)
}

// understand finds what a node that did not start a probe needs. A copy that is there but may not be executed after all counts as
// absent from then on.
func (a *attempt) understand(err error) (need, bool) {
	ended, ok := errors.AsType[*link.EndError](err)
	if !ok {
		return need{}, false
	}
	if n, ok := parseNeed(ended.Stderr); ok {
		a.hear(WithoutNeed(ended.Stderr))
		return n, true
	}
	if a.trust == verifying && refusedToRun(ended) {
		a.trust = givenUp
		a.hear(ended.Stderr)
		return need{machine: a.payload.machine(), place: a.places[0]}, true
	}
	return need{}, false
}

// lookCloser reports whether to go another round because a copy that was trusted may be what ended. What it said is not kept: the
// round says it again.
func (a *attempt) lookCloser(err error) bool {
	ended, ok := errors.AsType[*link.EndError](err)
	if a.trust != trusting || !ok || !ended.IsEnd() || !ended.Exit.Known {
		return false
	}
	a.trust = verifying
	a.say("verifying the existing copy")
	return true
}

// hear keeps the node's words, those that it repeats in every place once.
func (a *attempt) hear(words string) {
	if words = strings.TrimSpace(words); words != "" && !slices.Contains(a.words, words) {
		a.words = append(a.words, words)
	}
}

// refuse strikes places off the list.
func (a *attempt) refuse(refusals ...Refusal) {
	for _, r := range refusals {
		if i := slices.Index(a.places, r.Place); i >= 0 {
			a.refused = append(a.refused, r)
			a.places = slices.Delete(a.places, i, i+1)
		}
	}
}

func (a *attempt) nowhere(uid string) error {
	return &NoPlaceError{Refused: a.refused, uid: uid, Words: strings.Join(a.words, "\n")}
}

// waitForOthers reports whether it is worth to look again before copying: in a shared home another node may be about to copy.
func (a *attempt) waitForOthers(ctx context.Context, seen int) bool {
	copied, copier := a.in.gate.enter(seen, a.waited)
	if copied == nil {
		a.copier = copier
		return false
	}
	a.waited = true
	a.say("waiting for another node to upload it")
	select {
	case <-copied:
	case <-time.After(a.in.Limits.Others):
	case <-ctx.Done():
	}
	return true
}

// upload copies the probe to n.place and starts it there.
func (a *attempt) upload(ctx context.Context, n need) (*link.Session, string, error) {
	ok := false
	if a.copier {
		a.copier = false
		defer func() { a.in.gate.leave(ok) }()
	}
	zip, err := a.payload.Gzip()
	if err != nil {
		return nil, "", &PayloadError{err}
	}
	what := fmt.Sprintf("%.1f MB to %s", float64(len(zip))/1e6, n.place.name(n.uid))
	a.say("copying " + what)
	began := time.Now()
	s, err := a.in.run(ctx, a.shell, uploadScript(a.payload, n.place, len(zip)), zip)
	if err == nil {
		ok = true
		return s, fmt.Sprintf("copied %s in %.1fs", what, time.Since(began).Seconds()), nil
	}
	ended, isEnd := errors.AsType[*link.EndError](err)
	if !isEnd {
		return nil, "", err
	}
	state := copyState(ended)
	if state == "" {
		return nil, "", err
	}
	a.hear(ended.Stderr)
	a.refuse(Refusal{n.place, state})
	if len(a.places) == 0 {
		return nil, "", a.nowhere(n.uid)
	}
	return nil, "", nil
}

func (in *Installer) run(ctx context.Context, shell Shell, script string, input []byte) (*link.Session, error) {
	limit := in.Limits.Start
	if input != nil {
		limit = in.Limits.Upload
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	p, err := shell.Run(ctx, script, input)
	if err != nil {
		return nil, err
	}
	s := link.New(p, in.Link)
	if err := s.Magic(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// refusedToRun reports whether a shell found the file but could not execute it for want of permission.
func refusedToRun(e *link.EndError) bool {
	status, _ := e.Status()
	return status == 126 && !strings.Contains(e.Stderr, "Exec format error")
}

// copyState is why a copy came to nothing; empty when another place would not help.
func copyState(e *link.EndError) State {
	status, ok := e.Status()
	switch {
	case ok && status == exitNoWrite:
		return NoWrite
	case ok && status == exitMismatch:
		return Damaged
	case ok && status == exitTaken:
		return Taken
	case ok && (status == exitNoExec || refusedToRun(e)):
		return NoExec
	default:
		return ""
	}
}

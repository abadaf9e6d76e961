// Package install puts the probe on a node and starts it there, over any Shell that can run a script on the node.
//
// A copy is named after its content and found in one round trip. If there is none, it is uploaded, verified and started
// by one script. Nodes that share a home directory share one copy: an Installer keeps them from uploading it
// simultaneously. An Installer may be used by any number of goroutines. The package does not know how the node is
// reached. The scripts need only sh and standard utilities.
//
// The executables that become probes are the small ones that scripts/build embeds, and this program itself. Nothing is
// read or compressed before a node needs it. Embedded probes are compressed with xz: that makes the program 0.7 MB
// smaller than gzip would. Nodes get them compressed with gzip, since every node has that.
package install

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/remote/link"
)

// Shell runs scripts on a node. A script is for a POSIX sh and contains no single quote, backslash, exclamation mark or
// newline, so any login shell passes it on unchanged in single quotes. input, if any, comes first on the script's
// standard input. Run reads it in pieces, as the node accepts them, so that progress is visible.
type Shell interface {
	Run(ctx context.Context, script string, input io.Reader) (*link.Pipe, error)
}

// Quoted wraps a script of Shell for a login shell, which then passes it to /bin/sh unchanged: sh, csh and fish agree
// on single quotes.
func Quoted(script string) string { return "exec /bin/sh -c '" + script + "'" }

// Limits are the deadlines of an installation.
type Limits struct {
	Start  time.Duration // start an existing copy
	Upload time.Duration // to upload and start a copy, counted from the last piece that the node took
	Stall  time.Duration // to wait for another node's upload that makes no progress
}

// DefaultLimits suit real nodes.
var DefaultLimits = Limits{Start: 15 * time.Second, Upload: 60 * time.Second, Stall: 10 * time.Second}

// Installer starts probes on nodes.
type Installer struct {
	Limits   Limits
	Link     link.Limits // of the sessions
	Program  string      // path of a probe that is installed on all nodes; empty: find or upload one
	payloads func() ([]Payload, error)
	gate     gate
}

// New returns an Installer for payloads, one per platform. Payloads are requested when they are first needed, and again
// after an error.
func New(payloads func() ([]Payload, error)) *Installer {
	return &Installer{Limits: DefaultLimits, Link: link.DefaultLimits, payloads: keepFirst(payloads)}
}

// Start finds or uploads the probe and starts it. The returned session has received the magic line; how describes the
// steps taken. say reports progress. An error is a *link.EndError, an error of this package, or the shell's.
func (in *Installer) Start(ctx context.Context, shell Shell, say func(text string)) (s *link.Session, how string,
	err error) {
	if in.Program != "" {
		s, err := in.runScript(ctx, shell, printLimits+environment+execProbe(in.Program), nil)
		return s, "started", err
	}
	payloads, err := in.payloads()
	if err != nil {
		return nil, "", &PayloadError{err}
	}
	a := &attempt{in: in, shell: shell, say: say, payloads: payloads, places: slices.Clone(uploadOrder)}
	defer func() { a.endTurn(broken) }()
	// each round ends the search or leaves fewer options: a closer look, one after another node's copy, fewer places
	for {
		s, how, err := a.runRound(ctx)
		if s != nil || err != nil {
			return s, how, err
		}
	}
}

// attempt searches for a place where the probe runs.
type attempt struct {
	in       *Installer
	shell    Shell
	say      func(string)
	payloads []Payload
	payload  Payload // the node's, once its platform is known
	trust    trust
	places   []Directory // those not refused yet
	turn     *copyTurn   // to copy; nil: none
	refused  []Refusal
	words    []string // output of the node
	limits   string   // of the node's sessions; empty: they were not asked for
}

// runRound runs one round. It returns neither a session nor an error if another round should follow.
func (a *attempt) runRound(ctx context.Context) (*link.Session, string, error) {
	seen := a.in.gate.countCopies()
	s, err := a.in.runScript(ctx, a.shell, startScript(a.payloads, a.trust, a.places, seen > 0), nil)
	if err == nil {
		return s, "already installed", nil
	}
	n, ok := a.findReason(err)
	switch {
	case !ok && a.lookCloser(err):
		return nil, "", nil
	case !ok:
		return nil, "", err
	}
	if err := a.choosePayload(n.machine); err != nil {
		return nil, "", err
	}
	a.removePlaces(n.refused...)
	if n.place != "" && !slices.Contains(a.places, n.place) {
		return nil, "", &link.EndError{Read: fmt.Errorf("unexpected probe location %q from the node", n.place)}
	}
	if n.place == "" {
		return nil, "", a.noPlaceLeft(n.uid)
	}
	if again, err := a.getTurn(ctx, n, seen); again || err != nil {
		return nil, "", err
	}
	return a.uploadProbe(ctx, n)
}

// choosePayload chooses the payload for the platform of the node.
func (a *attempt) choosePayload(machine string) error {
	have := []string{}
	for _, p := range a.payloads {
		if p.unameOutput() == machine {
			a.payload = p
			return nil
		}
		have = append(have, p.unameOutput())
	}
	return &PlatformError{Machine: machine, Have: have}
}

// findReason finds out why a node did not start a probe.
func (a *attempt) findReason(err error) (nodeReply, bool) {
	ended, ok := errors.AsType[*link.EndError](err)
	if !ok {
		return nodeReply{}, false
	}
	if n, ok := parseNeed(ended.Stderr); ok {
		a.keepOutput(ended.Stderr)
		return n, true
	}
	return nodeReply{}, false
}

// lookCloser reports whether to try another round because the copy that was started may be damaged. The output of this
// round is not kept, since the next round repeats it. An intact copy that turns out not to be executable counts as
// absent from then on.
func (a *attempt) lookCloser(err error) bool {
	ended, ok := errors.AsType[*link.EndError](err)
	switch {
	case !ok || !ended.IsEnd() || !ended.Exit.Known:
		return false
	case a.trust == trusting:
		a.trust = verifying
		a.say("verifying the existing copy")
		return true
	case a.trust == verifying && refusedToRun(ended):
		a.trust = givenUp
		a.keepOutput(ended.Stderr)
		return true
	}
	return false
}

// keepOutput keeps the node's output, without repetitions.
func (a *attempt) keepOutput(stderr string) {
	a.limits = cmp.Or(SessionLimits(stderr), a.limits)
	if words := strings.TrimSpace(WithoutMarks(stderr)); words != "" && !slices.Contains(a.words, words) {
		a.words = append(a.words, words)
	}
}

func (a *attempt) removePlaces(refusals ...Refusal) {
	for _, r := range refusals {
		if i := slices.Index(a.places, r.Directory); i >= 0 {
			a.refused = append(a.refused, r)
			a.places = slices.Delete(a.places, i, i+1)
		}
	}
}

func (a *attempt) noPlaceLeft(uid string) error {
	return &NoPlaceError{Refused: a.refused, uid: uid, Words: strings.Join(a.words, "\n"), Limits: a.limits,
		Size: a.payload.Size}
}

// getTurn gets a turn to copy to n.place, unless the attempt has one. It reports whether to look for a copy before
// copying.
func (a *attempt) getTurn(ctx context.Context, n nodeReply, seen int) (again bool, err error) {
	home := n.place == homeDirectory
	if a.turn != nil {
		if (a.turn.herd != nil) == home {
			return false, nil
		}
		a.endTurn(broken)
	}
	w := copyRequest{payload: a.payload.SHA256, home: home, seen: seen, alone: a.trust == givenUp}
	a.turn, again, err = a.in.gate.awaitTurn(ctx, w, a.in.Limits,
		func() { a.say("waiting for another node to upload it") })
	return again, err
}

// endTurn ends the attempt's turn, if it has one.
func (a *attempt) endTurn(how outcome) {
	if a.turn != nil {
		a.in.gate.endTurn(a.turn, how)
		a.turn = nil
	}
}

// uploadProbe copies the probe to n.place and starts it there.
func (a *attempt) uploadProbe(ctx context.Context, n nodeReply) (*link.Session, string, error) {
	zip, err := a.payload.Gzip()
	if err != nil {
		return nil, "", &PayloadError{err}
	}
	what := fmt.Sprintf("%.1f MB to %s", float64(len(zip))/1e6, n.place.displayName(n.uid))
	a.say("copying " + what)
	began := time.Now()
	s, err := a.in.runScript(ctx, a.shell, uploadScript(a.payload, n.place, len(zip)),
		&pieces{rest: zip, taken: a.turn.noteProgress})
	if err == nil {
		a.endTurn(copied)
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
	a.endTurn(refused)
	a.keepOutput(ended.Stderr)
	a.removePlaces(Refusal{n.place, state})
	if len(a.places) == 0 {
		return nil, "", a.noPlaceLeft(n.uid)
	}
	return nil, "", nil
}

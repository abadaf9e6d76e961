package ui

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/ui/keys"
	"github.com/nvnodetop/nvnodetop/internal/ui/nav"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/test/raced"
	"github.com/nvnodetop/nvnodetop/test/uitest"
)

var walks = flag.Int("walks", 8, "the number of random walks over the pages")

// walkSteps is the length of a walk.
const walkSteps = 250

// clusters are those between which a walk changes.
var clusters = []func() *cluster.Snapshot{
	uitest.Fixture, uitest.RanksFixture, uitest.NoJobsFixture, uitest.SlurmFailedFixture, uitest.JobsFixture,
	uitest.MigFixture, uitest.OddFixture, uitest.BareFixture, uitest.AwayFixture, uitest.GoneFixture,
	uitest.TroubledFixture, uitest.TreeFixture, uitest.StepsFixture,
	func() *cluster.Snapshot { return &cluster.Snapshot{At: uitest.Now} },
}

// Keys, clicks, sizes, pastes, answers and clusters at random do not end the program.
func TestRandomWalks(t *testing.T) {
	t.Parallel()
	raced.Skip(t)
	for seed := range uint64(*walks) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { takeWalk(t, seed) })
		})
	}
}

// walk is a random walk.
type walk struct {
	*rig
	*rand.Rand
	answers
	keys  []string // all that the pages know, and some that they do not
	steps []string // so far
}

func takeWalk(t *testing.T, seed uint64) {
	w := &walk{Rand: rand.New(rand.NewPCG(seed, 0)), answers: make(answers, 10_000), keys: walkKeys()}
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("after %s: %v", strings.Join(w.steps, ", "), r)
			panic(r)
		}
	}()
	w.rig = newRig(t, clusters[w.IntN(len(clusters))]())
	w.Controls = answering{&w.heard}
	if seed%4 == 3 {
		w.Tape, w.scene.Replay = &deck{place: placed(20 * time.Minute)}, true
	}
	w.view.on = []keys.Page{keys.OnNode, keys.OnOverview}[w.IntN(2)]
	for range walkSteps {
		w.takeStep()
	}
	time.Sleep(time.Hour) // what the screen waits for has ended
	synctest.Wait()
}

// answering are controls whose nodes answer every question, or fail.
type answering struct{ *asked }

func (a answering) Ask(ctx context.Context, node string, r wire.Request) (wire.Reply, error) {
	ask := nav.Ask{Node: node, Request: r}
	switch {
	case r.Environ != nil:
		return a.asked.Ask(ctx, node, r)
	case r.Stacks != nil:
		result := uitest.TellStacks(ask)
		return result.Reply, result.Err
	case r.Family != nil || r.Signal != nil:
		result := uitest.SomeReplies(ask)
		return result.Reply, result.Err
	}
	return wire.Reply{}, errors.New("refused")
}

// walkKeys returns the keys of all pages, and all letters, digits and signs.
func walkKeys() (all []string) {
	for _, r := range slices.Concat(keyRows, keys.ReplayRows) {
		for _, b := range r.Bindings {
			all = append(all, b.Keys()...)
		}
	}
	for c := '!'; c <= '~'; c++ {
		all = append(all, string(c))
	}
	all = append(all, "space", "backspace", "delete", "enter", "esc", "f63")
	return slices.DeleteFunc(all, func(k string) bool { return k == "" })
}

// takeStep does one thing that a user, a terminal or the cluster may do.
func (w *walk) takeStep() {
	switch n := w.IntN(100); {
	case n < 62:
		k := w.keys[w.IntN(len(w.keys))]
		w.does("key "+k, pressed(k))
	case n < 76:
		button := []tea.MouseButton{tea.MouseLeft, tea.MouseLeft, tea.MouseLeft, tea.MouseRight}[w.IntN(4)]
		at := tea.Mouse{X: w.IntN(w.scene.W), Y: w.IntN(w.height), Button: button}
		if w.IntN(3) == 0 {
			at.Y = w.height - 1
		}
		w.does(fmt.Sprint("click ", at.X, " ", at.Y, " ", button), tea.MouseClickMsg(at))
	case n < 80:
		button := []tea.MouseButton{tea.MouseWheelUp, tea.MouseWheelDown}[w.IntN(2)]
		at := tea.Mouse{X: w.IntN(w.scene.W), Y: w.IntN(w.height), Button: button}
		w.does("wheel "+button.String(), tea.MouseWheelMsg(at))
	case n < 84:
		size := tea.WindowSizeMsg{Width: 1 + w.IntN(200), Height: 1 + w.IntN(60)}
		w.does(fmt.Sprint("size ", size), size)
	case n < 86:
		w.does("paste", tea.PasteMsg{Content: []string{"util<50", "", "n02\nkill", "\x1b[31m(", "48211"}[w.IntN(5)]})
	case n < 88:
		w.does("still", stillMsg{w.rested})
	case n < 92:
		at := w.IntN(len(clusters))
		w.snap = clusters[at]()
		w.does(fmt.Sprint("cluster ", at), tick{w.chain})
	default:
		w.steps = append(w.steps, "later")
		w.now = w.now.Add(time.Second)
		w.later(w.rig, time.Second)
	}
}

// does gives the model a message, and notes it.
func (w *walk) does(what string, msg tea.Msg) {
	w.steps = append(w.steps, what)
	_, cmd := w.Update(msg)
	w.run(cmd)
	w.View()
	w.terminal.Flush()
	w.out.Reset()
}

package install

import (
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/nvnodetop/nvnodetop/test/fakeprobe"
)

// together starts the probe on all nodes at once.
func (s *site) together(nodes ...*node) {
	var wg sync.WaitGroup
	for i, n := range nodes {
		wg.Go(func() {
			if _, err := s.start(n); err != nil {
				s.t.Errorf("node %d: %v", i, err)
			}
		})
	}
	wg.Wait()
}

// TestSharedHome starts 16 nodes with one home at once: in the end there is one copy, made once.
func TestSharedHome(t *testing.T) {
	noLeaks(t)
	s := newSite(t)
	home := t.TempDir()
	var nodes []*node
	for range 16 {
		nodes = append(nodes, &node{t: t, home: home})
	}
	s.together(nodes...)
	uploads := 0
	for _, n := range nodes {
		for _, script := range n.scripts() {
			if isUpload(script, homeDirectory) {
				uploads++
			}
		}
	}
	if uploads != 1 {
		t.Errorf("%d copies were made, want 1", uploads)
	}
}

// TestCopyWithoutATurn: a node that may not execute its whole copy copies again. It does not wait for others, and ends
// no other node's turn.
func TestCopyWithoutATurn(t *testing.T) {
	noLeaks(t)
	s, n := newSite(t), newNode(t)
	s.mustStart(n)
	n.instead = func(_ *node, script string) (string, int, bool) {
		return "sh: 1: exec: Permission denied\n", 126, strings.Contains(script, "good && ") // starts a copy
	}
	w := copyRequest{payload: scriptPayload(fakeprobe.Script).SHA256, home: true}
	s.gate = gate{}
	leader, again, err := s.gate.awaitTurn(t.Context(), w, s.Limits, func() {})
	if leader == nil || again || err != nil {
		t.Fatal("the gate is not free")
	}
	if got := s.mustStart(n); !strings.Contains(got, "to ~/.cache/nvnodetop") {
		t.Errorf("probe: %q", got)
	}
	if s.gate.running != 1 || s.gate.herds[w.payload].leader != leader {
		t.Error("the other node's turn was ended")
	}
}

// TestHomesApart: nodes with homes of their own each get a copy.
func TestHomesApart(t *testing.T) {
	noLeaks(t)
	s := newSite(t)
	var nodes []*node
	for range 8 {
		nodes = append(nodes, newNode(t))
	}
	s.together(nodes...)
	for i, n := range nodes {
		if _, err := os.Lstat(n.probe()); err != nil {
			t.Errorf("node %d: %v", i, err)
		}
	}
}

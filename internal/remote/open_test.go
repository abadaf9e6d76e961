package remote

import (
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/reach"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

func TestOpenCopiesThenFindsTheProbe(t *testing.T) {
	noLeaks(t)
	s := newSite(t)
	n := startNode(t, s, nil)
	s.configure("gpu-n01", n)
	for _, want := range []string{"copied", "there already"} {
		session := s.mustOpen("gpu-n01")
		m, err := session.Next()
		if err != nil || m.Hello == nil || len(m.Hello.GPUs) != 2 {
			t.Fatalf("first message %+v, %v", m, err)
		}
		if err := session.Send(wire.Request{ID: 7, Alive: &wire.Alive{}}); err != nil {
			t.Fatal(err)
		}
		if m, err = session.Next(); err != nil || m.Reply == nil || m.Reply.ID != 7 {
			t.Fatalf("reply %+v, %v", m, err)
		}
		began := time.Now()
		drop(session)
		if took := time.Since(began); took > time.Second {
			t.Errorf("Close took %v", took)
		}
		if got := s.steps.last(reach.StageProbe).Text; !strings.HasPrefix(got, want) {
			t.Errorf("probe: %q, want %q…", got, want)
		}
	}
	if got := len(n.commands()); got != 3 {
		t.Errorf("%d commands, want 3: look, copy, look", got)
	}
	for stage, want := range map[reach.Stage]string{
		reach.StageName:    "gpu-n01 is 127.0.0.1",
		reach.StageSSH:     "OpenSSH_9.9",
		reach.StageHostKey: "ed25519, known (known_hosts line 2)",
		reach.StageLogin:   "publickey accepted, id_ed25519",
		reach.StageDriver:  "NVIDIA 550.54, 2 GPUs",
	} {
		if got := s.steps.last(stage); got.Text != want || got.State != reach.StepDone {
			t.Errorf("%s: %s %q, want done %q", stage, got.State, got.Text, want)
		}
	}
}

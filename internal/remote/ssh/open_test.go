package ssh

import (
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/remote"
	"github.com/nvnodetop/nvnodetop/internal/remote/ssh/advice"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

func TestOpenCopiesThenFindsTheProbe(t *testing.T) {
	s := newSite(t)
	n := startNode(t, s, nil)
	s.configure("gpu-n01", n)
	for _, want := range []string{"copied", "already installed"} {
		session := s.mustOpen("gpu-n01")
		m, err := session.Next()
		if err != nil || m.Hello == nil || len(m.Hello.GPUs) != 2 {
			t.Fatalf("first message %+v, %v", m, err)
		}
		if reply, err := session.Call(t.Context(), wire.Request{Alive: &wire.Alive{}}); err != nil || reply.ID == 0 ||
			reply.Error != "" {
			t.Fatalf("reply %+v, %v", reply, err)
		}
		began := time.Now()
		_ = session.Close()
		if took := time.Since(began); took > time.Second {
			t.Errorf("Close took %v", took)
		}
		if got := s.steps.last(remote.StageProbe).Text; !strings.HasPrefix(got, want) {
			t.Errorf("probe: %q, want %q…", got, want)
		}
	}
	if got := len(n.commands()); got != 3 {
		t.Errorf("%d commands, want 3: look, copy, look", got)
	}
	for stage, want := range map[reach.Stage]string{
		advice.StageName:    "gpu-n01 is 127.0.0.1",
		advice.StageSSH:     "OpenSSH_9.9",
		advice.StageHostKey: "ed25519, known (known_hosts line 2)",
		advice.StageLogin:   "publickey accepted, id_ed25519",
		remote.StageDriver:  "NVIDIA 550.54, 2 GPUs",
	} {
		if got := s.steps.last(stage); got.Text != want || got.State != reach.StepDone {
			t.Errorf("%s: %s %q, want done %q", stage, got.State, got.Text, want)
		}
	}
}

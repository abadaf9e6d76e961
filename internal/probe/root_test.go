package probe

import (
	"os"
	"syscall"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Root's signal reaches a process of another user if the request names that user: the right one, and only as root.
func TestRootSignalsOthers(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root may start a process of another user")
	}
	const nobody = 65534
	other, own := startNode(t, nobody, "sleep", "60"), startNode(t, 0, "sleep", "60")
	user := newDesk()
	user.uid = nobody + 1
	for _, test := range []struct {
		name  string
		desk  *processDesk
		id    wire.ProcessID
		owner int
		want  string
	}{
		{"a wrong owner", newDesk(), other.id, nobody - 1, wire.SignalOtherUser},
		{"a process of root's for one of nobody's", newDesk(), own.id, nobody, wire.SignalOtherUser},
		{"not root", user, other.id, nobody, wire.SignalOtherUser},
		{"another process by now", newDesk(), wire.ProcessID{PID: other.id.PID, StartTicks: 1}, nobody,
			wire.SignalReused},
		{"init", newDesk(), wire.ProcessID{PID: 1, StartTicks: 1}, nobody, wire.SignalDenied},
	} {
		got, err := test.desk.Signal(wire.Signal{Number: int(syscall.SIGKILL), Owner: &test.owner,
			Processes: []wire.ProcessID{test.id}})
		if err != nil || len(got) != 1 || got[0].ErrorID != test.want {
			t.Errorf("%s: %+v, %v", test.name, got, err)
		}
	}
	if !other.runs() || !own.runs() {
		t.Fatal("a process ended")
	}
	for name, d := range map[string]*processDesk{"pidfd": newDesk(), "kill": old()} {
		other := startNode(t, nobody, "sleep", "60")
		got, err := d.Signal(wire.Signal{Number: int(syscall.SIGTERM), Owner: new(nobody),
			Processes: []wire.ProcessID{other.id}})
		if err != nil || len(got) != 1 || got[0].Error != "" {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if by := other.end(t); by != syscall.SIGTERM {
			t.Errorf("%s: ended by %v", name, by)
		}
	}
}

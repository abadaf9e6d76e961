package signal

import (
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// On its own host root may signal processes of others, after a question that names them and their owner. A request has
// the processes of one owner.
func TestRootAndOthers(t *testing.T) {
	root := func(door string, is bool) *part.Scene {
		s := sceneOf(1, 2)
		n := s.NodeOf("n01")
		n.Route.Door, n.Hello = door, &wire.Hello{Root: is}
		n.Processes[2].UID = new(1002)
		return s
	}
	s := root("local", true)
	bob := targetAt(s, "n01", 2)
	r := dialogOf(t, s, bob, nil, Terminate)
	r.says("Send SIGTERM to 1 process?", "n01:99", "of bob: gmx", "this process", "with its children", "!all ranks",
		"▲ 1 of these belongs to another user: root may signal it.", "y send")
	r.press("s esc")
	if r.press("y"); sentTo(r.asks) != "n01 15 99/5" || *r.asks[0].Request.Signal.Owner != 1002 {
		t.Errorf("asks %+v", r.asks)
	}
	r = dialogOf(t, s, bob, []tally.Target{bob, targetAt(s, "n01", 0)}, Kill)
	r.says("Send SIGKILL to 2 processes?", "of bob: gmx", "python train.py", "!of alice")
	if r.press("y"); sentTo(r.asks) != "n01 9 99/5; n01 9 1000/70" || *r.asks[0].Request.Signal.Owner != 1002 ||
		r.asks[1].Request.Signal.Owner != nil {
		t.Errorf("asks %s: %+v", sentTo(r.asks), r.asks)
	}
	r.hear(reply(r.asks[0]))
	if r.hear(reply(r.asks[1])); !strings.Contains(r.text(), "sent to 2") {
		t.Errorf("afterwards:\n%s", r.text())
	}
	for name, s := range map[string]*part.Scene{"by ssh": root("ssh", true), "not root": root("local", false)} {
		r := dialogOf(t, s, targetAt(s, "n01", 2), nil, Terminate)
		if r.press("y"); sentTo(r.asks) != "" || !strings.Contains(r.text(), "belongs to bob") {
			t.Errorf("%s: asks %s\n%s", name, sentTo(r.asks), r.text())
		}
	}
	s.NodeOf("n01").Processes[2].UID = nil
	dialogOf(t, s, targetAt(s, "n01", 2), nil, Terminate).says("belongs to bob", "!y send")
}

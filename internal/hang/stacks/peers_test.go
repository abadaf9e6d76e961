package stacks

import (
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// The node at the other side of a connection is named, if one node of the job alone has its address.
func TestPeersAreNamed(t *testing.T) {
	h := nodesByAddress{}
	h.addAddresses("node03", []string{"10.77.1.3", "172.17.0.1", "fd00::3", "no address"})
	h.addAddresses("node04", []string{"10.77.1.4", "172.17.0.1", "10.77.2.4"})
	for address, want := range map[string]string{"10.77.1.4:29600": "node04 (10.77.1.4:29600)",
		"[::ffff:10.77.1.3]:7": "node03 ([::ffff:10.77.1.3]:7)", "[fd00::3]:7": "node03 ([fd00::3]:7)",
		"10.77.2.4:1": "node04 (10.77.2.4:1)", "172.17.0.1:80": "172.17.0.1:80", "10.9.9.9:80": "10.9.9.9:80", "": "",
		"node04": "node04"} {
		if got := h.namedAddress(address); got != want {
			t.Errorf("%q is named %q, want %q", address, got, want)
		}
	}
}

// A survey names peers when all nodes have answered, and each once.
func TestASurveyNamesPeers(t *testing.T) {
	var places []Place
	for i, node := range []string{"node03", "node04"} {
		places = append(places, Place{Number: i, Node: node, ProcessID: wire.ProcessID{PID: 100 + i, StartTicks: 7}})
	}
	s := newSurvey("7", places, now, 0)
	for q, more := s.Next(); more; q, more = s.Next() {
		address := map[string]string{"node03": "10.77.1.3", "node04": "10.77.1.4"}[q.Node]
		s.Take(q, &wire.Reply{ReadMS: 5000, Addresses: []string{address}, Stacks: []wire.ProcessStacks{{
			ProcessID: q.Request.Stacks.Processes[0], State: "S", Threads: []wire.ThreadStack{{TID: 1, Main: true, State: "S",
				Call: &wire.SystemCall{Does: wire.CallReads, File: "socket:[7]", Peer: "10.77.1.4:29600"}}},
			Unsent: []wire.Connection{{Peer: "10.77.1.4:29600", Bytes: 96, Retransmits: 5}}}}}, nil)
	}
	said := strings.Join(Of(NewPair(nil, s.Look()), Evidence{}).Said, " ")
	if want := "connection to node04 (10.77.1.4:29600) has 96 bytes unsent"; !strings.Contains(said, want) {
		t.Errorf("%q lacks %q", said, want)
	}
	if c := s.Look().Ranks[0].Process.Threads[0].Call; c.Peer != "node04 (10.77.1.4:29600)" {
		t.Errorf("the peer is %q", c.Peer)
	}
}

package proc

import (
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// socketList is of a node whose packets to another one are dropped: the second line waits for an answer.
const socketList = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000:7530 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 77001 1 0 100 0 0 10 0
   1: 03014D0A:8EFB 04014D0A:A5DE 01 00000060:00000000 01:0000051A 00000005  1000        0 77002 2 0 6400 20 4 1 7
   2: 0100007F:8EFC 0100007F:A5DF 06 00000000:00000000 03:00000F1A 00000000     0        0 0 3 0
`

const list6 = `  sl  local_address                         remote_address                        st tx_queue
   0: 0000000000000000FFFF000003014D0A:8EFC 0000000000000000FFFF000004014D0A:7380 01 00000000:00000000 ` +
	"00:00000000 00000000 1000 0 77003 1 0 20 4 30 10 -1\n"

func TestTable(t *testing.T) {
	table := SocketTable{Sockets: map[string]Socket{}}
	table.Add([]byte(socketList))
	table.Add([]byte(list6))
	at := netip.MustParseAddrPort
	want := map[string]Socket{
		"socket:[77001]": {Local: at("0.0.0.0:30000"), Peer: at("0.0.0.0:0")},
		"socket:[77002]": {Local: at("10.77.1.3:36603"), Peer: at("10.77.1.4:42462"), Unsent: 96, Retransmits: 5},
		"socket:[77003]": {Local: at("10.77.1.3:36604"), Peer: at("10.77.1.4:29568")},
	}
	if diff := cmp.Diff(want, table.Sockets, cmpopts.EquateComparable(netip.AddrPort{})); diff != "" || !table.Unsent {
		t.Error(table.Unsent, diff)
	}
}

// A list may have anything.
func FuzzSocketTable(f *testing.F) {
	f.Add([]byte(socketList))
	f.Add([]byte(list6))
	f.Fuzz(func(_ *testing.T, list []byte) {
		table := SocketTable{Sockets: map[string]Socket{}}
		table.Add(list)
	})
}

package proc

import (
	"bytes"
	"encoding/hex"
	"net/netip"
	"slices"
	"strconv"
)

// Address parses an address in the kernel's lists of sockets, such as 0100007F:1F90. Each word of four bytes is in the
// processor's byte order, which is little-endian wherever there are NVIDIA GPUs.
func Address(text []byte) (netip.AddrPort, bool) {
	host, port, _ := bytes.Cut(text, []byte(":"))
	raw, err := hex.AppendDecode(nil, host)
	n, wrong := strconv.ParseUint(string(port), 16, 16)
	if err != nil || wrong != nil || len(raw)%4 != 0 {
		return netip.AddrPort{}, false
	}
	for word := range slices.Chunk(raw, 4) {
		slices.Reverse(word)
	}
	ip, ok := netip.AddrFromSlice(raw)
	return netip.AddrPortFrom(ip.Unmap(), uint16(n)), ok
}

package hostkey

import (
	"slices"
	"strings"
)

// OtherHost is what another host knows about host keys. It does not change, and is kept only in memory.
type OtherHost struct{ file *file }

// Limits of OtherHost: the other host may be hostile. A line with the largest key has 3 KB.
const (
	maxLines = 100_000
	maxLine  = 16 << 10
)

// owner precedes the other host's name in the name of its file.
const owner = "known_hosts of "

// Read reads the known_hosts of another host.
func Read(host, text string) *OtherHost {
	f := &file{path: owner + host, found: map[string][]int32{}}
	f.parseLines(text, maxLines, maxLine)
	return &OtherHost{f}
}

// With returns the Set together with the keys of a host that are known elsewhere, unless the Set itself has a key of
// the host: then only the Set counts. Keys that the Set revokes stay revoked.
func (s *Set) With(e *OtherHost, host Host) *Set {
	if e == nil || slices.ContainsFunc(host.listedNames(), func(name string) bool { return hasKeys(s.linesOf(name)) }) {
		return s
	}
	both := *s
	both.files = append(slices.Clip(s.files), e.file)
	return &both
}

// IsOtherHost reports whether an Error names the file of another host.
func IsOtherHost(file string) bool { return strings.HasPrefix(file, owner) }

package hostkey

import (
	"bytes"
	"cmp"
	"crypto/sha1" //nolint:gosec // the format's
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"sync"

	"golang.org/x/crypto/ssh"
)

// Markers of lines.
const (
	markerCA      = "@cert-authority"
	markerRevoked = "@revoked"
)

// knownHostsLine is a line of a known_hosts file. Its strings are pieces of the file.
type knownHostsLine struct {
	number  int32
	hashed  int32  // index of its hash; -1: it has patterns
	hosts   string // patterns
	marker  string // empty: the line has the key of a host
	keyType string
	key     string // base64
}

// keyBlob returns the key as it is sent; nil if the line has none.
func (l *knownHostsLine) keyBlob() []byte {
	blob, err := base64.StdEncoding.DecodeString(l.key)
	if err != nil {
		return nil
	}
	return blob
}

// hash is a name that is stored as a hash only.
type hash struct{ salt, sum [sha1.Size]byte }

// The pads of HMAC.
var inner, outer = [sha1.BlockSize]byte(bytes.Repeat([]byte{0x36}, sha1.BlockSize)),
	[sha1.BlockSize]byte(bytes.Repeat([]byte{0x5c}, sha1.BlockSize))

// matchesName computes HMAC-SHA1 without the usual allocations: a file may have many thousand lines.
func (h *hash) matchesName(name string) bool {
	var in [sha1.BlockSize + 256]byte
	var out [sha1.BlockSize + sha1.Size]byte
	n := sha1.BlockSize + copy(in[sha1.BlockSize:], name)
	copy(in[:], inner[:])
	copy(out[:], outer[:])
	for i, b := range h.salt {
		in[i] ^= b
		out[i] ^= b
	}
	*(*[sha1.Size]byte)(out[sha1.BlockSize:]) = sha1.Sum(in[:n])      //nolint:gosec // the format's
	return n == sha1.BlockSize+len(name) && sha1.Sum(out[:]) == h.sum //nolint:gosec // the format's
}

// file is a known_hosts file. Only found changes.
type file struct {
	path   string
	stamp  string
	lines  []knownHostsLine
	named  map[string][]int32 // the lines that have names only, by each of them
	others []int32            // the lines that have a pattern or a hash
	hashes []hash
	err    error // why it cannot be read

	mu    sync.Mutex
	found map[string][]int32 // the lines of each name that was looked up
}

// fileStamp returns a string that changes when the file changes; empty: there is no such file.
func fileStamp(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%d %d %v", info.Size(), info.ModTime().UnixNano(), info.Mode())
}

func readFile(path string) *file {
	f := &file{path: path, stamp: fileStamp(path), found: map[string][]int32{}}
	data, err := os.ReadFile(path)
	if err != nil {
		f.err = err
		return f
	}
	f.parseLines(string(data), math.MaxInt32, math.MaxInt)
	return f
}

// parseLines keeps the lines that OpenSSH understands: at most maxLines, each at most maxLine long. An invalid line
// does not hide a host.
func (f *file) parseLines(text string, maxLines, maxLine int) {
	number := int32(0)
	for text := range strings.SplitSeq(text, "\n") {
		number++
		if len(text) > maxLine {
			continue
		}
		if len(f.lines) == maxLines {
			break
		}
		if l, h, ok := parseLine(text); ok {
			l.number, l.hashed = number, -1
			if h != nil {
				l.hashed = int32(len(f.hashes)) //nolint:gosec // a file has no 2^31 lines
				f.hashes = append(f.hashes, *h)
			}
			f.lines = append(f.lines, l)
		}
	}
	f.lines, f.hashes = slices.Clip(f.lines), slices.Clip(f.hashes)
	f.indexNames()
}

// indexNames indexes the lines: a site lists each of its thousands of nodes, and each of them is looked up.
func (f *file) indexNames() {
	f.named, f.others = make(map[string][]int32, len(f.lines)), nil
	for i := range int32(len(f.lines)) { //nolint:gosec // a file has no 2^31 lines
		l := &f.lines[i]
		if l.hashed >= 0 || strings.ContainsAny(l.hosts, "*?!") {
			f.others = append(f.others, i)
			continue
		}
		for name := range strings.SplitSeq(l.hosts, ",") {
			name = lowerName(name)
			if of := f.named[name]; len(of) == 0 || of[len(of)-1] != i {
				f.named[name] = append(of, i)
			}
		}
	}
}

// otherNames are names that OpenSSH also accepts as the type of a key.
var otherNames = map[string]string{ssh.KeyAlgoRSASHA256: ssh.KeyAlgoRSA, ssh.KeyAlgoRSASHA512: ssh.KeyAlgoRSA}

func parseLine(text string) (l knownHostsLine, h *hash, ok bool) {
	word, rest := nextWord(text)
	if strings.HasPrefix(word, "#") {
		return l, nil, false
	}
	if strings.HasPrefix(word, "@") {
		if word != markerCA && word != markerRevoked {
			return l, nil, false
		}
		l.marker = word
		// to OpenSSH the marker is then longer
		if word == markerCA && strings.HasPrefix(rest, "\t") && strings.Contains(rest, " ") {
			return l, nil, false
		}
		word, rest = nextWord(rest)
	}
	l.hosts = word
	l.keyType, rest = nextWord(rest)
	l.keyType = cmp.Or(otherNames[l.keyType], l.keyType)
	l.key, _ = nextWord(rest)
	if l.key == "" || strings.HasPrefix(l.hosts, "@") { // two markers
		return l, nil, false
	}
	if secret, is := strings.CutPrefix(l.hosts, "|1|"); is {
		h, ok = parseHash(secret)
		l.hosts = ""
		return l, h, ok
	}
	return l, nil, true
}

func parseHash(text string) (*hash, bool) {
	salt64, sum64, _ := strings.Cut(text, "|")
	salt, err1 := base64.StdEncoding.DecodeString(salt64)
	sum, err2 := base64.StdEncoding.DecodeString(sum64)
	if err1 != nil || err2 != nil || len(salt) != sha1.Size || len(sum) != sha1.Size {
		return nil, false
	}
	return &hash{salt: [sha1.Size]byte(salt), sum: [sha1.Size]byte(sum)}, true
}

// nextWord cuts the first word off a line.
func nextWord(s string) (word, rest string) {
	s = strings.Trim(s, " \t\r")
	if i := strings.IndexAny(s, " \t"); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}

// linesOf returns the lines of a name. Each name is looked up once, since a hashed line costs the computation of a
// hash.
func (f *file) linesOf(name string) []int32 {
	f.mu.Lock()
	found, known := f.found[name]
	f.mu.Unlock()
	if known {
		return found
	}
	found = slices.Clone(f.named[name])
	for _, i := range f.others {
		l := &f.lines[i]
		if l.hashed >= 0 && f.hashes[l.hashed].matchesName(name) || l.hashed < 0 && matchList(name, l.hosts) {
			found = append(found, i)
		}
	}
	slices.Sort(found)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.found[name] = found
	return found
}

// ErrBinary is returned for a binary list of revoked keys (PROTOCOL.krl of OpenSSH), as ssh-keygen -k writes it: only
// OpenSSH reads binary lists.
var ErrBinary = errors.New("only OpenSSH reads a binary list of revoked keys (KRL)")

const binaryMagic = "SSHKRL\n\x00"

// keyList is a file of RevokedHostKeys.
type keyList struct {
	path, stamp string
	lines       map[string]int // the line number of each key
	err         error
}

func readKeys(path string) *keyList {
	l := &keyList{path: path, stamp: fileStamp(path)}
	data, err := os.ReadFile(path)
	switch {
	case err != nil:
		l.err = err
	case bytes.HasPrefix(data, []byte(binaryMagic)):
		l.err = fmt.Errorf("%s: %w", path, ErrBinary)
	default:
		l.lines, l.err = parseKeys(path, string(data))
	}
	return l
}

// parseKeys reads one public key or certificate per line. As in OpenSSH, an invalid line invalidates the whole list.
func parseKeys(path, text string) (map[string]int, error) {
	lines := map[string]int{}
	number := 0
	for line := range strings.SplitSeq(text, "\n") {
		number++
		kind, rest := nextWord(line)
		if kind == "" || strings.HasPrefix(kind, "#") {
			continue
		}
		key64, _ := nextWord(rest)
		blob, err := base64.StdEncoding.DecodeString(key64)
		if err == nil {
			blob, err = plainBlob(blob)
		}
		if err != nil {
			return nil, fmt.Errorf("%s line %d: %w", path, number, err)
		}
		lines[string(blob)] = number
	}
	return lines, nil
}

// findRevocation reports whether the list has a key or its CA, and in which line.
func (l *keyList) findRevocation(key ssh.PublicKey) (line int, revoked bool) {
	for _, k := range plainKeys(key) {
		if line, revoked = l.lines[string(k.Marshal())]; revoked {
			return line, true
		}
	}
	return 0, false
}

package wire

import "bytes"

const (
	// maxList is how many elements a list may have: GPUs, processes, faults. An element costs hundreds of bytes once it is decoded, but
	// may take only two in the line.
	maxList = MaxProcesses + 24

	// maxDepth is how deep values may be nested. Messages need half of it.
	maxDepth = 16
)

// longLists are the keys, as our encoder writes them, of the lists in a Reply that may have MaxStrings elements.
var longLists = [][]byte{[]byte(`"variables":`), []byte(`"arguments":`)}

// bounded checks, before anything is allocated for it, that no list in a line of JSON is longer than a probe would send. It does not check
// that the line is JSON.
func bounded(line []byte) error {
	var room [maxDepth]int // how many more elements each open list may have
	var list [maxDepth]bool
	depth := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '"':
			i = stringEnd(line, i)
		case '[', '{':
			if depth++; depth == maxDepth {
				return ErrListTooLong
			}
			list[depth], room[depth] = line[i] == '[', roomFor(line[:i])
		case ']', '}':
			depth = max(depth-1, 0)
		case ',':
			if room[depth]--; list[depth] && room[depth] <= 0 {
				return ErrListTooLong
			}
		}
	}
	return nil
}

// roomFor returns how many elements a list may have that follows before.
func roomFor(before []byte) int {
	for _, key := range longLists {
		if bytes.HasSuffix(before, key) {
			return MaxStrings
		}
	}
	return maxList
}

// stringEnd returns the index of the quote that ends the string that begins at i, or the last index of line.
func stringEnd(line []byte, i int) int {
	for i++; i < len(line); i++ {
		end := bytes.IndexByte(line[i:], '"')
		if end < 0 {
			break
		}
		i += end
		backslashes := 0
		for line[i-1-backslashes] == '\\' {
			backslashes++
		}
		if backslashes%2 == 0 {
			return i
		}
	}
	return len(line) - 1
}

package wire

import "bytes"

const (
	// maxList is the largest number of elements in a list: GPUs, processes, faults. An element costs hundreds of bytes
	// once decoded, but may take only two in the line.
	maxList = MaxProcesses + 24

	// maxDepth is the deepest nesting of values. Messages need half of it.
	maxDepth = 16

	// maxValues is the largest number of lists, objects and nulls in a line: lists inside lists multiply.
	maxValues = 64 << 10
)

// Rooms says how many elements the lists of a line of JSON may have at most.
type Rooms struct {
	List    int        // of a list that Long does not name
	Long    []LongList // lists with limits of their own
	Members int        // of an object; 0: any number
	Values  int        // lists, objects and nulls in the whole line: they may need far more memory than text
}

// LongList is a list that may be longer than others.
type LongList struct {
	Key  []byte // as our encoder writes it: "variables":
	Room int
}

// ofMessages are the rooms of a probe's messages. Two lists in a Reply may have MaxStrings elements.
var ofMessages = Rooms{List: maxList, Values: maxValues, Long: []LongList{{[]byte(`"variables":`), MaxStrings},
	{[]byte(`"arguments":`), MaxStrings}}}

// Bounded checks, before anything is allocated, that no list in a line of JSON is too long, and that the line does not
// have too many values altogether. It does not check that the line is JSON.
func Bounded(line []byte, rooms *Rooms) error {
	var room [maxDepth]int // remaining elements of each open list
	var list [maxDepth]bool
	depth, values := 0, rooms.Values
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '"':
			i = stringEnd(line, i)
		case 'n': // null
			values--
		case '[', '{':
			values--
			if depth++; depth == maxDepth {
				return ErrListTooLong
			}
			list[depth], room[depth] = line[i] == '[' || rooms.Members > 0, rooms.maxElements(line[i], line[:i])
		case ']', '}':
			depth = max(depth-1, 0)
		case ',':
			if room[depth]--; list[depth] && room[depth] <= 0 {
				return ErrListTooLong
			}
		}
	}
	if values < 0 {
		return ErrListTooLong
	}
	return nil
}

// maxElements returns the maximum number of elements of a list whose bracket follows before.
func (r *Rooms) maxElements(bracket byte, before []byte) int {
	if bracket == '{' {
		return r.Members
	}
	for i := range r.Long {
		if bytes.HasSuffix(before, r.Long[i].Key) {
			return r.Long[i].Room
		}
	}
	return r.List
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

package proc

import (
	"bytes"
	"errors"
	"strconv"
)

// Stat is what the probe needs from /proc/PID/stat. Times are in ticks.
type Stat struct {
	PID       int
	Comm      string
	State     string
	Parent    int
	Session   int
	Terminal  int // device number
	Minor     uint64
	Major     uint64 // faults
	User      uint64
	System    uint64
	Children  struct{ Minor, Major, User, System uint64 } // those that it has waited for
	Priority  int
	Nice      int
	Threads   int
	Start     uint64
	RSS       uint64 // pages
	CPU       int    // the one it ran on last
	Policy    int
	DiskWaits uint64 // ticks

	// Addresses in its memory; 0 for another user's process. A call of exec chooses new ones.
	ArgumentsFrom, ArgumentsTo, EnvironFrom, EnvironTo uint64
}

// statSize is enough for the whole file: 52 numbers and a name.
const statSize = 2 << 10

var errMalformed = errors.New("malformed")

// Ticks is the CPU time.
func (s *Stat) Ticks() uint64 { return s.User + s.System }

// Dead reports whether the process has exited and only waits for its parent. Its first thread may end before the
// others.
func (s *Stat) Dead() bool { return (s.State == "Z" || s.State == "X") && s.Threads <= 1 }

// parseStat parses the file. The name of the process may contain anything, even parentheses and spaces.
func parseStat(text []byte) (s Stat, ok bool) {
	open, end := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	if open < 0 || end < open {
		return s, false
	}
	s.PID, _ = strconv.Atoi(string(bytes.TrimSpace(text[:open]))) // the caller knows it already
	s.Comm = string(text[open+1 : end])
	i := 3 // number of the field, as proc(5) counts
	for field := range bytes.FieldsSeq(text[end+1:]) {
		if i == 3 {
			s.State = string(field)
		} else if to := s.fieldPointer(i); to != nil {
			if err := parseField(field, to); err != nil {
				return s, false
			}
		}
		i++
	}
	return s, i > 24
}

// fieldPointer returns where to store a field; nil: it is not needed.
func (s *Stat) fieldPointer(i int) any {
	switch i {
	case 4:
		return &s.Parent
	case 6:
		return &s.Session
	case 7:
		return &s.Terminal
	case 10:
		return &s.Minor
	case 11:
		return &s.Children.Minor
	case 12:
		return &s.Major
	case 13:
		return &s.Children.Major
	case 14:
		return &s.User
	case 15:
		return &s.System
	case 16:
		return &s.Children.User
	case 17:
		return &s.Children.System
	case 18:
		return &s.Priority
	case 19:
		return &s.Nice
	case 20:
		return &s.Threads
	case 22:
		return &s.Start
	case 24:
		return &s.RSS
	case 39:
		return &s.CPU
	case 41:
		return &s.Policy
	case 42:
		return &s.DiskWaits
	case 48:
		return &s.ArgumentsFrom
	case 49:
		return &s.ArgumentsTo
	case 50:
		return &s.EnvironFrom
	case 51:
		return &s.EnvironTo
	}
	return nil
}

// parseField puts a number into an *int or a *uint64, where a negative one becomes 0.
func parseField(field []byte, to any) (err error) {
	switch to := to.(type) {
	case *int:
		*to, err = strconv.Atoi(string(field))
	case *uint64:
		if *to, err = strconv.ParseUint(string(field), 10, 64); err != nil && len(field) > 1 && field[0] == '-' {
			_, err = strconv.ParseUint(string(field[1:]), 10, 64)
		}
	}
	return err
}

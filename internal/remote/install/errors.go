package install

import (
	"fmt"
	"slices"
	"strings"
)

// NoPlaceError means that the probe fits nowhere on the node.
type NoPlaceError struct {
	Refused []Refusal
	Words   string // the node's output
	Limits  string // of the session, in the form of SessionLimits; empty: unknown
	Size    int64  // of the probe
	uid     string
}

func (e *NoPlaceError) Error() string { return "nowhere to put the probe: " + e.List() }

// Any reports whether a place was refused for this reason.
func (e *NoPlaceError) Any(s State) bool {
	return slices.ContainsFunc(e.Refused, func(r Refusal) bool { return r.State == s })
}

// Taken names the places that belong to another user, or are open to others; "": there are none.
func (e *NoPlaceError) Taken() string {
	var list []string
	for _, r := range e.Refused {
		if r.State == Taken {
			list = append(list, r.Directory.displayName(e.uid))
		}
	}
	return strings.Join(list, ", ")
}

// List names the places and why each was refused.
func (e *NoPlaceError) List() string {
	reasons := map[State]string{
		Absent: "missing", NoWrite: "not writable", Taken: "not private to you", NoExec: "mounted noexec",
		Damaged: "copy is corrupt",
	}
	var list []string
	for _, r := range e.Refused {
		list = append(list, r.Directory.displayName(e.uid)+" ("+reasons[r.State]+")")
	}
	return strings.Join(list, ", ")
}

// PlatformError means that this build does not run on the node.
type PlatformError struct {
	Machine string   // as printed by `uname -sm`
	Have    []string // the platforms of the payloads
}

func (e *PlatformError) Error() string {
	if len(e.Have) == 0 {
		return fmt.Sprintf("the node is %q, this build has no probe", e.Machine)
	}
	return fmt.Sprintf("the node is %q, this build has probes for %q", e.Machine, e.Have)
}

// PayloadError means that there is no probe to send.
type PayloadError struct{ Err error }

func (e *PayloadError) Error() string {
	return fmt.Sprintf("cannot read the probe executable: %v", e.Err)
}
func (e *PayloadError) Unwrap() error { return e.Err }

package wire

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"
)

// Every field of the requests and replies about actions on processes arrives.
func TestActsArrive(t *testing.T) {
	var r Request
	occupy(reflect.ValueOf(&r).Elem())
	var line bytes.Buffer
	var asked Request
	if err := errors.Join(Write(&line, r), NewReader(&line).Next(&asked)); err != nil || !reflect.DeepEqual(asked, r) {
		t.Errorf("asked %+v, %v, want %+v", asked, err, r)
	}
	var reply Reply
	occupy(reflect.ValueOf(&reply).Elem())
	got, text, err := newPipe().pass(Message{Reply: &reply})
	if err != nil || !reflect.DeepEqual(got.Reply, &reply) {
		t.Errorf("%s gives %+v, %v, want %+v", text, got.Reply, err, &reply)
	}
}

// A Reader accepts the longest lists of a probe, in elements and in bytes, and refuses longer ones.
func TestActsAreBounded(t *testing.T) {
	for name, test := range map[string]struct {
		line    string
		refused bool
	}{
		"targets": {`{"signal":{"number":15,"processes":[` + list(MaxTargets, `{"pid":1,"start_ticks":2}`) +
			`]}}`, false},
		"too many targets": {`{"signal":{"number":15,"processes":[` + list(maxList+1, `{"pid":1,"start_ticks":2}`) +
			`]}}`, true},
		"too many pids":      {`{"family":{"pids":[` + list(maxList+1, `1`) + `]}}`, true},
		"relatives":          {`{"reply":{"family":[` + list(MaxRelatives, `{"pid":1}`) + `]}}`, false},
		"too many relatives": {`{"reply":{"family":[` + list(maxList+1, `{"pid":1}`) + `]}}`, true},
		"stacks": {`{"reply":{"stacks":[` + list(MaxStackProcesses, `{"threads":[{"frames":[{}]}]}`) +
			`]}}`, false},
		"deep stacks": {`{"reply":{"stacks":[{"threads":[{"frames":[` + list(MaxStackFrames, `{"function":"f"}`) +
			`]}]}]}}`, false},
		"too deep stacks":   {`{"reply":{"stacks":[{"threads":[{"frames":[` + list(maxList+1, `{}`) + `]}]}]}}`, true},
		"too many signaled": {`{"reply":{"signaled":[` + list(maxList+1, `{}`) + `]}}`, true},
	} {
		var m Message
		err := NewReader(strings.NewReader(test.line + "\n")).Next(&m)
		if errors.Is(err, ErrListTooLong) != test.refused {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := Write(&bytes.Buffer{}, Reply{Family: []Relative{{Command: strings.Repeat("x", MaxFamily)}}}); err != nil {
		t.Errorf("the largest family: %v", err)
	}
}

func TestSignalNames(t *testing.T) {
	for number, name := range map[int]string{1: "HUP", 9: "KILL", 10: "USR1", 15: "TERM", 19: "STOP", 31: "SYS"} {
		if got := SignalName(number); got != name || SignalNumber(name) != number {
			t.Errorf("%d is %q, and %s is %d", number, got, name, SignalNumber(name))
		}
	}
	for _, number := range []int{-1, 0, 32, 64} {
		if name := SignalName(number); name != "" {
			t.Errorf("%d is %q", number, name)
		}
	}
	if SignalNumber("") != 0 || SignalNumber("SIGTERM") != 0 {
		t.Error("a name that is none has a number")
	}
}

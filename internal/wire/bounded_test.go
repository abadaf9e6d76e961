package wire

import (
	"bufio"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// list returns n elements, separated by commas.
func list(n int, element string) string {
	return strings.TrimSuffix(strings.Repeat(element+",", n), ",")
}

// Lines that would take much memory are refused before they are decoded.
func TestLongListsAreRefused(t *testing.T) {
	for name, line := range map[string]string{
		"cards":          `{"hello":{"gpus":[` + list(200_000, "null") + `]}}`,
		"numbers":        `{"report":{"gpus":[` + list(400_000, "0") + `]}}`,
		"strings":        `{"report":{"processes":[` + list(300_000, `""`) + `]}}`,
		"objects":        `{"report":{"GPUs":[` + list(300_000, `{}`) + `]}}`,
		"spaced":         `{"report":{"gpus" : [` + list(300_000, `{}`) + `]}}`,
		"variables":      `{"reply":{"environ":{"variables":[` + list(300_000, `""`) + `]}}}`,
		"lists in lists": `{"reply":{"stacks":[` + list(100, `{"threads":[`+list(1000, `{}`)+`]}`) + `]}}`,
		"nulls in lists": `{"reply":{"stacks":[` + list(100, `{"threads":[`+list(1000, `null`)+`]}`) + `]}}`,
		"nested":         strings.Repeat(`[`, 900_000),
	} {
		r := NewReader(strings.NewReader(line + "\n"))
		if err := r.ReadLine(); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var m Message
		err := r.Decode(&m)
		runtime.ReadMemStats(&after)
		if bad := (*MalformedError)(nil); !errors.As(err, &bad) || !errors.Is(err, ErrListTooLong) {
			t.Errorf("%s: %v", name, err)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 64<<10 {
			t.Errorf("%s: %d bytes were allocated for a line of %d", name, took, len(line))
		}
	}
}

// Every message that a probe can send is accepted.
func TestBoundedLetsMessagesThrough(t *testing.T) {
	for name, line := range map[string]string{
		"most processes": `{"report":{"gpus":[{"values":{"a":1,"b":[1,2]}}],"processes":[` +
			list(MaxProcesses, `{"pid":1,"command":"a,b,[c] \"d,e\\"}`) + `]}}`,
		"most variables": `{"reply":{"id":1,"environ":{"variables":[` + list(MaxStrings, `""`) + `]}}}`,
		"environment":    `{"reply":{"id":1,"environ":{"variables":[` + list(60_000, `"A="`) + `]}}}`,
		"arguments":      `{"reply":{"id":1,"process":{"arguments":[` + list(MaxArguments/4, `"a"`) + `]}}}`,
		"many members":   `{` + list(100_000, `"a":1`) + `}`,
		"commas":         `{"a":["` + strings.Repeat(",", 100_000) + `"]}`,
		"no JSON":        `]]}},,"\`,
	} {
		if err := Bounded([]byte(line), &ofMessages); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The environment of a process is secret: an error never quotes a reply, however garbled it is.
func TestRepliesAreNotQuoted(t *testing.T) {
	for _, line := range []string{
		`{"reply":{"id":3,"environ":{"variables":["TOKEN=secret"` + "\x00",
		`{"reply":{"id":3,"environ":{"variables":["TOKEN=secret"]}}`,
		`{"reply":{"id":3,"environ":{"variables":{"TOKEN":"secret"}}}}`,
		`a warning{"reply":{"id":3,"environ":{"variables":["TOKEN=secret"]}}}`,
		`{"reply":{"id":"secret"}}`,
		`{"reply":{"id":3,"environ":{"variables":[` + list(100_000, `"secret"`) + `]}}}`,
	} {
		for i, parse := range parsers {
			var m Message
			err := NewReaderWith(bufio.NewReader(strings.NewReader(line+"\n")).ReadSlice, parse).Next(&m)
			bad, ok := errors.AsType[*MalformedError](err)
			if !ok || strings.Contains(bad.Line+fmt.Sprint(err), "secret") {
				t.Errorf("parser %d, %.60s: %v", i, line, err)
			}
		}
	}
}

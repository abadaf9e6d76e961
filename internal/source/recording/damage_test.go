package recording

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
	"github.com/nvnodetop/nvnodetop/test/raced"
)

// begin returns how many of the first Events were read, and fails where an Event differs.
func begin(t *testing.T, file []byte, events []cluster.Event) int {
	t.Helper()
	r, err := Open(context.Background(), bytes.NewReader(file), int64(len(file)))
	if errors.Is(err, ErrEmpty) || errors.Is(err, ErrNotRecording) {
		return 0
	}
	if err != nil {
		t.Fatalf("%d bytes: %v", len(file), err)
	}
	got := read(t, r)
	for i := range got {
		if i >= len(events) || !got[i].At.Equal(events[i].At) || got[i].Node != events[i].Node {
			t.Fatalf("%d bytes: event %d differs", len(file), i)
		}
	}
	return len(got)
}

// A recording that was cut anywhere is readable up to there.
func TestCut(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	events := story(t, 1, 2, 0, 5*time.Minute)
	file := recorded(t, Header{}, events)
	last := 0
	for size := 0; size < len(file); size += max(len(file)/100, 1) {
		n := begin(t, file[:size], events)
		if n < last {
			t.Errorf("%d bytes give %d events, fewer bytes %d", size, n, last)
		}
		last = n
	}
	if last < len(events)*8/10 {
		t.Errorf("nearly the whole file gives %d of %d events", last, len(events))
	}
	if n := begin(t, file, events); n != len(events) {
		t.Errorf("the whole file gives %d of %d events", n, len(events))
	}
}

// Without its index a recording has the same frames.
func TestScan(t *testing.T) {
	file := recorded(t, Header{}, story(t, 2, 4, 0, 7*time.Minute))
	whole, cut := opened(t, file), opened(t, file[:len(file)-1])
	if !cut.Cut || len(cut.Frames) != len(whole.Frames) || !cut.End.Equal(whole.End) {
		t.Fatalf("cut %t, %d and %d frames, until %v and %v", cut.Cut, len(cut.Frames), len(whole.Frames), cut.End,
			whole.End)
	}
	for i := range whole.Frames {
		if whole.Frames[i].Offset != cut.Frames[i].Offset || !whole.Frames[i].At.Equal(cut.Frames[i].At) {
			t.Errorf("frame %d: %v, %v", i, whole.Frames[i], cut.Frames[i])
		}
	}
}

// A full disk leaves a file that is readable, and at most the last seconds are missing.
func TestFullDisk(t *testing.T) {
	events := story(t, 4, 8, 0, 4*time.Minute)
	disk := &failing{n: len(recorded(t, Header{}, events)) / 2}
	w := NewWriter(Header{Poll: poll})
	if err := w.Begin(disk, events[0].At); err != nil {
		t.Fatal(err)
	}
	var failed time.Time
	for _, e := range events {
		if err := w.Write(e); err != nil {
			failed = e.At
			if !errors.Is(err, io.ErrShortWrite) {
				t.Errorf("the error is %v", err)
			}
			break
		}
	}
	if failed.IsZero() || w.Close() == nil {
		t.Fatal("no error")
	}
	n := begin(t, disk.Bytes(), events)
	if n == 0 || failed.Sub(events[n-1].At) > flushSpan+5*time.Second {
		t.Errorf("%d events of %d", n, len(events))
	}
}

// A damaged recording is refused, or gives Events until there: nothing panics.
func TestDamaged(t *testing.T) {
	raced.Skip(t)
	t.Parallel()
	events := story(t, 1, 2, 0, 5*time.Minute)
	file := recorded(t, Header{}, events)
	said := false
	for range 200 {
		bad := bytes.Clone(file)
		bad[rand.IntN(len(bad))] ^= byte(1 + rand.IntN(255))
		r, err := Open(context.Background(), bytes.NewReader(bad), int64(len(bad)))
		if err != nil {
			continue
		}
		err = r.Run(t.Context(), func(cluster.Event) {})
		said = said || err != nil && strings.Contains(err.Error(), "the recording is damaged at 2")
	}
	if !said {
		t.Error("no damage was found")
	}
}

func TestOtherFiles(t *testing.T) {
	header := func(v any) string {
		body, _ := json.Marshal(v)
		return string(skippableFrame(magicHeader, body))
	}
	for name, tc := range map[string]struct {
		file string
		want string
	}{
		"nothing": {"", "not a recording of nvnodetop"},
		"a text":  {"hello, world, this is a text", "not a recording of nvnodetop"},
		"another version": {header(map[string]any{"nvnodetop_recording": 7, "poll_ns": "?"}),
			"it has version 7 of the format, and this nvnodetop reads version 4: use a newer nvnodetop"},
		"the version before the first release": {header(map[string]any{"nvnodetop_recording": 3, "poll_ns": "?"}),
			"it has version 3 of the format, and this nvnodetop reads version 4: no release wrote an earlier one"},
		"no version":     {header(map[string]any{"x": 7}), "not a recording of nvnodetop"},
		"a large header": {"\x5a\x2a\x4d\x18\xff\xff\xff\xff{}", "not a recording of nvnodetop"},
		"no events":      {header(Header{Version: Version, Poll: poll}), "the recording is empty"},
	} {
		if _, err := Open(context.Background(), strings.NewReader(tc.file), int64(len(tc.file))); err == nil ||
			err.Error() != tc.want {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
}

// framed is a recording of one frame, without an index.
func framed(t *testing.T, text string) []byte {
	t.Helper()
	zip, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	at, _ := json.Marshal(Frame{At: time.Unix(1_700_000_000, 0)})
	body, _ := json.Marshal(Header{Version: Version, Poll: poll})
	return append(append(skippableFrame(magicHeader, body), skippableFrame(magicFrame, at)...),
		zip.EncodeAll([]byte(text), nil)...)
}

// A recording of somebody else cannot exhaust the memory, nor end the program.
func TestHostile(t *testing.T) {
	const good = `{"at":1700000000000000000,"node":"a","gone":true}` + "\n"
	for name, text := range map[string]string{
		"a long line": good + `{"at":1700000000000000001,"node":"` + strings.Repeat("a", 2*maxLine) +
			`","gone":true}` + "\n",
		"no JSON":         good + "at\n",
		"no time":         good + `{"at":x,"node":"a","gone":true}` + "\n",
		"no name":         good + `{"at":1,"node":"a` + "\n",
		"a report before": good + `{"at":1,"node":"a","report":{"same":true,"gpus":[{}]}}` + "\n",
		"a list without end": good + `{"at":1,"node":"a","report":{"gpus":[` + strings.Repeat("{},", 1<<16) +
			`{}]}}` + "\n",
		"an empty line":        good + "\n",
		"packed before":        good + `{"at":1,"node":"a","packed":"AAAA"}` + "\n",
		"packed badly":         good + `{"at":1,"node":"a","packed":"A*"}` + "\n",
		"packed without end":   good + `{"at":1,"node":"a","packed":"AAAA}` + "\n",
		"a line without a end": good + `{"at":1,"node":"a","gone":true}`,
	} {
		file := framed(t, text)
		file = append(file, 0) // not cut: it ends with an index that is none
		r, err := Open(context.Background(), bytes.NewReader(file), int64(len(file)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		n := 0
		if err := r.Run(t.Context(), func(cluster.Event) { n++ }); err != nil || n != 1 {
			t.Errorf("%s: %d events, %v", name, n, err)
		}
	}
}

// Packed numbers that no writer has made are refused, or read as some numbers: those of the metrics in the previous
// report.
func TestHostileNumbers(t *testing.T) {
	const hello, whole = `{"at":1,"node":"a","hello":{"gpus":[{"index":0}]}}` + "\n",
		`{"at":2,"node":"a","report":{"seq":1,"mono_ms":1,"host":{"cpu_percent":3},"gpus":[{"index":0,"values":{"util_percent":5}}]}}` + "\n"
	const some = "AAAABCDgh/;;;;;;;;;;;;;"
	refused := 0
	for n := range 1000 {
		var d decoder
		d.resetState(layoutOf(ours))
		text := make([]byte, rand.IntN(160))
		for i := range text {
			text[i] = some[rand.IntN(len(some))]
		}
		if n%2 == 0 {
			text = base64.RawStdEncoding.AppendEncode(nil, text)
		}
		for _, line := range []string{hello, whole} {
			if _, _, err := d.decodeLine([]byte(line)); err != nil {
				t.Fatal(err)
			}
		}
		e, _, err := d.decodeLine([]byte(`{"at":3,"node":"a","packed":"` + string(text) + `"}` + "\n"))
		if err != nil {
			refused++
			continue
		}
		if u, known := e.Report.GPUs[0].Values.Get(metric.Util); known && !(u >= 0 && u <= 100) ||
			e.Report.GPUs[0].Values.Has(metric.Power) {
			t.Errorf("%v", e.Report)
		}
	}
	if refused == 0 {
		t.Error("all are taken for packed numbers")
	}
}

// FuzzOpen reads anything as a recording.
func FuzzOpen(f *testing.F) {
	events := []cluster.Event{{At: time.Unix(1_700_000_000, 0), Node: "a", Gone: true},
		{At: time.Unix(1_700_000_100, 0), Node: "b", Pace: &cluster.Pace{Interval: poll}}}
	file := recorded(f, Header{}, events)
	f.Add(file)
	f.Add(file[:len(file)-9])
	f.Fuzz(func(t *testing.T, file []byte) {
		r, err := Open(context.Background(), bytes.NewReader(file), int64(len(file)))
		if err != nil {
			return
		}
		_ = r.Run(t.Context(), func(cluster.Event) {})
	})
}

// FuzzLine reads anything as a line after a report.
func FuzzLine(f *testing.F) {
	f.Add([]byte(`{"at":3,"node":"a","packed":"AAAA"}` + "\n"))
	f.Add([]byte(`{"at":3,"node":"a","report":{"same":true,"gpus":[{"index":0}]},"packed":"AAAA"}` + "\n"))
	f.Add([]byte(`{"at":3,"node":"a","packed":"C;wgB;;;;"}` + "\n"))
	f.Fuzz(func(_ *testing.T, line []byte) {
		var d decoder
		d.resetState(layoutOf(ours))
		_, _, _ = d.decodeLine([]byte(`{"at":2,"node":"a","report":{"seq":1,"host":{},"gpus":[{"index":0,` +
			`"values":{"util_percent":5}}]}}` + "\n"))
		_, _, _ = d.decodeLine(line)
	})
}

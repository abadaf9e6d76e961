package wire

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

func TestSkipToMagic(t *testing.T) {
	for name, tc := range map[string]struct {
		stream string
		rest   string // of the first line behind the magic
		noise  string // quoted when there is no magic
	}{
		"at once":                 {Magic + "\n{}\n", "{}", ""},
		"carriage return":         {Magic + "\r\n{}\n", "{}", ""},
		"behind a motd":           {"Welcome!\nquota 93%\n" + Magic + "\n{}\n", "{}", ""},
		"behind no newline":       {"loading modules..." + Magic + "\n{}\n", "{}", ""},
		"long noise line":         {strings.Repeat("x", 40<<10) + Magic + "\n{}\n", "{}", ""},
		"straddles a read":        {strings.Repeat("x", 16<<10-7) + Magic + "\n{}\n", "{}", ""},
		"straddles with a return": {strings.Repeat("x", 16<<10-len(Magic)-1) + Magic + "\r\n{}\n", "{}", ""},
		"never":                   {"command not found\n", "", "command not found\n"},
		"quoted in a line":        {"I say " + Magic + " aloud\n", "", "I say " + Magic + " aloud\n"},
		"without its end":         {Magic, "", Magic},
		"another version":         {Magic + "7\n", "", Magic + "7\n"},
	} {
		for how, wrap := range map[string]func(io.Reader) io.Reader{"whole": func(r io.Reader) io.Reader { return r }, "by bytes": iotest.OneByteReader} {
			t.Run(name+" "+how, func(t *testing.T) {
				r := NewReader(wrap(strings.NewReader(tc.stream)))
				err := r.SkipToMagic()
				if tc.noise != "" {
					var noise *NoiseError
					if !errors.As(err, &noise) || !errors.Is(err, ErrNoMagic) || noise.Noise != tc.noise || !errors.Is(err, io.EOF) {
						t.Fatalf("error %#v, want one with the noise %q", err, tc.noise)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				var got Message
				if err := r.Next(&got); err != nil || !reflect.DeepEqual(got, Message{}) {
					t.Errorf("behind the magic: %+v, %v", got, err)
				}
			})
		}
	}
}

func TestSkipToMagicHasABudget(t *testing.T) {
	endless := &counter{r: iotest.DataErrReader(io.LimitReader(zeros{}, 100<<20))}
	err := NewReader(endless).SkipToMagic()
	var noise *NoiseError
	if !errors.As(err, &noise) || len(noise.Noise) > noiseKept {
		t.Fatalf("error %v", err)
	}
	if endless.n > 2*MagicBudget {
		t.Errorf("read %d bytes in search of the magic, the budget is %d", endless.n, MagicBudget)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'z'
	}
	return len(p), nil
}

type counter struct {
	r io.Reader
	n int
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += n
	return n, err
}

func TestRoundTrip(t *testing.T) {
	util, mem := 0, uint64(1<<40)
	want := Message{Report: &Report{Seq: 3, MonoMS: 77, GPUs: []GPU{{Index: 1, UtilPercent: &util, MemoryUsed: &mem}}}}
	var buf bytes.Buffer
	if err := Write(&buf, want); err != nil {
		t.Fatal(err)
	}
	if line := buf.String(); !strings.Contains(line, `"util_percent":0`) || strings.Contains(line, "temperature") {
		t.Errorf("0 is a number and nil is none, but the line is %s", line)
	}
	var got Message
	if err := NewReader(&buf).Next(&got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestNextRefuses(t *testing.T) {
	for name, tc := range map[string]struct {
		stream string
		want   error
	}{
		"nothing":    {"", io.EOF},
		"half":       {`{"seq":1`, io.ErrUnexpectedEOF},
		"too long":   {strings.Repeat(" ", MaxLine) + "{}\n", ErrLineTooLong},
		"not a line": {strings.Repeat("\x00", 3*MaxLine), ErrLineTooLong},
	} {
		t.Run(name, func(t *testing.T) {
			r := NewReader(strings.NewReader(tc.stream))
			var m Message
			if err := r.Next(&m); !errors.Is(err, tc.want) {
				t.Errorf("error %v, want %v", err, tc.want)
			}
			if cap(r.buf) > 2*MaxLine {
				t.Errorf("holds %d bytes", cap(r.buf))
			}
		})
	}
	var m Message
	err := NewReader(strings.NewReader("Segmentation fault\n")).Next(&m)
	if err == nil || !strings.Contains(err.Error(), "Segmentation fault") {
		t.Errorf("error %v does not quote what came", err)
	}
}

func TestWriteRefusesTooLong(t *testing.T) {
	if err := Write(io.Discard, Reply{Error: strings.Repeat("x", MaxLine)}); !errors.Is(err, ErrLineTooLong) {
		t.Errorf("error %v", err)
	}
}

func FuzzReader(f *testing.F) {
	f.Add([]byte("motd\n" + Magic + "\n{\"hello\":{\"version\":1}}\n{\"report\":{}}\n"))
	f.Add([]byte(Magic + "\nnull\n[]\n{\"report\":{\"gpus\":[{\"index\":-1}]}}"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		r := NewReader(bytes.NewReader(stream))
		if r.SkipToMagic() != nil {
			return
		}
		for range bytes.Count(stream, []byte("\n")) + 1 {
			var m Message
			if err := r.Next(&m); errors.Is(err, io.EOF) {
				return
			}
		}
		var m Message
		if err := r.Next(&m); err == nil {
			t.Error("more messages than lines")
		}
	})
}

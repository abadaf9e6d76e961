package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

func TestSkipToMagic(t *testing.T) {
	for name, tc := range map[string]struct {
		stream string
		rest   string // of the first line after the magic
		noise  string // quoted if there is no magic
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
		for how, wrap := range map[string]func(io.Reader) io.Reader{"whole": func(r io.Reader) io.Reader { return r },
			"by bytes": iotest.OneByteReader} {
			t.Run(name+" "+how, func(t *testing.T) {
				r := NewReader(wrap(strings.NewReader(tc.stream)))
				err := r.SkipToMagic()
				if tc.noise != "" {
					var noise *NoiseError
					if !errors.As(err, &noise) || noise.Noise != tc.noise || !errors.Is(err, io.EOF) {
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
				if before, _, _ := strings.Cut(tc.stream, Magic); !strings.HasPrefix(before, r.Noise()) ||
					len(before) <= noiseKept && r.Noise() != before {
					t.Errorf("skipped %q, want %q", r.Noise(), before)
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
	want := Message{Report: &Report{
		Seq: 3, MonoMS: 77,
		Host: Host{metric.Make(map[metric.ID]float64{metric.HostMemoryUsed: 5})},
		GPUs: []GPU{{Index: 1, Values: metric.Make(map[metric.ID]float64{metric.Util: 0, metric.MemoryUsed: 1 << 40})}},
	}}
	var buf bytes.Buffer
	if err := Write(&buf, want); err != nil {
		t.Fatal(err)
	}
	if line := buf.String(); !strings.Contains(line, `"util_percent":0`) || strings.Contains(line, "temperature") {
		t.Errorf("0 must be written and absent values left out, but the line is %s", line)
	}
	var got Message
	if err := NewReader(&buf).Next(&got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
}

// The metrics that the cards of one model lack take memory once.
func TestCardsShareWhatTheyLack(t *testing.T) {
	var m Message
	if err := NewReader(strings.NewReader(`{"hello":{"gpus":[{"absent":{"x":["fan"]}},{"absent":{"x":["fan"]}},{}]}}` +
		"\n")).Next(&m); err != nil {
		t.Fatal(err)
	}
	lacks := func(card int) uintptr { return reflect.ValueOf(m.Hello.GPUs[card].Absent).Pointer() }
	if lacks(0) == 0 || lacks(0) != lacks(1) || lacks(2) != 0 {
		t.Errorf("the lists are at %x, %x and %x", lacks(0), lacks(1), lacks(2))
	}
}

// Every field of a report arrives, new fields too: reports have an encoder of their own.
func TestRoundTripOfEveryField(t *testing.T) {
	var want Report
	occupy(reflect.ValueOf(&want).Elem())
	want.Host.Set(metric.CPU, 1.25)
	want.GPUs = append(want.GPUs, GPU{}, want.GPUs[0])
	want.GPUs[2].Values.Set(metric.Power, 312.5)
	for name, encode := range map[string]func(Message) ([]byte, error){
		"Write": func(m Message) ([]byte, error) {
			var b bytes.Buffer
			err := Write(&b, m)
			return b.Bytes(), err
		},
		"json": func(m Message) ([]byte, error) { return json.Marshal(m) },
	} {
		line, err := encode(Message{Report: &want})
		var got Message
		if err == nil {
			err = NewReader(strings.NewReader(strings.TrimSpace(string(line)) + "\n")).Next(&got)
		}
		if err != nil || !reflect.DeepEqual(got.Report, &want) {
			t.Errorf("%s: %s gives %+v, %v, want %+v", name, line, got.Report, err, &want)
		}
	}
}

// occupy gives every exported field a value.
func occupy(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				occupy(v.Field(i))
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		occupy(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		occupy(v.Index(0))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		occupy(key)
		occupy(value)
		v.SetMapIndex(key, value)
	case reflect.String:
		v.SetString("a \"quoted\" <text>")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(2.5)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Uint8, reflect.Uint64:
		v.SetUint(8)
	default:
		panic("a report has a field of the kind " + v.Kind().String())
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
		t.Errorf("error %v does not quote the line", err)
	}
}

func TestWriteRefusesTooLong(t *testing.T) {
	if err := Write(io.Discard, Reply{Error: strings.Repeat("x", MaxLine)}); !errors.Is(err, ErrLineTooLong) {
		t.Errorf("error %v", err)
	}
}

func FuzzReader(f *testing.F) {
	f.Add([]byte("motd\n" + Magic + "\n{\"hello\":{\"version\":1}}\n{\"report\":{}}\n"))
	f.Add([]byte(Magic + "\n{\"report\":{\"gpus\":[{\"index\":0}]}}\n{\"report\":{\"same\":true,\"changes\":{\"util_percent\":[5]},\"gpus\":[{\"index\":0,\"gone\":[\"mem_mhz\"]}]}}\n"))
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

// The report of a node with 8 GPUs.
func BenchmarkDecodeReport(b *testing.B) {
	gpu := metric.Make(map[metric.ID]float64{
		metric.Util: 97, metric.MemUtil: 52, metric.MemoryUsed: 70100 << 20, metric.Temperature: 64,
		metric.Power: 642.317, metric.PowerLimit: 700,
		metric.SMClock: 1980, metric.MemClock: 2619, metric.Throttle: ThrottleSWPowerCap, metric.ECCUncorrected: 0,
	})
	r := Report{Seq: 7, MonoMS: 123456789, Host: Host{metric.Make(map[metric.ID]float64{
		metric.CPU: 31.25, metric.Load: 41.2, metric.HostMemoryUsed: 412 << 30, metric.HostMemoryTotal: 1008 << 30,
		metric.Uptime: 3542400,
	})}}
	for i := range 8 {
		r.GPUs = append(r.GPUs, GPU{Index: i, Values: gpu})
	}
	var line bytes.Buffer
	if err := Write(&line, Message{Report: &r}); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(line.Len()))
	b.ReportAllocs()
	for b.Loop() {
		var m Message
		if err := NewReader(bytes.NewReader(line.Bytes())).Next(&m); err != nil {
			b.Fatal(err)
		}
	}
}

// Lines for other names are skipped; lines for all names and for this one are read.
func TestNextFor(t *testing.T) {
	var in bytes.Buffer
	for _, line := range [][]byte{
		Address("n2", []byte(`{"id":1}`)), []byte(`{"id":2}`), Address("n1", []byte(`{"id":3}`)),
		Address("n10", []byte(`{"id":4}`)),
		[]byte("@n1"), []byte("@"), Address("", []byte(`{"id":5}`)), Address("n1", []byte(`oops`)),
		Address("n1", []byte(`{"id":6}`)),
	} {
		in.Write(append(line, '\n'))
	}
	r := NewReader(&in)
	for _, want := range []uint64{2, 3, 0, 6} {
		var got Request
		err := r.NextFor("n1", &got)
		if bad := (*MalformedError)(nil); want == 0 && (!errors.As(err, &bad) || bad.Line != "oops\n") {
			t.Errorf("a line for us that is none: %v", err)
		}
		if want != 0 && (err != nil || got.ID != want) {
			t.Errorf("got %+v, %v; want %d", got, err, want)
		}
	}
	if err := r.NextFor("n1", &Request{}); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %v", err)
	}
}

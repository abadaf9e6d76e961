package scalars

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/cluster/progress"
)

// event has the parts that TensorBoard reads: the reader below shares nothing with the writer.
type event struct {
	time    float64
	step    uint64
	version string
	values  map[string]float32
}

// crc32c is the checksum by its definition, bit by bit.
func crc32c(data []byte) uint32 {
	crc := ^uint32(0)
	for _, b := range data {
		crc ^= uint32(b)
		for range 8 {
			crc = crc>>1 ^ 0x82f63b78*(crc&1)
		}
	}
	return ^crc
}

// sealed reports whether a stored checksum is that of data.
func sealed(data, stored []byte) bool {
	x := binary.LittleEndian.Uint32(stored) - 0xa282ead8
	return x<<15|x>>17 == crc32c(data)
}

// events reads the whole records of a file, and returns how many bytes are left.
func events(t *testing.T, file []byte) (list []event, left int) {
	t.Helper()
	for len(file) >= 12 {
		n := int(binary.LittleEndian.Uint64(file))
		if !sealed(file[:8], file[8:12]) {
			t.Fatal("the checksum of a length is wrong")
		}
		if len(file) < 12+n+4 {
			break
		}
		data := file[12 : 12+n]
		if !sealed(data, file[12+n:]) {
			t.Fatal("the checksum of an event is wrong")
		}
		list = append(list, decode(t, data))
		file = file[12+n+4:]
	}
	return list, len(file)
}

// fields calls f for each field of a message of Protocol Buffers: n is a varint or the bits of a fixed number, b a text
// or a message.
func fields(t *testing.T, msg []byte, f func(number int, n uint64, b []byte)) {
	t.Helper()
	for len(msg) > 0 {
		key, k := binary.Uvarint(msg)
		msg = msg[k:]
		var n uint64
		var b []byte
		switch key & 7 {
		case 0:
			n, k = binary.Uvarint(msg)
		case 1:
			n, k = binary.LittleEndian.Uint64(msg), 8
		case 5:
			n, k = uint64(binary.LittleEndian.Uint32(msg)), 4
		case 2:
			size, head := binary.Uvarint(msg)
			b, k = msg[head:head+int(size)], head+int(size)
		default:
			t.Fatalf("wire type %d", key&7)
		}
		msg = msg[k:]
		f(int(key>>3), n, b)
	}
}

func decode(t *testing.T, msg []byte) event {
	t.Helper()
	e := event{values: map[string]float32{}}
	fields(t, msg, func(number int, n uint64, b []byte) {
		switch number {
		case 1:
			e.time = math.Float64frombits(n)
		case 2:
			e.step = n
		case 3:
			e.version = string(b)
		case 5:
			fields(t, b, func(_ int, _ uint64, value []byte) {
				tag, v := "", float32(0)
				fields(t, value, func(number int, n uint64, b []byte) {
					switch number {
					case 1:
						tag = string(b)
					case 2:
						v = math.Float32frombits(uint32(n))
					}
				})
				e.values[tag] = v
			})
		default:
			t.Fatalf("field %d", number)
		}
	})
	return e
}

func board(t *testing.T, dir string) *TensorBoard {
	t.Helper()
	b, err := NewTensorBoard(dir, "login.1", 77)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The first event of a file of TensorFlow's is 24 bytes long: its length has this checksum in each of their files.
func TestRecord(t *testing.T) {
	record := appendRecord(nil, versionEvent(time.UnixMicro(1483228800250000)))
	if got := hex.EncodeToString(record[:12]); got != "1800000000000000a37f4b22" {
		t.Error(got)
	}
	if got := hex.EncodeToString(record[12:36]); got != "09000010a0111ad641"+"1a0d"+
		hex.EncodeToString([]byte("brain.Event:2")) {
		t.Error(got)
	}
	list, left := events(t, record)
	if len(list) != 1 || left != 0 || list[0].time != 1483228800.25 || list[0].version != "brain.Event:2" {
		t.Errorf("%+v, %d bytes left", list, left)
	}
	if crc32c([]byte("123456789")) != 0xe3069283 {
		t.Error("the reader is wrong")
	}
}

// Each job is a run with a file of its own; each sample is one event with the tags of its values.
func TestTensorBoard(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "runs")
	b := board(t, dir)
	put(t, b)
	put(t, b, sample(10.25, "16", "rank3", "a", 97.5), sample(11, "17_2", "rank0", "b", 1),
		sample(12, "16", Whole, "", 50), sample(12, "16", "rank4", "a", math.NaN()))
	put(t, b, sample(20, "16", "rank3", "a", 98))
	list, left := events(t, []byte(read(t,
		filepath.Join(dir, "job-16", fmt.Sprintf("events.out.tfevents.%d.login_1.77", at(10).Unix())))))
	if len(list) != 4 || left != 0 || list[0].version != "brain.Event:2" {
		t.Fatalf("%+v, %d bytes left", list, left)
	}
	for i, want := range []struct {
		sec  float64
		step uint64
		tag  string
		v    float32
	}{{10.25, 10, "rank3/util_percent", 97.5}, {12, 12, "job/util_percent", 50}, {20, 20, "rank3/util_percent", 98}} {
		e := list[i+1]
		if v, there := e.values[want.tag]; e.step != want.step || !there || v != want.v || len(e.values) != 1 ||
			e.time != float64(at(want.sec).UnixMicro())/1e6 || e.version != "" {
			t.Errorf("%+v, want %+v", e, want)
		}
	}
	if names := files(t, dir); len(names) != 2 || !strings.HasPrefix(names[1], "job-17_2/events.out.tfevents.") {
		t.Errorf("files %q", names)
	}
}

func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			path, err = filepath.Rel(dir, path)
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// Another start writes a file of its own, and no name of a job leads out of the directory.
func TestRuns(t *testing.T) {
	dir := t.TempDir()
	for i, job := range []string{"16", "16", "", "../../x", "3+1"} {
		put(t, board(t, dir), sample(float64(i), job, "rank3", "a", 1))
	}
	if err := board(t, dir).Write([]Sample{sample(0, "16", "rank3", "a", 1)}); !errors.Is(err, os.ErrExist) {
		t.Errorf("the file of another one is written: %v", err)
	}
	var runs []string
	for _, name := range files(t, dir) {
		runs = append(runs, filepath.Dir(name))
	}
	if want := []string{"job-16", "job-16", "job-3+1", "job-______x", "run-20261120-180002"}; !slices.Equal(runs,
		want) {
		t.Errorf("%q, want %q", runs, want)
	}
}

// A file that somebody removes is not made again in silence.
func TestRemovedFile(t *testing.T) {
	dir := t.TempDir()
	b := board(t, dir)
	put(t, b, sample(1, "16", "rank3", "a", 1))
	if err := os.Remove(filepath.Join(dir, files(t, dir)[0])); err != nil {
		t.Fatal(err)
	}
	if err := b.Write([]Sample{sample(2, "16", "rank3", "a", 2)}); err == nil {
		t.Error("a file that is gone is written")
	}
}

// On a full disk a file ends with the last whole samples.
func TestFullDisk(t *testing.T) {
	for name, make := range map[string]func(dir string) Output{
		"TensorBoard": func(dir string) Output { return board(t, dir) },
		"CSV":         func(dir string) Output { return open(t, filepath.Join(dir, "x"), CSV) },
		"JSON lines":  func(dir string) Output { return open(t, filepath.Join(dir, "x"), JSONLines) },
	} {
		dir := t.TempDir()
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
			t.Skip("only root can make a small disk:", err)
		}
		t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
		out, samples, writes := make(dir), slices.Repeat([]Sample{sample(1, "16", "rank3", "a", 1)}, 37), 0
		err := out.Write(samples)
		for ; err == nil && writes < 1000; writes++ {
			err = out.Write(samples)
		}
		if err == nil || !strings.Contains(err.Error(), "no space left on device") {
			t.Errorf("%s: %v", name, err)
		}
		text, want := read(t, filepath.Join(dir, files(t, dir)[0])), writes*len(samples)
		switch name {
		case "TensorBoard":
			if list, left := events(t, []byte(text)); len(list) != want+1 || left != 0 {
				t.Errorf("%d events, %d bytes left, want %d", len(list), left, want+1)
			}
		case "CSV":
			want++
			fallthrough
		default:
			if n := strings.Count(text, "\n"); n != want || !strings.HasSuffix(text, "\n") {
				t.Errorf("%s: %d lines, want %d", name, n, want)
			}
		}
	}
}

// The cost of the samples of 64 nodes with 8 GPUs each.
func BenchmarkWrite(b *testing.B) {
	samples := make([]Sample, 512)
	for i := range samples {
		samples[i] = sample(1, "48211", fmt.Sprint("rank", i), "gpu-n01", 97)
		for k := range Names {
			samples[i].Values[k] = 1234.567
		}
	}
	path := filepath.Join(b.TempDir(), "x")
	table, err := Open(path, CSV)
	if err != nil {
		b.Fatal(err)
	}
	events, err := NewTensorBoard(b.TempDir(), "login", 1)
	if err != nil {
		b.Fatal(err)
	}
	for name, out := range map[string]Output{"CSV": table, "TensorBoard": events} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := out.Write(samples); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// What the log of a job says stands beside the sample over all its GPUs; what it does not say has no tag.
func TestProgressOfAJob(t *testing.T) {
	w, l := newWorld(), New(10*time.Second)
	w.report(10, "a", on(0, 0, 4))
	w.report(10, "b")
	job := w.Snapshot(at(10)).Jobs[0].ID
	step, pace := int64(41_200), 3.1
	w.Apply(cluster.Event{At: at(10), Progress: &cluster.JobProgress{Job: job, Progress: progress.Progress{Form: "general",
		At: at(10), Step: &step, SecondsPerStep: &pace}}})
	dir := t.TempDir()
	put(t, board(t, dir), w.samples(l, 10)...)
	list, _ := events(t, []byte(read(t, filepath.Join(dir, files(t, dir)[0]))))
	all := list[len(list)-1].values
	if all["job/step"] != 41_200 || all["job/seconds_per_step"] != 3.1 || all["job/util_percent"] == 0 {
		t.Errorf("%v", all)
	}
	if v, there := all["job/loss"]; there {
		t.Errorf("a loss of %v", v)
	}
}

package scalars

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// TensorBoard writes event files, one per job, each in a directory of the job. TensorBoard shows that directory as a
// run.
type TensorBoard struct {
	dir, by string
	began   time.Time
	files   map[string]string // by directory of the job
}

// NewTensorBoard returns the Output for a directory, which it creates if needed. host and pid make the names of files
// unique.
func NewTensorBoard(dir, host string, pid int) (*TensorBoard, error) {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%q is a file: name a directory, such as runs", dir)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	return &TensorBoard{dir: dir, by: fmt.Sprintf("%s.%d", fileName(host), pid), files: map[string]string{}}, nil
}

// Write implements Output. Files are open only during a write: there may be as many jobs as an array has tasks, and
// other hosts see a file on NFS only after it is closed.
func (b *TensorBoard) Write(samples []Sample) error {
	if b.began.IsZero() && len(samples) > 0 {
		b.began = samples[0].At
	}
	records := map[string][]byte{}
	for i := range samples {
		run := b.runDirectory(samples[i].Job)
		for _, event := range sampleEvents(&samples[i]) {
			records[run] = appendRecord(records[run], event)
		}
	}
	for run, text := range records {
		if err := b.appendText(run, text); err != nil {
			return err
		}
	}
	return nil
}

// Close implements Output.
func (b *TensorBoard) Close() error { return nil }

// runDirectory returns the directory of a job. Without SLURM, each run of the program has its own.
func (b *TensorBoard) runDirectory(job string) string {
	if job == "" {
		return "run-" + b.began.Format("20060102-150405")
	}
	return "job-" + fileName(job)
}

// appendText appends to the file of a run, which it creates first.
func (b *TensorBoard) appendText(run string, text []byte) error {
	flags := os.O_WRONLY | os.O_APPEND
	path, there := b.files[run]
	if !there {
		if err := os.MkdirAll(filepath.Join(b.dir, run), 0o777); err != nil {
			return err
		}
		path = filepath.Join(b.dir, run, fmt.Sprintf("events.out.tfevents.%d.%s", b.began.Unix(), b.by))
		text = append(appendRecord(nil, versionEvent(b.began)), text...)
		flags |= os.O_CREATE | os.O_EXCL
	}
	f, err := os.OpenFile(path, flags, 0o666)
	if err != nil {
		return err
	}
	b.files[run] = path
	if err := appendWhole(f, text); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close() // NFS reports a full disk only here
}

// fileName returns a name that cannot lead to another directory.
func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || strings.ContainsRune("_+-", r) {
			return r
		}
		return '_'
	}, name)
}

// Numbers of the fields of TensorFlow's Event, Summary and Summary.Value.
const (
	eventTime, eventStep, eventVersion, eventSummary = 1, 2, 3, 5
	summaryValue                                     = 1
	valueTag, valueNumber                            = 1, 2
)

// versionEvent is the first event of a file.
func versionEvent(at time.Time) []byte {
	event := appendTime(nil, at)
	event = protowire.AppendTag(event, eventVersion, protowire.BytesType)
	return protowire.AppendString(event, "brain.Event:2")
}

// sampleEvents returns one event with the known values of a sample, if there are any, and one event for each point of a
// mark.
func sampleEvents(s *Sample) (events [][]byte) {
	var summary []byte
	for i, v := range s.Values {
		if !math.IsNaN(v) {
			summary = appendValue(summary, s.Tag+"/"+Names[i], v)
		}
	}
	for i, v := range s.Progress {
		if !math.IsNaN(v) {
			summary = appendValue(summary, s.Tag+"/"+ProgressNames[i], v)
		}
	}
	if summary != nil {
		events = append(events, summaryEvent(s, summary))
	}
	for _, v := range s.Curve {
		events = append(events, summaryEvent(s, appendValue(nil, "mark/"+s.Mark.Name, v)))
	}
	return events
}

// appendValue appends a value to a Summary.
func appendValue(summary []byte, tag string, v float64) []byte {
	value := protowire.AppendTag(nil, valueTag, protowire.BytesType)
	value = protowire.AppendString(value, tag)
	value = protowire.AppendTag(value, valueNumber, protowire.Fixed32Type)
	value = protowire.AppendFixed32(value, math.Float32bits(float32(v)))
	summary = protowire.AppendTag(summary, summaryValue, protowire.BytesType)
	return protowire.AppendBytes(summary, value)
}

// summaryEvent is the event of a Summary at the time of a sample.
func summaryEvent(s *Sample, summary []byte) []byte {
	event := appendTime(nil, s.At)
	event = protowire.AppendTag(event, eventStep, protowire.VarintType)
	event = protowire.AppendVarint(event, uint64(s.Elapsed))
	event = protowire.AppendTag(event, eventSummary, protowire.BytesType)
	return protowire.AppendBytes(event, summary)
}

func appendTime(event []byte, at time.Time) []byte {
	event = protowire.AppendTag(event, eventTime, protowire.Fixed64Type)
	return protowire.AppendFixed64(event, math.Float64bits(float64(at.UnixMicro())/1e6))
}

// appendRecord appends a record in TensorFlow's TFRecord format: the length, the checksum of the length, the data and
// its checksum.
func appendRecord(to, event []byte) []byte {
	length := binary.LittleEndian.AppendUint64(nil, uint64(len(event)))
	to = append(to, length...)
	to = binary.LittleEndian.AppendUint32(to, maskedCRC(length))
	to = append(to, event...)
	return binary.LittleEndian.AppendUint32(to, maskedCRC(event))
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// maskedCRC is a CRC-32C in the form that TFRecord stores: rotated and with a constant added, so that data containing
// checksums does not weaken it.
func maskedCRC(data []byte) uint32 {
	sum := crc32.Checksum(data, castagnoli)
	return (sum>>15 | sum<<17) + 0xa282ead8
}

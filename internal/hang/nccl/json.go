package nccl

import (
	"bufio"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
)

// jsonReader reads the document of NCCL 2.28.7 and newer, one rank at a time. It skips what it does not know.
type jsonReader struct {
	a     *Answer
	d     *json.Decoder
	ranks int // in all communicators so far
}

// errMost ends an answer that holds more than Read accepts.
var errMost = errors.New("too much")

func (r *jsonReader) readDocument(in *bufio.Reader) {
	r.d = json.NewDecoder(&commaInserter{from: in})
	if err := r.readObject(r.readTopField); err != nil {
		r.a.Cut = true
	}
}

// readObject reads an object; field reads the value of each of its keys, or skips it.
func (r *jsonReader) readObject(field func(key string) error) error {
	if err := r.expectDelim('{'); err != nil {
		return err
	}
	for r.d.More() {
		key, err := r.d.Token()
		if err != nil {
			return err
		}
		name, _ := key.(string)
		if err := field(name); err != nil {
			return err
		}
	}
	_, err := r.d.Token()
	return err
}

// readArray reads an array; element reads each element.
func (r *jsonReader) readArray(element func() error) error {
	if err := r.expectDelim('['); err != nil {
		return err
	}
	for r.d.More() {
		if err := element(); err != nil {
			return err
		}
	}
	_, err := r.d.Token()
	return err
}

func (r *jsonReader) expectDelim(want json.Delim) error {
	token, err := r.d.Token()
	if err == nil && token != want {
		err = errors.New("another kind of value")
	}
	return err
}

// readValue reads a value; a value of another type leaves to unchanged.
func (r *jsonReader) readValue(to any) error {
	var wrong *json.UnmarshalTypeError
	if err := r.d.Decode(to); !errors.As(err, &wrong) {
		return err
	}
	return nil
}

func (r *jsonReader) skipValue() error {
	var any json.RawMessage
	return r.d.Decode(&any)
}

func (r *jsonReader) readWord(to *string) error {
	var text string
	err := r.readValue(&text)
	*to = safe.Line(text, maxWord)
	return err
}

func (r *jsonReader) readTopField(key string) error {
	switch key {
	case "nccl_version":
		return r.readWord(&r.a.Version)
	case "communicators":
		return r.readArray(r.readComm)
	case "ras":
		var ras struct {
			Took     float64 `json:"collection_time_sec"`
			Timeouts int     `json:"timeouts_count"`
		}
		err := r.readValue(&ras)
		if ras.Took > 0 && ras.Took < 3600 {
			r.a.Took = time.Duration(ras.Took * float64(time.Second)).Round(time.Millisecond)
		}
		r.a.Timeouts = max(ras.Timeouts, 0)
		return err
	}
	return r.skipValue()
}

// readComm reads a communicator. If it is broken off, it stays with the ranks read so far.
func (r *jsonReader) readComm() error {
	if len(r.a.Comms) == maxComms {
		return errMost
	}
	r.a.Comms = append(r.a.Comms, Comm{})
	c := &r.a.Comms[len(r.a.Comms)-1]
	var hash, second string
	err := r.readObject(func(key string) error {
		switch key {
		case "hash":
			return r.readWord(&hash)
		case "secondary_hash":
			return r.readWord(&second)
		case "size":
			return r.readValue(&c.Size)
		case "ranks":
			return r.readArray(func() error { return r.readRank(c) })
		case "missing_ranks":
			return r.readArray(func() error { return r.readMissing(c) })
		}
		return r.skipValue()
	})
	if c.ID = hash; second != "" {
		c.ID += " " + second
	}
	c.Size = max(c.Size, 0)
	if err == nil && c.Size == 0 && len(c.Ranks)+len(c.Missing) == 0 {
		r.a.Comms, r.a.Holes = r.a.Comms[:len(r.a.Comms)-1], true
	}
	return err
}

// member holds what a rank and a missing rank have in common.
type member struct {
	Rank int    `json:"rank"`
	Host string `json:"host"`
	PID  int    `json:"pid"`
	NVML *int   `json:"nvml_dev"`
}

// gpuIdentity returns the identity of a member; RAS writes "unknown" and -1 if it does not know the process.
func (m *member) gpuIdentity() GPU {
	g := GPU{Host: safe.Line(m.Host, maxWord), PID: max(m.PID, 0), Index: -1}
	if g.Host == "unknown" {
		g.Host = ""
	}
	if m.NVML != nil {
		g.Index = max(*m.NVML, -1)
	}
	return g
}

func (r *jsonReader) readRank(c *Comm) error {
	if r.ranks++; r.ranks > maxRanks {
		return errMost
	}
	var m struct {
		member
		Status struct {
			Init     Result `json:"init_state"`
			Error    Result `json:"async_error"`
			Finalize bool   `json:"finalize_called"`
			Destroy  bool   `json:"destroy_flag"`
			Abort    bool   `json:"abort_flag"`
		} `json:"status"`
		Counts map[string]uint64 `json:"collective_counts"`
	}
	if err := r.readValue(&m); err != nil {
		return err
	}
	rank := Rank{GPU: m.gpuIdentity(), Rank: m.Rank, Init: m.Status.Init, Error: m.Status.Error,
		Leaves: m.Status.Finalize || m.Status.Destroy || m.Status.Abort, Counts: make([]uint64, len(r.a.Operations))}
	for _, name := range slices.Sorted(maps.Keys(m.Counts)) {
		if i := r.operationIndex(name); i >= 0 {
			for len(rank.Counts) <= i {
				rank.Counts = append(rank.Counts, 0)
			}
			rank.Counts[i] = m.Counts[name]
		}
	}
	c.Ranks = append(c.Ranks, rank)
	return nil
}

// operationIndex returns the index of an operation; -1 if there are too many.
func (r *jsonReader) operationIndex(name string) int {
	name = safe.Line(name, maxWord)
	i := slices.Index(r.a.Operations, name)
	if i < 0 && len(r.a.Operations) < maxOperations {
		i = len(r.a.Operations)
		r.a.Operations = append(r.a.Operations, name)
	}
	return i
}

func (r *jsonReader) readMissing(c *Comm) error {
	if r.ranks++; r.ranks > maxRanks {
		return errMost
	}
	var m struct {
		member
		Status struct {
			Unresponsive bool `json:"unresponsive"`
			Dead         bool `json:"considered_dead"`
		} `json:"status"`
	}
	if err := r.readValue(&m); err != nil {
		return err
	}
	gone := Missing{GPU: m.gpuIdentity(), Rank: m.Rank}
	switch {
	case m.Status.Dead:
		gone.Why = Dead
	case m.Status.Unresponsive:
		gone.Why = Unresponsive
	}
	c.Missing = append(c.Missing, gone)
	return nil
}

// Package memory reads the memory of another process of the same user, without stopping it: pieces of it, the symbols
// of its programs and libraries, and where they are mapped. It never writes.
//
// The other process may change its memory at any moment, and may be hostile: every read has a limit, and a Process has
// limits for all reads together. A read may hang as long as a page of the process is on a file system that hangs.
package memory

import (
	"encoding/binary"
	"errors"
	"time"
)

// Errors of reads.
var (
	ErrBounds = errors.New("too much memory to read")
	ErrTime   = errors.New("no time left")
	ErrPlace  = errors.New("not an address of the process")
	// ErrTotal means that a Process has read as much as it may: the limit is ours, not one of the other process.
	ErrTotal = errors.New("more than 64 MiB of its memory would have to be read")
)

const (
	maxPiece = 1 << 20
	maxTotal = 64 << 20
	// maxAddress is the end of the addresses that a process can map.
	maxAddress = 1 << 52
	// Pieces is the maximum number of pieces in one read.
	Pieces = 1024
)

// Piece is a part of the memory.
type Piece struct {
	At uint64
	To []byte
}

// Process is the memory of a process. It is for one goroutine.
type Process struct {
	read  func(pieces []Piece) error // reads all of them, at one time as far as the kernel can
	left  int                        // bytes
	until time.Time
}

// Open returns the memory of a process, which may be read up to that time.
func Open(pid int, until time.Time) *Process {
	return New(func(pieces []Piece) error { return readProcess(pid, pieces) }, until)
}

// New returns the memory whose pieces the function read reads.
func New(read func(pieces []Piece) error, until time.Time) *Process {
	return &Process{read: read, left: maxTotal, until: until}
}

// Read reads pieces at one time, or as close together as the kernel can.
func (p *Process) Read(pieces ...Piece) error {
	if time.Now().After(p.until) {
		return ErrTime
	}
	if len(pieces) > Pieces {
		return ErrBounds
	}
	for i := range pieces {
		at, size := pieces[i].At, len(pieces[i].To)
		if at == 0 || at >= maxAddress {
			return ErrPlace
		}
		if size > maxPiece {
			return ErrBounds
		}
		if p.left -= size; p.left < 0 {
			return ErrTotal
		}
	}
	return p.read(pieces)
}

// Fill reads memory into to, beginning at the address at.
func (p *Process) Fill(at uint64, to []byte) error { return p.Read(Piece{at, to}) }

// Word reads a number of 8 bytes, or an address. The nodes are little-endian.
func (p *Process) Word(at uint64) (uint64, error) {
	var word [8]byte
	err := p.Fill(at, word[:])
	return binary.LittleEndian.Uint64(word[:]), err
}

// Bytes reads n bytes.
func (p *Process) Bytes(at uint64, n int) ([]byte, error) {
	if n < 0 || n > maxPiece {
		return nil, ErrBounds
	}
	b := make([]byte, n)
	return b, p.Fill(at, b)
}

// Text reads a string that ends with a zero byte; it is cut after most bytes.
func (p *Process) Text(at uint64, most int) (string, error) {
	const page = 4096
	var text []byte
	for len(text) < most {
		var chunk [64]byte
		n := min(len(chunk), int(page-at%page), most-len(text)) // the next page may not exist
		if err := p.Fill(at, chunk[:n]); err != nil {
			return "", err
		}
		for i, c := range chunk[:n] {
			if c == 0 {
				return string(append(text, chunk[:i]...)), nil
			}
		}
		text, at = append(text, chunk[:n]...), at+uint64(n)
	}
	return string(text), nil
}

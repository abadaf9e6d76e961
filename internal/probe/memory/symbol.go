package memory

import (
	"encoding/binary"
	"errors"
)

// Image is a program or a library in the memory of a process. Its symbols are read from memory too, not from its file,
// which may be deleted, replaced, in a container, or on a file system that hangs.
type Image struct {
	of   *Process
	bias uint64 // what is added to the addresses in the file

	symbols, names uint64 // tables
	hashes         uint64 // the GNU hash table
}

// ErrSymbol means that an image does not have a symbol.
var ErrSymbol = errors.New("no such symbol")

var errImage = errors.New("not a program for this machine")

// Sizes and numbers of the ELF format, 64 bits.
const (
	headerSize, segmentSize, dynamicSize, symbolSize = 64, 56, 16, 24

	load, dynamic                = 1, 2 // types of segments
	dtNames, dtSymbols, dtHashes = 5, 6, 0x6ffffef5

	maxSegments, maxDynamic = 64, 256
	maxChain                = 1 << 12 // symbols that share a slot of the hash table
	maxSymbol               = 64      // bytes of a name
)

// Image returns the image that is mapped at base.
func (p *Process) Image(base uint64) (*Image, error) {
	head, err := p.Bytes(base, headerSize)
	if err != nil {
		return nil, err
	}
	le := binary.LittleEndian
	count := int(le.Uint16(head[56:]))
	if string(head[:6]) != "\x7fELF\x02\x01" || le.Uint16(head[54:]) != segmentSize || count > maxSegments {
		return nil, errImage
	}
	segments, err := p.Bytes(base+le.Uint64(head[32:]), count*segmentSize)
	if err != nil {
		return nil, err
	}
	i := &Image{of: p, bias: base}
	at, first := uint64(0), true
	for ; len(segments) > 0; segments = segments[segmentSize:] {
		address := le.Uint64(segments[16:])
		switch kind := le.Uint32(segments); {
		case kind == load && first:
			i.bias, first = base-(address-le.Uint64(segments[8:])), false
		case kind == dynamic:
			at = address
		}
	}
	if at == 0 {
		return nil, ErrSymbol
	}
	return i, i.findTables(base, i.bias+at)
}

// findTables looks for the symbol tables. The loader may or may not have added the bias to their addresses.
func (i *Image) findTables(base, at uint64) error {
	le := binary.LittleEndian
	for n := range uint64(maxDynamic) {
		entry, err := i.of.Bytes(at+n*dynamicSize, dynamicSize)
		if err != nil {
			return err
		}
		value := le.Uint64(entry[8:])
		if value < base {
			value += i.bias
		}
		switch le.Uint64(entry) {
		case 0:
			if i.symbols == 0 || i.names == 0 || i.hashes == 0 {
				return ErrSymbol
			}
			return nil
		case dtNames:
			i.names = value
		case dtSymbols:
			i.symbols = value
		case dtHashes:
			i.hashes = value
		}
	}
	return ErrBounds
}

// Symbol returns the address of a symbol that the image exports.
func (i *Image) Symbol(name string) (uint64, error) {
	hash := uint32(5381)
	for _, c := range []byte(name) {
		hash = hash*33 + uint32(c)
	}
	head, err := i.of.Bytes(i.hashes, 16)
	if err != nil {
		return 0, err
	}
	le := binary.LittleEndian
	buckets, first, blooms := le.Uint32(head), le.Uint32(head[4:]), le.Uint32(head[8:])
	if buckets == 0 {
		return 0, ErrSymbol
	}
	places := i.hashes + 16 + uint64(blooms)*8
	chains := places + uint64(buckets)*4
	n, err := i.readUint32(places + uint64(hash%buckets)*4)
	if err != nil || n < first {
		return 0, errors.Join(err, ErrSymbol)
	}
	for range maxChain {
		other, err := i.readUint32(chains + uint64(n-first)*4)
		if err != nil {
			return 0, err
		}
		if other|1 == hash|1 {
			if at, found := i.symbolAddress(n, name); found {
				return at, nil
			}
		}
		if other&1 == 1 {
			return 0, ErrSymbol
		}
		n++
	}
	return 0, ErrBounds
}

// symbolAddress returns the address of the nth symbol, if it has that name.
func (i *Image) symbolAddress(n uint32, name string) (uint64, bool) {
	symbol, err := i.of.Bytes(i.symbols+uint64(n)*symbolSize, symbolSize)
	if err != nil {
		return 0, false
	}
	le := binary.LittleEndian
	text, err := i.of.Text(i.names+uint64(le.Uint32(symbol)), maxSymbol)
	section := le.Uint16(symbol[6:])
	return i.bias + le.Uint64(symbol[8:]), err == nil && text == name && section != 0
}

func (i *Image) readUint32(at uint64) (uint32, error) {
	b, err := i.of.Bytes(at, 4)
	if err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint32(b), nil
}

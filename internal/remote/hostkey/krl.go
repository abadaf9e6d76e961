package hostkey

import (
	"crypto/sha1" //nolint:gosec // the format's
	"crypto/sha256"
	"fmt"
	"math/big"
	"slices"

	"golang.org/x/crypto/ssh"
)

// krlMagic begins a binary list of revoked keys, as ssh-keygen -k writes it (PROTOCOL.krl of OpenSSH).
const krlMagic = "SSHKRL\n\x00"

// krl is such a list.
type krl struct {
	keys  map[string]bool // plain keys, and hashes of them
	certs []revokedCerts
}

// revokedCerts are certificates of one CA.
type revokedCerts struct {
	authority string // empty: of every CA
	names     map[string]bool
	ranges    [][2]uint64 // of serial numbers
	bitmaps   []bitmap
}

type bitmap struct {
	first uint64
	bits  *big.Int
}

// The sections of a list, and of the certificates of one CA.
const (
	sectionCerts, sectionKeys, sectionSHA1, sectionSHA256 = 1, 2, 3, 5

	certSerials, certRange, certBitmap, certNames = 0x20, 0x21, 0x22, 0x23
)

// section is a typed piece of a list.
type section struct {
	Kind uint8
	Data []byte
	Rest []byte `ssh:"rest"`
}

// sections calls read with each section of data.
func sections(data []byte, read func(kind uint8, data []byte) error) error {
	for len(data) > 0 {
		var s section
		if err := ssh.Unmarshal(data, &s); err != nil {
			return err
		}
		if err := read(s.Kind, s.Data); err != nil {
			return err
		}
		data = s.Rest
	}
	return nil
}

// each calls read with each string of data.
func each(data []byte, read func(string)) error {
	for len(data) > 0 {
		var s struct {
			Value string
			Rest  []byte `ssh:"rest"`
		}
		if err := ssh.Unmarshal(data, &s); err != nil {
			return err
		}
		read(s.Value)
		data = s.Rest
	}
	return nil
}

// parseKRL reads a list. One that it does not understand whole is an error: a key might be revoked by the rest.
func parseKRL(data []byte) (*krl, error) {
	var head struct {
		Magic                     [len(krlMagic)]byte
		Format                    uint32
		Version, Generated, Flags uint64
		Reserved, Comment         string
		Rest                      []byte `ssh:"rest"`
	}
	if err := ssh.Unmarshal(data, &head); err != nil {
		return nil, err
	}
	if head.Format != 1 {
		return nil, fmt.Errorf("format %d is not supported", head.Format)
	}
	k := &krl{keys: map[string]bool{}}
	return k, sections(head.Rest, func(kind uint8, data []byte) error {
		switch kind {
		case sectionCerts:
			return k.parseCerts(data)
		case sectionKeys, sectionSHA1, sectionSHA256:
			return each(data, func(key string) { k.keys[key] = true })
		}
		return fmt.Errorf("section %d is not supported", kind)
	})
}

func (k *krl) parseCerts(data []byte) error {
	var head struct {
		Authority, Reserved string
		Rest                []byte `ssh:"rest"`
	}
	if err := ssh.Unmarshal(data, &head); err != nil {
		return err
	}
	c := revokedCerts{authority: head.Authority, names: map[string]bool{}}
	err := sections(head.Rest, c.add)
	k.certs = append(k.certs, c)
	return err
}

func (c *revokedCerts) add(kind uint8, data []byte) error {
	switch kind {
	case certSerials:
		for len(data) > 0 {
			var s struct {
				Serial uint64
				Rest   []byte `ssh:"rest"`
			}
			if err := ssh.Unmarshal(data, &s); err != nil {
				return err
			}
			c.ranges = append(c.ranges, [2]uint64{s.Serial, s.Serial})
			data = s.Rest
		}
	case certRange:
		var s struct{ First, Last uint64 }
		if err := ssh.Unmarshal(data, &s); err != nil {
			return err
		}
		c.ranges = append(c.ranges, [2]uint64{s.First, s.Last})
	case certBitmap:
		var s struct {
			First uint64
			Bits  []byte
		}
		if err := ssh.Unmarshal(data, &s); err != nil {
			return err
		}
		c.bitmaps = append(c.bitmaps, bitmap{first: s.First, bits: new(big.Int).SetBytes(s.Bits)})
	case certNames:
		return each(data, func(name string) { c.names[name] = true })
	default:
		return fmt.Errorf("section %#x of certificates is not supported", kind)
	}
	return nil
}

// revokes reports whether the list has a key, or a certificate or its CA.
func (k *krl) revokes(key ssh.PublicKey) bool {
	for _, part := range parts(key) {
		blob := part.Marshal()
		short, long := sha1.Sum(blob), sha256.Sum256(blob) //nolint:gosec // the format's
		if k.keys[string(blob)] || k.keys[string(short[:])] || k.keys[string(long[:])] {
			return true
		}
	}
	cert, ok := key.(*ssh.Certificate)
	return ok && slices.ContainsFunc(k.certs, func(c revokedCerts) bool { return c.revokes(cert) })
}

func (c *revokedCerts) revokes(cert *ssh.Certificate) bool {
	if c.authority != "" && c.authority != string(cert.SignatureKey.Marshal()) {
		return false
	}
	if c.names[cert.KeyId] {
		return true
	}
	serial := cert.Serial
	if serial == 0 { // not set: no serial number means it
		return false
	}
	return slices.ContainsFunc(c.ranges, func(r [2]uint64) bool { return r[0] <= serial && serial <= r[1] }) ||
		slices.ContainsFunc(c.bitmaps, func(b bitmap) bool {
			at := serial - b.first
			return serial >= b.first && at < uint64(b.bits.BitLen()) &&
				b.bits.Bit(int(at)) == 1 //nolint:gosec // below the length of a file
		})
}

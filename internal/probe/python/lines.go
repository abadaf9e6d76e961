package python

// lineOfUnit returns the line of an instruction; 0: it has none, or the line is not known.
func (c *code) lineOfUnit(format lineTable, unit int) int {
	line := c.first
	switch {
	case c.table == nil:
		return 0
	case unit < 0:
		return max(line, 0)
	case format == lnotab:
		line = c.lineFromPairs(unit)
	case format == ranges:
		line = c.lineFromRanges(unit)
	default:
		line = c.lineFromEntries(unit)
	}
	return max(line, 0)
}

// lineFromPairs finds the line in pairs of bytes: how many bytes of instructions to advance, and how many lines to add.
func (c *code) lineFromPairs(unit int) int {
	at, line := 0, c.first
	for i := 0; i+1 < len(c.table); i += 2 {
		if at += int(c.table[i]); at > unit {
			break
		}
		line += int(int8(c.table[i+1]))
	}
	return line
}

// lineFromRanges finds the line in pairs of bytes: the length of a range in bytes, and the lines to add before it; -128
// means that it has no line.
func (c *code) lineFromRanges(unit int) int {
	end, line := 0, c.first
	for i := 0; i+1 < len(c.table); i += 2 {
		end += int(c.table[i])
		none := c.table[i+1] == 0x80
		if !none {
			line += int(int8(c.table[i+1]))
		}
		if unit < end {
			if none {
				return 0
			}
			return line
		}
	}
	return 0
}

// lineFromEntries finds the line in entries. The first byte of an entry has the highest bit set, a kind, and the number
// of instructions minus 1. In the other bytes that bit is clear; they have columns and, for some kinds, the line.
func (c *code) lineFromEntries(unit int) int {
	end, line := 0, c.first
	for i := 0; i < len(c.table); {
		kind := c.table[i] >> 3 & 15
		end += int(c.table[i]&7) + 1
		none := kind == 15
		i++
		switch kind {
		case 11, 12:
			line += int(kind) - 10
		case 13, 14:
			line += c.signedVarint(i)
		}
		if unit < end {
			if none {
				return 0
			}
			return line
		}
		for i < len(c.table) && c.table[i] < 0x80 {
			i++
		}
	}
	return 0
}

// hasLines reports whether any entry has a line.
func (c *code) hasLines() bool {
	for _, b := range c.table {
		if b >= 0x80 && b>>3&15 != 15 {
			return true
		}
	}
	return false
}

// signedVarint reads a number with 6 bits in each byte, lowest bits first. The lowest bit of the number is its sign.
func (c *code) signedVarint(at int) int {
	n := 0
	for shift := 0; at < len(c.table) && shift < 30; shift += 6 {
		n |= int(c.table[at]&63) << shift
		if c.table[at]&64 == 0 {
			break
		}
		at++
	}
	if n&1 == 1 {
		return -(n >> 1)
	}
	return n >> 1
}

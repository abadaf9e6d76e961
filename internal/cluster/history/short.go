package history

import "math"

// packedFloat is a number of a history in 16 bits: six for the exponent and ten for the fraction. Whole numbers up to
// 2,048 are exact, others to 0.05 %. A history is for pictures, and with thousands of GPUs nothing else takes as much
// memory. No metric of a GPU is below 0.
type packedFloat uint16

const (
	noShort   packedFloat = 1<<16 - 1
	shortBits             = 10 // bits of the fraction
	// leastShort is the exponent of the smallest number that is not 0. The largest number is beyond metric's plausible
	// values.
	leastShort = -9

	float32Bits = 23 // bits of the fraction of a float32
	float32Bias = 127
	lost        = float32Bits - shortBits
)

// toShort returns the nearest short; noShort for NaN and for numbers below 0.
func toShort(v float32) packedFloat {
	if !(v >= 0) {
		return noShort
	}
	bits := math.Float32bits(v) + 1<<(lost-1) // rounds, and carries into the exponent
	exponent := int(bits>>float32Bits) - float32Bias - leastShort + 1
	switch {
	case exponent < 1:
		return 0
	case exponent > 1<<6-1:
		return noShort - 1
	}
	return packedFloat(exponent<<shortBits) | packedFloat(bits>>lost&(1<<shortBits-1))
}

// toFloat returns the number; Gap for noShort.
func (s packedFloat) toFloat() float32 {
	switch s {
	case 0:
		return 0
	case noShort:
		return Gap
	}
	return math.Float32frombits(uint32(s)<<lost + (leastShort-1+float32Bias)<<float32Bits)
}

package output

import (
	"bytes"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/pkg/report"
)

// Tone is how a piece of a text looks.
type Tone uint8

// The tones.
const (
	Plain Tone = iota
	Strong
	Good
	Doubtful
	Bad
)

// tones maps the colors to tones.
var tones = map[string]Tone{strong: Strong, good: Good, doubtful: Doubtful, bad: Bad}

// Piece is a part of a line in one tone.
type Piece struct {
	Text string
	Tone Tone
}

// Lines returns the lines of Text for a screen with this many columns.
func Lines(r *report.Report, zone *time.Location, width int) (lines [][]Piece) {
	var b bytes.Buffer
	_ = Text(&b, r, zone, TextFormat{Width: width, Color: true}) // a Buffer never returns an error
	return splitLines(b.String())
}

// ComparisonLines returns the lines of a comparison for a screen with this many columns.
func ComparisonLines(c *report.Comparison, zone *time.Location, width int) (lines [][]Piece) {
	var b bytes.Buffer
	_ = compareText(&b, c, zone, false, TextFormat{Width: width, Color: true}) // likewise
	return splitLines(b.String())
}

func splitLines(text string) (lines [][]Piece) {
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		lines = append(lines, splitPieces(line))
	}
	return lines
}

// splitPieces cuts a line wherever its color changes. The texts themselves contain no escape sequences.
func splitPieces(line string) (list []Piece) {
	add := func(text string, tone Tone) {
		if text != "" {
			list = append(list, Piece{text, tone})
		}
	}
	before, rest, painted := strings.Cut(line, csi)
	add(before, Plain)
	for painted {
		var color, text string
		color, rest, _ = strings.Cut(rest, "m")
		text, rest, painted = strings.Cut(rest, csi)
		add(text, tones[color])
	}
	return list
}

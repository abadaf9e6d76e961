package joblog

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Bars that are drawn again stand where a terminal shows them, however the log is read.
func TestMoves(t *testing.T) {
	var tqdm strings.Builder
	tqdm.WriteString("begin\n\router:   0%|          | 0/3")
	for outer := 1; outer <= 3; outer++ {
		for _, inner := range []int{0, 50, 100} {
			fmt.Fprintf(&tqdm, "\n\rinner: %3d%%|###|\x1b[A", inner)
		}
		fmt.Fprintf(&tqdm, "\n\r                    \r\x1b[A\router: %3d%%|##| %d/3", outer*33, outer)
	}
	rich := "Working\na 10%\nb 20%"
	for i := 3; i < 6; i++ {
		rich += fmt.Sprintf("\r\x1b[2K\x1b[1A\x1b[2Ka %d0%%\nb %d5%%", i, i)
	}
	for _, tc := range []struct {
		log  string
		want []string
	}{
		{tqdm.String() + "\ndone\n", []string{"begin", "outer:  99%|##| 3/3", "done"}},
		{tqdm.String() + "\n\nERROR: x\n", []string{"begin", "outer:  99%|##| 3/3", "", "ERROR: x"}},
		{rich + "\nend\n", []string{"Working", "a 50%", "b 55%", "end"}},
		{"x\x1b[Fy\n", []string{"xy"}},                              // there is no row above
		{"one\ntwo\x1b[A\x1b[B\rthree\n", []string{"one", "three"}}, // up and down
		{"one\ntwo\x1b[1", []string{"one", "two"}},                  // a cut move
		{"one\ntwo\x1b[", []string{"one", "two"}},
		{"one\ntwo\x1b[12345678901234567890Athree", []string{"one", "twothree"}},
		{"progress   0%\b\b\b\b  5%\b\b\b\b100% done\n", []string{"progress 100% done"}},
		{"abc\b\bX\n", []string{"aXc"}},
		{"\b\b\bab\b\n", []string{"ab"}},
		{"ü 1\b2\n", []string{"ü 2"}},
	} {
		for _, size := range []int{1, 2, 3, 7, 1000} {
			check(t, fmt.Sprintf("%q in pieces of %d", tc.log, size), texts(inPieces(tc.log, size)), tc.want...)
		}
	}
}

// inPieces returns a Window that has taken a log in pieces of so many bytes.
func inPieces(log string, size int) *Window {
	w, from := NewWindow(0), int64(0)
	for piece := range slices.Chunk([]byte(log), size) {
		w.Take(&Piece{LogPiece: wire.LogPiece{From: from, Data: piece, Size: from + int64(len(piece))}})
		from += int64(len(piece))
	}
	return w
}

// Whatever a program prints, a log that grows is shown as one that is read at once.
func TestMovesInPieces(t *testing.T) {
	words := []string{"a", "bc", "\n", "\r", "\b", "\x1b[A", "\x1b[2A", "\x1b[1B", "\x1b[2K", " ", "ü", "\x00"}
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var log strings.Builder
		for range random.IntN(30) {
			log.WriteString(words[random.IntN(len(words))])
		}
		at, once := inPieces(log.String(), 1), inPieces(log.String(), 1000)
		check(t, fmt.Sprintf("%q", log.String()), texts(at), texts(once)...)
		if at.cost != once.cost || at.to != once.to {
			t.Errorf("%q: cost %d and %d, to %d and %d", log.String(), at.cost, once.cost, at.to, once.to)
		}
	}
}

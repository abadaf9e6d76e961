package wire

import (
	"bytes"
	"strings"
	"testing"
)

func TestFold(t *testing.T) {
	for _, lines := range []string{
		Magic + "\n", "", "\n", "a\n", strings.Repeat("x", 9) + "\n", strings.Repeat("x", 10) + "\n",
		strings.Repeat("x", 11) + "\n",
		strings.Repeat("x", 8) + "\n", strings.Repeat("abc", 1000) + "\n" + strings.Repeat("de", 77) + "\nshort\n",
		"no newline",
	} {
		var folded, whole bytes.Buffer
		if n, err := Fold(&folded, 10).Write([]byte(lines)); err != nil || n != len(lines) {
			t.Fatalf("%.20q: wrote %d, %v", lines, n, err)
		}
		for piece := range bytes.Lines(folded.Bytes()) {
			if len(piece) > 10 {
				t.Errorf("%.20q: a piece of %d bytes", lines, len(piece))
			}
			whole.Write(Unfold(piece))
		}
		if whole.String() != lines {
			t.Errorf("%.20q became %.20q", lines, whole.String())
		}
	}
}

// No message contains the mark of a fold, whatever a node writes.
func TestFoldMarkIsNotInMessages(t *testing.T) {
	var line bytes.Buffer
	if err := Write(&line, Message{Hello: &Hello{Host: "a\x1fb", Fault: "\x1f\n\x1f"}}); err != nil {
		t.Fatal(err)
	}
	if bytes.IndexByte(line.Bytes(), foldMark) >= 0 {
		t.Errorf("the mark is in %q", line.Bytes())
	}
}

func TestFarewellEndsTheInputOfOne(t *testing.T) {
	input := string(Farewell("b")) + `@a {"id":7}` + "\n" + string(Farewell("a")) + `@a {"id":8}` + "\n"
	r := NewReader(strings.NewReader(input))
	var got Request
	if err := r.NextFor("a", &got); err != nil || got.ID != 7 {
		t.Fatalf("got %+v, %v", got, err)
	}
	if err := r.NextFor("a", &got); err == nil || err.Error() != "EOF" {
		t.Errorf("after the farewell: %+v, %v", got, err)
	}
}

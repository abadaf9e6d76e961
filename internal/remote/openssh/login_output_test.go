package openssh

import (
	"testing"
	"time"
)

// However the bytes arrive, the words before the mark belong to the login, the words after it to the script.
func TestWordsAroundTheMark(t *testing.T) {
	const said = "a banner\n" + mark + "an error\n"
	for size := 1; size <= len(said); size++ {
		v := newVoice(func() {})
		for at := 0; at < len(said); at += size {
			if n, err := v.Write([]byte(said[at:min(at+size, len(said))])); n != min(size, len(said)-at) || err != nil {
				t.Fatalf("wrote %d bytes, %v", n, err)
			}
		}
		v.endLogin(time.Hour)
		if v.loginMessages() != "a banner" || v.late.String() != "an error\n" {
			t.Errorf("by %d bytes: the login said %q, the script %q", size, v.loginMessages(), v.late)
		}
	}
}

// If the mark does not come, all words after the login still belong to the script.
func TestWordsWithoutTheMark(t *testing.T) {
	v := newVoice(func() {})
	_, _ = v.Write([]byte("a banner\n"))
	v.endLogin(time.Millisecond)
	_, _ = v.Write([]byte("an error\n"))
	if v.loginMessages() != "a banner" || v.late.String() != "an error\n" {
		t.Errorf("the login said %q, the script %q", v.loginMessages(), v.late)
	}
}

package site

import (
	"strings"
	"testing"
)

// The log of the job that fails has one cause, which is found.
func TestWhy(t *testing.T) {
	if why := LogFailureReason(); !strings.HasPrefix(why, "rank 1: json.decoder.JSONDecodeError: Expecting value") {
		t.Errorf("it has failed because of %q", why)
	}
}

package sample

import "testing"

func TestNow(t *testing.T) {
	if at := Now(); at.Boot < at.Mono || at.Mono <= 0 || at.Wall.IsZero() {
		t.Errorf("clocks %+v: the time since boot counts sleep as well", at)
	}
}

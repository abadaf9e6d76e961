package draw

import "testing"

// A little memory is not "0.0 GiB".
func TestSize(t *testing.T) {
	for bytes, want := range map[uint64]string{0: "0 MiB", 4 << 20: "4 MiB", 51 << 20: "51 MiB", 52 << 20: "0.1 GiB",
		1 << 30: "1.0 GiB", 71 << 30: "71.0 GiB", 640 << 30: "640 GiB"} {
		if size, unit := Size(bytes); size+" "+unit != want {
			t.Errorf("%d bytes are %s %s, want %s", bytes, size, unit, want)
		}
	}
}

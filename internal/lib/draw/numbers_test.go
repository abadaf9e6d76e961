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

func TestSpeed(t *testing.T) {
	for v, want := range map[float64]string{0: "0 B/s", 812: "812 B/s", 999.4: "999 B/s", 999.6: "1.0 kB/s",
		40_000: "40 kB/s", 9_940_000: "9.9 MB/s", 180e6: "180 MB/s", 1.25e9: "1.2 GB/s", 3e15: "3000 TB/s"} {
		if got := Speed(v); got != want {
			t.Errorf("%v: %q, want %q", v, got, want)
		}
	}
}

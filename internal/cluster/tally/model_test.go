package tally

import "testing"

// The instances of a GPU differ in the first cells of their names.
func TestShortModel(t *testing.T) {
	for name, want := range map[string]string{
		"NVIDIA H100 80GB HBM3":                "H100 80GB HBM3",
		"NVIDIA H100 80GB HBM3 MIG 1g.10gb":    "1g.10gb H100 80GB HBM3",
		"NVIDIA H100 80GB HBM3 MIG 1c.2g.20gb": "1c.2g.20gb H100 80GB HBM3",
		"NVIDIA A100-SXM4-40GB MIG 1g.5gb+me":  "1g.5gb+me A100-SXM4-40GB",
		"GeForce GTX 1080 Ti":                  "GeForce GTX 1080 Ti",
		"":                                     "",
	} {
		if got := ShortModel(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

package advice

import "testing"

func TestSpoken(t *testing.T) {
	sum := 0.0
	for range 3030 {
		sum += 0.1 // which is a little less in the end
	}
	for seconds, want := range map[float64]string{0: "0s", 28: "28s", sum: "5m 3s", 59.6: "59s"} {
		if got := SpanText(seconds); got != want {
			t.Errorf("%v is %q, want %q", seconds, got, want)
		}
	}
}

package forms

import "strings"

// unit is a unit of a pace: time for a step, or things in a time.
type unit struct {
	isTime bool    // the number is a time
	ofStep bool    // the things are steps
	scale  float64 // seconds of its time
	name   string  // of the things; "": bytes, which are no progress
}

// times are the seconds of units of time.
var times = map[string]float64{"s": 1, "sec": 1, "secs": 1, "second": 1, "seconds": 1, "ms": 1e-3, "msec": 1e-3,
	"us": 1e-6, "min": 60, "h": 3600, "hour": 3600}

// things are the units that a program works through, with one name for each.
var things = map[string]string{"tok": "tokens", "toks": "tokens", "token": "tokens", "tokens": "tokens",
	"sample": "samples", "samples": "samples", "seq": "sequences", "seqs": "sequences", "sequence": "sequences",
	"sequences": "sequences", "image": "images", "images": "images", "img": "images", "imgs": "images",
	"example": "examples", "examples": "examples", "ex": "examples", "frame": "frames", "frames": "frames",
	"prompt": "prompts", "prompts": "prompts", "word": "words", "words": "words", "timesteps": "timesteps"}

// isStepWord reports whether a word names steps.
func isStepWord(w string) bool {
	switch w {
	case "step", "steps", "iter", "iters", "it", "its", "itr", "iteration", "iterations", "update", "updates", "batch",
		"batches", "minibatch", "nstep", "ba":
		return true
	}
	return false
}

// unitOf reads a unit such as "s/it", "it/s", "steps/sec" or "tokens/s/device".
func unitOf(s string) (unit, bool) {
	first, second, is := strings.Cut(s, "/")
	if !is {
		return unit{}, false
	}
	second, _, _ = strings.Cut(second, "/")
	if scale := times[first]; scale > 0 && isStepWord(second) {
		return unit{isTime: true, ofStep: true, scale: scale}, true
	}
	scale := times[second]
	switch {
	case scale == 0:
		return unit{}, false
	case isStepWord(first):
		return unit{ofStep: true, scale: scale, name: "it"}, true
	case things[first] != "":
		return unit{scale: scale, name: things[first]}, true
	case isBytes(first):
		return unit{scale: scale}, true
	}
	return unit{}, false
}

// isBytes reports whether a unit is one of data that is copied.
func isBytes(u string) bool {
	u = strings.TrimLeft(u, "kmgt")
	u = strings.TrimPrefix(u, "i")
	return u == "b" || u == "byte" || u == "bytes" || u == "bit" || u == "bits"
}

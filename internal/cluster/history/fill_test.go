package history

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

const (
	gib   = 1 << 30
	limit = 80 * gib
)

// trace is the memory in use after so many seconds.
type trace func(sec float64) float64

// steps are values from times on.
func steps(pairs ...float64) trace {
	return func(sec float64) float64 {
		v := 0.0
		for i := 0; i < len(pairs); i += 2 {
			if sec >= pairs[i] {
				v = pairs[i+1]
			}
		}
		return v * gib
	}
}

// ramp goes from one value to another within some time, and stays there.
func ramp(from, to, begin, end float64) trace {
	return func(sec float64) float64 {
		share := min(max((sec-begin)/(end-begin), 0), 1)
		return (from + (to-from)*share) * gib
	}
}

func plus(all ...trace) trace {
	return func(sec float64) float64 {
		sum := 0.0
		for _, one := range all {
			sum += one(sec)
		}
		return sum
	}
}

// teeth rise by high GiB in each period and fall back.
func teeth(period, high float64) trace {
	return func(sec float64) float64 { return high * gib * math.Mod(sec, period) / period }
}

// square is high GiB in the last part of each period, as while a model is evaluated.
func square(period, share, high float64) trace {
	return func(sec float64) float64 {
		if math.Mod(sec, period) >= period*(1-share) {
			return high * gib
		}
		return 0
	}
}

func flat(v float64) trace { return func(float64) float64 { return v * gib } }

// noise is different in each second, between 0 and high GiB.
func noise(seed uint64, high float64) trace {
	return func(sec float64) float64 {
		return rand.New(rand.NewPCG(seed, uint64(sec))).Float64() * high * gib
	}
}

// records is the highest random number so far: an allocator that keeps the memory of the longest batch.
func records(seed uint64, every, low, high float64) trace {
	best, till := []float64{0}, 0.0
	r := rand.New(rand.NewPCG(seed, 7))
	return func(sec float64) float64 {
		for ; till <= sec; till += every {
			best = append(best, max(best[len(best)-1], low+(high-low)*math.Pow(r.Float64(), 2)))
		}
		return best[min(int(sec/every)+1, len(best)-1)] * gib
	}
}

// walk goes up or down by step GiB at random in each interval, between two values.
func walk(seed uint64, every, from, low, high, step float64) trace {
	at, v := []float64{from}, from
	r := rand.New(rand.NewPCG(seed, 9))
	return func(sec float64) float64 {
		for float64(len(at))*every <= sec {
			v = min(max(v+step*(2*r.Float64()-1), low), high)
			at = append(at, v)
		}
		return at[int(sec/every)] * gib
	}
}

// stairs rise by high GiB at the end of each period, so many times.
func stairs(period, high float64, times int) trace {
	return func(sec float64) float64 { return high * gib * math.Min(math.Floor(sec/period), float64(times)) }
}

// easing nears a value: half of the rest in each half-life.
func easing(from, to, halfLife float64) trace {
	return func(sec float64) float64 { return (to - (to-from)*math.Exp2(-sec/halfLife)) * gib }
}

func healthy() map[string]trace {
	all := map[string]trace{
		"empty":                                   flat(0),
		"flat":                                    flat(70),
		"flat and full":                           flat(79.9),
		"one jump":                                steps(0, 2, 300, 71),
		"one late jump":                           steps(0, 60, 1500, 78),
		"preallocation of 75 %":                   steps(0, 0.5, 20, 60),
		"preallocation of 90 %":                   steps(0, 0.5, 20, 72),
		"two jumps":                               steps(0, 40, 400, 60, 900, 76),
		"caching allocator, slower and slower":    steps(0, 20, 30, 45, 60, 55, 120, 62, 240, 67, 480, 70, 960, 72, 1920, 73),
		"a stair per minute, six times":           plus(flat(50), stairs(60, 3, 6)),
		"a stair per 2 minutes, five times":       plus(flat(60), stairs(120, 3, 5)),
		"linear warm-up of 3 minutes":             ramp(1, 72, 0, 180),
		"linear warm-up of 8 minutes":             ramp(1, 72, 0, 480),
		"linear warm-up of 15 minutes":            ramp(1, 74, 0, 900),
		"linear warm-up of 30 minutes":            ramp(0, 76, 0, 1800),
		"linear warm-up of 40 minutes to 95 %":    ramp(0, 76, 60, 2460),
		"a cache of 20 GiB fills for 10 minutes":  ramp(50, 70, 600, 1200),
		"a cache of 10 GiB fills for 10 minutes":  ramp(64, 74, 600, 1200),
		"a cache of 6 GiB fills for 10 minutes":   ramp(70, 76, 600, 1200),
		"slow warm-up that ends in a plateau":     easing(10, 72, 300),
		"slower warm-up that ends in a plateau":   easing(40, 76, 600),
		"warm-up that eases for an hour":          easing(20, 79, 1200),
		"sawtooth of 30 s":                        plus(flat(50), teeth(30, 20)),
		"sawtooth of 2 minutes":                   plus(flat(50), teeth(120, 25)),
		"sawtooth of 5 minutes":                   plus(flat(50), teeth(300, 25)),
		"sawtooth of 11 minutes":                  plus(flat(50), teeth(660, 25)),
		"sawtooth of 12 minutes":                  plus(flat(60), teeth(720, 18)),
		"sawtooth of 13 minutes":                  plus(flat(60), teeth(780, 18)),
		"sawtooth of 25 minutes":                  plus(flat(60), teeth(1500, 15)),
		"sawtooth of 29 minutes":                  plus(flat(60), teeth(1740, 18)),
		"a cache of 10 GiB fills for 26 minutes":  ramp(66, 76, 1800, 1800+1560),
		"evaluation every half hour":              plus(flat(60), square(1800, 0.2, 15)),
		"evaluation every minute":                 plus(flat(60), square(60, 0.2, 15)),
		"evaluation every 10 minutes":             plus(flat(60), square(600, 0.3, 15)),
		"evaluation of 5 minutes every 15":        plus(flat(60), square(900, 0.34, 18)),
		"periodic":                                func(sec float64) float64 { return (60 + 12*math.Sin(sec/40)) * gib },
		"periodic, 20 minutes":                    func(sec float64) float64 { return (60 + 15*math.Sin(sec/191)) * gib },
		"periodic, 45 minutes":                    func(sec float64) float64 { return (60 + 15*math.Sin(sec/430)) * gib },
		"epochs that free less for the first two": plus(steps(0, 40, 120, 52, 240, 55), teeth(120, 15)),
		"noise": plus(flat(60), noise(1, 15)),
		"falls": ramp(76, 40, 0, 3000),
	}
	for seed := range uint64(100) {
		all[fmt.Sprint("records ", seed)] = records(seed, 15, 50, 79)
		all[fmt.Sprint("fast records ", seed)] = records(seed, 3, 60, 79)
		all[fmt.Sprint("walk ", seed)] = walk(seed, 5, 70, 60, 79, 0.6)
		all[fmt.Sprint("slow walk ", seed)] = walk(seed, 60, 70, 60, 79, 3)
		all[fmt.Sprint("noise ", seed)] = plus(flat(64), noise(seed, 14))
		all[fmt.Sprint("teeth and noise ", seed)] = plus(flat(52), teeth(30+float64(seed)*17, 20), noise(seed, 5))
	}
	return all
}

// leaks name the time before the memory is full at which the forecast must be there.
var leaks = []struct {
	name  string
	of    trace
	ahead time.Duration
}{
	{"linear, 4 hours", ramp(20, 80, 0, 4*3600), 28 * time.Minute},
	{"linear, half a GiB a minute", ramp(45, 45+60, 0, 120*60), 28 * time.Minute},
	{"linear and noisy", plus(ramp(46, 46+60, 0, 120*60), noise(3, 2)), 20 * time.Minute},
	{"linear with teeth", plus(ramp(36, 36+60, 0, 120*60), teeth(40, 12)), 20 * time.Minute},
	{"a stair per epoch of 80 s", plus(flat(40), stairs(80, 0.6, 1000)), 20 * time.Minute},
	{"a stair per epoch of 80 s with teeth", plus(flat(35), stairs(80, 0.6, 1000), teeth(80, 8)), 20 * time.Minute},
	{"a stair per epoch of 2 minutes", plus(flat(42), stairs(120, 0.8, 1000), teeth(120, 6)), 15 * time.Minute},
	{"a stair per epoch of 3 minutes", plus(flat(42), stairs(180, 1.2, 1000), teeth(180, 6)), 15 * time.Minute},
	{"flat for an hour, then linear", plus(flat(60), ramp(0, 60, 3600, 3600+180*60)), 25 * time.Minute},
}

// feed adds the samples of a trace from one second up to another. A report in a hundred is lost.
func feed(p MemoryPast, of trace, from, to float64) MemoryPast {
	for sec := from; sec < to; sec += 3 {
		if rand.New(rand.NewPCG(4, uint64(sec))).Float64() > 0.01 {
			p = p.Add(time.Unix(1_800_000_000+int64(sec), 0), min(of(sec), limit))
		}
	}
	return p
}

// At no moment of a healthy trace is there a forecast, whenever the watch begins.
func TestHealthy(t *testing.T) {
	for name, of := range healthy() {
		for _, begin := range []float64{0, 700} {
			var p MemoryPast
			for sec := begin; sec < 3*3600; sec += 30 {
				p = feed(p, of, sec, sec+30)
				if got, fills := p.Trend(limit); fills {
					t.Errorf("%s: after %v full in %v", name, time.Duration(sec)*time.Second, got.Full)
					break
				}
			}
		}
	}
}

// Each leak is foretold in time, within a quarter of the time that is left.
func TestLeaks(t *testing.T) {
	for _, leak := range leaks {
		full := 0.0
		for leak.of(full) < limit {
			full++
		}
		p := feed(MemoryPast{}, leak.of, 0, full-leak.ahead.Seconds())
		got, fills := p.Trend(limit)
		if !fills {
			t.Errorf("%s: not foretold %v ahead", leak.name, leak.ahead)
			continue
		}
		if off := (got.Full - leak.ahead).Abs(); off > leak.ahead/4 {
			t.Errorf("%s: full in %v, want %v", leak.name, got.Full, leak.ahead)
		}
	}
}

func TestPast(t *testing.T) {
	leak := ramp(20, 80, 0, 4*3600)
	p := feed(MemoryPast{}, leak, 0, 13500)
	if _, fills := p.Trend(limit); !fills {
		t.Fatal("a leak is not foretold")
	}
	later := feed(p, flat(10), 13500, 20000)
	if _, fills := p.Trend(limit); !fills || later.Peak() != p.Peak() {
		t.Errorf("the past has changed with its copy: peaks %v, %v", p.Peak(), later.Peak())
	}
	gap := feed(p, leak, 13500+300, 13900)
	if _, fills := gap.Trend(limit); fills || gap.Peak() < p.Peak() {
		t.Errorf("after a gap: a forecast, or peak %v", gap.Peak())
	}
	var none MemoryPast
	if none = none.Add(time.Unix(1, 0), math.NaN()); none.Known() {
		t.Error("an unknown use is known")
	}
}

// A level that has been higher before comes down again, and a level far from full is no concern.
func TestSilent(t *testing.T) {
	for name, of := range map[string]trace{
		"the second tooth of 70 minutes": plus(flat(58), teeth(4200, 21)),
		"three quarters full":            ramp(34.5, 80, 0, 3600),
	} {
		end := map[string]float64{"the second tooth of 70 minutes": 8200, "three quarters full": 2050}[name]
		p := feed(MemoryPast{}, of, 0, end)
		if got, fills := p.Trend(limit); fills {
			t.Errorf("%s: full in %v", name, got.Full)
		}
	}
}

// Only what grows grows evenly.
func TestSteady(t *testing.T) {
	for _, tc := range []struct {
		values []float64
		mean   float64
		even   bool
	}{
		{[]float64{1, 2, 3}, 1, true}, {[]float64{5, 5, 5}, 0, false}, {[]float64{3, 2, 1}, -1, false},
		{[]float64{0, 0, 6}, 3, false},
	} {
		if mean, even := meanGrowth(tc.values); mean != tc.mean || even != tc.even {
			t.Errorf("%v: %v, %t", tc.values, mean, even)
		}
	}
}

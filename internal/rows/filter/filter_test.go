package filter

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/lib/field"
)

// fake is a row: its values by field.
type fake map[string][]field.Value

// fakes are the fields of fakes. Words find their texts.
var fakes = field.Table[fake]{Name: "fakes", Words: func(f *fake, to []string) []string {
	for _, key := range []string{"node", "user", "cmd"} {
		for _, v := range (*f)[key] {
			to = append(to, v.Text)
		}
	}
	return to
}, Fields: []field.Field[fake]{
	of("node", field.Text, "host"), of("user", field.Text), of("cmd", field.Text, "command"), of("pid", field.Count),
	of("rank", field.Count), {Key: "picture"}, of("gpu", field.Count, "index"), of("util", field.Percent),
	of("power", field.Watts), of("mem", field.Bytes), of("time", field.Seconds), of("temp", field.Celsius),
	of("problem", field.Text), of("read", field.BytesPerSecond),
}}

func of(key string, u field.Unit, also ...string) field.Field[fake] {
	example := map[field.Unit]string{field.Percent: "50", field.Bytes: "10GiB"}[u]
	return field.Field[fake]{Key: key, Also: also, Unit: u, Example: example,
		Each: func(f *fake, to []field.Value) []field.Value { return append(to, (*f)[key]...) }}
}

var fields = Of(&fakes)

func texts(s ...string) (v []field.Value) {
	for _, one := range s {
		v = append(v, field.Value{Text: one})
	}
	return v
}

func numbers(n ...float64) (v []field.Value) {
	for _, one := range n {
		v = append(v, field.Value{Number: one})
	}
	return v
}

// rows are rows by name.
var rows = map[string]fake{
	"a": {
		"node": texts("gpu-n01"), "user": texts("alice"), "cmd": texts("python -u train.py --lr=0.1"),
		"pid": numbers(358811), "rank": numbers(0), "gpu": numbers(0),
		"util": numbers(97), "power": numbers(630), "mem": numbers(68.9 * (1 << 30)), "time": numbers(28961),
		"temp": numbers(68), "read": numbers(2e8),
	},
	"b": {
		"node": texts("gpu-n02"), "user": texts("bob"), "cmd": texts("Python eval.py"), "pid": numbers(77),
		"gpu": numbers(3, 4), "util": numbers(math.NaN()),
		"power": numbers(90), "mem": numbers(1e9), "time": numbers(59), "temp": numbers(31),
		"problem": texts("lag", "slower"),
	},
	"c": {"node": texts("köln-N12"), "problem": texts("gpu_lost")},
}

// matching are the names of the rows that match.
func matching(e *Expr) string {
	return strings.Join(Keep(e, &fakes, []string{"a", "b", "c"}, byName), "")
}

func byName(name *string) *fake { return new(rows[*name]) }

func TestMatch(t *testing.T) {
	for text, want := range map[string]string{
		"": "abc", "  ": "abc",
		// words
		"train": "a", "PYTHON": "ab", "python eval": "b", "gpu-n0": "ab", "KÖLN": "c", "n1": "c", `"python eval"`: "b",
		`'-u train'`: "a", "nothing": "", "--lr": "a",
		`"lr=0.1"`: "a", "util": "", "android": "",
		// comparisons of text
		"user=alice": "a", "user==ALICE": "a", "user!=alice": "b", "user = bob": "b", "user=alice,bob": "ab",
		"user!=alice,bob": "", `user="alice,bob"`: "", "USER=bob": "b",
		"host=gpu-n01": "a", "node~n0[1-4]": "ab", "node~=N0[1-4]$": "ab", "cmd~(train|eval)": "ab",
		`cmd~"train|eval"`: "ab", `cmd~\.py$`: "b", "command~^python": "ab", "node~[^)]2": "bc",
		"problem=lag": "b", "problem!=lag": "c", "problem~slow": "b", "user=": "!",
		// comparisons of numbers
		"util<50": "", "util>50": "a", "util>50%": "a", "util != 50": "a", "pid=77": "b", "pid=77,358811": "ab",
		"pid!=77": "a", "rank=0": "a", "rank!=1": "a", "gpu=3": "b", "gpu!=3": "a",
		"index>=4": "b", "gpu<1": "a", "power>300W": "a", "power>0.3kW": "a", "power<=90": "b", "mem>10GiB": "a",
		"mem>10g": "a", "mem=1gb": "b", "mem<1GiB": "b", "mem>0": "ab",
		"time>2h": "a", "time<1m": "b", "time=8:02:41": "a", "time=8h2m41s": "a", "time<1d4h": "ab",
		"time<0-08:02:42": "ab", "temp>60°C": "a", "temp < 60c": "b", "util>-1": "a",
		"read>100MB/s": "a", "read>=200mb": "a", "read>1GB/s": "",
		// together
		"train util>50": "a", "train and util>50": "a", "train & util<50": "", "user=bob or rank=0": "ab",
		"user=bob | rank=0 & util<50": "b", "(user=bob | rank=0) & util>50": "a",
		"not train": "bc", "!train": "bc", "! ! train": "a", "not user=alice": "bc", "NOT train AND node~n02": "b",
		"not (train or eval)": "c", "user=bob||rank=0": "ab", "train&&gpu-n01": "a",
		"node~n01|node~n02": "ab", "(node~n01)": "a", "((train))": "a", "cmd~(train) | node~n12": "ac",
	} {
		e, err := Parse(text, fields)
		if want == "!" {
			if err == nil {
				t.Errorf("%q is taken", text)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %d: %s", text, err.At, err)
			continue
		}
		if got := matching(e); got != want {
			t.Errorf("%q matches %q, want %q", text, got, want)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, test := range []struct{ text, at, want string }{ // at: the text before it
		{"utl<50", "", `no field "utl" here: the nearest is util`},
		{"train and memm>10GiB", "train and ", `no field "memm" here: the nearest is mem`},
		{"lr=0.1", "", `no field "lr" here: completion lists them (or quote text that contains =)`},
		{"partition=gpu", "", `no field "partition" here: completion lists them (or quote text that contains =)`},
		{"util<", "util<", "a value is expected after <"},
		{"util< and x", "!", ""}, // "and" is the value here
		{"(util<)", "(util<", "a value is expected after <"},
		{"util<abc", "util<", `util is a percentage, such as 50, not "abc"`},
		{"mem>10", "mem>", `mem is an amount of memory with its unit, such as 10GiB, not "10"`},
		{"time>60", "time>", `time is a time with its unit, such as 2h or 1d4h, not "60"`},
		{"time>2x", "time>", `time is a time with its unit, such as 2h or 1d4h, not "2x"`},
		{"pid=1.5", "pid=", `pid is a whole number, not "1.5"`},
		{"pid=1,x", "pid=1,", `pid is a whole number, not "x"`},
		{"pid<1,2", "pid<", "a list goes with = or !=, not with <"},
		{"pid=1-3", "pid=", "pid is a whole number: a range is pid>=1 pid<=3"},
		{"util>>50", "util", ">> is not an operator: util>50"},
		{"user:alice", "user", ": is not an operator: user=alice (or quote text that contains :)"},
		{"loss<2", "", `no field "loss" here: completion lists them (or quote text that contains <)`},
		{"power>300V", "power>", `power is a power, such as 300W, not "300V"`},
		{"power>1e999999", "power>", `power is a power, such as 300W, not "1e999999"`},
		{"temp>80F", "temp>", `temp is a temperature, such as 80, not "80F"`},
		{"util~5", "util", "util is a number: compare it with < > <= >= = or !="},
		{"user<bob", "user", "user is text: compare it with = or != or ~"},
		{"node~n[1", "node~", "in the regular expression a [ is not closed"},
		{"node~*", "node~", "in the regular expression a character is expected before * + or ?"},
		{"node~.{0,1000}.{0,1000}", "node~", "this pattern is too large"},
		{`train cmd~"` + strings.Repeat(".{0,1000}", 50) + `"`, `train cmd~"`, "this pattern is too large"},
		{"cmd~.{0,500} or (not node~.{0,500})", "cmd~.{0,500} or (not node~",
			"this pattern is too large together with those before it"},
		{"train and", "train and", "a word or a comparison is expected after and"},
		{"or train", "", "a word or a comparison is expected before or"},
		{"a | | b", "a | ", "a word or a comparison is expected before |"},
		{"!", "!", "a word or a comparison is expected after !"},
		{"(train", "(train", "a ) is expected: a ( is not closed"},
		{"(", "(", "a word or a comparison is expected after ("},
		{"train)", "train", "this ) closes nothing"},
		{"()", "(", "a word or a comparison is expected before )"},
		{"< 50", "", "the name of a field is expected before <"},
		{`user="bob`, "user=", `the quote " is not closed`},
		{`(user="bob`, "(user=", `the quote " is not closed`},
		{"it's", "it", "the quote ' is not closed"},
		{"pid=1=2", "pid=", `pid is a whole number, not "1=2"`},
		{`"a"="b"`, `"a"`, "the name of a field is expected before ="},
		{strings.Repeat("x", 513), strings.Repeat("x", 513), "a filter has at most 512 characters"},
	} {
		_, err := Parse(test.text, fields)
		if test.at == "!" {
			if err == nil {
				t.Errorf("%q is taken", test.text)
			}
			continue
		}
		if err == nil || err.Text != test.want || err.At != len(test.at) {
			t.Errorf("%q: %+v, want %d: %s", test.text, err, len(test.at), test.want)
		}
	}
}

// A unit without "b" is one of memory, as for nvidia-smi and SLURM: 1024 of the smaller one.
func TestUnitsOfMemory(t *testing.T) {
	for text, want := range map[string]float64{
		"1b": 1, "1k": 1 << 10, "1K": 1 << 10, "1m": 1 << 20, "1g": 1 << 30, "1t": 1 << 40,
		"1kb": 1e3, "1mb": 1e6, "1gb": 1e9, "1tb": 1e12, "1KiB": 1 << 10, "1MiB": 1 << 20, "1 GiB": 1 << 30,
		"1tib": 1 << 40, "1.5k": 1536, "0": 0,
	} {
		if got, err := Number(field.Bytes, text); err != nil || got != want {
			t.Errorf("%s is %v, %v, want %v", text, got, err, want)
		}
	}
}

func TestKeep(t *testing.T) {
	all := []string{"a", "b", "c"}
	e, _ := Parse("python and not eval", fields)
	if got := Keep(e, &fakes, all, byName); len(got) != 1 || got[0] != "a" {
		t.Errorf("keeps %v", got)
	}
	if got := Keep(&Expr{root: word("nothing")}, &fakes, all, byName); got == nil ||
		len(got) > 0 {
		t.Errorf("keeps %v", got)
	}
	if got := Keep(nil, &fakes, all, byName); len(got) != 3 {
		t.Errorf("without a filter keeps %v", got)
	}
}

func TestComplete(t *testing.T) {
	for _, test := range []struct{ text, from, want string }{ // from: the text that stays; a bar is the cursor
		{"|", "", strings.Join(fields.Names(), " ")},
		{"u|", "", "user util"},
		{"U|", "", "user util"},
		{"train us| x", "train ", "user"},
		{"zz|", "", ""},
		{"util|", "util", "< <= > >= = !="},
		{"user |", "user ", "= != ~"},
		{"util<|", "util", "< <= <50"},
		{"util!|", "util!", strings.Join(fields.Names(), " ")},
		{"util>=|", "util>=", "50"},
		{"mem> |", "mem> ", "10GiB"},
		{"util<5|", "util<5", ""},
		{"util<5 p|", "util<5 ", "pid power problem"},
		{"util<5 and (|", "util<5 and (", strings.Join(fields.Names(), " ")},
		{"zz=|", "zz=", ""},
		{`"u|`, `"u`, ""},
	} {
		before, after, _ := strings.Cut(test.text, "|")
		c := Complete(before+after, len(before), fields)
		if got := strings.Join(c.Choices, " "); c.From != len(test.from) || got != test.want {
			t.Errorf("%s: %q from %d, want %q from %d", test.text, got, c.From, test.want, len(test.from))
		}
	}
}

// Nothing that can be typed panics or takes long, and an error has its place in the text.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"train util<50 and node~n0[1-4]", `not (user="a b" | cmd~(x|y)) & pid=1,2`, "((((", "a~((((", "!!!!!x",
		"mem>1d4h8:03:12", "\xff='\u202e", "node~(a*)*(b|[)])", "1-03:22:40",
		strings.Repeat("(", 512), strings.Repeat("!", 511) + "x", "node~(((((((x{9}){9}){9}){9}){9}))",
		strings.Repeat("a|", 255) + "b", "node~" + strings.Repeat("(a?)", 120),
		"node~" + strings.Repeat(".{0,1000}", 56),
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		began := time.Now()
		e, err := Parse(s, fields)
		switch {
		case err == nil:
			matching(e)
		case err.At < 0 || err.At > len(s) || err.Text == "" || strings.ContainsAny(err.Text, "\n"):
			t.Errorf("%q: %+v", s, err)
		}
		for at := range s {
			if c := Complete(s, at, fields); c.From < 0 || c.From > at {
				t.Errorf("%q at %d: %+v", s, at, c)
			}
			if at > 64 {
				break
			}
		}
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("%q took %v", s, took)
		}
	})
}

func BenchmarkKeep(b *testing.B) {
	all := make([]string, 10_000)
	for i := range all {
		all[i] = "a"
	}
	e, _ := Parse("train nothing util<50 and node~n0[1-4]", fields)
	for b.Loop() {
		Keep(e, &fakes, all, byName)
	}
}

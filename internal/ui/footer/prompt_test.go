package footer

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/lib/field"
	"github.com/nvnodetop/nvnodetop/internal/rows/filter"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

var (
	fields = filter.Of(&field.Table[string]{Fields: []field.Field[string]{
		{Key: "user", Example: "alice", Each: none}, {Key: "pid", Unit: field.Count, Example: "358811", Each: none},
		{Key: "util", Unit: field.Percent, Example: "50", Each: none},
		{Key: "power", Unit: field.Watts, Example: "300W", Each: none},
	}})
	named = map[string]tea.KeyPressMsg{
		"tab": {Code: tea.KeyTab}, "back": {Code: tea.KeyTab, Mod: tea.ModShift}, "up": {Code: tea.KeyUp},
		"down": {Code: tea.KeyDown}, "enter": {Code: tea.KeyEnter},
		"esc": {Code: tea.KeyEscape}, "left": {Code: tea.KeyLeft}, "home": {Code: tea.KeyHome},
		"del": {Code: tea.KeyBackspace},
	}
)

func none(_ *string, to []field.Value) []field.Value { return to }

// press presses keys: "u <tab>" is u, a blank and Tab.
func press(f *FilterPrompt, keys string) {
	for keys != "" {
		if strings.HasPrefix(keys, "<") {
			if name, rest, ok := strings.Cut(keys[1:], ">"); ok && named[name].Code != 0 {
				f.Press(named[name])
				keys = rest
				continue
			}
		}
		r := []rune(keys)[0]
		f.Press(tea.KeyPressMsg{Code: r, Text: string(r)})
		keys = keys[len(string(r)):]
	}
}

func parsed(t *testing.T, text string) *filter.Expr {
	t.Helper()
	e, wrong := filter.Parse(text, fields)
	if wrong != nil {
		t.Fatal(wrong)
	}
	return e
}

// typed is what stands in the prompt, with a bar for the cursor.
func (f *FilterPrompt) typed() string {
	text, at := f.line.Text(), f.line.cursorByte()
	return text[:at] + "|" + text[at:]
}

func TestComplete(t *testing.T) {
	for keys, want := range map[string]string{
		"<tab>":                       "user|",
		"<tab><tab>":                  "pid|",
		"<tab><tab><tab><tab><tab>":   "user|",
		"<back>":                      "power|",
		"<tab><back>":                 "power|",
		"u<tab>":                      "user|",
		"u<tab><tab>":                 "util|",
		"u<tab><tab><tab>":            "user|",
		"ut<tab>":                     "util|",
		"ut<tab><tab>":                "util<|",
		"ut<tab>><tab>":               "util>|",
		"ut<tab>>=<tab>":              "util>=50|",
		"train p<tab>":                "train pid|",
		"p=1<home><tab>":              "user|p=1",
		"x<tab>":                      "x|",
		"u x<left><left><tab><tab>":   "util| x",
		"u<tab>x":                     "userx|",
		"u<tab>x<del><del><tab>":      "user|",
		"util<50 and us<tab>=<tab>":   "util<50 and user=alice|",
		"(u<tab>":                     "(user|",
		"ü<tab> u<tab>":               "ü user|",
		"power>300W & not ut<tab><50": "power>300W & not util<50|",
	} {
		f := NewFilterPrompt(fields, &History{})
		f.Open("1")
		if press(f, keys); f.typed() != want {
			t.Errorf("%s: %q, want %q", keys, f.typed(), want)
		}
	}
}

func TestHistory(t *testing.T) {
	past := &History{}
	f, other := NewFilterPrompt(fields, past), NewFilterPrompt(fields, past)
	for _, text := range []string{"a", "b", "a", "", "user=x"} { // an older one moves to the front
		f.Open("1")
		f.line.setText("", -1)
		press(f, text+"<enter>")
	}
	for keys, want := range map[string]string{
		"<up>": "user=x|", "<up><up>": "a|", "<up><up><up><up><up>": "b|", "z<up><up><down>": "user=x|",
		"z<up><down>": "z|", "z<up><down><down>": "z|", "<up>y<up>": "user=x|",
		"<up><left>y<down>": "user=y|x",
	} {
		other.Open("2")
		other.line.setText("", -1)
		if press(other, keys); other.typed() != want {
			t.Errorf("%s: %q, want %q", keys, other.typed(), want)
		}
	}
	for i := range 2 * mostPast {
		f.Open("1")
		f.line.setText("", -1)
		press(f, fmt.Sprint(i, "<enter>"))
	}
	if n := len(past.texts); n != mostPast || past.texts[0] != fmt.Sprint(2*mostPast-1) {
		t.Errorf("%d are remembered, the newest is %q", n, past.texts[0])
	}
}

// A mistake leaves the last filter without one in force, and Enter waits until it is mended. Esc clears.
func TestTheLastGoodFilterStays(t *testing.T) {
	f := NewFilterPrompt(fields, &History{})
	f.Begin(parsed(t, "user=alice"))
	for _, test := range []struct {
		keys, inForce string
		open          bool
	}{
		{"", "user=alice", true},
		{" ut", "user=alice ut", true},
		{"il<", "user=alice util", true},
		{"x<enter>", "user=alice util", true},
		{"<del>5<enter>", "user=alice util<5", false},
		{" p<tab>", "user=alice util<5 p", true}, // the rows do not go while a comparison is put together
		{"<tab>>", "user=alice util<5 p", true},
		{"5W", "user=alice util<5 power>5W", true},
		{" <tab>", "user=alice util<5 power>5W ", true},
		{"<enter>", "user=alice util<5 power>5W user", false},
	} {
		if !f.Typing("1") {
			f.Open("1")
		}
		press(f, test.keys)
		if got := f.filterOf("1").text; got != test.inForce || f.Typing("1") != test.open || !f.On("1") {
			t.Errorf("%s: %q is in force, open %v", test.keys, got, f.Typing("1"))
		}
	}
	if f.filterOf("2").text != "user=alice" || f.Typing("2") {
		t.Errorf("another job has %q", f.filterOf("2").text)
	}
	f.Open("1")
	press(f, "<esc>")
	if f.On("1") || f.Typing("1") || !f.On("2") {
		t.Error("Esc does not clear, or clears too much")
	}
}

// Any pasted text becomes one line.
func TestPaste(t *testing.T) {
	f := NewFilterPrompt(fields, &History{})
	f.Open("1")
	f.Press(tea.PasteMsg{Content: "u\x1b[31ms\u202eer\r\n=\x00a\u009b2J" + strings.Repeat("模", 10_000)})
	got := f.line.Text()
	if !strings.HasPrefix(got, "u[31mser  =a2J模") || len([]rune(got)) > filter.MostText {
		t.Errorf("%.80q, %d characters", got, len([]rune(got)))
	}
	press(f, "<tab><up><home>(") // and nothing of it confuses the keys
	if f.Press(tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}) {
		t.Error("Ctrl-C is taken")
	}
}

// picture is the prompt on a screen, its last two rows.
func picture(f *FilterPrompt, w int) []string {
	c := draw.New(w, 12)
	f.Draw(&part.Frame{Canvas: c, Scene: &part.Scene{Size: part.Size{W: w, H: 12}}}, 4, 8)
	text := string(draw.NewTheme(colorprofile.NoTTY, false, false).Encode(nil, c))
	lines := strings.Split(text, "\n")
	return []string{strings.TrimRight(lines[10], " "), strings.TrimRight(lines[11], " ")}
}

func TestDraw(t *testing.T) {
	for _, test := range []struct {
		keys         string
		w            int
		above, below string
	}{
		{"", 80, " Tab: user pid util power",
			" filter: █                          4 of 8  Tab complete  Enter keep  Esc clear"},
		{"u<tab>", 80, " Tab: user util",
			" filter: user█                      4 of 8  Tab complete  Enter keep  Esc clear"},
		{"utl<5", 80, ` no field "utl" here: the nearest is util`,
			" filter: utl<5█                     4 of 8  Tab complete  Enter keep  Esc clear"},
		{"util<", 80, " Tab: < <= <50", " filter: util<█                     4 of 8  Tab complete  Enter keep  Esc " +
			"clear"},
		{"", 20, " Tab: user pid …", " filter: █   4 of 8"},
		{"abcdefghijklmnopqrstuvw", 30, "", " filter: ghijklmnopqrstuvw█"},
		{"(train<left>", 80, " a ) is expected: a ( is not closed",
			" filter: (train                     4 of 8  Tab complete  Enter keep  Esc clear"},
	} {
		f := NewFilterPrompt(fields, &History{})
		f.Open("1")
		press(f, test.keys)
		if got := picture(f, test.w); got[0] != test.above || got[1] != test.below {
			t.Errorf("%s in %d columns:\n%q\n%q, want\n%q\n%q", test.keys, test.w, got[0], got[1], test.above,
				test.below)
		}
	}
}

// The place of a mistake is amber, and nothing before it.
func TestTheMistakeIsAmber(t *testing.T) {
	f := NewFilterPrompt(fields, &History{})
	f.Open("1")
	press(f, "train utl<5")
	c := draw.New(80, 12)
	f.Draw(&part.Frame{Canvas: c, Scene: &part.Scene{Size: part.Size{W: 80, H: 12}}}, 4, 8)
	got, want := draw.New(80, 1), draw.New(80, 1)
	got.Copy(0, c, 11, 1)
	got.Fill(21, 0, 59, ' ', draw.Text)
	want.Put(want.Put(want.Put(1, 0, "filter: ", draw.Dim), 0, "train ", draw.Strong), 0, "utl<5█", draw.Warn)
	want.Fill(21, 0, 59, ' ', draw.Text)
	theme := draw.NewTheme(colorprofile.TrueColor, false, false)
	if got, want := string(theme.Encode(nil, got)), string(theme.Encode(nil, want)); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestTitle(t *testing.T) {
	f := NewFilterPrompt(fields, &History{})
	f.Begin(parsed(t, "user=alice and util<50 and power>300W and not train"))
	for _, test := range []struct {
		shown     int
		one, many string
		w         int
		want      string
	}{
		{4, "", "", 100, `4 of 64 match "user=alice and util<50 and power>300W and n…"`},
		{1, "node", "nodes", 40, `1 of 64 nodes matches "user=alice and …"`},
		{0, "", "", 25, `0 of 64 match "user=ali…"`},
	} {
		if got := f.Title("1", test.shown, 64, test.one, test.many, test.w); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
	if got := f.None("1", "nodes", 60); got != `no nodes match "user=alice and util…": Esc clears the filter` {
		t.Errorf("%q", got)
	}
	f.Begin(parsed(t, `user=="carol"`))
	if got := f.None("1", "processes", 60); got != `no processes match user=="carol": Esc clears the filter` {
		t.Errorf("quotes in quotes: %q", got)
	}
}

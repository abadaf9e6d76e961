package keys

import (
	"slices"

	"charm.land/bubbles/v2/key"
)

// Record begins and ends a recording. The key is not k, which moves the cursor as in vi.
var Record = newBinding("Ctrl-K", "record", "ctrl+k")

// The keys that move in a recording. They have no other meaning on any page.
var (
	Pause       = newBinding("z", "pause", "z", "Z")
	StepBack    = newBinding("(", "step", "(")
	StepOn      = newBinding(")", "step", ")")
	ShortBack   = newBinding("Ctrl-←", "10 s", "ctrl+left")
	ShortOn     = newBinding("Ctrl-→", "10 s", "ctrl+right")
	LongBack    = newBinding("{", "1 min", "{")
	LongOn      = newBinding("}", "1 min", "}")
	Beginning   = newBinding("Ctrl-Home", "beginning", "ctrl+home")
	End         = newBinding("Ctrl-End", "end", "ctrl+end")
	Slower      = newBinding("-", "slower", "-")
	Faster      = newBinding("+ =", "faster", "+", "=")
	EarlierSign = newBinding("Alt-↑", "previous problem", "alt+up", "ctrl+up")
	LaterSign   = newBinding("Alt-↓", "next problem", "alt+down", "ctrl+down")
)

// ReplayRows are the keys that only a recording has.
var ReplayRows = []Row{
	{Bindings: bindingList(Pause), Group: Moving, Text: "pause / resume"},
	{Bindings: bindingList(StepBack, StepOn), Group: Moving, Each: []string{"back one sample", "forward one sample"},
		Text: "back / forward one sample", Long: "back / forward one sample, and pause"},
	{Bindings: bindingList(LongBack, LongOn), Group: Moving, Each: []string{"1 min back", "1 min forward"},
		Text: "1 min back / forward"},
	{Bindings: bindingList(ShortBack, ShortOn), Group: Moving, Each: []string{"10 s back", "10 s forward"},
		Text: "10 s back / forward"},
	{Bindings: bindingList(Beginning, End), Group: Moving, Each: []string{"beginning of the recording",
		"end of the recording"},
		Text: "beginning / end"},
	{Bindings: bindingList(Slower, Faster), Group: Moving, Each: []string{"slower", "faster"}, Text: "slower / faster",
		Long: "slower / faster: 1, 2, 5, 10, 20, 60 times"},
	{Bindings: bindingList(EarlierSign, LaterSign), Group: Moving, Each: []string{"time of the previous problem",
		"time of the next problem"}, Text: "prev / next problem",
		Long: "the time at which the previous / next problem began"},
}

// Recording are the keys that control a recording, shown or being made. They belong to no page.
var Recording = func() (all []key.Binding) {
	for _, r := range slices.Concat(ReplayRows, recordRows[:1]) {
		all = append(all, r.Bindings...)
	}
	return all
}()

// recordRows are the keys for the live cluster.
var recordRows = []Row{
	{Bindings: bindingList(Record), Group: Acting, Needs: NeedsRecorder, Text: "record to a file / stop",
		Also: "start recording, stop recording, capture", Long: "start / stop recording to a file here", On: Main},
	{Bindings: bindingList(StepBack, StepOn), Group: Looking, Needs: NeedsPast,
		Each:     []string{"look back", "look forward"},
		EachAlso: []string{"past, history, rewind, earlier, before, a moment ago, time travel", "forward"},
		Text:     "look back / forward",
		Long:     "10 to 30 s back / forward, by the spacing of the kept samples; Esc: live", On: Main},
	{Bindings: bindingList(LongBack, LongOn), Group: Looking, Needs: NeedsPast,
		Each:     []string{"look back a minute", "look forward a minute"},
		EachAlso: []string{"a minute ago, minutes ago, an hour ago, last minutes", ""},
		Text:     "look a minute back / forward",
		Long:     "1 min back / forward, as in a recording; Esc: live", On: Main},
}

// InReplay returns the rows of a page while a recording is shown: with the keys of the recording, but without those of
// the live cluster.
func InReplay(rows []Row) []Row {
	rest := slices.DeleteFunc(slices.Clone(rows), func(r Row) bool {
		return slices.ContainsFunc(recordRows, func(live Row) bool { return r.Shown() == live.Shown() })
	})
	return slices.Concat(ReplayRows, rest)
}

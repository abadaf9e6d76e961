package forms

import "strings"

// The bars of tqdm: "label:  37%|███▋      | 1842/5000 [09:01<15:49,  3.33it/s, loss=0.31]", and without a total
// "label: 12343it [02:05, 98.76it/s]". The first expression begins at the bar.
var (
	tqdmBar = re(`^\|[^|]*\| *([\d.,]+[kmgt]?)/([\d.,]+[kmgt]?|\?) ?\[([\d:]+)<([\d:?]+|\d+ days?, [\d:]+)` +
		`(?:(?:, *([\d.,]+[kmgt]?|\?) *([^\]\s,]+))?(.*?)\]|,[^\]]*$)`) // a narrow terminal cuts it off
	tqdmCount = re(`(?:^|[ :])([\d.,]+[kmgt]?) ?(?:it|steps?|batch(?:es)?) \[([\d:]+), *([\d.,]+[kmgt]?|\?) *` +
		`([^\]\s,]+)(.*?)\]`)
)

// countUnit is what stands behind the number of a bar without a total.
var countUnit = re(`\d ?(?:steps?|batch(?:es)?) \[`)

// isBar reports whether a line may have a bar of tqdm.
func isBar(line string) bool {
	return strings.Contains(line, "|") && strings.Contains(line, "<") && strings.Contains(line, "[") ||
		strings.Contains(line, "it [") || strings.Contains(line, "/s") && countUnit.MatchString(line)
}

// readTqdm reads a bar of tqdm.
func readTqdm(p *pairs, line string, s *Said) bool {
	from := strings.Index(line, "%|") + 1
	if from == 0 {
		from = max(strings.IndexByte(line, '|'), 0)
	}
	m := tqdmBar.FindStringSubmatch(line[from:])
	if m == nil {
		return readTqdmCount(p, line, s)
	}
	s.IsBar, s.Label = true, strings.TrimRight(strings.TrimSuffix(line[:from], "%"), "0123456789 ")
	noteNumber(s, Step, m[1])
	noteNumber(s, Total, m[2])
	if span, is := parseSpan(m[3]); is {
		s.Set(Elapsed, span.Seconds())
	}
	if span, is := parseSpan(m[4]); is && s.Knows(Total) {
		s.Set(Left, span.Seconds())
	}
	noteBarSpeed(s, m[5], m[6])
	return readBarWords(p, s, m[6], m[7])
}

// readTqdmCount reads a bar of tqdm without a total.
func readTqdmCount(p *pairs, line string, s *Said) bool {
	m := tqdmCount.FindStringSubmatch(line)
	if m == nil {
		return false
	}
	s.IsBar, s.Label = true, line[:strings.Index(line, m[0])]
	noteNumber(s, Step, m[1])
	if span, is := parseSpan(m[2]); is {
		s.Set(Elapsed, span.Seconds())
	}
	noteBarSpeed(s, m[3], m[4])
	return readBarWords(p, s, m[4], m[5])
}

func noteNumber(s *Said, q Quantity, text string) {
	if v, is := parseNumber(strings.Trim(text, ",")); is {
		s.Set(q, v)
	}
}

// noteBarSpeed notes the pace of a bar.
func noteBarSpeed(s *Said, number, unit string) {
	if v, is := parseNumber(number); is {
		s.setSpeed(v, unit)
	}
}

// readBarWords reads what stands before and behind a bar, and reports whether the bar is one of the program's work.
func readBarWords(p *pairs, s *Said, unit, behind string) bool {
	if u, is := unitOf(unit); is && !u.ofStep && (u.name == "" || s.Knows(Rate) && u.name == "examples") {
		return false // a download, or the preparation of data
	}
	isBare := unit == "" || isStepWord(strings.TrimSuffix(unit, "/s"))
	if isBare && s.Num[Total] > manySteps && s.Num[Seconds] < fastestStep {
		return false // bytes without a unit
	}
	words := Said{}
	p.readPairs(behind, nil, &words)
	for _, q := range []Quantity{Loss, LearningRate, MFU, Rate, Seconds} {
		if !s.Knows(q) {
			s.Add(&words, q)
		}
	}
	isWork := readLabel(p, s, unit)
	if s.ETAScope == ofEpoch && s.Num[Step] >= s.Num[Total] { // the epoch has ended, but the run may go on
		s.Drop(Left)
	}
	return isWork
}

const (
	// fastestStep is the time of a step below which a bar without a unit counts bytes, if there are manySteps.
	fastestStep = 1.0 / 20_000
	manySteps   = 1_000_000
)

// readLabel reads the words before a bar: an epoch, or what the bar is of.
func readLabel(p *pairs, s *Said, unit string) bool {
	label := Said{}
	p.readPairs(s.Label, nil, &label)
	kind := labelKind(p.tokens)
	if kind != evaluation && (strings.HasSuffix(unit, "/epoch") || strings.HasPrefix(unit, "epoch/")) {
		kind = ofEpochs
	}
	s.IsEvaluation = kind == evaluation
	switch {
	case label.Knows(Epoch):
		s.Set(Epoch, label.Num[Epoch])
		if label.Knows(Epochs) {
			s.Set(Epochs, label.Num[Epochs])
		}
		s.Scope, s.ETAScope = ofEpoch, ofEpoch
	case kind == ofEpochs && s.Knows(Total):
		s.Set(Epochs, s.Num[Total])
		s.Set(Epoch, s.Num[Step])
		s.Drop(Step, Total, Seconds)
		s.ETAScope = ofRun
	case len(p.tokens) > 4 && p.tokens[0].kind == part: // a table: the epoch is its first column
		s.Set(Epoch, p.tokens[0].num)
		s.Set(Epochs, p.tokens[0].of)
		s.Scope, s.ETAScope, kind = ofEpoch, ofEpoch, training
	}
	s.Label = labelName(p.tokens)
	if kind == unknownLabel && isLikelyWork(s, unit) {
		kind = training
	}
	return kind == training || kind == ofEpochs || s.IsEvaluation
}

// isLikelyWork reports whether a bar with a label of no known meaning is one of the program's work: it takes long, its
// label is one word, and it does not count files.
func isLikelyWork(s *Said, unit string) bool {
	_, isKnown := unitOf(unit)
	return s.Num[Elapsed]+s.Num[Left] >= shortest && strings.Count(s.Label, " ") <= 1 && (unit == "" || isKnown)
}

// shortest is the time of a bar, in seconds, below which it is a preparation, unless its label says that it is not.
const shortest = 100

// labelName is a label without its numbers.
func labelName(tokens []token) string {
	var b strings.Builder
	for i := range tokens {
		if t := &tokens[i]; t.kind == word {
			b.WriteString(strings.TrimRight(t.text, "0123456789") + " ")
		}
	}
	return b.String()
}

// kindOfLabel is what the words before a bar are about.
type kindOfLabel uint8

const (
	unknownLabel kindOfLabel = iota
	training
	ofEpochs // the bar counts epochs
	evaluation
	preparation
)

// labelKind decides what a bar is of, by the words before it. A verb in -ing with an object, such as "loading shards",
// is a preparation, unless the verb is one of work.
func labelKind(tokens []token) kindOfLabel {
	kind, words := unknownLabel, 0
	isPrefix := true
	for i := range tokens {
		t := &tokens[i]
		if t.kind != word {
			continue
		}
		for _, a := range atomsOf([]string{t.text}, nil) {
			switch {
			case isEvaluationWord(a):
				return evaluation
			case isWork(a) || isStepWord(a):
				kind = training
			case a == "epochs" || a == "epoch":
				if kind != training {
					kind = ofEpochs
				}
			case a == "rank" || strings.HasPrefix(a, "worker") || a == "pid":
			case strings.HasSuffix(a, "ing") && len(a) > 5 && kind == unknownLabel,
				a == "map" || a == "filter" || a == "download" || a == "upload" || strings.Contains(a, "token"):
				return preparation
			case isPrefix:
				words++
			}
		}
	}
	if kind == unknownLabel && words == 0 {
		return training
	}
	return kind
}

// isWork reports whether a word is one of what a job is for.
func isWork(a string) bool {
	for _, stem := range []string{"train", "finetun", "fit", "optimi", "sampl", "simulat", "progress", "learn", "solv",
		"tun", "md", "denois", "rollout", "prompts"} {
		if strings.HasPrefix(a, stem) {
			return true
		}
	}
	return false
}

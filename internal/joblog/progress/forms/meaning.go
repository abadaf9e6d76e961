package forms

import "strings"

// keyWords is how many words before a number are looked at.
const keyWords = 6

// isEvaluationWord reports whether a word is about an evaluation, by its beginning.
func isEvaluationWord(w string) bool {
	switch w {
	case "val", "dev", "valid", "sanity", "best", "held", "holdout":
		return true
	}
	for _, stem := range []string{"eval", "valid", "test", "infer", "predict"} {
		if strings.HasPrefix(w, stem) {
			return true
		}
	}
	return false
}

// atomsOf cuts words into their parts: "train/loss" into train and loss.
func atomsOf(words []string, room []string) []string {
	atoms := room[:0]
	for _, w := range words {
		for {
			i := strings.IndexAny(w, "_/.-")
			if i < 0 {
				break
			}
			if i > 0 {
				atoms = append(atoms, w[:i])
			}
			w = w[i+1:]
		}
		if w != "" {
			atoms = append(atoms, w)
		}
	}
	return atoms
}

// beside are words that may stand beside the subject of a key without a change of its meaning.
func isBeside(a string) bool {
	switch a {
	case "train", "training", "trainer", "global", "current", "curr", "completed", "optimizer", "optim", "optimization",
		"at", "the", "info":
		return true
	}
	return false
}

// meaningOf returns what a number means that stands behind a key, and how sure that is: 1 is best. 0: nothing known.
func meaningOf(atoms []string) (Quantity, int) {
	if len(atoms) == 0 {
		return 0, 0
	}
	for _, a := range atoms {
		if isEvaluationWord(a) || a == "micro" || a == "prev" || a == "previous" || a == "last" {
			return 0, 0
		}
	}
	for _, m := range meanings {
		if sure := m.is(atoms); sure > 0 {
			return m.what, sure
		}
	}
	return 0, 0
}

// meanings is the table of what keys mean; the first row that holds counts.
var meanings = []struct {
	what Quantity
	is   func(atoms []string) int
}{
	{Loss, isLoss},
	{LearningRate, func(a []string) int { return endsWith(a, []string{"lr"}, []string{"learning", "rate"}) }},
	{MFU, func(a []string) int { return endsWith(a, []string{"mfu"}) }},
	{Left, isLeft},
	{Seconds, isStepTime},
	{Total, func(a []string) int { return countOf(a, isStepWord) }},
	{Epochs, func(a []string) int { return countOf(a, func(w string) bool { return w == "epochs" || w == "epoch" }) }},
	{Step, func(a []string) int { return subject(a, isStepWord) }},
	{Epoch, func(a []string) int { return subject(a, func(w string) bool { return w == "epoch" || w == "epochs" }) }},
}

// endsWith reports whether the last atoms are those of a way to write a key.
func endsWith(atoms []string, ways ...[]string) int {
	for _, way := range ways {
		if n := len(atoms) - len(way); n >= 0 && strings.Join(atoms[n:], " ") == strings.Join(way, " ") {
			return 1 + n
		}
	}
	return 0
}

// isLoss: the loss of the training; a part of it, such as "policy loss", is none.
func isLoss(atoms []string) int {
	sure := 0
	for _, a := range atoms {
		switch a {
		case "loss":
			sure++
		case "is":
		case "train", "training", "lm", "total", "avg", "avr", "average", "step", "mean", "running", "reduced", "batch",
			"current", "smoothed", "iter":
			sure += 2
		default:
			return 0
		}
	}
	if sure%2 == 0 {
		return 0
	}
	return sure
}

// isLeft: the time until the end.
func isLeft(atoms []string) int {
	for i, a := range atoms {
		if a == "eta" && i == len(atoms)-1 || a == "remaining" || a == "left" && i > 0 && atoms[i-1] == "time" {
			return 1
		}
	}
	return 0
}

// isStepTime: the time of a step. Words between the time and the step say that it is of one.
func isStepTime(atoms []string) int {
	last := len(atoms) - 1
	if _, is := times[atoms[last]]; is {
		last--
	}
	if last >= 0 && atoms[last] == "in" {
		last--
	}
	if last < 0 {
		return 0
	}
	if len(atoms) == 1 && atoms[0] == "dt" {
		return 1
	}
	if last < 1 {
		return 0
	}
	a, b := atoms[last-1], atoms[last]
	switch {
	case isStepWord(a) && (b == "time" || b == "timing" || b == "duration"),
		isStepWord(b) && (a == "time" || times[a] > 0),
		a == "per" && isStepWord(b) && last >= 2 && (atoms[last-2] == "time" || times[atoms[last-2]] > 0):
		return 1
	}
	return 0
}

// countOf: how many there are in all, of what is recognizes.
func countOf(atoms []string, is func(string) bool) int {
	n := len(atoms)
	if n < 2 || !is(atoms[n-1]) {
		return 0
	}
	isAll, isCounted := false, strings.HasSuffix(atoms[n-1], "s")
	for _, a := range atoms[:n-1] {
		switch a {
		case "total", "max", "maximum":
			isAll = true
		case "num", "number", "of", "n":
			isAll = isAll || atoms[n-1] == "epochs"
		default:
			if !isBeside(a) {
				return 0
			}
		}
	}
	if !isAll || !isCounted && atoms[0] != "max" {
		return 0
	}
	return 1
}

// subject: the key is about what is recognizes, and other words do not change that.
func subject(atoms []string, is func(string) bool) int {
	n := len(atoms)
	if !is(atoms[n-1]) {
		return 0
	}
	for _, a := range atoms[:n-1] {
		if isCounted := a == "num" && atoms[n-1] == "updates"; !isBeside(a) && !isCounted {
			return 0
		}
	}
	return 1
}

package smi

import (
	"slices"
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// learner finds out what a node is and which GPUs it has, before the session begins.
type learner struct {
	console *console
	node    introduction
	gpus    roster
	stopped string // why nvidia-smi reads none of the GPUs; "": it does read them
}

// learnNode reads the script's introduction of the node, and asks nvidia-smi for the GPUs. If nvidia-smi refuses all of
// them because of one, it asks for each GPU separately.
func (l *learner) learnNode() error {
	if err := l.readIntroduction(); err != nil {
		return err
	}
	l.gpus = roster{query: columns, minors: l.node.minors}
	words, err := l.askGPUs(everyGPU)
	if err != nil {
		return err
	}
	if who, ok := findNamed(words); ok && !l.gpus.containsGPU(who.namesGPU) {
		if err := l.learnEach(words, who); err != nil {
			return err
		}
	}
	if len(l.gpus.list) == 0 {
		return &UnusableError{text.FirstLine(words)}
	}
	return nil
}

// readIntroduction reads up to the end of the introduction. Output before it comes from a login script.
func (l *learner) readIntroduction() error {
	began := false
	for seen := 0; seen < wire.MagicBudget; {
		line, err := l.console.nextLine()
		switch {
		case err != nil:
			return err
		case began && line == "ready":
			return nil
		case began:
			l.node.parseLine(line)
		}
		began = began || line == mark
		seen += len(line) + 1
	}
	return &UnusableError{"the node does not run the script"}
}

// learnEach asks for one GPU after another: nvidia-smi refused them all, with these words about one.
func (l *learner) learnEach(words string, who namedGPU) error {
	refusals := map[string]bool{}
	for index := 0; index < maxCards; index++ {
		isThere := func(g *gpu) bool { return g.at == index }
		if l.gpus.containsGPU(isThere) {
			continue
		}
		said, err := l.askGPUs(strconv.Itoa(index))
		if err != nil {
			return err
		}
		if l.gpus.containsGPU(isThere) {
			continue
		}
		about, ok := findNamed(said)
		if !ok || about.index >= 0 && about.index != index || refusals[said] {
			break // there are no more GPUs, or nvidia-smi refuses each for the same reason
		}
		refusals[said] = true
		l.gpus.addRefused(index, about, said)
	}
	if who.index >= 0 && !l.gpus.containsGPU(who.namesGPU) {
		l.gpus.addRefused(who.index, who, words)
	}
	if !slices.ContainsFunc(l.gpus.list, func(g *gpu) bool { return !g.refused }) {
		if l.stopped = text.FirstLine(words); who.index < 0 {
			l.gpus.list = nil // nobody knows which one it is
		}
	}
	return nil
}

// askGPUs runs nvidia-smi once for some GPUs, and returns its other messages. Fields unknown to nvidia-smi are left out
// from then on.
func (l *learner) askGPUs(which string) (words string, err error) {
	for range columns {
		words, err = l.runOnce(which)
		field, unknown := unknownField(words)
		if err != nil || !unknown {
			return words, err
		}
		l.gpus.query = l.gpus.query.withoutField(field)
	}
	return "", &UnusableError{"it knows none of the fields"}
}

// runOnce runs nvidia-smi once, adds the GPUs, and returns its other messages.
func (l *learner) runOnce(which string) (words string, err error) {
	if err := l.console.sendLine("once 0 " + which + " " + l.gpus.query.rowFields(all)); err != nil {
		return "", err
	}
	for {
		line, err := l.console.nextLine()
		if err != nil || strings.HasPrefix(line, "end ") {
			return strings.TrimSpace(words), err
		}
		if cells, ok := l.gpus.query.splitRow(line, all); ok {
			l.gpus.addGPU(l.gpus.newGPU(cells))
		} else if len(words) < maxLine {
			words += line + "\n"
		}
	}
}

// unknownField finds the name in nvidia-smi's error message for a field that it does not know.
func unknownField(words string) (field string, ok bool) {
	_, rest, ok1 := strings.Cut(words, `Field "`)
	field, _, ok2 := strings.Cut(rest, `" is not a valid field to query`)
	return field, ok1 && ok2
}

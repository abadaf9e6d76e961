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
	stopped string // why nvidia-smi reads none of the GPUs; "": it does
}

// learn reads the script's introduction of the node, and asks nvidia-smi for the GPUs. If nvidia-smi refuses all of
// them because of one, it asks for each by itself.
func (l *learner) learn() error {
	if err := l.introduce(); err != nil {
		return err
	}
	l.gpus = roster{query: columns, minors: l.node.minors}
	words, err := l.ask(everyGPU)
	if err != nil {
		return err
	}
	if who, ok := naming(words); ok && !l.gpus.any(who.is) {
		if err := l.learnEach(words, who); err != nil {
			return err
		}
	}
	if len(l.gpus.list) == 0 {
		return &UnusableError{text.FirstLine(words)}
	}
	return nil
}

// introduce reads up to the end of the introduction. Output before it is that of a login script.
func (l *learner) introduce() error {
	began := false
	for seen := 0; seen < wire.MagicBudget; {
		line, err := l.console.next()
		switch {
		case err != nil:
			return err
		case began && line == "ready":
			return nil
		case began:
			l.node.read(line)
		}
		began = began || line == mark
		seen += len(line) + 1
	}
	return &UnusableError{"the node does not run the script"}
}

// learnEach asks for one GPU after the other: nvidia-smi refused them all with these words about one.
func (l *learner) learnEach(words string, who named) error {
	refusals := map[string]bool{}
	for index := 0; index < maxCards; index++ {
		isThere := func(g *gpu) bool { return g.at == index }
		if l.gpus.any(isThere) {
			continue
		}
		said, err := l.ask(strconv.Itoa(index))
		if err != nil {
			return err
		}
		if l.gpus.any(isThere) {
			continue
		}
		about, ok := naming(said)
		if !ok || about.index >= 0 && about.index != index || refusals[said] {
			break // there are no more GPUs, or nvidia-smi refuses each because of the same
		}
		refusals[said] = true
		l.gpus.addRefused(index, about, said)
	}
	if who.index >= 0 && !l.gpus.any(who.is) {
		l.gpus.addRefused(who.index, who, words)
	}
	if !slices.ContainsFunc(l.gpus.list, func(g *gpu) bool { return !g.refused }) {
		if l.stopped = text.FirstLine(words); who.index < 0 {
			l.gpus.list = nil // nobody knows which one it is
		}
	}
	return nil
}

// ask runs nvidia-smi once for some GPUs, and returns its other messages. Fields unknown to nvidia-smi are left out
// from then on.
func (l *learner) ask(which string) (words string, err error) {
	for range columns {
		words, err = l.once(which)
		field, unknown := unknownField(words)
		if err != nil || !unknown {
			return words, err
		}
		l.gpus.query = l.gpus.query.without(field)
	}
	return "", &UnusableError{"it knows none of the fields"}
}

// once runs nvidia-smi once, adds the GPUs, and returns its other messages.
func (l *learner) once(which string) (words string, err error) {
	if err := l.console.tell("once 0 " + which + " " + l.gpus.query.fields(all)); err != nil {
		return "", err
	}
	for {
		line, err := l.console.next()
		if err != nil || strings.HasPrefix(line, "end ") {
			return strings.TrimSpace(words), err
		}
		if cells, ok := l.gpus.query.cells(line, all); ok {
			l.gpus.add(l.gpus.card(cells))
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

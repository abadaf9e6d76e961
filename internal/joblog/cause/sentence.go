package cause

import (
	"regexp"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/lib/text/safe"
)

const (
	// maxText limits a sentence, in bytes.
	maxText = 240
	// wrapped is the length from which a line counts as folded by its program.
	wrapped = 70
)

var (
	ofTask  = regexp.MustCompile(`^srun: error: (\S+): (tasks? \S+): (\S.*)$`)
	ofAgent = regexp.MustCompile(`\blocal_rank: (\d+)`)
	ofSlurm = regexp.MustCompile(`^slurmstepd\S*: error: (?:\*\*\* )?(.*?)(?: \*\*\*)?$`)
	script  = regexp.MustCompile(`^/\S*/(slurm_script: )`)
	spaces  = regexp.MustCompile(`\s{2,}`)
)

// sentenceOf returns what a line says, and who says it.
func (l *judgedLines) sentenceOf(at int) string {
	f := &l.all[at]
	who, text := f.who, f.words
	text = ofRank.ReplaceAllString(text, "")
	if m := ofTask.FindStringSubmatch(text); m != nil {
		who, text = m[2]+" on "+m[1], m[3]
	} else if m := ofAgent.FindStringSubmatch(text); m != nil && who == "" {
		who = "local rank " + m[1]
	} else if m := ofSlurm.FindStringSubmatch(text); m != nil {
		text = m[1]
	}
	text = script.ReplaceAllString(strings.TrimSpace(text), "$1") + l.wordsBelow(at, text)
	if name := f.mark.Name(); name == lossNaN || name == lossInf {
		text = name + ": " + text
	}
	text = strings.TrimSuffix(spaces.ReplaceAllString(text, " "), ":")
	if f.place != "" {
		text = safe.Line(text, maxText-len(f.place)) + " (" + f.place + ")"
	}
	if who != "" {
		text = who + ": " + text
	}
	return safe.Line(text, maxText)
}

// wordsBelow returns the words of the lines below, if a line only announces them.
func (l *judgedLines) wordsBelow(at int, text string) string {
	announces := strings.HasSuffix(text, ":")
	if !announces && !strings.HasPrefix(text, "terminate called") {
		return ""
	}
	var b strings.Builder
	for i := at + 1; i < len(l.all) && i <= at+3; i++ {
		words := strings.TrimSpace(l.all[i].words)
		other := l.all[i].mark != 0 && l.all[i].mark.markKind() < doubt
		if other || !letters.MatchString(words) || !announces && !strings.HasPrefix(words, "what():") {
			break
		}
		if !announces {
			b.WriteByte(',')
		}
		b.WriteString(" " + words)
		if len(words) < wrapped {
			break
		}
	}
	return b.String()
}

var letters = regexp.MustCompile(`[A-Za-z]`)

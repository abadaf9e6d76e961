package forms

import (
	"regexp"
	"strings"
)

// Lines about checkpoints, and about a program that goes on from one.
var (
	resumes = re(`\b(?:resum|restor|continu)(?:e|ed|es|ing)\b|\bload(?:ed|ing)\b.*(?:checkpoint|ckpt)|` +
		`\bstarts? at\b|\bstarting (?:at|from)\b`)
	saves = re(`\b(?:sav(?:e|ed|es|ing)|writ(?:e|es|ing|ten)|wrote)\b.*` +
		`(?:checkpoint|ckpt|restart|snapshot|state\b)|(?:checkpoint|ckpt)\S* (?:was |is )?(?:saved|written)`)

	stepNamed  = re(`\b(?:global[_ ])?(?:step|iteration|iter|update)s?[ :=#]+(\d{1,15})(?:[^\d.:]|$)`)
	stepInPath = re(`(?:checkpoint|ckpt|step|iter|model|global_step)[-_=](\d{1,15})(?:[^\d.]|\.[a-z]|$)`)
	stepBefore = re(`\b(\d{1,15}) (?:updates|steps|iterations)\b`)
)

// readEvent reads a line about a checkpoint.
func readEvent(line string, s *Said) {
	isSaved := (strings.Contains(line, "sav") || strings.Contains(line, "writ") || strings.Contains(line, "wrote")) &&
		saves.MatchString(line)
	isResumed := !isSaved && (strings.Contains(line, "resum") || strings.Contains(line, "restor") ||
		strings.Contains(line, "continu") || strings.Contains(line, "load") || strings.Contains(line, "start")) &&
		resumes.MatchString(line)
	switch {
	case isSaved:
		s.IsCheckpoint = true
		noteStep(line, Saved, s)
	case isResumed:
		noteStep(line, Resumed, s)
	}
}

// noteStep notes the step that a line names, in words or in the name of a file.
func noteStep(line string, q Quantity, s *Said) {
	for _, is := range []*regexp.Regexp{stepNamed, stepBefore, stepInPath} {
		if m := is.FindStringSubmatch(line); m != nil {
			noteNumber(s, q, m[1])
			return
		}
	}
}

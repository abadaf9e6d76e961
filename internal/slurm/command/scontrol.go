package command

import (
	"iter"
	"regexp"
	"slices"
	"strings"
)

// The output of `scontrol show job` and `scontrol show node` is split into records and their lines.
//
// A line begins with three spaces and a key. Each key is printed once, in an order that has not changed since SLURM
// 20.11. Between them stand texts of users and admins, printed raw: names, comments, command lines. Such a text may
// contain keys too, and have several lines, some of which may look like those of scontrol. So a key counts only where
// scontrol prints it: at the beginning of its line, or as one of the fields of its line, but never inside a text.

// RecordLine is a key that begins a line, with its value: the rest of the line, and everything up to the next such
// line.
type RecordLine struct{ Key, Text string }

// Record is what scontrol prints about a job or a node. The key of its first line is "JobId" or "NodeName".
type Record []RecordLine

// Kinds of records, by their first lines.
var (
	JobLine  = regexp.MustCompile(`^JobId=[0-9]+ (?:\S+ )*?JobName=`)
	NodeLine = regexp.MustCompile(`^NodeName=\S+ `)
)

// RecordsOf splits an output. Text before the first record comes from a wrapper. A blank line ends a record, but a text
// may contain one too: so the next record must begin with a line of its kind.
func RecordsOf(out []byte, kind *regexp.Regexp) []Record {
	var records []Record
	whole := strings.ReplaceAll(string(out), "\r\n", "\n")
	begin := -1 // of the current line
	end := func(at int) {
		if begin >= 0 {
			r := &records[len(records)-1]
			key, text, _ := strings.Cut(strings.TrimPrefix(whole[begin:at], recordIndent), "=")
			*r = append(*r, RecordLine{key, withoutEnd(text)})
		}
		begin = at
	}
	at, blank := 0, true
	for line := range strings.Lines(whole) {
		text := strings.TrimSuffix(line, "\n")
		switch {
		case (blank || begin < 0) && kind.MatchString(text):
			end(at)
			records = append(records, nil)
		case begin >= 0 && isLine(text):
			end(at)
		}
		blank = text == ""
		at += len(line)
	}
	end(at)
	return records
}

// recordIndent begins every line except the first one of a record.
const recordIndent = "   "

// isLine reports whether a text begins with three spaces and a key.
func isLine(text string) bool {
	rest, ok := strings.CutPrefix(text, recordIndent)
	key, _, found := strings.Cut(rest, "=")
	return ok && found && key != "" && key[0] != ' ' && !strings.ContainsFunc(key, isNoKey)
}

// isNoKey reports whether a character occurs in no key: "CPUs/Task" and "ReqB:S:C:T" are keys.
func isNoKey(r rune) bool {
	isLetter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	return !isLetter && (r < '0' || r > '9') && !strings.ContainsRune("_:/", r)
}

// withoutEnd removes the end of the last line, and the blank lines after it.
func withoutEnd(text string) string {
	if end := len(strings.TrimRight(text, " \n")); strings.Contains(text[end:], "\n") {
		return text[:end+strings.IndexByte(text[end:], '\n')]
	}
	return text
}

// Fields yields the keys and values of a line that has several. The values have no spaces.
func (l RecordLine) Fields() iter.Seq2[string, string] {
	return func(yield func(key, value string) bool) {
		text, _, _ := strings.Cut(l.Text, "\n")
		for field := range strings.FieldsSeq(l.Key + "=" + text) {
			if key, value, ok := strings.Cut(field, "="); ok && !yield(key, value) {
				return
			}
		}
	}
}

// All returns the indices of the lines with these keys.
func (r Record) All(keys ...string) (at []int) {
	for i, l := range r {
		if slices.Contains(keys, l.Key) {
			at = append(at, i)
		}
	}
	return at
}

// First returns the text of the first line with a key, if there is one.
func (r Record) First(key string) (text string, found bool) {
	if at := r.All(key); len(at) > 0 {
		return r[at[0]].Text, true
	}
	return "", false
}

// Before returns the lines before the first one with one of these keys, or all lines.
func (r Record) Before(keys ...string) Record {
	if at := r.All(keys...); len(at) > 0 {
		return r[:at[0]]
	}
	return r
}

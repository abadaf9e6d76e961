package cause

import (
	"regexp"
	"strings"
)

// bareLine is a line without what launchers and loggers put before it.
type bareLine struct {
	who   string // "rank 3 on node04"; "": no process is named
	key   string // the same for all lines of one process, as far as labels tell processes apart
	level byte   // as in glog: I, W, E, F; 0: none. D counts as I
	words string // without labels and times
	text  string // without the level too
}

// prefixRow is a row of the table of what launchers put before lines.
type prefixRow struct {
	is   *regexp.Regexp
	rank string // what its number counts; "": it has no number
}

// labels are stripped in any order, each at most once.
var labels = []prefixRow{
	{regexp.MustCompile(`^ *(?P<n>\d{1,6}): ?`), "task"},                                           // srun --label
	{regexp.MustCompile(`^\[rank ?(?P<n>\d+)\]:? ?`), "rank"},                                      // torch
	{regexp.MustCompile(`^\[[A-Za-z_]+(?P<n>\d+)\]: ?`), "local rank"},                             // torchrun --tee
	{regexp.MustCompile(`^\[[^\s\]]*?\d+,(?P<n>\d+)\]<std\w+>: ?`), "rank"},                        // mpirun --tag-output
	{regexp.MustCompile(`^\((?:[^()]*\brank=(?P<n>\d+))?[^()]*\bpid=\d+[^()]*\) ?`), "rank"},       // Ray, vLLM
	{regexp.MustCompile(`^(?P<host>[\w.-]+):\d+:\d+ \[(?P<n>\d+)\] `), "CUDA device"},              // NCCL
	{regexp.MustCompile(`^(?P<host>[A-Za-z][\w-]*):(?P<n>\d+): ?`), "rank"},                        // host:rank:
	{regexp.MustCompile(`^\[(?P<host>[A-Za-z][\w-]*):\d+\]:? ?`), ""},                              // Open MPI
	{regexp.MustCompile(`^(?P<host>[A-Za-z][\w-]*): (?P<rest>\[rank ?\d+\]|\[\d{4}-|\d{4}-)`), ""}, // pdsh
	{regexp.MustCompile(`^\[(?P<n>\d+)\] `), "rank"},                                               // mpiexec -l
	{regexp.MustCompile(`^(?:│ ?|\| )`), ""},                                                       // boxes of rich
	{regexp.MustCompile(`^\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?[\]:]* ?`), ""},
	{regexp.MustCompile(`^\[?\d\d/\d\d/\d{4} \d\d:\d\d:\d\d\]? ?`), ""},
}

// Levels at the beginning of a line: those of glog and its kin, and those of Python's logging and its kin.
var (
	glog  = regexp.MustCompile(`^\[?([IWEF])(?:\d{4,8} \d\d:\d\d:\d\d\S*)? (?:\d+ )?[\w./-]+:\d+\] ?`)
	level = regexp.MustCompile(`^(?:[^A-Za-z]*|.{0,60}?[\s\[|:<(-])(DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL|FATAL)` +
		`(?:[\]|:>)-]+|$|\s)[\s|-]*(?:\d\d-\d\d \d\d:\d\d:\d\d )?(?:\[[\w.:-]+\] )?`)
)

// letterOf is the glog level that a word stands for.
var letterOf = map[string]byte{"DEBUG": 'I', "INFO": 'I', "WARN": 'W', "WARNING": 'W', "ERROR": 'E', "CRITICAL": 'E',
	"FATAL": 'F'}

// stripLabels strips the labels of a line, and those that own matches.
func stripLabels(line string, own []*regexp.Regexp) bareLine {
	s := bareLine{words: line}
	rank, host := "", ""
	used := make([]bool, len(labels))
	for again := true; again; {
		again = false
		for i := range labels {
			l := &labels[i]
			if at := l.is.FindStringSubmatchIndex(s.words); at != nil && !used[i] {
				used[i], again = true, true
				if n := namedPart(l, s.words, at, "n"); n != "" {
					rank = l.rank + " " + n
				}
				if h := namedPart(l, s.words, at, "host"); h != "" {
					host = h
				}
				end := at[1]
				if r := l.is.SubexpIndex("rest"); r > 0 {
					end = at[2*r]
				}
				s.words = s.words[end:]
			}
		}
	}
	for _, is := range own {
		if at := is.FindStringIndex(s.words); at != nil {
			s.key += s.words[at[0]:at[1]]
			s.words = s.words[at[1]:]
		}
	}
	switch {
	case rank == "":
		rank = host
	case host != "":
		rank += " on " + host
	}
	s.who, s.words = rank, strings.TrimRight(s.words, " │")
	s.key += rank
	s.text = s.words
	if m := glog.FindStringSubmatchIndex(s.words); m != nil {
		s.level, s.words = s.words[m[2]], s.words[m[1]:]
		s.text = s.words
	} else if m := level.FindStringSubmatchIndex(s.words); m != nil && !strings.HasPrefix(s.words, " ") {
		s.level, s.text = letterOf[s.words[m[2]:m[3]]], s.words[m[1]:]
	}
	if r := ofRank.FindStringSubmatch(s.text); r != nil && s.who == "" {
		s.who = "rank " + r[1]
	}
	s.text = ofRank.ReplaceAllString(s.text, "")
	return s
}

// ofRank is what torch's C++ puts before its words.
var ofRank = regexp.MustCompile(`^\[Rank (\d+)\] `)

// namedPart returns a named part of a match.
func namedPart(l *prefixRow, text string, at []int, name string) string {
	i := l.is.SubexpIndex(name)
	if i < 0 || at[2*i] < 0 {
		return ""
	}
	return text[at[2*i]:at[2*i+1]]
}

// prefixOf returns what matches the text before a traceback, with any numbers: each line of the traceback begins with
// it.
func prefixOf(before string) *regexp.Regexp {
	quoted := regexp.QuoteMeta(strings.ToValidUTF8(before, "\uFFFD"))
	return regexp.MustCompile("^" + digits.ReplaceAllString(quoted, `\d+`))
}

var digits = regexp.MustCompile(`\d+`)

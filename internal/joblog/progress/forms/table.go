package forms

import (
	"regexp"
	"strings"
)

// tables reads what several lines say together: columns below a head, and OpenFOAM's steps.
type tables struct {
	head   []string // the names of the columns; the first is the step
	isNext bool     // the row stands in the next line, and nowhere else
	length float64  // of LAMMPS' run; 0: unknown
	begin  float64  // the first step below the head; negative: none yet
	time   *float64 // of OpenFOAM's step; nil: none, or it is no count

	isTransient bool // OpenFOAM's times are seconds that are simulated, no steps
}

var (
	lammpsRun     = regexp.MustCompile(`^run\s+(\d+)$`)
	openfoamTime  = regexp.MustCompile(`^time = (\d+)$`)
	openfoamClock = regexp.MustCompile(`^executiontime = ([\d.]+) s`)
)

// maxColumns is the maximum number of columns of a table.
const maxColumns = 64

// readLine reads a line of a table, and reports whether it is a row that says the step.
func (t *tables) readLine(line string, s *Said) bool {
	switch {
	case strings.HasPrefix(line, "time = "), strings.HasPrefix(line, "executiontime = "),
		strings.HasPrefix(line, "courant number"), strings.HasPrefix(line, "deltat = "):
		return t.readOpenFOAM(line, s)
	case strings.HasPrefix(line, "run"):
		if m := lammpsRun.FindStringSubmatch(line); m != nil {
			t.length, _ = parseNumber(m[1])
		}
		return false
	case strings.HasPrefix(line, "loop time of "):
		t.head, t.length = nil, 0
		return false
	}
	if t.readHead(line) || t.head == nil {
		return false
	}
	is := t.readRow(line, s)
	if t.isNext {
		t.head, t.isNext = nil, false
	}
	return is
}

// readHead reads the names of columns.
func (t *tables) readHead(line string) bool {
	line = strings.TrimSpace(line)
	isCSV := strings.HasPrefix(line, `#"`)
	if !isCSV && !strings.HasPrefix(line, "step ") && !strings.HasPrefix(line, "step\t") {
		return false
	}
	names := fieldsOf(line, isCSV)
	if len(names) < 2 || len(names) > maxColumns {
		return false
	}
	for i, n := range names {
		names[i] = strings.Trim(n, `#"`)
		if names[i] == "" || isDigit(n[0]) || strings.ContainsAny(n, "=:;%[") && !isCSV {
			return false
		}
	}
	t.head, t.begin = names, -1
	t.isNext = len(names) == 2 || len(names) == 3 && names[1] == "time" // GROMACS prints them again and again
	return true
}

func fieldsOf(line string, isCSV bool) []string {
	if isCSV || strings.Count(line, ",") > 1 && !strings.Contains(line, " ") {
		return strings.Split(line, ",")
	}
	return strings.Fields(line)
}

// readRow reads a row: as many numbers as there are names.
func (t *tables) readRow(line string, s *Said) bool {
	if line == "" || strings.IndexByte(" \t-0123456789", line[0]) < 0 {
		return false
	}
	fields := fieldsOf(line, strings.Contains(t.head[0], " "))
	if len(fields) != len(t.head) {
		return false
	}
	row := Said{}
	isLAMMPS := len(fields) > 2
	for i, f := range fields {
		v, is := parseNumber(strings.TrimSuffix(f, "%"))
		if !is && !(strings.Contains(f, ":")) {
			return false
		}
		isLAMMPS = isLAMMPS && is
		noteColumn(&row, t.head[i], f, v)
	}
	if !row.Knows(Step) {
		return false
	}
	switch {
	case t.isNext:
		row.Form = "GROMACS"
	case strings.Contains(t.head[0], " ") || strings.Contains(t.head[len(t.head)-1], "remaining"):
		row.Form = "OpenMM"
	case row.Knows(Loss):
		row.Form = "table"
	default:
		row.Form = "LAMMPS"
		t.noteEnd(&row)
	}
	row.Scope, row.ETAScope = ofRun, ofRun
	*s = row
	return true
}

// noteEnd notes the last step of LAMMPS' run: it has a length, and begins at the first row.
func (t *tables) noteEnd(s *Said) {
	if t.begin < 0 {
		t.begin = s.Num[Step]
	}
	if t.length > 0 {
		s.Set(Total, t.begin+t.length)
	}
}

// noteColumn notes a number of a column by its name.
func noteColumn(s *Said, name, text string, v float64) {
	switch name {
	case "cpuleft":
		s.Set(Left, v)
		return
	case "s/cpu":
		s.setSpeed(v, "it/s")
		return
	}
	q, sure := meaningOf(atomsOf(strings.Fields(name), nil))
	switch {
	case sure == 0 || s.Knows(q):
	case q == Left:
		if span, is := parseSpan(text); is {
			s.Set(Left, span.Seconds())
		}
	case !strings.Contains(text, ":") && !strings.Contains(text, "%"):
		s.Set(q, v)
	}
}

// readOpenFOAM reads the times of OpenFOAM's solvers. That of a steady solver counts its iterations. A transient solver
// says a Courant number too.
func (t *tables) readOpenFOAM(line string, s *Said) bool {
	switch line[0] {
	case 'c', 'd':
		t.isTransient = true
	case 't':
		m := openfoamTime.FindStringSubmatch(line)
		if t.time = nil; m == nil {
			t.isTransient = true
			return false
		}
		v, _ := parseNumber(m[1])
		t.time = &v
	default:
		m := openfoamClock.FindStringSubmatch(line)
		if m == nil || t.isTransient || t.time == nil {
			return false
		}
		s.Form, s.Scope = "OpenFOAM", ofRun
		s.Set(Step, *t.time)
		noteNumber(s, Elapsed, m[1])
		t.time = nil
		return true
	}
	return false
}

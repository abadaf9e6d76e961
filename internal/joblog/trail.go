package joblog

import (
	"regexp"
	"slices"
	"sort"
	"time"
)

// maxMoments is the maximum number of moments that a Trail remembers. When there are more, every second one is
// forgotten.
const maxMoments = 4096

// Trail is the memory of a followed log: how long the log was at what time, and which line to cite.
type Trail struct {
	moments []fileSizeAt
	read    int64 // lines before this offset were examined
	cite    Cite
}

// fileSizeAt says how long the file was from a certain time on.
type fileSizeAt struct {
	at   time.Time
	size int64
}

// Cite is the line of a log that explains the failure best.
type Cite struct {
	Line
	When time.Time // when it was written, to within the pace of the reader; zero: before the log was followed
}

// Note processes the lines that a piece has added to the end of a Window.
func (t *Trail) Note(p *Piece, w *Window) {
	if w.missing || !w.began {
		return
	}
	followed := len(t.moments) > 0
	if last := len(t.moments) - 1; followed && t.moments[last].size > p.Size { // the file is another one
		*t, followed = Trail{cite: t.cite}, false
	}
	t.addMoment(fileSizeAt{p.At, p.Size})
	t.findCite(w.Lines(), p.At, followed)
	t.read = max(t.read, w.last.at)
}

func (t *Trail) addMoment(now fileSizeAt) {
	if last := len(t.moments) - 1; last >= 0 && t.moments[last].size == now.size {
		return
	}
	t.moments = append(t.moments, now)
	if len(t.moments) <= maxMoments {
		return
	}
	kept := t.moments[:0]
	for i, m := range t.moments {
		if i%2 == 0 {
			kept = append(kept, m)
		}
	}
	t.moments = kept
}

// findCite finds the line to cite, if new lines have a mark: the first cause at the end of the log.
func (t *Trail) findCite(lines []Line, at time.Time, followed bool) {
	if !slices.ContainsFunc(lines, func(l Line) bool { return l.At >= t.read && l.Mark != 0 && !l.Gap }) {
		return
	}
	best, _, is := FirstCause(lines)
	if !is || best.At == t.cite.At && t.cite.Mark != 0 || t.cite.Mark.Cause() && !best.Mark.Cause() {
		return
	}
	t.cite = Cite{Line: best}
	if best.At < t.read {
		return // it was cited before, or nobody knows when it came
	}
	if followed {
		t.cite.When = at
	} else if stamp, is := stampOf(best.Text, at.Location()); is {
		t.cite.When = stamp
	}
}

// Cite returns the line to cite; false: no line matters.
func (t *Trail) Cite() (Cite, bool) { return t.cite, t.cite.Mark != 0 }

// At returns the offset that the log had reached at a time, if it was being followed then.
func (t *Trail) At(when time.Time) (offset int64, known bool) {
	i := sort.Search(len(t.moments), func(i int) bool { return t.moments[i].at.After(when) })
	if i == 0 {
		return 0, false
	}
	return t.moments[i-1].size, true
}

// Stamped returns the position of the first line with a time stamp of when or later. known says that an earlier line
// has an earlier time stamp.
func Stamped(lines []Line, when time.Time) (at int, known bool) {
	before := false
	at = slices.IndexFunc(lines, func(l Line) bool {
		stamp, is := stampOf(l.Text, when.Location())
		before = before || is && stamp.Before(when)
		return is && !stamp.Before(when)
	})
	return at, at >= 0 && before
}

// FirstStamp returns the first time stamp in lines. zone applies if the time stamp names no time zone.
func FirstStamp(lines []Line, zone *time.Location) (stamp time.Time, known bool) {
	for i := range lines {
		if stamp, known = stampOf(lines[i].Text, zone); known {
			return stamp, true
		}
	}
	return time.Time{}, false
}

// maxStampAt is the largest position of a time stamp in a line, in bytes.
const maxStampAt = 64

// stamps are the forms of time stamps at the beginning of lines, as written by Python's logging, glog and others.
var stamps = []struct {
	is     *regexp.Regexp
	layout string
}{
	{regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d`), "2006-01-02 15:04:05"},
	{regexp.MustCompile(`\d{4}/\d\d/\d\d \d\d:\d\d:\d\d`), "2006/01/02 15:04:05"},
	{regexp.MustCompile(`\b\d\d/\d\d/\d{4} \d\d:\d\d:\d\d`), "01/02/2006 15:04:05"},
}

// utc is the end of a time stamp in UTC.
var utc = regexp.MustCompile(`^(?:[.,]\d+)?(?:Z|[+]00:?00)`)

// stampOf returns the time stamp of a line.
func stampOf(line string, zone *time.Location) (time.Time, bool) {
	line = line[:min(len(line), maxStampAt)]
	for _, s := range stamps {
		if at := s.is.FindStringIndex(line); at != nil {
			found := []byte(line[at[0]:at[1]])
			if found[10] == 'T' {
				found[10] = ' '
			}
			if utc.MatchString(line[at[1]:]) {
				zone = time.UTC
			}
			stamp, err := time.ParseInLocation(s.layout, string(found), zone)
			return stamp, err == nil
		}
	}
	return time.Time{}, false
}

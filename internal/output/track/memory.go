package track

import (
	"cmp"
	"os"
	"slices"
	"time"
)

// Reading smaps_rollup walks all pages of a process, at about 15 ns per page, and the process cannot map memory
// meanwhile. So only a limited number of pages is walked per second, and a large process is read less often. Its
// resident memory, which costs nothing, is read in each look.
const (
	pagesPerSecond = 64 << 10
	pagesAtOnce    = 512 << 10       // maximum number saved up
	pagesForNew    = pagesAtOnce / 2 // of these, kept for processes that were not walked since they began or forked
	pagesPerRead   = 16 << 10        // fixed cost of one read
)

// processMemory is the memory of one process, in bytes.
type processMemory struct {
	resident uint64
	shared   uint64 // shared with other processes, when the pages were last walked
	part     uint64 // its part of shared: a page of n processes counts 1/n
	walked   int    // the look in which the pages were walked; 0: never
	born     int    // the look in which the process was first read
	forked   int    // the same for the latest fork among processes with its image; 0: none
	image    string // what the process executes: a fork has its parent's image until it executes something else
}

// readMemory reads the memory of all members.
func (f *family) readMemory(since time.Duration) {
	f.room = min(f.room+pagesPerSecond*since.Seconds(), pagesAtOnce)
	page := uint64(os.Getpagesize())
	order := make([]*member, 0, len(f.members))
	for _, m := range f.members {
		if m.Dead() {
			m.processMemory = processMemory{}
			continue
		}
		size, err := m.files.Statm()
		if err != nil {
			continue // it has ended
		}
		m.resident = size[1] * page
		if m.born == 0 {
			m.born = f.looks
		}
		if image := m.readImage(); m.image != image {
			m.image, m.walked = image, 0 // it executes something else
		}
		if m.walked == 0 {
			m.shared, m.part = size[2]*page, size[2]*page
		}
		order = append(order, m)
	}
	f.walkSome(order)
	inheritShared(order)
}

// walkSome walks the pages of as many processes as allowed, new ones first.
func (f *family) walkSome(order []*member) {
	slices.SortFunc(order, func(a, b *member) int {
		return cmp.Or(cmp.Compare(a.walked, b.walked),
			cmp.Compare(a.PID, b.PID))
	})
	for _, m := range order {
		if f.room <= 0 || m.walked > m.forked && f.room <= pagesForNew {
			return
		}
		f.room -= pagesPerRead + float64(m.resident/uint64(os.Getpagesize()))
		f.readShared(m)
	}
}

// readImage returns a text that is the same for two processes only if one is a fork of the other. It is how the kernel
// describes the program, with the random addresses of this one execution. It is "" if the kernel does not show it.
func (m *member) readImage() string {
	text, err := os.ReadFile(string(m.files) + "/auxv")
	if err != nil {
		return ""
	}
	return string(text)
}

// inheritShared corrects values that are from before a fork, or not known yet, until the pages are walked. A fork
// shares the memory of its elder, except for what it has in addition. If that counted as its own, the memory of a rank
// would count again for each of its DataLoader workers.
func inheritShared(members []*member) {
	elders := eldersOf(members)
	latest := map[string]int{} // the look with the latest fork, by image
	for _, m := range members {
		elder := elders[m.image]
		if elder == nil || elder == m {
			continue
		}
		latest[m.image] = max(latest[m.image], m.born)
		if m.walked == 0 {
			m.shared = max(m.shared, min(m.resident, elder.resident))
		}
		if elder.walked < m.born {
			elder.shared = max(elder.shared, min(elder.resident, m.shared))
		}
	}
	for _, m := range members {
		if m.forked = latest[m.image]; m.walked < m.forked {
			m.part = 0 // with fewer processes, its part is larger
		}
	}
}

// eldersOf returns the oldest process of each known image: the others got their memory from it.
func eldersOf(members []*member) map[string]*member {
	elders := make(map[string]*member, len(members))
	for _, m := range members {
		if elder := elders[m.image]; m.image != "" && (elder == nil || m.isOlder(elder)) {
			elders[m.image] = m
		}
	}
	return elders
}

func (m *member) isOlder(o *member) bool {
	return cmp.Or(cmp.Compare(m.Start, o.Start), cmp.Compare(m.PID, o.PID)) < 0
}

// readShared reads the shared part of a process's memory. The kernel does not show it for another user's process.
func (f *family) readShared(m *member) {
	sum, err := m.files.Rollup()
	if err != nil {
		return
	}
	m.resident, m.shared = sum.RSS, sum.Shared
	m.part = max(sum.PSS, sum.Private) - sum.Private
	m.walked = f.looks
}

// sumRSS adds up the memory of processes. Shared memory counts once: it is at least the shared memory of any single
// process, and at least the sum of their parts.
func sumRSS(members []*member) RSS {
	var private, most, parts uint64
	for _, m := range members {
		shared := min(m.shared, m.resident)
		private += m.resident - shared
		most = max(most, shared)
		parts += min(m.part, shared)
	}
	shared := max(most, parts)
	return RSS{Total: float64(private + shared), Private: float64(private), Shared: float64(shared)}
}

// sumMemory adds up the memory of the command, of its descendants, and of all.
func (f *family) sumMemory() (main, descendants, combined RSS) {
	var all, others []*member
	for pid, m := range f.members {
		if m.resident == 0 {
			continue
		}
		if all = append(all, m); pid == f.main {
			main = sumRSS([]*member{m})
		} else {
			others = append(others, m)
		}
	}
	return main, sumRSS(others), sumRSS(all)
}

// peakMemory returns the largest resident memory of the command, in bytes; 0: unknown.
func (f *family) peakMemory() uint64 {
	main := f.members[f.main]
	if main == nil {
		return 0
	}
	status, err := main.files.Status()
	if err != nil {
		return 0
	}
	return status.VMHWM
}

// raiseNumbers raises each number to that of another sample, if that is larger.
func raiseNumbers(r *RSS, now RSS) {
	r.Total, r.Private, r.Shared = max(r.Total, now.Total), max(r.Private, now.Private), max(r.Shared, now.Shared)
}

// raiseTotal raises the total to a peak that no sample has seen. The difference counts as private, since shared memory
// hardly changes.
func raiseTotal(r *RSS, peak uint64) {
	r.Total = max(r.Total, float64(peak))
	r.Private = max(r.Private, float64(peak)-r.Shared)
}

// convertRSS returns r in another unit.
func convertRSS(r RSS, size float64) RSS {
	return RSS{Total: r.Total / size, Private: r.Private / size, Shared: r.Shared / size}
}

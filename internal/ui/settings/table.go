package settings

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
)

// setting is a row of the table of settings.
type setting struct {
	key          string // in the user's file; two thresholds have one
	title, about string

	text    func(*Choices) string
	move    func(c *Choices, by int)
	reset   func(*Choices)
	differs func(a, b *Choices) bool
}

const themeTitle = "Theme"

// simple are the settings that are one line of the page, in their order there.
var simple = []setting{
	settingOf("theme", themeTitle, "auto: follow the terminal background", wordAmong(draw.Themes),
		func(c *Choices) *string { return &c.Theme }),
	settingOf("colors", "Colors", "job: problems; classic: utilization", eitherWord("job", "classic"),
		func(c *Choices) *bool { return &c.Classic }),
	settingOf("view", "Start page", "auto: overview for several nodes", wordAmong([]string{"auto", "node", "overview"}),
		func(c *Choices) *string { return &c.View }),
	settingOf("gpu_util_thresh", "Yellow from", "utilization in the classic colors", thresholdAt(0), levelsField),
	settingOf("gpu_util_thresh", "Red from", "utilization in the classic colors", thresholdAt(1), levelsField),
	settingOf("mem_util_thresh", "Memory yellow from", "GPU memory in the classic colors", thresholdAt(0), memoryField),
	settingOf("mem_util_thresh", "Memory red from", "GPU memory in the classic colors", thresholdAt(1), memoryField),
}

func levelsField(c *Choices) *part.Levels { return &c.Levels }
func memoryField(c *Choices) *part.Levels { return &c.MemoryLevels }

// values are the values that a setting can have.
type values[T comparable] struct {
	usual T
	text  func(T) string
	next  func(v T, by int) T
}

// settingOf returns the row of a setting with a field.
func settingOf[T comparable](key, title, about string, v values[T], at func(*Choices) *T) setting {
	return setting{key, title, about,
		func(c *Choices) string { return v.text(*at(c)) },
		func(c *Choices, by int) { *at(c) = v.next(*at(c), by) },
		func(c *Choices) { *at(c) = v.usual },
		func(a, b *Choices) bool { return *at(a) != *at(b) },
	}
}

// simpleOf returns the setting of a row.
func simpleOf(r row) *setting {
	return &simple[slices.IndexFunc(simple, func(s setting) bool { return s.title == r.name })]
}

// wordAmong is one of a list of words, the first by default.
func wordAmong(list []string) values[string] {
	return values[string]{list[0], func(word string) string { return word }, func(word string, by int) string {
		return list[(max(slices.Index(list, word), 0)+by+len(list))%len(list)]
	}}
}

// eitherWord is no or yes, in words; no by default.
func eitherWord(no, yes string) values[bool] {
	words := map[bool]string{false: no, true: yes}
	return values[bool]{false, func(is bool) string { return words[is] }, func(is bool, _ int) bool { return !is }}
}

// thresholdAt is the first or the second of a pair of thresholds; a pair of zeros means the usual ones.
func thresholdAt(at int) values[part.Levels] {
	return values[part.Levels]{part.UsualLevels, func(l part.Levels) string {
		return strconv.FormatFloat(cmp.Or(l, part.UsualLevels)[at], 'f', -1, 64) + "%"
	}, func(l part.Levels, by int) part.Levels { return moveThreshold(cmp.Or(l, part.UsualLevels), at, by) }}
}

const percentStep = 5

// moveThreshold moves one of the thresholds to the next multiple of the step, and keeps 0 < low < high < 100.
func moveThreshold(l part.Levels, at, by int) part.Levels {
	v := float64(int(l[at])/percentStep*percentStep + by*percentStep)
	if by < 0 && l[at] > v+percentStep {
		v += percentStep // down to the next lower multiple
	}
	next := l
	next[at] = v
	if next[0] <= 0 || next[0] >= next[1] || next[1] >= 100 {
		return l
	}
	return next
}

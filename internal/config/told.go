package config

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Limits of the remembered news.
const (
	toldFor  = 24 * time.Hour
	mostTold = 1000
)

// Told returns the problems that a program has recently reported, in the ways with that name.
func Told(name string, now time.Time) (ids []string) {
	for _, line := range toldLines(name, now) {
		_, id, _ := strings.Cut(line, " ")
		ids = append(ids, id)
	}
	return ids
}

// toldLines are the lines of the file: a time and a problem.
func toldLines(name string, now time.Time) (lines []string) {
	path, err := choicePath(name)
	if err != nil {
		return nil
	}
	if text, err := readContents(path); err == nil {
		lines = strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	}
	return slices.DeleteFunc(lines, func(line string) bool {
		at, id, _ := strings.Cut(line, " ")
		seconds, err := strconv.ParseInt(at, 10, 64)
		return err != nil || id == "" || now.Sub(time.Unix(seconds, 0)) > toldFor
	})
}

// Tell remembers problems that were reported, and forgets others. News that other programs have reported stays.
func Tell(name string, told, forgotten []string, now time.Time) error {
	path, err := choicePath(name)
	if err != nil {
		return err
	}
	lines := slices.DeleteFunc(toldLines(name, now), func(line string) bool {
		_, id, _ := strings.Cut(line, " ")
		return slices.Contains(told, id) || slices.Contains(forgotten, id)
	})
	for _, id := range told {
		lines = append(lines, fmt.Sprintf("%d %s", now.Unix(), id))
	}
	if len(lines) == 0 {
		return os.Remove(path)
	}
	return replaceFile(path, strings.Join(lines[max(len(lines)-mostTold, 0):], "\n")+"\n", nil)
}

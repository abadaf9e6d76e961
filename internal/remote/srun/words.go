package srun

import (
	"bufio"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
	"github.com/nvnodetop/nvnodetop/internal/remote/link"
)

// readLines passes on the lines of an output of srun, without their labels. A line without a label has the label -1.
// Lines of more than 64 KiB, which srun never prints, come in parts.
func readLines(r io.Reader, each func(label int, line []byte)) {
	for lines := bufio.NewReaderSize(r, 64<<10); ; {
		line, err := lines.ReadSlice('\n')
		if len(line) > 0 {
			label, rest := splitLabel(line)
			each(label, rest)
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}

// labelText matches a label: the number of a task, after the number of the component in a heterogeneous job. A step is
// in one component only.
var labelText = regexp.MustCompile(`^(?:P[0-9]+)? *([0-9]+): `)

// splitLabel separates a label from its line.
func splitLabel(line []byte) (label int, rest []byte) {
	m := labelText.FindSubmatch(line)
	if m == nil {
		return -1, line
	}
	number, err := strconv.Atoi(string(m[1]))
	if err != nil {
		return -1, line
	}
	return number, line[len(m[0]):]
}

// The following patterns match srun's own lines on its standard error.
var (
	// taskLine matches "srun: error: node[01-02]: tasks 0-1: Exited with exit code 3".
	taskLine = regexp.MustCompile(`^srun: error: [^ ]+: tasks? ([0-9,-]+): (.*)`)
	// exitText matches the end of a task that no signal ended.
	exitText = regexp.MustCompile(`^Exited with exit code ([0-9]+)`)
	// launchLine matches "srun: error: Task launch for StepId=3.1 failed on node node02: Communication connection
	// failure".
	launchLine = regexp.MustCompile(`(?m)^srun: error: Task launch for .* failed on node ([^ :]+):`)
	// nodeLine matches "srun: error: Node failure on node02".
	nodeLine = regexp.MustCompile(`^srun: error: Node failure on ([^ ,!\[]+)`)
)

// maxLabels limits how many tasks a line may name.
const maxLabels = 100_000

// taskEnd reads a line about the end of tasks.
func taskEnd(line string) (labels []int, exit link.Exit, ok bool) {
	m := taskLine.FindStringSubmatch(line)
	if m == nil {
		return nil, link.Exit{}, false
	}
	for part := range strings.SplitSeq(m[1], ",") {
		from, to, isRange := strings.Cut(part, "-")
		first, err1 := strconv.Atoi(from)
		last := first
		var err2 error
		if isRange {
			last, err2 = strconv.Atoi(to)
		}
		if err1 != nil || err2 != nil || last-first+len(labels) > maxLabels {
			return nil, link.Exit{}, false
		}
		for l := first; l <= last; l++ {
			labels = append(labels, l)
		}
	}
	switch status := exitText.FindStringSubmatch(m[2]); {
	case status != nil:
		exit.Known = true
		exit.Status, _ = strconv.Atoi(status[1])
	case strings.HasPrefix(m[2], "Killed"), strings.HasPrefix(m[2], "Out Of Memory"):
		exit = link.Exit{Known: true, Signal: "KILL"}
	case strings.HasPrefix(m[2], "Terminated"):
		exit = link.Exit{Known: true, Signal: "TERM"}
	}
	return labels, exit, true
}

// nodeFailure returns the failed node in a line; empty: none.
func nodeFailure(line string) string {
	if m := nodeLine.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
		return m[1]
	}
	return ""
}

// launchFailures returns the nodes on which SLURM could not start the step.
func launchFailures(words string) []string {
	var nodes []string
	for _, m := range launchLine.FindAllStringSubmatch(words, -1) {
		nodes = append(nodes, m[1])
	}
	return nodes
}

// refusesGPUs reports whether SLURM refuses a step because of the GPUs that it requests or inherits.
func refusesGPUs(words string) bool {
	return strings.Contains(words, "Invalid generic resource") || strings.Contains(words, "Insufficient GRES") ||
		// 22.05 says this when more GPUs are requested than there are
		strings.Contains(words, "Unable to create step") && strings.Contains(words, "Unspecified error")
}

// isBusy reports whether a line says that SLURM cannot start a step because its resources are in use.
func isBusy(line string) bool {
	return strings.Contains(line, "tep creation") && strings.Contains(line, "Requested nodes are busy")
}

// refusalReason returns the reason in srun's messages, without the usual beginning of such lines.
func refusalReason(words string) string {
	line := firstError(words)
	if _, reason, found := strings.Cut(line, "Unable to create step for job "); found {
		_, line, _ = strings.Cut(reason, ": ")
	}
	if _, reason, found := strings.Cut(line, "retrying ("); found {
		line = strings.TrimSuffix(strings.TrimSpace(reason), ")")
	}
	return text.Cut(line, 120)
}

// firstError returns the first error in srun's messages, or otherwise the first line, without "srun: error: ".
func firstError(words string) string {
	first := ""
	for line := range strings.Lines(words) {
		line = strings.TrimSpace(line)
		if rest, isError := strings.CutPrefix(line, "srun: error: "); isError {
			if strings.HasPrefix(rest, "Step requested gres") { // the reason is in the next line
				continue
			}
			return rest
		}
		if first == "" {
			first = strings.TrimPrefix(line, "srun: ")
		}
	}
	return first
}

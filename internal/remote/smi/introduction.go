package smi

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// introduction is what the script says about the node before it takes commands.
type introduction struct {
	hello  wire.Hello
	minors map[string]int // by PCI bus
	bus    string         // of the GPU whose properties are being read
}

// parseLine reads a line of the introduction: from the script, from /proc/self/cgroup, or from the properties of a GPU
// in /proc.
func (i *introduction) parseLine(line string) {
	i.readJob(line)
	key, value, _ := strings.Cut(line, " ")
	switch key {
	case "host":
		i.hello.Host = value
	case "kernel":
		i.hello.Kernel = value
	case "cpus":
		i.hello.CPUs, _ = strconv.Atoi(value) // 0: unknown
	}
	property, value, _ := strings.Cut(line, ":")
	switch value = strings.TrimSpace(value); property {
	case "Bus Location":
		i.bus = busKey(value)
	case "Device Minor":
		if number, err := strconv.Atoi(value); err == nil && i.bus != "" {
			if i.minors == nil {
				i.minors = map[string]int{}
			}
			i.minors[i.bus] = number
		}
	}
}

var (
	jobInCgroup   = regexp.MustCompile(`/job_(\d+)(/|$)`)
	sluidInCgroup = regexp.MustCompile(`^0::.*/(s[0-9A-HJKMNP-TV-Z]{13})(/step_.*)?$`)
	jobInTitle    = regexp.MustCompile(`^stepd slurmstepd: \[(\d+)[.\]]`)
)

// readJob reads the job of the session from a line of the introduction, if the line names it.
func (i *introduction) readJob(line string) {
	h := &i.hello
	if m := sluidInCgroup.FindStringSubmatch(line); m != nil && h.Job == "" {
		h.SLUID = m[1]
	}
	for _, words := range []*regexp.Regexp{jobInCgroup, jobInTitle} {
		if m := words.FindStringSubmatch(line); m != nil {
			h.Job, h.SLUID = m[1], ""
		}
	}
}

// busKey makes a PCI bus address comparable: /proc has "0000:07:00.0", nvidia-smi "00000000:07:00.0".
func busKey(bus string) string {
	return strings.ToLower(bus[max(0, len(bus)-len("0000:00:00.0")):])
}

package track

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/nvnodetop/nvnodetop/pkg/report"
)

// The types of a report.
type (
	Report         = report.Command
	RAM            = report.RAM
	RSS            = report.RSS
	GPURAM         = report.GPURAM
	CPUUtilization = report.CPUUtilization
	Percents       = report.Percents
	GPUUtilization = report.GPUUtilization
	ComputeTime    = report.ComputeTime
)

// Schema is the JSON Schema of the document.
//
//go:embed schema.json
var Schema []byte

// version is the version of the document.
const version = report.CommandVersion

// JSON writes the report as gpu_tracker does.
func JSON(w io.Writer, r *Report) error {
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// Text writes the report in gpu_tracker's layout.
func Text(w io.Writer, r *Report) error {
	var out page
	out.writeLine(0, "Max RAM:")
	out.writeLine(1, "Unit: %s", r.RAM.Unit)
	out.writeNumber(1, "System capacity", r.RAM.SystemCapacity)
	out.writeNumber(1, "System", r.RAM.System)
	out.writeRSS("Main", r.RAM.Main)
	out.writeRSS("Descendants", r.RAM.Descendants)
	out.writeRSS("Combined", r.RAM.Combined)
	out.writeLine(0, "Max GPU RAM:")
	out.writeLine(1, "Unit: %s", r.GPURAM.Unit)
	out.writeNumber(1, "System capacity", r.GPURAM.SystemCapacity)
	out.writeNumber(1, "System", r.GPURAM.System)
	out.writeNumber(1, "Main", r.GPURAM.Main)
	out.writeNumber(1, "Descendants", r.GPURAM.Descendants)
	out.writeNumber(1, "Combined", r.GPURAM.Combined)
	out.writeLine(0, "CPU utilization:")
	out.writeLine(1, "System core count: %d", r.CPU.SystemCores)
	out.writeLine(1, "Number of expected cores: %d", r.CPU.ExpectedCores)
	out.writePercents("System", r.CPU.System)
	out.writePercents("Main", r.CPU.Main)
	out.writePercents("Descendants", r.CPU.Descendants)
	out.writePercents("Combined", r.CPU.Combined)
	out.writeLine(1, "Main number of threads: %d", r.CPU.MainThreads)
	out.writeLine(1, "Descendants number of threads: %d", r.CPU.DescendantsThreads)
	out.writeLine(1, "Combined number of threads: %d", r.CPU.CombinedThreads)
	out.writeLine(0, "GPU utilization:")
	out.writeLine(1, "System GPU count: %d", r.GPU.SystemGPUs)
	out.writeLine(1, "Number of expected GPUs: %d", r.GPU.ExpectedGPUs)
	out.writePercents("GPU percentages", r.GPU.Percentages)
	out.writeLine(0, "Compute time:")
	out.writeLine(1, "Unit: %s", r.Time.Unit)
	out.writeNumber(1, "Time", r.Time.Time)
	out.writeTags(r)
	_, err := w.Write(out.Bytes())
	return err
}

// page is the text of a report.
type page struct{ bytes.Buffer }

// indent is the indentation of one level.
const indent = "   "

func (p *page) writeLine(level int, format string, args ...any) {
	p.WriteString(strings.Repeat(indent, level))
	fmt.Fprintf(p, format+"\n", args...)
}

// writeNumber writes a value with at most three decimals and at least one, as Python does.
func (p *page) writeNumber(level int, name string, x float64) {
	text := strconv.FormatFloat(math.Round(x*1000)/1000, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	p.writeLine(level, "%s: %s", name, text)
}

func (p *page) writeRSS(name string, r RSS) {
	p.writeLine(1, "%s:", name)
	p.writeNumber(2, "Total RSS", r.Total)
	p.writeNumber(2, "Private RSS", r.Private)
	p.writeNumber(2, "Shared RSS", r.Shared)
}

func (p *page) writePercents(name string, u Percents) {
	p.writeLine(1, "%s:", name)
	p.writeNumber(2, "Max sum percent", u.MaxSum)
	p.writeNumber(2, "Max hardware percent", u.MaxHardware)
	p.writeNumber(2, "Mean sum percent", u.MeanSum)
	p.writeNumber(2, "Mean hardware percent", u.MeanHardware)
}

package table

import (
	"maps"
	"slices"
	"testing"

	"github.com/nvnodetop/nvnodetop/internal/rows"
)

// the columns of processes that no code of this package names
const (
	colSM      col = "sm_percent"
	colCPU     col = "cpu_percent"
	colHostMem col = "host_memory_percent"
)

var layouts = map[string]struct {
	of      func(int) Layout
	columns []Column
}{
	"gpus":  {func(w int) Layout { return gpuLayout(w, true, 0, "") }, usual(gpuColumns)},
	"alike": {func(w int) Layout { return gpuLayout(w, false, 0, "") }, alikeColumns},
	"processes": {func(w int) Layout { return processLayout(w, 0, false, false, "", 0) },
		usual(nodesProcessColumns)},
	"manager":   {func(w int) Layout { return processLayout(w, 0, true, true, "", 0) }, usual(processColumns)},
	"instances": {func(w int) Layout { return gpuLayout(w, true, len("10:1"), "") }, usual(gpuColumns)},
	"ranks":     {func(w int) Layout { return rankLayout(w, 0, false, "") }, usual(rankColumns[1:])},
	"programs":  {func(w int) Layout { return rankLayout(w, 0, true, "") }, usual(rankColumns)},
	"pending":   {pendingLayout, pendingColumns},
	"nodes":     {func(w int) Layout { return nodeLayout(w, 8, false, "") }, usual(nodeColumns)},
	"times": {func(w int) Layout { return timeLayout(w, func(most int) int { return max(most-most%7, 1) }) },
		timeColumns},
}

// nodesProcessColumns are those of processes on one node.
var nodesProcessColumns = slices.DeleteFunc(slices.Clone(processColumns),
	func(c Column) bool { return c.Key == colNode || c.Key == colJob })

// usual are the columns that come in without being chosen.
func usual(columns []Column) []Column {
	return slices.DeleteFunc(slices.Clone(columns), func(c Column) bool { return c.Spare })
}

// alikeColumns are those of GPUs of one model.
var alikeColumns = slices.DeleteFunc(usual(gpuColumns), func(c Column) bool { return c.Key == colName })

// Columns come in by priority and never leave again as the terminal gets wider; they stay apart and within the usable
// width.
func TestLayouts(t *testing.T) {
	for name, l := range layouts {
		had := map[col]bool{}
		for w := 1; w <= 300; w++ {
			at := l.of(w)
			have := map[col]bool{}
			x := 0
			for _, c := range l.columns {
				s := at[c.Key]
				if !s.Shown() {
					continue
				}
				have[c.Key] = true
				if s.X < x || s.X+s.W > w-1 {
					t.Errorf("%s at %d: column %s spans %d…%d, behind %d", name, w, c.Key, s.X, s.X+s.W, x)
				}
				x = s.X + s.W + 1
			}
			for k := range had {
				if !have[k] && (name != "nodes" || w != numbersFrom) {
					t.Errorf("%s: column %s leaves at %d", name, k, w)
				}
			}
			had = have
		}
		if len(had) != len(l.columns) {
			t.Errorf("%s: at 300 columns only %v are there", name, slices.Collect(maps.Keys(had)))
		}
	}
}

// The widths at which columns come in are promised to users.
func TestColumnsComeInAt(t *testing.T) {
	for _, test := range []struct {
		layout string
		key    col
		width  int
	}{
		{"gpus", colUtil, 11}, {"gpus", colFlags, 24}, {"gpus", colTemp, 31}, {"gpus", colUsed, 45},
		{"gpus", colPower, 57}, {"gpus", colUtilBar, 67},
		{"gpus", colMemBar, 89}, {"gpus", colHistory, 79}, {"gpus", colClock, 100}, {"gpus", colName, 116},
		{"gpus", colRank, 122}, {"gpus", colMemRW, 128}, {"alike", colRank, 106},
		{"processes", colPID, 14}, {"processes", colCommand, 32}, {"processes", colUser, 41},
		{"processes", colGPUMem, 51}, {"processes", colSM, 57}, {"processes", colRank, 63},
		{"processes", colCPU, 71}, {"processes", colTime, 81}, {"processes", colMemRW, 87},
		{"processes", colHostMem, 94}, {"processes", colState, commandFirst},
		{"manager", colPID, 16}, {"manager", colNode, 30}, {"manager", colJob, 39}, {"manager", colCommand, 53},
		{"manager", colHostMem, 115},
		{"ranks", colPID, 33}, {"ranks", colSM, 39}, {"ranks", colCPU, 47}, {"ranks", colFullIn, 73},
		{"ranks", colTime, 83}, {"ranks", colCommand, 97}, {"ranks", colPeak, 108}, {"ranks", colState, 121},
		{"nodes", colCells, 24}, {"nodes", colHealth, 40}, {"nodes", colMean, 46}, {"nodes", colHottest, 53},
		{"nodes", colPowerSum, 78}, {"nodes", colUsedSum, 114}, {"nodes", colMemBar, 148},
		{"times", colHistory, 28}, {"times", colMean, 34}, {"times", colHealth, 50},
	} {
		l := layouts[test.layout]
		if !l.of(test.width)[test.key].Shown() || l.of(test.width - 1)[test.key].Shown() {
			first := 0
			for w := 300; w > 0 && l.of(w)[test.key].Shown(); w-- {
				first = w
			}
			t.Errorf("%s: column %s comes in at %d, not at %d", test.layout, test.key, first, test.width)
		}
	}
	if at := gpuLayout(80, false, 0, ""); at[colUtilBar].W != 9 || at[colFlags].W != 11 {
		t.Errorf("at 80 the bars are %d and the flags %d wide, want 9 and 11", at[colUtilBar].W, at[colFlags].W)
	}
}

// A terminal of 80 columns shows the number of each GPU, and its sentence: eight numbers for most nodes, heights for
// nodes of more GPUs. Columns that the user has chosen do not leave for the numbers.
func TestNumbersAt80Columns(t *testing.T) {
	if l := nodeLayout(80, 8, false, ""); l[colCells].W != 32 || l[colHealth].W < 24 || !l[colMean].Shown() {
		t.Errorf("80 columns: cells %d, HEALTH %d wide", l[colCells].W, l[colHealth].W)
	}
	if l := nodeLayout(79, 8, false, ""); l[colCells].W != 8 {
		t.Errorf("79 columns: cells are %d wide", l[colCells].W)
	}
	if l := nodeLayout(80, 16, false, ""); l[colCells].W != 8 || !l[colPowerSum].Shown() {
		t.Errorf("16 GPUs: cells are %d wide, and no number fits", l[colCells].W)
	}
	if l := nodeLayout(80, 8, false, rows.ColumnList("gpus,"+colPowerSum)); !l[colPowerSum].Shown() {
		t.Error("the column of power has been chosen, and is not there")
	}
}

// A flag that does not fit loses whole words from its end.
func TestFlagsAreWholeWords(t *testing.T) {
	for _, test := range []struct {
		flag, want string
		w          int
	}{
		{"NVLINK 17/18", "NVLINK 17/18", 12}, {"NVLINK 17/18", "NVLINK", 11}, {"!LAG clk .80", "!LAG clk", 11},
		{"!LAG clk .80", "!LAG", 5}, {"UNUSABLE", "UNUSA…", 6}, {"", "", 3},
	} {
		if got := wholeWords(test.flag, test.w); got != test.want {
			t.Errorf("%q in %d columns is %q, want %q", test.flag, test.w, got, test.want)
		}
	}
}

// The ID of an array keeps the number of its job, and the end of its tasks.
func TestClipJobID(t *testing.T) {
	for _, test := range []struct {
		id   string
		w    int
		want string
	}{
		{"48377_[5-999%10]", 16, "48377_[5-999%10]"}, {"48377_[5-999%10]", 12, "48377_…9%10]"},
		{"48377_[5-999%10]", 8, "48377_…]"}, {"48377_[5-999%10]", 6, "483…0]"}, {"123456789", 6, "123…89"},
	} {
		if got := clipJobID(test.id, test.w); got != test.want {
			t.Errorf("%s in %d columns: %q, want %q", test.id, test.w, got, test.want)
		}
	}
}

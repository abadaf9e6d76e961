package table

import (
	"strconv"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/rows"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// writeMemory writes how full the memory of the GPU of a process was, and when it will be full. kin says that the
// process is on no GPU.
func writeMemory(f *part.Frame, y int, r *rows.Process, l Layout, role draw.Role, kin bool) {
	if !l[colPeakOf].Shown() && !l[colPeak].Shown() && !l[colFullIn].Shown() {
		return
	}
	share, known := rows.Processes.Field(colPeakOf).Number(r)
	switch {
	case kin:
		for _, k := range []col{colPeakOf, colPeak, colFullIn} {
			f.Number(l[k], y, "–", draw.Dim)
		}
		return
	case !known:
		for _, k := range []col{colPeakOf, colPeak, colFullIn} {
			f.Number(l[k], y, "", role)
		}
		return
	}
	peak, _ := rows.Processes.Field(colPeak).Number(r)
	f.Number(l[colPeak], y, draw.GiB(uint64(peak))+"/"+draw.GiB(uint64(r.GPU.Float(metric.MemoryTotal))), role)
	if left, fills := rows.Processes.Field(colFullIn).Number(r); fills {
		f.Number(l[colFullIn], y, draw.Age(time.Duration(left)*time.Second), draw.Warn)
		role = draw.Warn
	} else {
		f.Number(l[colFullIn], y, "–", draw.Dim)
	}
	if share >= tally.MemoryFull {
		role = draw.Warn
	}
	f.Number(l[colPeakOf], y, strconv.Itoa(int(share)), role)
}

package notation

import (
	"slices"
	"strconv"
	"strings"
)

// TRES holds the GPUs in a list of TRES. A site accounts for all GPUs ("gres/gpu"), for those of some types
// ("gres/gpu:a100"), for both, or for none.
type TRES struct {
	Types []GPUType // those that the list names, without how many are in use
	Count int       // of all types
	Told  bool      // Count is known
	// Whole: the list has the number of all GPUs; otherwise Count is the sum of Types, and others may be missing.
	Whole bool
}

// maxTRES is more than the number of GPUs of any cluster. Larger numbers are SLURM's markers for "none".
const maxTRES = MaxHosts * (maxMinor + 1)

// ReadTRES reads "cpu=32,mem=250G,billing=32,gres/gpu=4,gres/gpu:a100=4". "gres/gpumem" and "gres/gpuutil" do not count
// GPUs.
func ReadTRES(list string) TRES {
	var t TRES
	sum, readable := 0, true
	for item := range strings.SplitSeq(list, ",") {
		name, text, _ := strings.Cut(strings.TrimSpace(item), "=")
		typ, ok := strings.CutPrefix(name, "gres/gpu")
		if !ok || typ != "" && typ[0] != ':' {
			continue
		}
		n, err := strconv.ParseUint(text, 10, 31)
		switch {
		case err != nil || n > maxTRES: // such as "NONE"
			readable = false
		case typ == "":
			t.Count, t.Whole = int(n), true
		default:
			t.addGPUs(typ[1:], int(n))
			sum += int(n)
		}
	}
	t.Told = t.Whole || readable && len(t.Types) > 0
	if t.Told && !t.Whole {
		t.Count = sum
	}
	return t
}

// addGPUs adds GPUs of a type.
func (t *TRES) addGPUs(name string, n int) {
	if i := slices.IndexFunc(t.Types, func(o GPUType) bool { return o.Name == name }); i >= 0 {
		t.Types[i].Total += n
		return
	}
	t.Types = append(t.Types, GPUType{Name: name, Total: n})
}

// CountInTRES returns the number of GPUs in a list of TRES, which does not list GPUs unless the site accounts for them.
func CountInTRES(list string) (count int, told bool) {
	t := ReadTRES(list)
	return t.Count, t.Told
}

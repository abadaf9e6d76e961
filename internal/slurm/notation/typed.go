package notation

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// GPUTypes reads the GPUs by type in the resources of a node: "gpu:a100:4(S:0-1),gpu:2,nic:1".
func GPUTypes(list string) ([]GPUType, error) {
	var types []GPUType
	for _, item := range SplitGRES(withoutNull(list)) {
		typ, count, ok, err := typedGPU(item)
		if err != nil {
			return nil, err
		}
		if !ok || count == 0 {
			continue
		}
		if i := slices.IndexFunc(types, func(t GPUType) bool { return t.Name == typ }); i >= 0 {
			types[i].Total += count
		} else {
			types = append(types, GPUType{Name: typ, Total: count})
		}
	}
	return types, nil
}

// withoutNull removes "(null)", which stands for no type and for no resources.
func withoutNull(list string) string { return strings.ReplaceAll(list, "(null)", "") }

// typedGPU reads "gpu:a100:4(S:0-1)", "gpu::2(IDX:0-1)" or "gpu:2". ok is false for another resource.
func typedGPU(item string) (typ string, count int, ok bool, err error) {
	name, _, _ := strings.Cut(item, "(")
	name, rest, _ := strings.Cut(name, ":")
	if name != "gpu" {
		return "", 0, false, nil
	}
	text := rest
	if i := strings.LastIndexByte(rest, ':'); i >= 0 {
		typ, text = rest[:i], rest[i+1:]
	}
	count, err = strconv.Atoi(text)
	if err != nil || count < 0 || count > maxMinor+1 {
		return "", 0, false, fmt.Errorf("unexpected GRES %.40q", item)
	}
	return typ, count, true, nil
}

// UsedGPUs counts the GPUs in the resources of a node that are in use: "gpu:a100:2(IDX:0,2),shard:a100:3(3/8,0/8)". A
// GPU with a share in use cannot be requested as a whole.
func UsedGPUs(list string) (map[string]int, error) {
	counts := map[string]int{}
	for _, item := range SplitGRES(withoutNull(list)) {
		typ, count, ok, err := typedGPU(item)
		if !ok && err == nil {
			typ, count, err = sharedGPUs(item)
		}
		if err != nil {
			return nil, err
		}
		if count > 0 || ok {
			counts[typ] += count
		}
	}
	return counts, nil
}

// GPUsInUse reads the indices of a node's GPUs that are in use: "gpu:a100:2(IDX:0,2),shard:a100:3(3/8,0/8)". It
// reports false if the text does not list them all.
func GPUsInUse(list string) (indices []int, all bool) {
	for _, item := range SplitGRES(withoutNull(list)) {
		_, count, ok, err := typedGPU(item)
		if err != nil {
			return nil, false
		}
		if _, shared, err := sharedGPUs(item); err != nil || shared > 0 {
			return nil, false
		}
		if !ok || count == 0 {
			continue
		}
		some, err := parseIDX(item)
		if err != nil || len(some) != count {
			return nil, false
		}
		indices = append(indices, some...)
	}
	slices.Sort(indices)
	return indices, true
}

// isShared reports whether an item is about shares of GPUs.
func isShared(item string) bool {
	name, _, _ := strings.Cut(item, ":")
	name, _, _ = strings.Cut(name, "(")
	return name == "shard" || name == "mps"
}

// HasShares reports whether a list has shares of GPUs.
func HasShares(list string) bool { return slices.ContainsFunc(SplitGRES(list), isShared) }

// sharedGPUs counts the GPUs with a share in use in "shard:a100:5(2/4,3/4,-/4,0/4)". For any other resource there are
// none.
func sharedGPUs(item string) (typ string, count int, err error) {
	if !isShared(item) {
		return "", 0, nil
	}
	count, listed := readShares(item)
	name, _, _ := strings.Cut(item, "(")
	parts := strings.Split(name, ":")
	switch none := parts[len(parts)-1] == "0"; { // the sum of the shares in use
	case none && count == 0:
		return "", 0, nil
	case none, !listed, count == 0:
		return "", 0, fmt.Errorf("unexpected GRES %.40q", item)
	}
	return strings.Join(parts[1:max(len(parts)-1, 1)], ":"), count, nil
}

// GPUType counts the GPUs of one GRES type on a node.
type GPUType struct {
	Name  string // "" if the GPUs have no type
	Total int
	Used  int
	Known bool // Used is known
}

// readShares counts the GPUs with a share in use, and reports whether the item lists the shares. For a GPU that is in
// use as a whole it lists "-" since SLURM 26.05, and 0 before: neither is a share. SLURM 22.05 lists indices:
// "shard:a100:2(IDX:0-1)".
func readShares(item string) (count int, listed bool) {
	_, shares, listed := strings.Cut(strings.TrimSuffix(item, ")"), "(")
	if strings.HasPrefix(shares, "IDX:") {
		indices, err := parseIDX(item)
		return len(indices), err == nil
	}
	for share := range strings.SplitSeq(shares, ",") {
		used, _, isShare := strings.Cut(share, "/")
		n, err := strconv.ParseUint(used, 10, 64)
		switch {
		case isShare && err == nil && n > 0:
			count++
		case !isShare || err != nil && used != "-":
			listed = false
		}
	}
	return count, listed
}

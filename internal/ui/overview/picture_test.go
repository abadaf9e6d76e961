package overview

import (
	"reflect"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"github.com/nvnodetop/nvnodetop/internal/cluster/tally"
	"github.com/nvnodetop/nvnodetop/internal/lib/draw"
	"github.com/nvnodetop/nvnodetop/internal/ui/part"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// varied is a scene in which the cells differ by every choice of the user.
func varied(nodes, leaf, w, h int) *part.Scene {
	s := busy(leaf, mapOf(nodes, w, h), nil)
	job := &s.Snap.Jobs[0]
	job.ID, job.Minors = "1", map[string][]int{}
	for i, name := range job.Nodes {
		job.Minors[name] = []int{0, 1, 2, 3, 4, 5}[:1+i%6]
		n := s.Snap.Nodes[name]
		for k := range n.GPUs {
			v := &n.GPUs[k].Values
			for id, value := range map[metric.ID]int{metric.Util: 30 * (i + k) % 101, metric.Power: 100 + 50*i%300,
				metric.PowerLimit: 400, metric.SMClock: 300 + 200*k, metric.SMClockMax: 2000,
				metric.MemoryUsed: (7*i + 11*k) % 90, metric.MemoryTotal: 90, metric.Temperature: 30 + (i*k)%60} {
				v.Set(id, float64(value))
			}
		}
		n.LayOut()
	}
	s.SetJob(0)
	s.SetNode(1)
	return s
}

var dark = draw.NewTheme(colorprofile.TrueColor, false, false)

// colored is the heat map of a scene with its colors.
func colored(s *part.Scene, page int) string {
	o, f := New(nil), &part.Frame{Canvas: draw.New(s.W, s.H), Scene: s}
	o.page = page
	o.heatMap(f)
	return string(dark.Encode(nil, f.Canvas))
}

// others calls f with each other value of a part of the Scene: one for each field of a struct.
func others(name string, v reflect.Value, f func(name string)) {
	if v.Kind() == reflect.Struct {
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				others(name+"."+v.Type().Field(i).Name, v.Field(i), f)
			}
		}
		return
	}
	before := reflect.New(v.Type()).Elem()
	before.Set(v)
	switch {
	case v.CanInt():
		v.SetInt(v.Int() + 7)
	case v.CanUint():
		v.SetUint((v.Uint() + 1) % uint64(tally.Gauges))
	case v.Kind() == reflect.Bool:
		v.SetBool(!v.Bool())
	case v.Kind() == reflect.String:
		v.SetString("other")
	case v.Type() == reflect.TypeFor[part.Levels]():
		v.Set(reflect.ValueOf(part.Levels{20, 40}))
	case v.Type() == reflect.TypeFor[[]string](): // the nodes that match a filter
		some := v.Slice(0, v.Len()/2)
		v.Set(some)
		f(name)
		v.Set(reflect.AppendSlice(reflect.MakeSlice(v.Type(), 0, some.Len()), some))
	default: // the columns of tables, and the GPUs and processes of other pages
		return
	}
	f(name)
	v.Set(before)
}

// The picture of the nodes that is kept for a Snapshot is the one that a new scene has, whatever the user changes.
func TestPictureIsNeverOld(t *testing.T) {
	styles, changes := map[tileStyle]bool{}, map[string]bool{}
	for _, base := range [...]struct{ nodes, leaf, w, h int }{{6, 6, 120, 18}, {40, 40, 80, 24}, {40, 40, 48, 24},
		{40, 8, 40, 14}, {40, 40, 40, 18}, {300, 300, 24, 14}} {
		for _, gauge := range []tally.Gauge{tally.GaugeUtil, tally.GaugeMemory} {
			s := varied(base.nodes, base.leaf, base.w, base.h)
			s.Gauge, s.Classic, s.MemoryLevels = gauge, true, part.Levels{10, 90}
			styles[newTiles(s, 0).style] = true
			compare := func(what string, page int) string {
				text, kept := colored(s, page), s.Memory
				s.Memory = &part.Memory{}
				if colored(s, page) != text {
					t.Errorf("%v, gauge %d: with another %s the picture is an old one", base, gauge, what)
				}
				s.Memory = kept
				return text
			}
			first := compare("", 0)
			changed := func(what string, page int) {
				changes[what] = compare(what, page) != first || changes[what]
			}
			changed("page", 1)
			v := reflect.ValueOf(s).Elem()
			for i := range v.NumField() {
				switch name := v.Type().Field(i).Name; name {
				case "Snap", "Job", "JobAt", "Node", "NodeAt", "Health", "Memory": // of a Snapshot, or the cursor
				default:
					if v.Field(i).CanSet() {
						others(name, v.Field(i), func(name string) { changed(name, 0) })
					}
				}
			}
			for _, at := range []int{0, 1, base.nodes / 2, base.nodes - 1} {
				s.SetNode(at)
				changed("node", 0)
			}
		}
	}
	if len(styles) <= int(tileDot) {
		t.Errorf("only the styles %v are drawn", styles)
	}
	for _, what := range []string{"Size.W", "Size.H", "Order", "Mine", "Look.Colors.Classic", "Look.Colors.Levels",
		"Look.Colors.MemoryLevels", "Gauge", "node"} {
		if !changes[what] {
			t.Errorf("%s changes nothing", what)
		}
	}
}

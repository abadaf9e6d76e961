package host

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

const (
	eth   = "class/net/eth0/statistics/"
	mlx   = "class/infiniband/mlx5_0/ports/1/counters/"
	mlx1  = "class/infiniband/mlx5_1/ports/1/counters/"
	start = 1000 * time.Second
)

func sys(t *testing.T) string {
	return write(t, map[string]string{
		"class/net/eth0/device/vendor": "0x15b3", eth + "tx_bytes": "100000\n", eth + "rx_bytes": "500000\n",
		"class/net/lo/statistics/tx_bytes": "999\n", "class/net/lo/statistics/rx_bytes": "999\n",
		mlx + "port_xmit_data": "1000\n", mlx + "port_rcv_data": "2000\n",
		mlx1 + "port_xmit_data": "1000\n", mlx1 + "port_rcv_data": "2000\n",
		eth + "tx_packets": "10\n", eth + "rx_packets": "20\n",
		"block/nvme0n1/device/model": "x", "block/nvme0n1/stat": diskStat(1000, 500), "block/dm-0/stat": diskStat(9, 9),
	})
}

// diskStat is a file of a disk's counters: sectors read and written.
func diskStat(read, written int) string {
	return fmt.Sprintf("%8d %8d %8d %8d %8d %8d %8d %8d 0 0 0\n", 1, 2, read, 3, 4, 5, written, 6)
}

// Packets and sectors are counted as bytes are; a disk that is made of others is no disk.
func TestPacketsAndDisks(t *testing.T) {
	root := sys(t)
	r := New(writeProc(t), root)
	defer r.Close()
	read := func(after time.Duration) (v metric.Values) {
		for _, c := range []*traffic{r.packets, r.storage} {
			if err := c.setRates(&v, start+after); err != nil {
				t.Error(err)
			}
		}
		return v
	}
	if first := read(0); !first.Empty() {
		t.Errorf("one report gives rates: %v", first)
	}
	overwrite(t, filepath.Join(root, eth+"tx_packets"), "50\n")
	overwrite(t, filepath.Join(root, eth+"rx_packets"), "30\n")
	overwrite(t, filepath.Join(root, "block/nvme0n1/stat"), diskStat(1200, 1012))
	v := read(2 * time.Second)
	for id, want := range map[metric.ID]float64{metric.NetTXPackets: 20, metric.NetRXPackets: 5,
		metric.DiskRead: 51200, metric.DiskWrite: 131072} {
		if got := v.Float(id); got != want {
			t.Errorf("%v is %v, want %v", id, got, want)
		}
	}
}

// at reads the rates at a time: sent and received over the network and over InfiniBand; "-" if absent.
func at(t *testing.T, r *Reader, after time.Duration) string {
	t.Helper()
	var v metric.Values
	for _, c := range []*traffic{r.net, r.fabric} {
		if err := c.setRates(&v, start+after); err != nil {
			t.Error(err)
		}
	}
	var words []string
	for _, id := range []metric.ID{metric.NetTX, metric.NetRX, metric.InfiniBandTX, metric.InfiniBandRX} {
		one := metric.Make(nil)
		if x, ok := v.Get(id); ok {
			one.Set(metric.MemoryUsed, x)
			words = append(words, strings.Trim(strings.SplitAfter(one.String(), ":")[1], "}"))
		} else {
			words = append(words, "-")
		}
	}
	return strings.Join(words, " ")
}

func TestTraffic(t *testing.T) {
	root := sys(t)
	r := New(writeProc(t), root)
	defer r.Close()
	set := func(file, content string) { overwrite(t, filepath.Join(root, file), content) }
	for _, step := range []struct {
		name  string
		do    func()
		after time.Duration
		want  string
	}{
		{"the first report", func() {}, 0, "- - - -"},
		{"two seconds later", func() {
			set(eth+"tx_bytes", "300000\n")
			set(mlx+"port_xmit_data", "3000\n")
			set(mlx1+"port_rcv_data", "4002\n")
		}, 2 * time.Second, "100000 0 4000 4004"},
		{"a moment later", func() { set(eth+"tx_bytes", "400000\n") }, 2*time.Second + MinWindow/2,
			"100000 0 4000 4004"},
		{"then", func() {}, 3 * time.Second, "100000 0 0 0"},
		{"the driver starts again", func() { set(eth+"rx_bytes", "000001\n") }, 4 * time.Second, "0 - 0 0"},
		{"a card appears", func() {
			dir := filepath.Join(root, "class/infiniband/mlx5_2/ports/1/counters")
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"port_xmit_data", "port_rcv_data"} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte("70000000\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}, 5 * time.Second, "0 0 0 0"},
		{"and is found", func() {}, 5*time.Second + lookEvery, "0 0 - -"},
		{"and counts", func() { set("class/infiniband/mlx5_2/ports/1/counters/port_xmit_data", "70000001\n") },
			7*time.Second + lookEvery, "0 0 2 0"},
		{"a counter cannot be read", func() { set(eth+"tx_bytes", "oops00\n") }, 8*time.Second + lookEvery, "- - 0 0"},
		{"and can be read again", func() { set(eth+"tx_bytes", "500000\n") }, 9*time.Second + lookEvery, "- - 0 0"},
	} {
		step.do()
		if got := at(t, r, step.after); got != step.want {
			t.Errorf("%s: %s, want %s", step.name, got, step.want)
		}
	}
}

// Without a network card or sysfs, there are no values and no errors.
func TestNoTraffic(t *testing.T) {
	r := New(writeProc(t), t.TempDir())
	defer r.Close()
	for _, after := range []time.Duration{0, time.Second, 2 * lookEvery} {
		if got := at(t, r, after); got != "- - - -" {
			t.Errorf("after %v: %s", after, got)
		}
	}
	if r.net.last.at < start+2*lookEvery {
		t.Error("not looked for again")
	}
}

// A card that hangs delays a report once, has no values after a while, and recovers.
func TestHangingCounters(t *testing.T) {
	hang := make(chan bool)
	c := newTraffic("InfiniBand counters", metric.InfiniBandTX, metric.InfiniBandRX, 1, func(bool) []string {
		<-hang
		return nil
	})
	var v metric.Values
	began := time.Now()
	for _, after := range []time.Duration{0, time.Second, 2 * time.Second} {
		if err := c.setRates(&v, start+after); err != nil {
			t.Error(err)
		}
	}
	if took := time.Since(began); took < patience || took > 20*patience {
		t.Errorf("three reports took %v", took)
	}
	if err := c.setRates(&v, start+hangsAfter); err == nil || err.Error() != "reading InfiniBand counters hangs" {
		t.Errorf("error %v", err)
	}
	close(hang)
	for c.call.running {
		c.call.take(start)
	}
	if err := c.setRates(&v, start+2*hangsAfter); err != nil {
		t.Error(err)
	}
}

// Traffic during a hanging read does not count for the short time before it, nor for the time after it.
func TestRatesOfSlowCounters(t *testing.T) {
	c := newTraffic("network counters", metric.NetTX, metric.NetRX, 1, nil)
	for i, step := range []struct {
		at, took time.Duration
		bytes    uint64 // 1000 per second, at the end of the reading
		want     bool
	}{
		{0, 0, 0, false}, {2 * time.Second, 200 * time.Millisecond, 2000, true},
		{4 * time.Second, 4 * time.Second, 8000, false},
		{9 * time.Second, 0, 9000, false}, {10 * time.Second, 0, 10000, true},
	} {
		c.computeRates(counts{known: true, at: start + step.at, took: step.took, sums: [2]uint64{step.bytes, step.bytes},
			files: 2, set: 1})
		if rate := c.rates[0]; (rate == 1000) != step.want || (rate == rate) != step.want {
			t.Errorf("reading %d: %v bytes/s", i, rate)
		}
	}
}

func TestDisk(t *testing.T) {
	d := newDisk(t.TempDir(), metric.TmpFree, metric.TmpTotal)
	var v metric.Values
	if err := d.readSpace(&v, start); err != nil || !v.Has(metric.TmpFree) ||
		v.Float(metric.TmpFree) > v.Float(metric.TmpTotal) {
		t.Errorf("%v, %v", v, err)
	}
	d.path = "/nowhere/at/all"
	v = metric.Values{}
	if err := d.readSpace(&v, start+diskEvery-time.Second); err != nil || !v.Has(metric.TmpFree) {
		t.Errorf("before it is read again: %v, %v", v, err)
	}
	v = metric.Values{}
	if err := d.readSpace(&v, start+diskEvery); err == nil || !v.Empty() {
		t.Errorf("a path that is gone: %v, %v", v, err)
	}
}

// The space of a file system that does not answer is repeated for a while.
func TestHangingDisk(t *testing.T) {
	d := newDisk(t.TempDir(), metric.TmpFree, metric.TmpTotal)
	var v metric.Values
	if err := d.readSpace(&v, start); err != nil {
		t.Fatal(err)
	}
	hang := make(chan bool)
	defer close(hang)
	d.asked = start + diskEvery
	d.call = newAside("the space of "+d.path, func(string) space { <-hang; return space{} })
	d.call.startCall(d.asked, d.path)
	for after, want := range map[time.Duration]bool{diskKept - 1: true, diskKept: false} {
		v = metric.Values{}
		if err := d.readSpace(&v, start+after); err == nil || v.Has(metric.TmpFree) != want {
			t.Errorf("after %v: %v, %v", after, v, err)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	r := New("/proc", "/sys")
	defer r.Close()
	b.ReportAllocs()
	for at := start; b.Loop(); at += time.Second {
		var v metric.Values
		if err := r.Read(&v, at, at); err != nil {
			b.Fatal(err)
		}
	}
}

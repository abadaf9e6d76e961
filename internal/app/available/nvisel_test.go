package available

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/output/vacancy"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/metric"
)

// host is a node of four GPUs of 80 GiB, with these MiB in use.
func host(used ...float64) *vacancy.Node {
	n := &vacancy.Node{Node: &cluster.Node{State: cluster.NodeReporting}}
	for i, mib := range used {
		g := &cluster.GPU{GPU: &wire.GPU{Index: i}, Card: &wire.Card{Index: i, UUID: "GPU-long-" + string(rune('a'+i))}}
		g.Values.Set(metric.MemoryUsed, mib*(1<<20))
		g.Values.Set(metric.MemoryTotal, 80<<30)
		g.Values.Set(metric.Util, mib/800)
		g.Values.Set(metric.MemUtil, mib/1000)
		n.GPUs = append(n.GPUs, vacancy.GPU{GPU: g, Index: string(rune('0' + i))})
	}
	return n
}

// The output of nvisel 1.7.0 on such a host.
func TestAsNvisel(t *testing.T) {
	t.Setenv("CUDA_VISIBLE_DEVICES", "3,1")
	for args, want := range map[string]string{
		"": "0,2,3,1\n", "-n 2": "0,2\n", "-c 2": "0,2,3,1\n", "-C 2 -G 50 -M 50": "0,2\n", "-G 30": "0,2,3\n",
		"-c 5": "0,2,3,1\n; 4", "-f 70GiB -c 2": "0\n; 4", "-t 90GiB": "\n", "-f 56GiB": "0,2,3\n",
		"-f 56GiB --tol 0": "0\n", "-f 5000M": "0,2,3,1\n", "-i=2,3,1": "2,3,1\n", "-i=3,3,1": "\n",
		"-i=1,9,2": "1\n", "-i": "3,1\n", "-S": "0,1,2,3\n", "-S -n 2": "0,1\n", "-i=3,2,0 -S": "3,2,0\n",
		"-O uuid -n 2": "GPU-long-a,GPU-long-c\n", "-s :": "0:2:3:1\n", "-0": "0\x002\x003\x001\x00", "-n 0": "\n",
		"--max-memory-percent 20": "0\n",
		"--min-count 2 --max-count 3 --min-free-memory 5GiB --max-gpu-utilization 60": "0,2,3\n",
	} {
		f := pflag.NewFlagSet("", pflag.ContinueOnError)
		a := &Options{flags: f, nvisel: true}
		a.addFlags(f)
		var errs bytes.Buffer
		in, out, _ := os.Pipe()
		a.Program = cli.New(cli.Streams{Out: out, Err: &errs}, f)
		if err := f.Parse(strings.Fields(args)); err != nil {
			t.Fatal(err)
		}
		wish, err := a.makeWish()
		if err != nil {
			t.Fatalf("%s: %v", args, err)
		}
		err = a.printAsNvisel(*wish, host(600, 60000, 25000, 25001))
		out.Close()
		text, _ := io.ReadAll(in)
		got := string(text)
		if exit, is := errors.AsType[*cli.ExitError](err); is {
			got += "; " + string(rune('0'+exit.Code))
		}
		if got != want || !strings.HasPrefix(errs.String(), `CUDA_VISIBLE_DEVICES="`) {
			t.Errorf("%s: printed %q, and %q; want %q", args, got, errs.String(), want)
		}
	}
}

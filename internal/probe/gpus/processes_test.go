package gpus

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nvnodetop/nvnodetop/internal/probe/driver"
)

func TestMergeContexts(t *testing.T) {
	mem := func(n uint64) *uint64 { return &n }
	for _, tc := range []struct {
		name string
		in   []driver.Context
		want []driver.Context
	}{
		{"none", nil, nil},
		{"compute and graphics", []driver.Context{{PID: 1, Type: driver.Compute, Memory: mem(5)},
			{PID: 2, Type: driver.Compute, Memory: mem(6)}, {PID: 1, Type: driver.Graphics, Memory: mem(7)}},
			[]driver.Context{{PID: 1, Type: driver.ComputeGraphics, Memory: mem(7)},
				{PID: 2, Type: driver.Compute, Memory: mem(6)}}},
		{"all three", []driver.Context{{PID: 1, Type: driver.Compute}, {PID: 1, Type: driver.Graphics},
			{PID: 1, Type: driver.MPS}}, []driver.Context{{PID: 1, Type: driver.MPS}}},
		{"MPS client in the compute list", []driver.Context{{PID: 1, Type: driver.Compute, Memory: mem(5)},
			{PID: 1, Type: driver.MPS, Memory: mem(5)}},
			[]driver.Context{{PID: 1, Type: driver.MPS, Memory: mem(5)}}},
		{"two MIG instances", []driver.Context{{PID: 1, Type: driver.Compute, Memory: mem(5)},
			{PID: 1, Type: driver.Compute, Memory: mem(6)}},
			[]driver.Context{{PID: 1, Type: driver.Compute, Memory: mem(11)}}},
		{"memory known in one list", []driver.Context{{PID: 1, Type: driver.Graphics},
			{PID: 1, Type: driver.Compute, Memory: mem(5)}},
			[]driver.Context{{PID: 1, Type: driver.ComputeGraphics, Memory: mem(5)}}},
		{"memory of 0 is known", []driver.Context{{PID: 1, Type: driver.Compute, Memory: mem(0)}},
			[]driver.Context{{PID: 1, Type: driver.Compute, Memory: mem(0)}}},
	} {
		if diff := cmp.Diff(tc.want, mergeContexts(tc.in)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
}

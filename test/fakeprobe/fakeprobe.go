// Package fakeprobe is a probe as short as it can be, for tests of what is around a probe: it greets, and answers each
// request. There is one that a test binary becomes, and one that can be copied to where a test wants it.
//
// It keeps nothing, so it may be used by any number of tests at a time.
package fakeprobe

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// Serve is the probe on the standard input and output of this process. It returns when the input ends.
func Serve() {
	_, _ = io.WriteString(os.Stdout, wire.Magic+"\n")
	_ = wire.Write(os.Stdout, wire.Message{Hello: &wire.Hello{Host: "here", PID: os.Getpid()}})
	for r := wire.NewReader(os.Stdin); ; {
		var req wire.Request
		if r.Next(&req) != nil {
			return
		}
		_ = wire.Write(os.Stdout, wire.Message{Reply: &wire.Reply{ID: req.ID}})
	}
}

// Script is the same as a script, which is not larger than a copy in a test should be.
const Script = `#!/bin/sh
[ "$1" = probe ] || exit 64
printf '\036nvnodetop-probe/1\n'
echo '{"hello":{"version":1,"build":"test","host":"fake","pid":'$$',"cpus":2,"driver":"550.54",'\
'"gpus":[{"index":0},{"index":1}]}}'
while read -r line; do
	id=${line#*'"id":'}; id=${id%%,*}
	echo '{"reply":{"id":'"${id%\}}"'}}'
done
`

// Gzip compresses a script, as probes are that a program brings along.
func Gzip(script string) ([]byte, error) {
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	if _, err := io.WriteString(zip, script); err != nil {
		return nil, err
	}
	err := zip.Close()
	return b.Bytes(), err
}

// Package fakeprobe is the shortest possible probe, for tests of code around a probe: it greets, and answers each
// request. A test binary can become one, and a script of it can be copied anywhere.
//
// It keeps nothing, so any number of tests may use it at a time.
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

// Script is the same probe as a script, small enough to be copied in a test.
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

// Gzip compresses a script, like the probes that a program brings along.
func Gzip(script string) ([]byte, error) {
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	if _, err := io.WriteString(zip, script); err != nil {
		return nil, err
	}
	err := zip.Close()
	return b.Bytes(), err
}

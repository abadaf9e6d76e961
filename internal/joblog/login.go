package joblog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/wire"
)

// hung is the time after which a read on a login host is given up.
const hung = time.Minute

// OnLogin returns a function that reads a file on a login host, with a script that run executes there. It reads the
// same files as package tail.
func OnLogin(run func(ctx context.Context, script string, input []byte) (stdout, stderr []byte, status int, err error),
) func(wire.ReadLog) (*wire.LogPiece, error) {
	return func(q wire.ReadLog) (*wire.LogPiece, error) {
		if !strings.HasPrefix(q.Path, "/") || strings.ContainsAny(q.Path, "\x00\n") {
			return nil, fmt.Errorf("%q is not an absolute path", q.Path)
		}
		ctx, cancel := context.WithTimeout(context.Background(), hung)
		defer cancel()
		latest := 0
		if q.Latest {
			latest = 1
		}
		out, words, status, err := run(ctx, loginScript, fmt.Appendf(nil, "%s\n%d %d %d\n", q.Path, q.From, q.Max,
			latest))
		switch {
		case err != nil:
			return nil, fmt.Errorf("on the login host: %w", err)
		case status == loginMissing:
			return &wire.LogPiece{Missing: true}, nil
		case status != 0:
			said, _, _ := strings.Cut(strings.TrimSpace(string(words)), "\n")
			return nil, fmt.Errorf("on the login host: %q %s", q.Path, said)
		}
		return parseLogin(out, q.Max)
	}
}

// parseLogin reads the output of loginScript: a line of numbers, and the bytes of the file.
func parseLogin(out []byte, most int) (*wire.LogPiece, error) {
	line, data, _ := bytes.Cut(out, []byte("\n"))
	var numbers [3]int64
	for i, word := range strings.Fields(string(line)) {
		n, err := strconv.ParseInt(word, 10, 64)
		if err != nil || n < 0 || i == len(numbers) {
			return nil, errors.New("the login host has sent no piece of a log")
		}
		numbers[i] = n
	}
	p := &wire.LogPiece{Size: numbers[0], ModMS: numbers[1] * 1000, From: numbers[2], Data: data}
	if p.ModMS == 0 || len(data) > most || p.From > p.Size {
		return nil, errors.New("the login host has sent no piece of a log")
	}
	p.Size = max(p.Size, p.From+int64(len(data))) // it may have grown
	return p, nil
}

// loginMissing is the exit status of loginScript for a file that does not exist.
const loginMissing = 44

// loginScript prints a piece of a file. It opens only a regular file of the user, and follows only links of the user or
// root. It checks the open file again, which may be another file by then.
const loginScript = `IFS= read -r p; IFS=' ' read -r from max latest; export LC_ALL=C; me=$(id -u); n=0; ` +
	`no() { printf '%s\n' "$1" >&2; exit 1; }; ` +
	`while [ -L "$p" ]; do ` +
	`n=$((n+1)); [ $n -le 8 ] || no 'has too many symbolic links'; ` +
	`case $(stat -c %u -- "$p") in "$me"|0) ;; *) no 'is a symbolic link of another user: it is not followed';; esac; ` +
	`to=$(readlink -- "$p"); case $to in /*) p=$to;; *) p=${p%/*}/$to;; esac; done; ` +
	`[ -d "$p" ] && no 'is a directory'; ` +
	`if [ ! -e "$p" ]; then case $(stat -- "$p" 2>&1) in *'No such file'*) exit 44;; *) no 'cannot be read';; esac; fi; ` +
	`[ -f "$p" ] || no 'is not a regular file: it is not read'; ` +
	`[ -O "$p" ] || no 'belongs to another user: it is not read'; ` +
	`[ -r "$p" ] || no 'cannot be read: permission denied'; exec 3<"$p"; ` +
	`set -- $(stat -L -c '%s %Y %u %f' /proc/self/fd/3); ` +
	`case "$3 $4" in "$me "8???) ;; *) no 'does not belong to you: it is not read';; esac; ` +
	`size=$1; [ "$from" -ge 0 ] || from=$((size+from)); [ "$from" -ge 0 ] || from=0; ` +
	`[ "$from" -le "$size" ] || from=$size; ` +
	`if [ "$latest" = 1 ] && [ "$from" -lt $((size-max)) ]; then from=$((size-max)); fi; ` +
	`left=$((size-from)); [ "$left" -le "$max" ] || left=$max; ` +
	`printf '%s %s %s\n' "$size" "$2" "$from"; [ "$left" = 0 ] || tail -c +$((from+1)) <&3 | head -c "$left"`

package notify

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/quotedprintable"
	"net/mail"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/test/stubs"
)

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A command gets the message, its arguments as they are, and no variable that may be a secret.
func TestCommand(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	t.Setenv("NVNODETOP_NOTIFY_WEBHOOK", "secret")
	t.Setenv("LC_TIME", "C")
	path := stubs.Write(t, t.TempDir(), "tell", `cat > `+dir+`/in; env > `+dir+`/env; echo "$1" > `+dir+`/arg; pwd > `+dir+`/pwd`)
	way, err := NewCommandWay([]string{path, "$(touch " + dir + "/shell); ls"})
	if err != nil {
		t.Fatal(err)
	}
	if err := way.Send(t.Context(), document("7: failed")); err != nil {
		t.Fatal(err)
	}
	var d MessageDocument
	if err := json.Unmarshal([]byte(read(t, dir+"/in")), &d); err != nil || d.Title != "7: failed" || len(d.News) != 1 {
		t.Errorf("%v in %s", err, read(t, dir+"/in"))
	}
	if env := read(t, dir+"/env"); strings.Contains(env, "secret") || !strings.Contains(env, "PATH=") ||
		!strings.Contains(env, "LC_TIME=C") {
		t.Errorf("the environment is %s", env)
	}
	if arg := read(t, dir+"/arg"); !strings.HasPrefix(arg, "$(touch ") || read(t, dir+"/pwd") != "/\n" {
		t.Errorf("the argument is %s", arg)
	}
	if _, err := os.Stat(dir + "/shell"); err == nil {
		t.Error("a shell ran")
	}
}

// A command that fails says why, in one harmless line. One that is not there is refused at once.
func TestCommandFails(t *testing.T) {
	way, err := NewCommandWay([]string{stubs.Write(t, t.TempDir(), "tell", `printf 'no \033[31mserver\nmore\n' >&2; exit 3`)})
	if err != nil {
		t.Fatal(err)
	}
	err = way.Send(t.Context(), document("x"))
	if err == nil || !strings.HasSuffix(err.Error(), `/tell": exit status 3: no server`) {
		t.Errorf("%v", err)
	}
	way, err = NewCommandWay([]string{stubs.Write(t, t.TempDir(), "tell", `echo "404: $2" >&2; exit 22`), "-d@-",
		"https://hooks.example.org" + secret})
	if err != nil {
		t.Fatal(err)
	}
	if err = way.Send(t.Context(), document("x")); err == nil || !strings.HasSuffix(err.Error(), "22: 404: …") {
		t.Errorf("%v", err)
	}
	if _, err := NewCommandWay([]string{"no-such-program"}); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
}

// A command that takes too long is killed, with what it has started.
func TestCommandHangs(t *testing.T) {
	pids := t.TempDir() + "/pids"
	path := stubs.Write(t, t.TempDir(), "tell", `sleep 300 & echo $! > `+pids+`; wait`)
	began := time.Now()
	err := runProgram(t.Context(), time.Second, path, nil, nil)
	if !errors.Is(err, errTooLong) || time.Since(began) > 10*time.Second {
		t.Errorf("%v after %v", err, time.Since(began))
	}
	pid, err := strconv.Atoi(strings.TrimSpace(read(t, pids)))
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); running(pid); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("its child runs")
		}
	}
}

// running reports whether a process runs; nobody may reap it here.
func running(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return syscall.Kill(pid, 0) == nil && (err != nil || !strings.Contains(string(stat), ") Z "))
}

// Only one command runs at a time.
func TestOneCommandAtATime(t *testing.T) {
	dir := t.TempDir()
	path := stubs.Write(t, t.TempDir(), "tell", `mkdir `+dir+`/runs || echo two >> `+dir+`/two; sleep 0.05; rmdir `+dir+`/runs; echo >> `+
		dir+`/n`)
	way, err := NewCommandWay([]string{path})
	if err != nil {
		t.Fatal(err)
	}
	p := OpenWays([]Way{way}, func(line string) { t.Error(line) })
	for range 5 {
		p.Send(document("x"))
	}
	if !p.Close(time.Minute) || read(t, dir+"/n") != "\n\n\n\n\n" {
		t.Error("not all were delivered")
	}
	if _, err := os.Stat(dir + "/two"); err == nil {
		t.Error("two ran")
	}
}

// Whatever a title has, the mail has the same headers, and its text arrives.
func TestMail(t *testing.T) {
	out := t.TempDir() + "/letter"
	t.Setenv("PATH", filepath.Dir(stubs.Write(t, t.TempDir(), "sendmail", `cat > `+out+`; echo "$@" >> `+out+`.args`))+":"+
		os.Getenv("PATH"))
	way, err := NewMailWay("alice@example.org, Bob <bob@example.org>")
	if err != nil {
		t.Fatal(err)
	}
	for _, title := range []string{"7 train: failed", "7 x\r\nBcc: eve@example.org\r\n\r\nhello",
		"7 größe\n.\nTo: eve@example.org",
		strings.Repeat("long ", 1000)} {
		d := document(title)
		d.Text = title + "\n.\nFrom me\n" + strings.Repeat("é", 2000)
		if err := way.Send(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		m, err := mail.ReadMessage(strings.NewReader(read(t, out)))
		if err != nil {
			t.Fatal(err)
		}
		subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
		if err != nil || len(m.Header) != 6 || m.Header.Get("To") != "<alice@example.org>, <bob@example.org>" ||
			!strings.HasPrefix(subject, "nvnodetop: "+title[:3]) || strings.ContainsAny(subject, "\r\n") ||
			len(subject) > maxSubject {
			t.Errorf("%v, headers %v, subject %q", err, m.Header, subject)
		}
		body, err := io.ReadAll(quotedprintable.NewReader(m.Body))
		if err != nil || !strings.Contains(string(body), "\n.\nFrom me\néé") ||
			!strings.HasSuffix(string(body), "alice on login1\n") {
			t.Errorf("%v, body %q", err, body)
		}
	}
	if args := read(t, out+".args"); !strings.HasPrefix(args, "-t -i\n") {
		t.Errorf("called with %q", args)
	}
	for _, wrong := range []string{"", "alice", "alice@example.org\nBcc: eve@example.org",
		strings.Repeat("a@b.c,", 10) + "a@b.c"} {
		if _, err := NewMailWay(wrong); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	t.Setenv("PATH", "/nowhere")
	if _, err := os.Stat("/usr/sbin/sendmail"); err != nil {
		if _, err := NewMailWay("alice@example.org"); err == nil {
			t.Error("a host without sendmail is not noticed")
		}
	}
}

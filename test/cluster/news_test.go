package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// hookFile makes this test binary a webhook on a host of the cluster, which appends what is posted to a file.
const hookFile = "NVNODETOP_TEST_HOOK"

// hookAt is its address, which only its host reaches.
const hookAt = "127.0.0.1:8099"

// serveHook serves until it is killed.
func serveHook(file string) error {
	server := http.Server{Addr: hookAt, ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			f, openErr := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
			if err != nil || openErr != nil || r.URL.Path != "/secret" {
				w.WriteHeader(http.StatusInternalServerError)
				return
			}
			_, _ = f.Write(append(body, '\n'))
			_ = f.Close()
		})}
	return server.ListenAndServe()
}

// onLogin starts a command of alice on login that runs until the test ends.
func onLogin(t *testing.T, env []string, command ...string) (out *strings.Builder, ended chan error) {
	t.Helper()
	out, ended = &strings.Builder{}, make(chan error, 1)
	pid := filepath.Join(filepath.Dir(program), filepath.Base(command[0])+".pid")
	line := "echo $$ > " + pid + "; exec " + strings.Join(command, " ")
	cmd := exec.Command("../../scripts/testcluster", slices.Concat(asAlice, env, []string{"sh", "-c", line})...)
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() { _, _ = script("on", "login", "sh", "-c", "kill $(cat "+pid+")") })
	return out, ended
}

// told waits until each of the files on login has a message with these words, and returns the messages of the first.
func told(t *testing.T, files []string, words string) (messages []message) {
	t.Helper()
	began := time.Now()
	for _, file := range slices.Backward(files) {
		for {
			dog.Watch(t)
			text, _ := script("on", "login", "cat", file)
			if messages = messagesIn(t, text); slices.ContainsFunc(messages, func(m message) bool {
				return strings.Contains(m.Title, words)
			}) {
				break
			}
			if time.Since(began) > 2*time.Minute {
				t.Fatalf("%s has no %q:\n%s", file, words, text)
			}
			time.Sleep(time.Second)
		}
	}
	return messages
}

// message is what a command and a webhook get.
type message struct {
	Title, Text, Content, Host, User string
	News                             []struct{ Event, Kind, Job, Node string }
}

func messagesIn(t *testing.T, text string) (all []message) {
	t.Helper()
	for line := range strings.Lines(text) {
		var m message
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		all = append(all, m)
	}
	return all
}

// Somebody who does not look is told by a command and by a webhook when a node is lost, and when a rank is killed and
// the job ends with it. Then the watch ends, with the exit code of a job that has failed.
func TestNews(t *testing.T) {
	dir := "/home/alice/news"
	byCommand, byHook := dir+"/command.log", dir+"/hook.log"
	files := []string{byCommand, byHook}
	do(t, "on", "-u", "alice", "login", "sh", "-c", fmt.Sprintf(`rm -rf %[1]s; mkdir -p %[1]s/nvnodetop
		printf '[notify]\nevents = ["node", "failure"]\ncommand = ["sh", "-c", "cat >> %[2]s"]\nwebhook = "%[1]s/url"\n' \
			> %[1]s/nvnodetop/config.toml
		(umask 077; echo http://%[3]s/secret > %[1]s/url)`, dir, byCommand, hookAt))
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	onLogin(t, []string{hookFile + "=" + byHook}, do(t, "put", self))
	settings := []string{"XDG_CONFIG_HOME=" + dir}
	for _, node := range []string{"node01", "node02", "node03", "node04"} { // sessions end with the job
		fault(t, "adopt", node)
	}
	id := do(t, "on", "-u", "alice", "login", "sbatch", "--parsable", "-N", "4", "--ntasks-per-node=4", "--gres=gpu:4",
		"-J", "news", "-o", "/dev/null", "--wrap", "srun -K1 gpuwork")
	t.Cleanup(func() { cancelJob(t, id) })
	runsNow(t, id)
	test := runsProgram(t, slices.Concat([]string{"env"}, settings, []string{program}), "watch", "--test", "--notify",
		"command,webhook")
	if test.code != 0 || !strings.Contains(test.stdout, "a test message was sent by command, webhook") {
		t.Fatalf("exit code %d, %s%s", test.code, test.stdout, test.stderr)
	}
	told(t, files, "a test message")
	out, ended := onLogin(t, settings, program, "watch", "--interval", "1", "--notify", "command,webhook", id)
	time.Sleep(5 * time.Second)
	t.Run("a node is lost", func(t *testing.T) {
		fault(t, "drop", "node04")
		got := told(t, files, id+" news: node04 ")
		last := got[len(got)-1]
		if len(last.News) != 1 || last.News[0].Event != "node" || last.News[0].Job != id || last.News[0].Node != "node04" ||
			last.User != "alice" || last.Host != "login" {
			t.Errorf("told %+v", last)
		}
	})
	t.Run("a rank is killed", func(t *testing.T) {
		do(t, "on", "node02", "sh", "-c", "kill -9 $(pgrep -n -u alice -x gpuwork)")
		got := told(t, files, id+" news: failed")
		if hooked := messagesIn(t, do(t, "on", "login", "cat", byHook)); hooked[len(hooked)-1].Content == "" {
			t.Error("the webhook has no words for Discord")
		}
		if last := got[len(got)-1]; last.News[len(last.News)-1].Event != "failure" {
			t.Errorf("told %+v", last)
		}
		select {
		case err := <-ended:
			if exit, is := errors.AsType[*exec.ExitError](err); !is || exit.ExitCode() != 1 ||
				!strings.Contains(out.String(), id+" news: failed after") {
				t.Errorf("it ends with %v:\n%s", err, out)
			}
		case <-time.After(slack):
			t.Errorf("it goes on:\n%s", out)
		}
	})
}

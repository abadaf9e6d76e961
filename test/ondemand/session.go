package ondemand

import (
	"context"
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nvnodetop/nvnodetop/test/daemon"
)

//go:embed job.sh
var job string

// Session is a running session of an interactive app.
type Session struct {
	Dir      string
	app      string
	values   map[string]string // of the expressions of its templates
	password string
}

// Run runs the app in the directory app as a job does, with programs before those of PATH, and returns it once it has
// its connection. values are what the expressions of its templates stand for. It ends with the test.
func Run(t testing.TB, app, programs string, values map[string]string) *Session {
	t.Helper()
	s := &Session{Dir: t.TempDir(), app: app, values: values}
	files, err := filepath.Glob(filepath.Join(app, "template", "*"))
	if err != nil || len(files) == 0 {
		t.Fatal("the app has no template: ", err)
	}
	for _, file := range files {
		s.write(t, strings.TrimSuffix(filepath.Base(file), ".erb"), s.render(t, file))
	}
	s.write(t, "job_script_content.sh", job)
	cmd := exec.CommandContext(context.Background(), filepath.Join(s.Dir, "job_script_content.sh"))
	cmd.Dir = s.Dir
	cmd.Env = append(os.Environ(), "PATH="+programs+":"+os.Getenv("PATH"))
	ended, end := daemon.Start(t, cmd, filepath.Join(s.Dir, "output.log"))
	t.Cleanup(end)
	for late := time.After(2 * time.Minute); s.password == ""; time.Sleep(50 * time.Millisecond) {
		select {
		case <-ended:
			t.Fatalf("the session has ended: %s", s.Output(t))
		case <-late:
			t.Fatalf("the session has no connection: %s", s.Output(t))
		default:
			s.connect()
		}
	}
	return s
}

func (s *Session) write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(s.Dir, name), []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
}

var expressions = regexp.MustCompile(`<%([=#-])\s*(.*?)\s*-?%>`)

// render puts values in the place of expressions. There is nothing else in the templates of an app: a statement fails.
func (s *Session) render(t testing.TB, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return expressions.ReplaceAllStringFunc(string(text), func(found string) string {
		m := expressions.FindStringSubmatch(found)
		value, known := s.values[m[2]]
		if m[1] != "#" && (!known || m[1] != "=") {
			t.Errorf("%s: nobody knows %s", file, found)
		}
		return value
	})
}

// connect reads the connection, once it is whole.
func (s *Session) connect() {
	text, _ := os.ReadFile(filepath.Join(s.Dir, "connection.yml"))
	values := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		values[name] = value
	}
	if strings.HasSuffix(string(text), "\n") && values["password"] != "" {
		s.values["host"], s.values["port"], s.values["password"] = values["host"], values["port"], values["password"]
		s.password = values["password"]
	}
}

// Password returns the password of the connection.
func (s *Session) Password() string { return s.password }

// Port returns the port of the connection.
func (s *Session) Port() string { return s.values["port"] }

// View returns the part of the portal's page that leads to the session.
func (s *Session) View(t testing.TB) string {
	t.Helper()
	return s.render(t, filepath.Join(s.app, "view.html.erb"))
}

// Output returns what the job has printed.
func (s *Session) Output(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.Dir, "output.log"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

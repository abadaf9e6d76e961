package export

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/nvnodetop/nvnodetop/test/inputs"
)

// The dashboard shows existing metrics: a renamed metric would be an empty panel.
func TestDashboardHasMetricsThatThereAre(t *testing.T) {
	text, err := os.ReadFile("../../../dashboards/grafana.json")
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(text, &dashboard); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := Prometheus(&out, full(), OwnNames, CoreMetrics); err != nil {
		t.Fatal(err)
	}
	name, asked := regexp.MustCompile(`nvnodetop_\w+`), 0
	for _, p := range dashboard.Panels {
		for _, target := range p.Targets {
			for _, metric := range name.FindAllString(target.Expr, -1) {
				asked++
				if !strings.Contains(out.String(), "\n# TYPE "+metric+" ") &&
					!strings.HasPrefix(out.String(), "# HELP "+metric+" ") {
					t.Errorf("%s: there is no %s", p.Title, metric)
				}
			}
		}
	}
	if asked < 20 {
		t.Errorf("the dashboard has only %d metrics", asked)
	}
}

// The alerts need only metrics of --metrics core, and fire when they should: promtool judges.
func TestAlerts(t *testing.T) {
	text, err := os.ReadFile("../../../dashboards/alerts.yml")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := Prometheus(&out, full(), OwnNames, CoreMetrics); err != nil {
		t.Fatal(err)
	}
	rules := regexp.MustCompile(`(?m)^ +expr: (.*)$`).FindAllStringSubmatch(string(text), -1)
	if len(rules) < 4 {
		t.Errorf("only %d alerts", len(rules))
	}
	for _, rule := range rules {
		for _, metric := range regexp.MustCompile(`nvnodetop_\w+`).FindAllString(rule[1], -1) {
			if !strings.Contains(out.String(), "\n# TYPE "+metric+" ") {
				t.Errorf("%s: --metrics core has no %s", rule[1], metric)
			}
		}
	}
	if !regexp.MustCompile(`nvnodetop_gpu_ecc_errors_total\{.*,kind="uncorrected",scope="volatile"\}`).MatchString(out.String()) {
		t.Error("--metrics core lacks the errors of the alert about ECC")
	}
	inputs.Watch(t, "testdata/alerts_test.yml")
	path, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not here; Debian's package prometheus has it")
	}
	if said, err := exec.CommandContext(t.Context(), path, "test", "rules",
		"testdata/alerts_test.yml").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
}

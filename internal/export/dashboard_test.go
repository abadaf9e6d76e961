package export

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
)

// The dashboard shows existing metrics: a renamed metric would be an empty panel.
func TestDashboardHasMetricsThatThereAre(t *testing.T) {
	text, err := os.ReadFile("../../dashboards/grafana.json")
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
	if err := Prometheus(&out, full(), OwnNames); err != nil {
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

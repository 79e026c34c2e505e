package browser

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
)

const rulesFile = "tidemark.rules.yml"

// promtool runs promtool beside the rules.
func promtool(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.Command("promtool", args...)
	cmd.Dir = filepath.Join(root, "infra", "prometheus")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// TestS16Prometheus checks the alerts with promtool. Then it asks a Prometheus that has scraped Tidemark each question
// of the dashboard for Grafana, and for each series that the alerts are about: all are found (S16).
func TestS16Prometheus(t *testing.T) {
	promtool(t, "check", "rules", rulesFile)
	promtool(t, "test", "rules", "tidemark.rules.test.yml")
	dir := t.TempDir()
	s := serveIn(t, dir, "WEBHOOK_ALLOW_HOSTS=localhost,127.0.0.1", "CRAWL_MIN_DELAY_MS=20", "CRAWL_MAX_DELAY_MS=40")
	s.busyDay(filepath.Join(dir, "data"))
	p := "http://" + freePort(t)
	file := filepath.Join(dir, "prometheus.yml")
	rules, err := filepath.Abs(filepath.Join(root, "infra", "prometheus", rulesFile))
	must(t, err)
	must(t, os.WriteFile(file, fmt.Appendf(nil, "global: {scrape_interval: 500ms, evaluation_interval: 500ms}\n"+
		"rule_files: [%q]\nscrape_configs:\n  - {job_name: tidemark, metrics_path: /api/metrics, static_configs: "+
		"[{targets: [%q]}]}\n", rules, strings.TrimPrefix(s.server, "http://")), 0o600))
	s.runs(nil, "prometheus", "--config.file="+file, "--storage.tsdb.path="+filepath.Join(dir, "tsdb"),
		"--web.listen-address="+strings.TrimPrefix(p, "http://"), "--log.level=warn")
	for what, query := range questions(t) {
		s.eventually(what+": "+query, func() bool { return s.found(p, query) })
	}
	var judged struct {
		Data struct {
			Groups []struct {
				Rules []struct{ Name, Health, LastError string }
			}
		}
	}
	s.eventually("the alerts are judged", func() bool {
		must(t, getJSON(p+"/api/v1/rules", &judged))
		return len(judged.Data.Groups) == 1 && judged.Data.Groups[0].Rules[0].Health != "unknown"
	})
	for _, r := range judged.Data.Groups[0].Rules {
		if r.Health != "ok" {
			t.Errorf("%s is %s: %s", r.Name, r.Health, r.LastError)
		}
	}
}

// busyDay does something of each kind that is counted: a page is read and changes, others fail, a message waits, a
// backup is made, and the timer runs.
func (s *stage) busyDay(data string) {
	s.Helper()
	ctx, nobody := s.Context(), "http://"+freePort(s.T)
	_, err := api.AddChannel.Call(ctx, s.client, api.ChannelSpec{Name: "ops",
		ChannelSettings: api.ChannelSettings{Kind: "webhook", URL: nobody}})
	must(s.T, err)
	_, err = api.AddRule.Call(ctx, s.client, api.NewRule{RuleSpec: api.RuleSpec{Name: "all", Channels: []string{"ops"}}})
	must(s.T, err)
	page := filepath.Join(s.folder, "index.html")
	_, err = s.client.AddURLs(ctx, []string{s.site + "/index.html", s.site + "/nothing-here.html", nobody + "/x"},
		api.AddOptions{})
	must(s.T, err)
	s.eventually("the page is read", func() bool {
		st, err := api.GetStatus.Call(ctx, s.client, api.StatusQuery{})
		return err == nil && st.Items[api.StatusIndexed] == 1
	})
	text, err := os.ReadFile(page)
	must(s.T, err)
	edited := strings.ReplaceAll(string(text), "<p>", "<p>Everything is different now. ")
	must(s.T, os.WriteFile(page, []byte(edited), 0o600))
	_, err = api.ReindexItem.Call(ctx, s.client, api.ReindexRequest{Source: s.site + "/index.html"})
	must(s.T, err)
	s.eventually("a message waits", func() bool {
		all, err := api.ListDeliveries.Call(ctx, s.client, api.DeliveryQuery{State: "waiting"})
		return err == nil && len(all.Deliveries) > 0 && all.Deliveries[0].Attempts > 0
	})
	path, err := filepath.Abs(filepath.Join(root, "build", "tidemark"))
	must(s.T, err)
	if out, err := exec.Command(path, "backup", "--data", data, data+".backup").CombinedOutput(); err != nil {
		s.Fatalf("%v\n%s", err, out)
	}
	for _, of := range []string{"CrawlTimer", "CrawlTimer"} {
		resp, err := http.Post(s.server+"/admin/functions/"+of, "application/json", strings.NewReader("{}"))
		must(s.T, err)
		resp.Body.Close()
	}
}

// questions returns the queries of the dashboard, and the series that the alerts are about.
func questions(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "infra", "grafana", "tidemark.json"))
	must(t, err)
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ RefID, Expr string }
		}
	}
	must(t, json.Unmarshal(text, &board))
	all := map[string]string{}
	for _, p := range board.Panels {
		for _, target := range p.Targets {
			all[p.Title+" "+target.RefID] = strings.ReplaceAll(target.Expr, "$__rate_interval", "1m")
		}
	}
	rules, err := os.ReadFile(filepath.Join(root, "infra", "prometheus", rulesFile))
	must(t, err)
	for _, series := range regexp.MustCompile(`\btidemark_\w+(\{[^}]*\})?`).FindAllString(string(rules), -1) {
		all["alert on "+series] = series
	}
	if len(all) < 30 {
		t.Fatalf("there are %d questions", len(all))
	}
	return all
}

// found reports whether a query finds series. A query that Prometheus refuses fails the test.
func (s *stage) found(at, query string) bool {
	s.Helper()
	var answer struct {
		Status, Error string
		Data          struct{ Result []any }
	}
	err := getJSON(at+"/api/v1/query?query="+url.QueryEscape(query), &answer)
	if answer.Status == "error" {
		s.Fatalf("%s: %s", query, answer.Error)
	}
	return err == nil && len(answer.Data.Result) > 0
}

func getJSON(address string, into any) error {
	client := http.Client{Timeout: 5 * time.Second}
	resp, err := client.Get(address)
	if err != nil {
		return err
	}
	return errors.Join(json.NewDecoder(resp.Body).Decode(into), resp.Body.Close())
}

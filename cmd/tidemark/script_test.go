package main

import (
	"encoding/json"

	gocmp "github.com/google/go-cmp/cmp"

	"bytes"
	"cmp"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
)

// noon is the time of every test.
var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// script is one run of the command against a fake server.
type script struct {
	name     string
	args     []string
	stdin    string
	env      map[string]string
	answers  []answered // in the order of the requests
	terminal bool
	code     int
	out, err string   // SERVER and DIR stand for what differs between runs
	asked    []string // requests that the server must have received, if given
	// beside has the answers to the other requests of "status", and to those about mutes and about why an item is watched
	// as it is, by path and in order. The
	// last one repeats. A path that is missing is answered with {}. These requests are not among asked.
	beside map[string][]string
}

var itemWhy = regexp.MustCompile("^/api/items/[^/]+/why$")

// answered is one answer of the fake server.
type answered struct {
	status int // 200 when 0
	body   string
}

// perform runs one script and compares everything it prints and requests.
func perform(t *testing.T, sc script) {
	t.Helper()
	var asked []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		isBeside := sc.args[0] == "status" && r.URL.Path != "/api/SearchStatus" ||
			r.URL.Path == "/api/mutes" && r.Method == http.MethodGet || itemWhy.MatchString(r.URL.Path)
		if isBeside {
			bodies := sc.beside[r.URL.Path]
			io.WriteString(w, cmp.Or(strings.Join(bodies[:min(1, len(bodies))], ""), "{}"))
			if len(bodies) > 1 {
				sc.beside[r.URL.Path] = bodies[1:]
			}
			return
		}
		asked = append(asked, strings.TrimSpace(r.Method+" "+r.URL.RequestURI()+" "+string(body)))
		n := min(len(asked), len(sc.answers)) - 1
		if n < 0 {
			http.Error(w, "no answer prepared", http.StatusTeapot)
			return
		}
		if sc.answers[n].status >= 400 {
			kind := api.ProblemType
			if sc.args[0] == "health" { // a 503 is a valid answer to a health request
				kind = "application/json"
			}
			w.Header().Set("Content-Type", kind)
		}
		w.WriteHeader(cmp.Or(sc.answers[n].status, 200))
		io.WriteString(w, sc.answers[n].body)
	}))
	defer srv.Close()

	var out, errOut bytes.Buffer
	clock := noon
	getenv := func(name string) string {
		if name == "TIDEMARK_SERVER" {
			return cmp.Or(sc.env[name], srv.URL)
		}
		return sc.env[name]
	}
	p := &terminal.Terminal{
		In: strings.NewReader(sc.stdin), Out: &out, Err: &errOut, Name: "tidemark",
		Pager: cmp.Or(sc.env["PAGER"], "less -FRX"),
		Now:   func() time.Time { return clock },
		Sleep: func(_ context.Context, d time.Duration) error {
			clock = clock.Add(d)
			return nil
		},
	}
	if sc.terminal {
		p.Screen = terminal.Screen{Terminal: true, Color: sc.env["NO_COLOR"] == "", Width: 80}
		p.Notes = p.Screen
	}
	code := run(t.Context(), p, getenv, sc.args)
	if code != sc.code {
		t.Errorf("exit code: have %d, want %d", code, sc.code)
	}
	show := strings.NewReplacer(srv.URL, "SERVER").Replace
	if diff := gocmp.Diff(strings.TrimPrefix(sc.out, "\n"), show(out.String())); diff != "" {
		t.Errorf("stdout (-want +have):\n%s", diff)
	}
	if diff := gocmp.Diff(strings.TrimPrefix(sc.err, "\n"), show(errOut.String())); diff != "" {
		t.Errorf("stderr (-want +have):\n%s", diff)
	}
	if sc.asked != nil {
		if diff := gocmp.Diff(sortedBodies(sc.asked), sortedBodies(asked)); diff != "" {
			t.Errorf("requests (-want +have):\n%s", diff)
		}
	}
}

// sortedBodies returns requests with the names in their bodies in one order, which JSON does not have.
func sortedBodies(requests []string) (out []string) {
	for _, line := range requests {
		head, body, _ := strings.Cut(line, " {")
		var fields map[string]any
		if json.Unmarshal([]byte("{"+body), &fields) == nil {
			sorted, _ := json.Marshal(fields)
			line = head + " " + string(sorted)
		}
		out = append(out, line)
	}
	return out
}

func performAll(t *testing.T, scripts []script) {
	for _, sc := range scripts {
		t.Run(sc.name, func(t *testing.T) { perform(t, sc) })
	}
}

func list(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "urls.txt")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

const (
	oneAdded = `{"items":[{"source":"https://a.example/","item":{"id":"url_a","status":"Pending","displaySource":"https://a.example/"}}]}`
	twoMixed = `{"items":[{"source":"https://a.example/","item":{"id":"url_a","status":"Pending","displaySource":"https://a.example/"}},
		{"source":"ftp://b","error":"scheme ftp is not crawled: give http or https"}]}`
)

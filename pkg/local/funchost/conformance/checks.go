package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// checkEnvelope posts junk to an endpoint, once chunked and once with a Content-Length.
func (p *process) checkEnvelope(t *testing.T, f function, more [][]byte) {
	bodies := junk(f)
	for i, b := range more {
		bodies[fmt.Sprintf("payload %d", i)] = b
	}
	for _, name := range slices.Sorted(maps.Keys(bodies)) {
		t.Run("answer to "+name, func(t *testing.T) { p.checkBody(t, f, bodies[name]) })
	}
	t.Run("has a route", func(t *testing.T) {
		got, err := p.do(http.MethodPost, "/"+f.name, envelope(f, []byte("null")), true)
		if err != nil {
			t.Fatal(err)
		}
		if got.Status == http.StatusNotFound || got.Status == http.StatusMethodNotAllowed {
			t.Errorf("POST /%s: have %d", f.name, got.Status)
		}
	})
}

func (p *process) checkBody(t *testing.T, f function, body []byte) {
	t.Helper()
	var status [2]int
	for i, chunked := range []bool{false, true} {
		got, err := p.do(http.MethodPost, "/"+f.name, body, chunked)
		if err != nil {
			t.Fatalf("chunked %v: %v", chunked, err)
		}
		if err := goodForm(got); err != nil {
			t.Errorf("chunked %v: status %d: %v", chunked, got.Status, err)
		}
		status[i] = got.Status
	}
	if status[0] != status[1] {
		t.Errorf("status %d with Content-Length, %d chunked", status[0], status[1])
	}
}

// goodForm checks what a host requires of every answer to an envelope, including failures: a body that is not empty,
// is a JSON object, and has the Content-Type of JSON.
func goodForm(a Answer) error {
	media, _, _ := mime.ParseMediaType(a.Header.Get("Content-Type"))
	if media != "application/json" && media != "text/json" {
		return fmt.Errorf("Content-Type is %q, want application/json", a.Header.Get("Content-Type"))
	}
	if len(a.Body) == 0 {
		return errors.New("body is empty; a host hangs on that")
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(a.Body, &object); err != nil || object == nil {
		return fmt.Errorf("body is no JSON object: %.200s", a.Body)
	}
	if a.Status >= 300 && a.Status < 400 {
		return fmt.Errorf("redirect, which a host follows")
	}
	if logs, ok := object["Logs"]; ok {
		var lines []string
		if json.Unmarshal(logs, &lines) != nil {
			return fmt.Errorf("Logs is no list of strings: %.200s", logs)
		}
	}
	return nil
}

// checkMessage sends a sample in both encodings, each once chunked and once with a Content-Length.
func (p *process) checkMessage(t *testing.T, f function, m Message) {
	bodies := encodings(f, m.Body)
	for _, name := range slices.Sorted(maps.Keys(bodies)) {
		for _, chunked := range []bool{false, true} {
			t.Run(fmt.Sprintf("message is taken %s chunked %v", name, chunked), func(t *testing.T) {
				got, err := p.do(http.MethodPost, "/"+f.name, bodies[name], chunked)
				if err == nil {
					err = m.judge(got)
				}
				if err != nil {
					t.Errorf("status %d, body %.500s: %v", got.Status, got.Body, err)
				}
			})
		}
	}
}

func (m Message) judge(a Answer) error {
	if err := goodForm(a); err != nil {
		return err
	}
	if m.Taken != nil {
		return m.Taken(a)
	}
	if a.Status != http.StatusOK {
		return errors.New("want status 200")
	}
	return nil
}

// checkRoute calls an HTTP function at its route, once in the case of function.json and once in capitals, because
// hosts pass the case through unchanged. A function that accepts every path, to report unknown paths, may answer
// anything.
func (p *process) checkRoute(t *testing.T, a app, f function) {
	if strings.HasPrefix(f.route, "{*") {
		return
	}
	methods := f.methods
	if len(methods) == 0 {
		methods = []string{"get", "post"}
	}
	for _, m := range methods {
		t.Run(m+" has a route", func(t *testing.T) { p.checkRouted(t, m, f.path(a)) })
		t.Run(m+" in capitals", func(t *testing.T) { p.checkRouted(t, m, f.upper(a)) })
	}
}

// checkRouted fails when the handler does not know the path. A function may itself answer 404 for a missing object,
// so the answer is compared with the answer for an unknown path. If function.json lists a method only so that clients
// get an answer, the handler may refuse that method; RFC 9110 section 15.5.6 then requires the Allow header.
func (p *process) checkRouted(t *testing.T, method, path string) {
	t.Helper()
	method = strings.ToUpper(method)
	got, err := p.do(method, path, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	unknown, err := p.do(method, unknownPath, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	same := got.Status == unknown.Status &&
		strings.ReplaceAll(string(got.Body), path, "") == strings.ReplaceAll(string(unknown.Body), unknownPath, "")
	refused := got.Status == http.StatusMethodNotAllowed && got.Header.Get("Allow") == ""
	if refused || got.Status == http.StatusNotFound && same {
		t.Errorf("%s %s: have %d, as for a path nobody knows", method, path, got.Status)
	}
}

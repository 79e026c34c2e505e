package openapitest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api/openapi"
)

func checker(t *testing.T) *Checker {
	t.Helper()
	c, err := New(openapi.JSON)
	must(t, err)
	return c
}

// TestConversationsAreAsDescribed checks all requests and answers of the recorded conversations against the
// description. The examples are some of them.
func TestConversationsAreAsDescribed(t *testing.T) {
	c := checker(t)
	talks, err := readConversations(top + "/handlers/testdata")
	must(t, err)
	seen := 0
	for _, s := range talks {
		path, below := strings.CutPrefix(s.Path, "/api")
		if path, _, _ = strings.Cut(path, "?"); !below {
			continue // the host's own requests
		}
		seen++
		if s.Status < 400 { // a refused request need not be as described
			if _, err := c.Request(s.Method, path, []byte(s.Request)); err != nil {
				t.Errorf("%s: %v", s.Name, err)
			}
		}
		if err := c.Answer(s.Method, path, s.Status, mediaOf(s), s.Answer); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
	}
	if seen < 50 {
		t.Errorf("%d steps", seen)
	}
}

// mediaOf returns the media type that an answer must have, because not every conversation records it.
func mediaOf(s Step) string {
	switch {
	case s.Status >= 400:
		return "application/problem+json"
	case strings.HasPrefix(string(s.Answer), `"\u003c?xml`), strings.HasPrefix(string(s.Answer), `"<?xml`):
		return "application/atom+xml"
	case strings.HasPrefix(string(s.Answer), `{"version":"https://jsonfeed.org/`):
		return "application/feed+json"
	case strings.HasPrefix(string(s.Answer), `"url,id,`), strings.HasPrefix(string(s.Answer), `"at,kind,`),
		strings.HasPrefix(string(s.Answer), `"at,value,`):
		return "text/csv"
	case strings.HasPrefix(string(s.Answer), `"{\"id\":`):
		return "application/jsonl"
	case strings.HasPrefix(string(s.Answer), `"# `):
		return "text/markdown"
	case json.Valid(s.Answer) && s.Answer[0] == '"':
		return "text/plain"
	}
	return "application/json"
}

// TestCheckerRefuses checks that the checker refuses whatever is not described.
func TestCheckerRefuses(t *testing.T) {
	c := checker(t)
	item := `{"id":"url_` + strings.Repeat("a", 26) +
		`","type":"url","status":"Pending","normalizedSource":"https://a.example/","reindexRequested":false,"reindexGeneration":0,"imageCount":0,"crawlAttempts":0}`
	if err := c.Answer("DELETE", "/items/x", 202, "application/json; charset=utf-8", []byte(item)); err != nil {
		t.Error(err)
	}
	for name, err := range map[string]error{
		"an unknown path":    c.Answer("GET", "/nothing", 200, "application/json", []byte(`{}`)),
		"an unknown status":  c.Answer("DELETE", "/items/x", 201, "application/json", []byte(item)),
		"another media type": c.Answer("DELETE", "/items/x", 202, "text/html", []byte(item)),
		"no media type":      c.Answer("DELETE", "/items/x", 202, "", []byte(item)),
		"an unknown field":   c.Answer("DELETE", "/items/x", 202, "application/json", []byte(`{"colour":"red",`+item[1:])),
		"a field too few": c.Answer("DELETE", "/items/x", 202, "application/json",
			[]byte(strings.Replace(item, `"type":"url",`, "", 1))),
		"an unknown status of": c.Answer("DELETE", "/items/x", 202, "application/json",
			[]byte(strings.Replace(item, "Pending", "Lost", 1))),
		"no time": c.Answer("DELETE", "/items/x", 202, "application/json",
			[]byte(`{"firstSeen":"yesterday",`+item[1:])),
		"an error as JSON":    c.Answer("DELETE", "/items/x", 404, "application/json", []byte(`{"title":"x","status":404}`)),
		"an error of the app": c.Answer("DELETE", "/items/x", 500, "application/problem+json", []byte(`{"title":"x"}`)),
		"no body":             second(c.Request("POST", "/AddUrlDocument", nil)),
		"a body":              second(c.Request("GET", "/items", []byte(`{}`))),
		"an unknown field of": second(c.Request("POST", "/AddUrlDocument", []byte(`{"uri":"x"}`))),
		"too many": second(c.Request("POST", "/AddUrlDocument",
			[]byte(`{"urls":[`+strings.Repeat(`"",`, 1000)+`""]}`))),
	} {
		if err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

func second(_ string, err error) error { return err }

package ui

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
)

// TestReasonsInPlainWords checks that no page shows why a check failed in the words of the program: each reason is a
// sentence for people.
func TestReasonsInPlainWords(t *testing.T) {
	for message, want := range map[string]string{
		"": "",
		`Get "https://x":
			dial tcp: lookup harbour.example on 10.0.0.1:53: no such host`: "The name harbour.example does not exist",

		"dial tcp: lookup harbour.example: no such host":      "The name harbour.example does not exist",
		"HTTP 404 Not Found: missing on 2 of 3 checks":        "The server answers 404: the page is gone",
		"HTTP 401 Unauthorized":                               "The page asks to sign in",
		"HTTP 503 Service Unavailable":                        "The server answers 503: it has a problem of its own",
		"HTTP 429: the host is left alone for 1m0s":           "The server answers 429: it asks for fewer visits",
		"dial tcp 192.0.2.1:443: connect: connection refused": "port.example does not accept connections",
		"context deadline exceeded (Client.Timeout)":          "port.example does not answer in time",
		"tls: failed to verify certificate: x509: unknown":    "The certificate of port.example is not valid",
		"read tcp 10.0.0.1:1->192.0.2.1:443: unexpected EOF":  "port.example cannot be reached",
		"the body is in a content encoding that is not known": "The body is in a content encoding that is not known",
	} {
		have := reasonOf(message, "port.example")
		if have != want {
			t.Errorf("%q: %q, want %q", message, have, want)
		}
		if inner.MatchString(have) {
			t.Errorf("%q has words of the program", have)
		}
	}
	for message, want := range map[string]string{
		"url: htp answers neither way: dial tcp: lookup htp: no such host": "The name htp does not exist.",
		"url: no scheme: it must begin with http:// or https://":           "This is no address, such as example.org/news.",
	} {
		if have := addressRefused(message); have != want {
			t.Errorf("%q: %q, want %q", message, have, want)
		}
	}
}

// TestOutcomesOfAReading checks that each reading says who was told of it, or why nobody was.
func TestOutcomesOfAReading(t *testing.T) {
	until := time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)
	of := func(o ...api.Outcome) (c api.FeedChange) { c.Outcome = o; return c }
	small, silenced, first := of(), of(), of()
	small.Small = &api.Small{Why: "moves", What: "a clock"}
	silenced.Silenced, silenced.Ignored = true, []api.IgnoredChange{{Rule: "ignore: people are looking"}}
	first.Kind = api.ChangeNew
	for _, tt := range []struct {
		c    api.FeedChange
		want string
	}{
		{of(), "not told: nobody asked"},
		{first, "watched"},
		{small, "small: a clock that moves at most checks"},
		{silenced, "ignored: lines like “…people are looking…”"},
		{of(api.Outcome{State: "told", Channels: []string{"anna"}}), "told anna"},
		{of(api.Outcome{State: "notMet", Why: "price: 89 is not below 80"}), "not told: 89 is not below 80"},
		{of(api.Outcome{State: "muted", Until: until}), "muted until 22 Nov 09:00"},
		{of(api.Outcome{State: "gathered", Until: until}), "gathered until 22 Nov 09:00"},
		{of(api.Outcome{State: "cannot", Why: "the page has no price"}), "could not be told: the page has no price"},
		{of(api.Outcome{State: "notMet", Why: "x"}, api.Outcome{State: "failed", Why: "mailbox full"}),
			"could not be sent: mailbox full; not told: x"},
	} {
		var have []string
		for _, b := range outcomesOf(tt.c, time.UTC) {
			have = append(have, b.Text)
		}
		if text := strings.Join(have, "; "); text != tt.want {
			t.Errorf("%q, want %q", text, tt.want)
		}
	}
}

// TestConditionsInWords checks that the page says in words what an alert waits for, and draws the limit of a value.
func TestConditionsInWords(t *testing.T) {
	for want, c := range map[string]api.Condition{
		"when the price is below 80 EUR":           {Field: "price", Op: "<", Value: "80 EUR"},
		"when the price is below the lowest value": {Field: "price", Op: "<", Against: "lowest"},
		"when in stock":                            {Field: "availability", Op: "fromTo", To: "in stock"},
		"when the price changes by at least 10 % against the previous value": {
			Field: "price", Op: "changedBy", Value: "10", Unit: "%"},
		"when the price falls":      {Field: "price", Op: "<", Against: "previous"},
		"when “version” changes":    {Field: "version", Op: "fromTo"},
		"when the price disappears": {Field: "price", Op: "disappears"},
	} {
		if have := conditionWords(c); have != want {
			t.Errorf("%q, want %q", have, want)
		}
	}
	f := figure{namedField: namedField{Name: "price"}}
	rule := api.Rule{Enabled: true}
	rule.When = &api.Condition{Field: "price", Op: "<", Value: "80 EUR"}
	if f.limit([]api.Rule{rule}); f.Past.Level == nil || *f.Past.Level != 80 || f.Past.Told != "told below 80" {
		t.Errorf("%+v", f.Past)
	}
	names := figureNames(map[string]api.ItemField{"b": {Text: "1", Asked: true}, "c": {Text: "2", Asked: true},
		"author": {Text: "x"},
		"price":  {Text: "3 EUR"}, "availability": {Text: "in stock"}})
	if !slices.Equal(names, []string{"price", "availability", "b"}) {
		t.Errorf("%q", names)
	}
}

// TestOneRowForANewEntry checks that lists leave out the change of a text that is only a new entry of which somebody
// was told, and nothing else.
func TestOneRowForANewEntry(t *testing.T) {
	at := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	sent := []api.Outcome{{State: api.OutcomeSent}}
	line := func(op, text string) api.FeedChange {
		return api.FeedChange{At: at, Passages: []api.ChangedPassage{{Op: op, Text: text}}}
	}
	entry := api.FeedChange{ID: "e", At: at.Add(-time.Second), Listed: &api.ListedEntry{Title: "Librarian"},
		Passages: []api.ChangedPassage{{Op: "added", Text: "Librarian Full time, at the old town"}}}
	entry.Outcome = sent
	told, elsewhere := line("added", "Librarian, told, too"), line("added", "Librarian, told to somebody else")
	told.Outcome, elsewhere.Outcome = sent, []api.Outcome{{State: api.OutcomeSent, Rule: "other"}}
	both, more := line("added", "Librarian"), line("added", "Librarian and more")
	both.Passages = append(both.Passages, api.ChangedPassage{Op: "added", Text: "Full time, at the old town"})
	later, ofOther := line("added", "Librarian, at another check"), line("added", "Librarian, of another page")
	more.More, later.At, ofOther.ItemID = 1, at.Add(time.Hour), "other"
	for _, c := range []api.FeedChange{line("added", "Librarian, full time"), told, both} {
		if kept, left := withoutEntries([]api.FeedChange{c, entry}, false); len(kept) != 1 || left["e"].At.IsZero() {
			t.Errorf("%+v has a row of its own", c.Passages)
		}
	}
	for _, c := range []api.FeedChange{elsewhere, more, later, ofOther, line("removed", "Librarian"),
		line("added", "Baker")} {
		if kept, _ := withoutEntries([]api.FeedChange{c, entry}, false); len(kept) != 2 {
			t.Errorf("%+v has no row", c.Passages)
		}
	}
	if kept, left := withoutEntries([]api.FeedChange{more, entry}, true); len(kept) != 1 || left["e"].Passages == nil {
		t.Error("other text of the check has a row of its own where it is shown with the entry")
	}
	if kept, _ := withoutEntries([]api.FeedChange{elsewhere, entry}, true); len(kept) != 2 {
		t.Error("what somebody else was told has no row")
	}
	if entry.Outcome = nil; len(entriesBeside(told, []api.FeedChange{told, entry})) > 0 {
		t.Error("an entry of which nobody was told hides the change")
	}
}

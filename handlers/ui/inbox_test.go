package ui

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
)

// noisy answers as an API with a problem, and with small changes where these are asked for.
type noisy struct{ asked []string }

// RoundTrip implements [http.RoundTripper].
func (n *noisy) RoundTrip(r *http.Request) (*http.Response, error) {
	n.asked = append(n.asked, r.URL.Path+"?"+r.URL.RawQuery)
	body := "{}"
	change := func(id, page, kind, day, small string) string {
		return fmt.Sprintf(`{"id": "1.%s.1", "itemId": %q, "title": "Page %s", "at": "2026-09-%sT08:00:00Z", "kind": %q%s}`, id, page,
			page, day, kind, small)
	}
	const moves, order = `, "small": {"why": "moves", "what": "a clock"}`, `, "small": {"why": "order"}`
	switch {
	case strings.HasSuffix(r.URL.Path, "/SearchStatus"):
		body = `{"items": {"Indexed": 1001}}`
	case strings.HasSuffix(r.URL.Path, "/changes") && r.URL.Query().Get("small") == "only":
		body = `{"changes": [` + change("5", "a", "content", "20", moves) + "," + change("4", "a", "content", "20", moves) + "," +
			change("3", "b", "content", "20", order) + "," + change("1", "a", "content", "18", moves) + `]}`
	case strings.HasSuffix(r.URL.Path, "/changes"):
		body = `{"changes": [` + change("2", "c", "gone", "19", "") + `]}`
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

// TestU1SmallChangesAreOneLine checks that the small changes of a day are one folded line in words, in its day, that a
// problem is a line of its own, and that the page asks the API for changes no more than twice (U1).
func TestU1SmallChangesAreOneLine(t *testing.T) {
	n := &noisy{}
	h := New(Options{Client: api.NewClient("http://tidemark.example", "", &http.Client{Transport: n})})
	body := read(t, h, "/")
	inOrder(t, body, "20 September 2026</h2>", "3 small changes on 2 pages: clocks, order of a list", "Page a", "clocks",
		"2 times", "Page b", "once", "day=2026-09-20&amp;small=only", "19 September 2026</h2>", `class="row fail"`, "Page c", "gone",
		"18 September 2026</h2>", "1 small change on 1 page: clocks")
	lists := 0
	for _, path := range n.asked {
		// The count of problems asks for the broken watches.
		if strings.Contains(path, "/changes?") && !strings.Contains(path, "watchBroken") {
			lists++
		}
	}
	if values := read(t, h, "/?kind=field"); lists != 2 || strings.Contains(values, "changes on 2 pages") {
		t.Errorf("%d lists of changes: %q", lists, n.asked)
	}
	if days := strings.Count(body, `<a class="chip"`); days != 30 {
		t.Errorf("%d days to choose from", days)
	}
}

// TestU1OneRowForACheck checks that an entry of a list of which somebody was told, and the text that has it, are one
// line, and that marking the line as seen marks both (U1).
func TestU1OneRowForACheck(t *testing.T) {
	const told = `"itemId": "jobs", "to": "b", "at": "2026-09-20T08:00:00Z", "outcome": [{"rule": "r", "state": "told"}],
		"passages": [{"op": "added", "text": "Warden, full time"}]`
	changes := `{"changes": [{"id": "1.2.1", "kind": "content", ` + told + `},
		{"id": "1.2.0", "kind": "listed", "listed": {"title": "Warden"}, ` + told + `}]}`
	h := New(Options{Client: api.NewClient("http://tidemark.example", "", &http.Client{Transport: answers{
		"/SearchStatus": `{"items": {"Indexed": 1001}}`, "/changes": changes, "/readers/me": `{"unread": 2}`}})})
	body := read(t, h, "/?told=1")
	if n := strings.Count(body, "data-change"); n != 1 || !strings.Contains(body, `value="1.2.0,1.2.1"`) {
		t.Errorf("%d lines: %s", n, body)
	}
}

// TestU6AddedPagesAreCounted checks that a line about new pages says how many there are, or how many at least, in one
// sentence (U6).
func TestU6AddedPagesAreCounted(t *testing.T) {
	var all []string
	for i := range 34 {
		all = append(all, fmt.Sprintf(`{"id": "1.%d.1", "itemId": "p%[1]d", "host": "a.example", "kind": "new",
			"at": "2026-09-20T08:00:00Z"}`, i))
	}
	for rest, want := range map[string]string{"": `<span class="cut">34 pages added</span>`,
		`, "continuation": "c"`: `<span class="cut">At least 136 pages added</span>`} {
		h := New(Options{Client: api.NewClient("http://tidemark.example", "", &http.Client{Transport: answers{
			"/SearchStatus": `{"items": {"Indexed": 1001}}`,
			"/changes":      `{"changes": [` + strings.Join(all, ",") + `]` + rest + `}`}})})
		inOrder(t, read(t, h, "/?told=1"), want)
	}
}

// TestU1TheMark checks that the mark lies below the last change that the reader has not seen (U1).
func TestU1TheMark(t *testing.T) {
	day := func(unread ...bool) (d changesOfDay) {
		for _, u := range unread {
			d.Changes = append(d.Changes, shownChange{Unread: u})
		}
		return d
	}
	for want, days := range map[string][]changesOfDay{
		"[-1 1]": {day(true), day(true, false)},
		"[2 -1]": {day(false, true, false), day(false)},
		"[-1 2]": {day(true), day(false, true)},
	} {
		mark(days, false)
		if have := fmt.Sprint([]int{days[0].mark, days[1].mark}); have != want {
			t.Errorf("%s, want %s", have, want)
		}
	}
	seen := []changesOfDay{day(false)}
	if mark(seen, false); seen[0].mark != -1 {
		t.Error("all is seen, and there is a mark")
	}
	ends := day(true)
	ends.mark = 1
	if all := ends.Panels(); len(all) != 2 || !all[1].Marked || !all[1].Ends {
		t.Errorf("%+v", all)
	}
}

// TestU1HowPeopleWereTold checks that a line names the gravest outcome: a message that failed, then one that was sent,
// by the way of its channel (U1).
func TestU1HowPeopleWereTold(t *testing.T) {
	mail, phone := api.Channel{Service: "smtp"}, api.Channel{Service: "ntfy"}
	mail.Name, mail.Fields, phone.Name = "anna", map[string]string{"to": "anna@fenland.example"}, "bell"
	at := time.Date(2026, 3, 1, 8, 56, 0, 0, time.UTC)
	sent := api.Outcome{State: api.OutcomeSent, Channels: []string{"anna", "bell"}, At: at}
	other := api.Outcome{State: api.OutcomeNotMet, Channels: []string{"bell"}}
	have := toldBy([]api.Outcome{other, sent}, []api.Channel{mail, phone}, time.UTC)
	if have.Icon != "mail" || have.Words != "told by mail and on the phone" || have.At != "08:56" ||
		have.To != "by mail and on the phone to anna@fenland.example, bell" || have.Silent {
		t.Errorf("%+v", have)
	}
	failed := api.Outcome{State: api.OutcomeFailed, Channels: []string{"gone"}}
	if have = toldBy([]api.Outcome{sent, failed}, nil, time.UTC); have.Icon != "warn" || !have.Fails {
		t.Errorf("%+v", have)
	}
	muted := api.Outcome{State: api.OutcomeMuted}
	if have = toldBy([]api.Outcome{other, muted}, nil, time.UTC); have.Icon != "mute" || !have.Silent {
		t.Errorf("%+v", have)
	}
	if have = toldBy([]api.Outcome{other}, nil, time.UTC); have.Icon != "" || !have.Silent {
		t.Errorf("%+v", have)
	}
}

// TestDaysOfTheReader checks that a value is since the day which the reader's clock shows (U9).
func TestDaysOfTheReader(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 3, 29, 0, 30, 0, 0, berlin) // the evening before in UTC, and the night of summer time
	for back, want := range map[time.Duration]string{
		10 * time.Minute: "today", 40 * time.Minute: "yesterday", 24 * time.Hour: "yesterday", 25 * time.Hour: "27 March",
		400 * 24 * time.Hour: "22 February 2025",
	} {
		if have := dayWord(now, now.Add(-back).UTC()); have != want {
			t.Errorf("%s ago: %s, want %s", back, have, want)
		}
	}
}

package notify

import (
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

// W20: TestW20Parse checks which addresses are taken, and in which form they are kept.
func TestW20Parse(t *testing.T) {
	for text, want := range map[string]string{
		" https://Tide.example/ ":          "https://tide.example",
		"http://192.168.1.5:7071/api/ui/":  "http://192.168.1.5:7071",
		"http://[fd00::1]:7071":            "http://[fd00::1]:7071",
		"https://tést.example":             "https://xn--tst-bma.example",
		"https://a\"b.example":             "",
		"https://<b>.example":              "",
		"https://1.2.3.4:99999":            "",
		"https://tide.example:":            "",
		"https://tide\u202e.example":       "",
		"tide.example":                     "",
		"//tide.example":                   "",
		"javascript://tide.example":        "",
		"https://":                         "",
		"https://a:b@tide.example":         "",
		"https://tide.example/?x":          "",
		"https://tide.example/#x":          "",
		"https://tide.example/sub":         "https://tide.example/sub",
		"https://tide.example/a/b/api/ui/": "https://tide.example/a/b",
		"https://tide.example/a/../b":      "",
		"https://tide.example//evil":       "",
		"https://tide.example/a%2fb":       "",
		"https://tide.example\r\nBcc: e@f": "",
	} {
		if have, err := ParseHome(text); have != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v; want %q", text, have, err, want)
		}
	}
	for text, want := range map[string]bool{"http://localhost:7071": true, "http://127.0.0.1": true, "http://[::1]": true,
		"http://tide.localhost": true, "http://0.0.0.0:7071": true, "http://192.168.1.5": false, "https://a.example": false} {
		if IsLoopback(text) != want {
			t.Errorf("%q: loopback %v", text, !want)
		}
	}
}

// W20: TestW20Confirm checks that an address is kept and removed, and that the setting takes its place.
func TestW20Confirm(t *testing.T) {
	now := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	table := mem.New(func() time.Time { return now }).Table("Notifications")
	if err := table.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	b := HomeAddress{Rows: table}
	if at, err := b.get(t.Context()); err != nil || at.URL != "" {
		t.Errorf("at first: %+v, %v", at, err)
	}
	if _, err := b.confirm(t.Context(), "https://tide.example/", "anna", now); err != nil {
		t.Fatal(err)
	}
	at, err := b.get(t.Context())
	if err != nil || at.URL != "https://tide.example" || at.By != "anna" || !at.At.Equal(now) || at.Origin != "here" {
		t.Errorf("%+v, %v", at, err)
	}
	if _, err := b.confirm(t.Context(), "tide", "anna", now); fault.FieldOf(err) != "url" {
		t.Errorf("a mistake: %v", err)
	}
	set := HomeAddress{Rows: table, Set: "https://set.example"}
	if at, _ := set.get(t.Context()); at.URL != "https://set.example" || at.Origin != "setting" {
		t.Errorf("with the setting: %+v", at)
	}
	if _, err := set.confirm(t.Context(), "https://other.example", "anna", now); !fault.Is(err, fault.Conflict) {
		t.Errorf("with the setting: %v", err)
	}
	if at, err := b.confirm(t.Context(), "", "anna", now); err != nil || at.URL != "" {
		t.Errorf("removed: %+v, %v", at, err)
	}
}

// TestL8AddressBelowAPath checks that links and paths in messages begin with the path of the address, and that an
// address must end in the path below which the app is reached.
func TestL8AddressBelowAPath(t *testing.T) {
	c := api.FeedChange{ID: "x", ItemID: "url_a", From: "a", To: "b", Diff: "/api/items/url_a/diff?from=a&to=b"}
	below := links{home: "https://t.example/tide" + dashboardPath}
	if at := below.of(nil, c).Difference; at != "https://t.example/tide/api/ui/items/url_a/diff?from=a&to=b" {
		t.Errorf("the difference is at %s", at)
	}
	if path := below.below(c.Diff); path != "/tide"+c.Diff {
		t.Errorf("the path of the difference is %s", path)
	}
	if path := (links{}).below(c.Diff); path != c.Diff {
		t.Errorf("without an address the path of the difference is %s", path)
	}
	table := mem.New(time.Now).Table("Notifications")
	if err := table.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	b := HomeAddress{Rows: table, BasePath: "/tide"}
	if _, err := b.confirm(t.Context(), "https://t.example", "anna", time.Now()); fault.FieldOf(err) != "url" {
		t.Errorf("an address outside: %v", err)
	}
	if at, err := b.confirm(t.Context(), "https://t.example/outer/tide/", "anna", time.Now()); err != nil ||
		at.URL != "https://t.example/outer/tide" {
		t.Errorf("%+v, %v", at, err)
	}
}

package notify

import (
	"testing"
	"time"

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
		"https://tide.example/sub":         "",
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

package ui

import (
	"net/url"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
)

// G2: TestG2SinceWhenAValueIsKnown checks that a trial says since when a value has been read if that is within the time
// that it looks back, and not otherwise.
func TestG2SinceWhenAValueIsKnown(t *testing.T) {
	first := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	d := tellData{Of: tellScope{More: "alert"}, Form: Form{Values: url.Values{"when.field": {" price "}}}}
	d.Item.ID, d.Item.Fields = "url_a", map[string]api.ItemField{"price": {First: &api.FieldPoint{At: first}}}
	if p := d.Past(first.AddDate(0, 0, 29)); p == nil || p.Since != first || p.Unread || p.Unlisted {
		t.Errorf("after 29 days: %+v", p)
	}
	if p := d.Past(first.AddDate(0, 0, 31)); p != nil {
		t.Errorf("after 31 days: %+v", p)
	}
}

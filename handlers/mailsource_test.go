package handlers

import (
	"net/http"
	"strings"
	"testing"
)

// TestD1SenderAndSubjectOfTheSourceAreNotUsed checks that the sender and the subject of a mail come from the request
// or from the mail's header; the ones in source are accepted and ignored (D1, spec 001).
func TestD1SenderAndSubjectOfTheSourceAreNotUsed(t *testing.T) {
	r := newRig(t)
	mail := func(source string) (int, string) {
		w := do(t, r, "POST", "/api/normalize/email", `{"raw_text":"High water at noon. Unsubscribe",`+source+`}`)
		return w.Code, w.Body.String()
	}
	const own = `"from":"news@port.example","subject":"Tides"`
	_, want := mail(own + `,"source":{"date":"2026-03-01T03:00:00Z"}`)
	code, have := mail(own + `,"source":{"date":"2026-03-01T03:00:00Z","from_addr":"x@other.example","subject":"Lights"}`)
	if code != http.StatusOK || have != want || strings.Contains(have, "other.example") {
		t.Errorf("%d %s\nwant %s", code, have, want)
	}
	for field, without := range map[string]string{
		"subject": `"from":"news@port.example","content_type":"correspondence_thread","source":{"subject":"Tides"}`,
		"from":    `"subject":"Tides","source":{"date":"2026-03-01","from_addr":"news@port.example"}`,
	} {
		if code, have = mail(without); code != http.StatusBadRequest || !strings.Contains(have, `"field":"`+field+`"`) {
			t.Errorf("without %s: %d %s", field, code, have)
		}
	}
}

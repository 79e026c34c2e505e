package handlers

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/notify/form"
)

const newChannel = "/api/ui/notifications/new-channel"

// mailTyped is the form of a mailbox as it is typed.
func mailTyped(do string, more ...string) url.Values {
	f := url.Values{"do": {do}, "kind": {"smtp"}, "name": {"mail"}, "fields.host": {"smtp.port.example"},
		"fields.encryption": {"starttls"}, "fields.user": {"tide"}, "fields.password": {"hunter2"},
		"fields.from": {"tide@port.example"}, "fields.to": {"anna@port.example"}}
	for i := 0; i < len(more); i += 2 {
		f.Set(more[i], more[i+1])
	}
	return f
}

// stored returns the channels that are stored.
func stored(t *testing.T, r *rig) (all api.Channels) {
	t.Helper()
	must(t, json.Unmarshal(do(t, r, "GET", "/api/channels", "").Body.Bytes(), &all))
	return all
}

// TestP1ChooseService checks that every service can be chosen, and that its form has its fields, with passwords hidden
// (P1).
func TestP1ChooseService(t *testing.T) {
	r := newRig(t)
	body := shows(t, r, newChannel, "Where shall messages go?", "E-mail", "Webhook", "Address in a setting")
	for _, s := range form.Services() {
		if !strings.Contains(body, "?kind="+s.Kind+`"`) {
			t.Errorf("%s cannot be chosen", s.Kind)
		}
		page := shows(t, r, newChannel+"?kind="+s.Kind, `name="name" value="`)
		for _, f := range s.Fields {
			input := `name="fields.` + f.Name + `"`
			if f.Secret {
				input = `<input type="password" ` + input + ` autocomplete="new-password"`
			}
			if !strings.Contains(page, input) || strings.Count(page, f.Label) == 0 {
				t.Errorf("the form of %s has no field %s", s.Kind, f.Name)
			}
		}
	}
	shows(t, r, newChannel+"?kind=smtp", `name="name" value="mail"`, `data-port="465"`)
}

// TestP1MailForm checks that a mailbox is set up in the dashboard: its fields are checked, a test is sent before it is
// saved, a receiver that refuses is no channel unless a person insists, and no page shows the password (P1).
func TestP1MailForm(t *testing.T) {
	r := newRig(t)
	shows2 := func(what string, f url.Values, code int, texts ...string) {
		t.Helper()
		w := post(t, r, newChannel, "same-origin", f)
		body := w.Body.String()
		for _, text := range texts {
			if !strings.Contains(body, text) {
				t.Errorf("%s: %q is missing in\n%s", what, text, body)
			}
		}
		if w.Code != code || strings.Contains(body, "hunter2") {
			t.Errorf("%s: %d, or the page has the password", what, w.Code)
		}
	}
	shows2("a check", mailTyped("check", "fields.from", "", "fields.port", "x"), http.StatusBadRequest,
		"From is missing", "The port must be a number", `value="smtp.port.example"`, `value="tide"`)
	shows2("a check of a private address", mailTyped("check", "fields.host", "192.168.1.5"), http.StatusOK,
		"may not send anything to 192.168.1.5:587")
	shows2("saving a private address", mailTyped("save", "fields.host", "192.168.1.5"), http.StatusOK,
		"No test was sent: Tidemark may not send anything to 192.168.1.5:587")
	shows2("saving it all the same", mailTyped("save-anyway", "fields.host", "192.168.1.5"), http.StatusBadRequest,
		"may not send anything to 192.168.1.5:587")
	shows2("a test", mailTyped("test"), http.StatusOK, "The receiver accepted the test")
	if n := len(r.receiver.got); n != 1 || len(stored(t, r).Channels) != 1 { // that of the file
		t.Errorf("%d messages, and %+v", n, stored(t, r))
	}
	later := url.Values{"do": {"save"}, "kind": {"shoutrrr"}, "name": {"later"}, "urlFrom": {"LATER"}}
	shows2("saving before the setting is there", later, http.StatusOK, "No test was sent", "Keep it all the same")
	later.Set("tested", "yes") // of other values
	r.receiver.fails = true
	shows2("a test of other values", mailTyped("save", "tested", "yes"), http.StatusOK, "Keep it all the same")
	shows2("saving what is refused", mailTyped("save"), http.StatusOK, "did not", "no such hook", "Keep it all the same")
	if len(stored(t, r).Channels) != 1 {
		t.Error("a channel whose test failed is saved")
	}
	if w := post(t, r, newChannel, "same-origin", mailTyped("save-anyway")); w.Code != http.StatusSeeOther {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	r.receiver.fails = false
	const mail = "/api/ui/notifications/channels/mail"
	if body := shows(t, r, mail, `value="smtp.port.example"`, "stored; leave it empty", "remove the stored one"); strings.
		Contains(body, "hunter2") {
		t.Error("the password is shown")
	}
	shows(t, r, "/api/ui/notifications/channels", "E-mail", "to anna@port.example, by")
}

// TestP1ChannelForARule checks that a channel that a new rule waits for leads back to the form of that rule, with the
// channel chosen (P1).
func TestP1ChannelForARule(t *testing.T) {
	r := newRig(t)
	shows(t, r, newChannel+"?kind=smtp&rule=tag%3Dlamps", `name="rule" value="tag=lamps"`)
	w := post(t, r, newChannel, "same-origin", mailTyped("save", "rule", "tag=lamps&name=Lamps"))
	const want = "/api/ui/tell?channels=mail&done=channel-tested&name=Lamps&tag=lamps"
	if to := w.Header().Get("Location"); to != want {
		t.Fatalf("%d leads to %q", w.Code, to)
	}
	shows(t, r, want, `name="channels" value="mail" checked`, `value="Lamps"`)
}

// TestP1ChangedDestination checks that a stored password is used for the same server only, and can be removed (P1).
func TestP1ChangedDestination(t *testing.T) {
	r := newRig(t)
	const mail = "/api/ui/notifications/channels/mail"
	send(t, r, newChannel, mailTyped("save"))
	kept := func(more ...string) url.Values {
		f := mailTyped("save", more...)
		f.Del("fields.password")
		return f
	}
	send(t, r, mail, kept("fields.to", "bo@port.example", "fields.host", "SMTP.port.example"))
	for _, more := range [][]string{{"fields.host", "smtp.evil.example"}, {"fields.port", "2525"},
		{"fields.encryption", "none"},
		{"fields.auth", "oauth2", "fields.tokenUrl", "https://evil.example/", "fields.clientId", "c"}} {
		w := post(t, r, mail, "same-origin", kept(more...))
		if body := w.Body.String(); w.Code != http.StatusBadRequest || !strings.Contains(body, "Type it again (Password)") {
			t.Errorf("%v: %d %s", more, w.Code, body)
		}
	}
	if c := stored(t, r).Channels[0]; c.Fields["to"] != "bo@port.example" || len(c.Secrets) != 1 || c.Problem != "" {
		t.Errorf("%+v", c)
	}
	send(t, r, mail, kept("fields.user", "", "remove.password", "on", "fields.host", "smtp.other.example"))
	if c := stored(t, r).Channels[0]; c.To != "smtp.other.example:587" || len(c.Secrets) != 0 || c.Problem != "" {
		t.Errorf("%+v", c)
	}
}

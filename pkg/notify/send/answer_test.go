package send

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// played is a transport that plays a service, with the answers of a handler.
type played struct{ http.Handler }

func (p played) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	p.ServeHTTP(w, r)
	return w.Result(), nil
}

// playing makes a sender whose requests a handler answers.
func playing(t testing.TB, answer http.HandlerFunc) *Sender {
	t.Helper()
	s := sender(t)
	s.http.Transport = played{answer}
	return s
}

const (
	slackBot     = "slack://xoxb:1-2-3@C012345"
	slackHook    = "slack://hook:A-B-C@webhook"
	telegramChat = "telegram://1:tk@telegram?chats=-1"
	discordHook  = "discord://tk@1"
	teamsHook    = "teams://h.example/workflows/w?sig=s"
	pushoverUser = "pushover://shoutrrr:tk@user"
	zulipStream  = "zulip://b:k@h.example/?stream=s"
	rocketHook   = "rocketchat://h.example/a/b"
	matrixRoom   = "matrix://:t@h.example/?rooms=!r:h"
	ntfyTopic    = "ntfy://h.example/t"
)

// TestY7SentMeansAccepted checks that a message counts as sent only if the body of the answer does not refuse it.
func TestY7SentMeansAccepted(t *testing.T) {
	const throttled = `Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 429 ` +
		`with ContextId tcid=0`
	for _, tt := range []struct {
		to, body string
		status   int
		why      string // in its error; "" when it is sent
		ill      bool
	}{
		{slackBot, `{"ok":true,"ts":"1"}`, 200, "", false},
		{slackBot, `{"ok":false,"error":"channel_not_found"}`, 200, "channel_not_found", false},
		{slackBot, `{"ok":false,"error":"ratelimited"}`, 200, "ratelimited", true},
		{slackBot, `{"ok": false}`, 200, noReason, false},
		{slackBot, ``, 200, noYes, false},
		{slackBot, `{"ok":tr`, 200, noYes, false},
		{slackBot, `[]`, 200, noYes, false},
		{slackHook, "ok", 200, "", false},
		{slackHook, "ok\n", 200, "", false},
		{slackHook, "no_service", 200, noYes, false},
		{telegramChat, `{"ok":true,"result":{"message_id":1}}`, 200, "", false},
		{telegramChat, `{"ok":true,"result":{"text":"` + strings.Repeat(`\u2013`, 9000) + `"}}`, 200, "", false},
		{telegramChat, `{"ok":false,"error_code":403,"description":"Forbidden: bot was kicked"}`, 200, "was kicked", false},
		{discordHook, `{"id":"1","content":"x"}`, 200, "", false},
		{discordHook, "", 204, "", false},
		{discordHook, `{"message":"Unknown Webhook","code":10015}`, 200, "Unknown Webhook", false},
		{teamsHook, "1", 200, "", false},
		{teamsHook, "", 202, "", false},
		{teamsHook, throttled, 200, "HTTP error 429", true},
		{teamsHook, `{"error":{"code":"TriggerIsNotEnabled","message":"Could not run"}}`, 200, "Could not run", false},
		{pushoverUser, `{"status":1,"request":"r"}`, 200, "", false},
		{pushoverUser, `{"status":0,"errors":["user is invalid"]}`, 200, "user is invalid", false},
		{zulipStream, `{"result":"success","msg":"","id":1}`, 200, "", false},
		{zulipStream, `{"result":"error","msg":"Stream does not exist","code":"X"}`, 200, "does not exist", false},
		{rocketHook, `{"success":true}`, 200, "", false},
		{rocketHook, `{"success":false,"error":"invalid-channel"}`, 200, "invalid-channel", false},
		{matrixRoom, `{"event_id":"$1"}`, 200, "", false},
		{matrixRoom, `{"errcode":"M_FORBIDDEN","error":"not in room"}`, 200, "not in room", false},
		{ntfyTopic, `{"id":"1","error":null,"errors":[]}`, 200, "", false},
		{ntfyTopic, "<!DOCTYPE html><title>Sign in</title>", 200, "web page", false},
		{"generic://h.example/x", "<html>thanks</html>", 200, "", false},
	} {
		s := playing(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(tt.status)
			_, _ = io.WriteString(w, tt.body)
		})
		got := one(s, t.Context(), Target{Service: tt.to}, message)
		if got.OK != (tt.why == "") || !strings.Contains(got.Error, tt.why) || got.Ill != tt.ill || got.Final {
			t.Errorf("%s says %.90s: %+v", tt.to, tt.body, got)
		}
	}
}

// TestY7HalfAnAnswer checks that a message does not count as sent if the connection ends within the answer.
func TestY7HalfAnAnswer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "99")
		_, _ = io.WriteString(w, `{"id":"1",`)
	}))
	t.Cleanup(server.Close)
	to := Target{Service: "ntfy://" + strings.TrimPrefix(server.URL, "http://") + "/t?scheme=http"}
	if got := one(sender(t, "127.0.0.1"), t.Context(), to, message); got.OK || !got.Ill ||
		!strings.Contains(got.Error, "no answer") {
		t.Errorf("%+v", got)
	}
}

// TestY7Pauses checks that the pause that an answer asks for is obeyed in each form.
func TestY7Pauses(t *testing.T) {
	date := func(layout string) string { return sent.Add(2 * time.Hour).Format(layout) }
	for _, tt := range []struct {
		name, header, body string
		want               time.Duration
	}{
		{"Retry-After", "7200", "", 2 * time.Hour},
		{"Retry-After", "7200.5", "", 2*time.Hour + time.Second/2},
		{"Retry-After", date(http.TimeFormat), "", 2 * time.Hour},
		{"Retry-After", date(time.RFC850), "", 2 * time.Hour},
		{"Retry-After", date(time.ANSIC), "", 2 * time.Hour},
		{"Retry-After", date(time.RFC1123Z), "", 2 * time.Hour},
		{"Retry-After", "-5", "", 0},
		{"Retry-After", "soon", "", 0},
		{"X-RateLimit-Reset-After", "1.5", "", 3 * time.Second / 2},
		{"Retry-After", "1", `{"ok":false,"error_code":429,"parameters":{"retry_after":300}}`, 5 * time.Minute},
		{"X", "", `{"message":"You are being rate limited.","retry_after":0.5,"global":false}`, time.Second / 2},
		{"X", "", `{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":2000}`, 2 * time.Second},
		{"X", "", `{"code":"RATE_LIMIT_HIT","result":"error","retry-after":28.5}`, 28*time.Second + time.Second/2},
		{"X", "", `{"retry_after":"60"}`, time.Minute},
		{"X", "", `{"retry_after":1e12,"retry_after_ms":-5}`, maxAfter},
	} {
		for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusForbidden} {
			s := playing(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set(tt.name, tt.header)
				w.WriteHeader(status)
				_, _ = io.WriteString(w, tt.body)
			})
			got := one(s, t.Context(), Target{Service: telegramChat}, message)
			if got.OK || got.After != tt.want || got.Ill == (status == http.StatusForbidden) {
				t.Errorf("%d %s: %s %s: %+v", status, tt.name, tt.header, tt.body, got)
			}
		}
	}
}

// TestY7EachReceiver checks that a receiver that refuses a message or does not answer costs the others nothing, and
// that a message goes only to the wanted receivers.
func TestY7EachReceiver(t *testing.T) {
	const address = "telegram://1:tk@telegram?chats=-1,-2,-3,-2"
	_, names, err := Check(address)
	if must(t, err); strings.Join(names, " ") != "-1 -2 -3" {
		t.Errorf("%q", names)
	}
	s := playing(t, func(w http.ResponseWriter, r *http.Request) {
		switch body, _ := io.ReadAll(r.Body); {
		case strings.Contains(string(body), `"-1"`):
			<-r.Context().Done()
		case strings.Contains(string(body), `"-2"`):
			http.Error(w, `{"ok":false,"description":"Forbidden: bot was kicked"}`, http.StatusForbidden)
		default:
			_, _ = io.WriteString(w, `{"ok":true}`)
		}
	})
	s.http.Timeout = 50 * time.Millisecond
	all := s.Send(t.Context(), Target{Service: address}, message)
	if len(all) != 3 || all[0].OK || all[1].OK || !all[2].OK || all[2].Name != "-3" {
		t.Errorf("%+v", all)
	}
	if got := Summary(all); got.OK || !strings.HasPrefix(got.Error, "not sent to -1: ") ||
		!strings.Contains(got.Error, "; -2: ") {
		t.Errorf("%+v", got)
	}
	all = s.Send(t.Context(), Target{Service: address, Only: []string{"-3", "-9"}}, message)
	if len(all) != 1 || all[0].Name != "-3" || !Summary(all).OK {
		t.Errorf("%+v", all)
	}
}

func FuzzRefusal(f *testing.F) {
	for _, body := range []string{`{"ok":false,"error":{"error":{"message":1}}}`, `{"retry_after":"1","parameters":[]}`,
		"ok"} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, refusal := range []refusal{saysNo, mustSayYes, discordSays, teamsSays} {
			if why := refusal(body); len(why) > maxAnswer+len("…") {
				t.Errorf("%d bytes", len(why))
			}
		}
		if d := asked(http.Header{}, body, sent); d < 0 || d > maxAfter {
			t.Errorf("%s", d)
		}
	})
}

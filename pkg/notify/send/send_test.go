package send

import (
	"context"
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/fetch"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

var sent = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// sender may reach only the given hosts.
func sender(t testing.TB, allow ...string) *Sender {
	t.Helper()
	web, err := fetch.New(fetch.Config{AllowHosts: allow})
	must(t, err)
	t.Cleanup(web.Close)
	return New(web, "Tidemark/test", func() time.Time { return sent })
}

// one sends a message to a target with one receiver.
func one(s *Sender, ctx context.Context, to Target, m Message) Result { return s.Send(ctx, to, m)[0] }

func webhookTo(t testing.TB, address string) Target {
	t.Helper()
	key, err := Key("whsec_" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", 32))))
	must(t, err)
	return Target{Webhook: address, Key: key}
}

var message = Message{ID: "a-1", Title: "Costs – content", Text: "+ The fee is 30 euros.",
	URL: "https://a.example/costs", Body: []byte(`{"id":"a-1"}`)}

// TestW8Receivers checks that the answer of a webhook's receiver is reported, and what it means for the next attempt
// (W8).
func TestW8Receivers(t *testing.T) {
	inner := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("a redirect was followed")
	}))
	t.Cleanup(inner.Close)
	for name, tt := range map[string]struct {
		answer http.HandlerFunc
		want   string // in its error; empty for success
		final  bool
		ill    bool
		after  time.Duration
	}{
		"taken":    {answer: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }},
		"accepted": {answer: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) }},
		"refused": {answer: func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "no such hook", http.StatusNotFound)
		}, want: "refuses"},
		"gone": {answer: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) },
			want: "gone for good", final: true},
		"broken": {answer: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) },
			want: "cannot take", ill: true},
		"busy": {answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "120")
			w.WriteHeader(http.StatusTooManyRequests)
		}, want: "cannot take", ill: true, after: 2 * time.Minute},
		"busy for ever": {answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "99999999999999999")
			w.WriteHeader(http.StatusServiceUnavailable)
		}, want: "cannot take", ill: true, after: maxAfter},
		"redirects": {answer: func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, inner.URL, http.StatusTemporaryRedirect)
		}, want: "redirects, which is not followed"},
		"hangs up": {answer: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, want: "no answer",
			ill: true},
	} {
		server := httptest.NewServer(tt.answer)
		got := one(sender(t, "127.0.0.1"), t.Context(), webhookTo(t, server.URL), message)
		server.Close()
		if got.OK != (tt.want == "") || !strings.Contains(got.Error, tt.want) || got.Final != tt.final || got.Ill != tt.ill ||
			got.After != tt.after {
			t.Errorf("%s: %+v", name, got)
		}
		if name == "refused" && (got.Body != "no such hook" || got.Status != http.StatusNotFound) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestW8SlowReceivers checks that a receiver that never answers, or never stops answering, delays a send only up to
// its time limit (W8).
func TestW8SlowReceivers(t *testing.T) {
	over := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		select {
		case <-over:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(slow.Close)
	t.Cleanup(func() { close(over) })
	s := sender(t, "127.0.0.1")
	s.http.Timeout = 50 * time.Millisecond
	if got := one(s, t.Context(), webhookTo(t, slow.URL), message); !got.Ill || !strings.Contains(got.Error, "no answer") {
		t.Errorf("%+v", got)
	}
	endless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for range 1000 {
			if _, err := io.WriteString(w, strings.Repeat("x", 1<<10)); err != nil {
				return
			}
		}
	}))
	t.Cleanup(endless.Close)
	if got := one(sender(t, "127.0.0.1"), t.Context(), webhookTo(t, endless.URL), message); !got.OK ||
		len(got.Body) > maxAnswer+len("…") {
		t.Errorf("%d bytes of the answer, %+v", len(got.Body), got)
	}
}

// TestW6Guarded checks that no channel reaches an internal address unless that is allowed, whatever the service (W6).
func TestW6Guarded(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was reached") }))
	t.Cleanup(server.Close)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		if conn, err := listener.Accept(); err == nil {
			t.Error("it was reached")
			_ = conn.Close()
		}
	}()
	u, _ := url.Parse(server.URL)
	host := u.Host
	targets := []Target{webhookTo(t, server.URL), webhookTo(t, "http://169.254.169.254/latest/meta-data"),
		webhookTo(t, "http://localhost/"), webhookTo(t, "https://[::1]/"), webhookTo(t, "file:///etc/passwd")}
	for _, address := range []string{"ntfy://HOST/topic?scheme=http", "gotify://HOST/token?disabletls=yes",
		"mattermost://HOST/token?disabletls=yes", "rocketchat://HOST/a/b?disabletls=yes",
		"matrix://:t@HOST/?rooms=!a:b&disabletls=yes", "generic://HOST/?disabletls=yes",
		"zulip://b:k@HOST/?stream=s&disabletls=yes", "teams://HOST/workflows/a?b=c",
		"smtp://MAIL/?from=a@b.example&to=c@d.example&encryption=None"} {
		address = strings.NewReplacer("HOST", host, "MAIL", listener.Addr().String()).Replace(address)
		if _, _, err := Check(address); err != nil {
			t.Errorf("%s: %v", address, err)
		}
		targets = append(targets, Target{Service: address})
	}
	for _, to := range targets {
		if got := one(sender(t), t.Context(), to, message); got.OK || got.Error == "" || !got.Ill {
			t.Errorf("%s%s: %+v", to.Webhook, to.Service, got)
		}
	}
}

// TestW6ErrorsNameNoSecret checks that the error of a failed message contains no address, because most services have
// their secret in it (W6).
func TestW6ErrorsNameNoSecret(t *testing.T) {
	for _, address := range []string{"telegram://hunter2@telegram?chats=", "slack://hook:hunter2@webhook",
		"ntfy://u:hunter2@127.0.0.1:1/t", "gotify://127.0.0.1:1/hunter2", "pigeon://hunter2", "smtp://u:hunter2@127.0.0.1:1/",
		"generic://127.0.0.1:1/hunter2", "http://[hunter2", "smtp://u:hunter2@127.0.0.1:1/?from=a@b.c&to=a@b.c",
		"discord://hunter2@", "matrix://:hunter2@/"} {
		got := one(sender(t), t.Context(), Target{Service: address}, message)
		if got.OK || strings.Contains(got.Error+got.Body, "hunter2") {
			t.Errorf("%s: %+v", address, got)
		}
	}
}

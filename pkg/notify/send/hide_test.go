package send

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestP1AnswersHideSecrets checks that what a receiver repeats of its own address and key is not shown, also at the end
// of an answer that is cut (P1).
func TestP1AnswersHideSecrets(t *testing.T) {
	const path = "/hooks/T0123 45678/s3cr3t-t0ken-of-mine"
	said := "no hook at "
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(said + r.URL.Path + " or " + r.URL.EscapedPath()))
	}))
	t.Cleanup(receiver.Close)
	s := sender(t, "127.0.0.1")
	to := webhookTo(t, receiver.URL+strings.ReplaceAll(path, " ", "%20"))
	if got := one(s, t.Context(), to, message); got.Body != "no hook at /hooks/…/… or /hooks/…/…" || got.Status != 404 {
		t.Errorf("%+v", got)
	}
	said = strings.Repeat("x", maxAnswer-len("/hooks/T0123 45678/s3cr3t-"))
	if got := one(s, t.Context(), to, message); !strings.HasSuffix(got.Body, "x/hooks/…/…") {
		t.Errorf("%+v", got)
	}
	hide := secretsOf(Target{
		Service: "smtp://anna%40a.example:hunter2%2F@mail.example/?from=anna@a.example&to=anna@a.example",
	})
	if got := hidden("535 hunter2/ and hunter2%2F of anna@a.example", hide); got != "535 … and … of anna@a.example" {
		t.Error(got)
	}
	hide = secretsOf(Target{Service: "ntfy://:tk_12345@ntfy.example/tide"})
	if got := hidden("tk_12345 is unknown", hide); got != "… is unknown" {
		t.Error(got)
	}
}

package handlers

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestJ6AnswersSayThatTheIndexIsFilled checks that each answer, and health, says that pages may be missing while an
// index is being filled, and no longer when it is whole (J6). A follower is told that its copy is not complete (J9).
func TestJ6AnswersSayThatTheIndexIsFilled(t *testing.T) {
	was := askAgain
	askAgain = 0
	t.Cleanup(func() { askAgain = was })
	r := newRig(t)
	r.crawl(harbourOne)
	ix := r.v.Index.(interface {
		Begun(context.Context) (string, error)
		Filled(ctx context.Context, name string) error
	})
	name, err := ix.Begun(t.Context())
	must(t, err)
	must(t, ix.Filled(t.Context(), name))
	said := func() (out []bool) {
		for _, request := range []string{"GET /api/Search?q=harbour ", `POST /api/retrieve {"q":"harbour"}`, "GET /api/health ", "GET /api/suggest?q=har ",
			"GET /api/chunks/changes "} {
			method, path, _ := strings.Cut(request, " ")
			path, body, _ := strings.Cut(path, " ")
			body = do(t, r, method, path, body).Body.String()
			out = append(out, strings.Contains(body, "the index is being filled since") ||
				strings.Contains(body, `"copying":true`))
		}
		return out
	}
	if have := said(); slices.Contains(have, true) {
		t.Errorf("a whole index: %v", have)
	}
	must(t, r.v.Rebuilds.Fill(t.Context(), "new"))
	if have := said(); slices.Contains(have, false) {
		t.Errorf("while it is filled: %v", have)
	}
	r.work()
	r.now = r.now.Add(time.Hour)
	r.work()
	if have := said(); slices.Contains(have, true) {
		t.Errorf("when it is whole again: %v", have)
	}
}

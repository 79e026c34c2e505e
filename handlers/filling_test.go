package handlers

import (
	"strings"
	"testing"
	"time"
)

// TestJ6AnswersSayThatTheIndexIsFilled checks that each answer, and health, says that pages may be missing while an
// index is being filled, and no longer when it is whole (J6).
func TestJ6AnswersSayThatTheIndexIsFilled(t *testing.T) {
	was := askAgain
	askAgain = 0
	t.Cleanup(func() { askAgain = was })
	r := newRig(t)
	r.crawl(harbourOne)
	said := func() (out []bool) {
		for _, request := range []string{"GET /api/Search?q=harbour ", `POST /api/retrieve {"q":"harbour"}`, "GET /api/health "} {
			method, path, _ := strings.Cut(request, " ")
			path, body, _ := strings.Cut(path, " ")
			body = do(t, r, method, path, body).Body.String()
			out = append(out, strings.Contains(body, "the index is being filled since"))
		}
		return out
	}
	if have := said(); have[0] || have[1] || have[2] {
		t.Errorf("a whole index: %v", have)
	}
	must(t, r.v.Rebuilds.Fill(t.Context(), "new"))
	if have := said(); !have[0] || !have[1] || !have[2] {
		t.Errorf("while it is filled: %v", have)
	}
	r.work()
	r.now = r.now.Add(time.Hour)
	r.work()
	if have := said(); have[0] || have[1] || have[2] {
		t.Errorf("when it is whole again: %v", have)
	}
}

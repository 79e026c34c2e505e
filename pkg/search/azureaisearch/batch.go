package azureaisearch

import (
	"context"
	"math/rand/v2"
	"net/http"

	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/fault"
)

// Limits of one request (https://learn.microsoft.com/azure/search/search-limits-quotas-capacity#api-request-limits),
// and of the attempts to send documents that fail individually.
const (
	maxActions = 1000
	maxBytes   = 15 << 20 // below the service's 16 MB, in decimal or binary megabytes
	maxTries   = 4
)

// apply sends actions in as few requests as the limits allow. Each document may occur only once.
func (s *service) apply(ctx context.Context, actions []action) error {
	for len(actions) > 0 {
		n, bodies := batch(actions)
		if err := s.send(ctx, actions[:n], bodies); err != nil {
			return err
		}
		actions = actions[n:]
	}
	return nil
}

// batch encodes as many actions as fit in a request, but at least one.
func batch(actions []action) (n int, bodies [][]byte) {
	size := 0
	for _, a := range actions[:min(len(actions), maxActions)] {
		body := a.encoded()
		if size += len(body) + 1; size > maxBytes && n > 0 {
			break
		}
		bodies = append(bodies, body)
		n++
	}
	return n, bodies
}

// send sends the actions of one request, and retries those that failed for a temporary reason. It splits a request
// that is too large into halves.
func (s *service) send(ctx context.Context, actions []action, bodies [][]byte) error {
	for try := 1; ; try++ {
		results, err := s.post(ctx, bodies)
		if n := len(actions) / 2; fault.Is(err, fault.TooLarge) && n > 0 {
			if err := s.send(ctx, actions[:n], bodies[:n]); err != nil {
				return err
			}
			return s.send(ctx, actions[n:], bodies[n:])
		}
		if err != nil {
			return err
		}
		again, err := evaluate(actions, results)
		if err != nil || len(again) == 0 {
			return err
		}
		if try == maxTries {
			return fault.New(fault.Unavailable, "the search service put off %d documents of page %s and others %d times: %s",
				len(again), again[0].page, maxTries, results[again[0].key()].Message)
		}
		if err := s.wait(ctx, try); err != nil {
			return err
		}
		actions, bodies = again, nil
		for _, a := range actions {
			bodies = append(bodies, a.encoded())
		}
	}
}

// result is the service's result for one document.
type result struct {
	Key     string `json:"key"`
	Message string `json:"errorMessage"`
	Status  int    `json:"statusCode"`
}

// post sends documents, and returns the results by key.
func (s *service) post(ctx context.Context, bodies [][]byte) (map[string]result, error) {
	body := []byte(`{"value":[`)
	for i, b := range bodies {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, b...)
	}
	var answer struct {
		Value []result `json:"value"`
	}
	if _, err := s.call(ctx, request{method: http.MethodPost, path: "/docs/search.index", body: append(body, "]}"...)},
		&answer); err != nil {
		return nil, err
	}
	results := make(map[string]result, len(answer.Value))
	for _, r := range answer.Value {
		results[r.Key] = r
	}
	return results, nil
}

// evaluate returns the actions to send again
// (https://learn.microsoft.com/azure/search/search-howto-reindex#responses). A document without a result is sent
// again. If the document of a merge does not exist, because the caller's knowledge was wrong, the action is sent
// again as an upload.
func evaluate(actions []action, results map[string]result) (again []action, err error) {
	for _, a := range actions {
		r := results[a.key()]
		switch {
		case r.Status >= 200 && r.Status < 300:
		case r.Status == http.StatusNotFound && a.kind == "merge":
			again = append(again, action{kind: "upload", page: a.page, document: a.whole})
		case r.Status == http.StatusBadRequest:
			return nil, fault.Field("page", "the search service refuses page %s: %s", a.page,
				plain(r.Message[:min(len(r.Message), maxMessage)]))
		default:
			again = append(again, a)
		}
	}
	return again, nil
}

// wait pauses before documents are sent again, because an immediate retry would slow down an overloaded service
// further.
func (s *service) wait(ctx context.Context, try int) error {
	d := s.pause << (try - 1)
	if err := defaults.Pause(ctx, d+rand.N(d/2+1)); err != nil {
		return fault.New(fault.Unavailable, "waiting for the search service: %w", err)
	}
	return nil
}

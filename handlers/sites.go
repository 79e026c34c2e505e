package handlers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/sentinel"
)

// sites tells how far the looks at all sites are (E14).
func (s *server) sites(r *http.Request, v *Services) (int, any, error) {
	if q := queryOf(r); q.err != nil {
		return 0, nil, q.err
	}
	all, err := v.Sentinel.All(r.Context())
	if err != nil {
		return 0, nil, err
	}
	out := api.Sites{Sites: []api.Site{}}
	for _, one := range all {
		out.Sites = append(out.Sites, siteJSON(one))
	}
	return http.StatusOK, out, nil
}

// siteDo gives a route that does something with the site of the path.
func siteDo(status int, do func(*sentinel.Service, context.Context, string) (sentinel.Site, error)) route {
	return func(r *http.Request, v *Services) (int, any, error) {
		if q := queryOf(r); q.err != nil {
			return 0, nil, q.err
		}
		one, err := do(v.Sentinel, r.Context(), r.PathValue("slug"))
		if err != nil {
			return 0, nil, err
		}
		return status, siteJSON(one), nil
	}
}

func siteJSON(v sentinel.Site) api.Site {
	return api.Site{
		Slug: v.Slug, Domain: v.Domain, Watched: v.Watched, NextLookAt: v.NextLookAt, NewToday: v.NewToday,
		Look: lookJSON(v.Now), Last: lookJSON(v.Last), LastFeeds: lookJSON(v.LastFeeds),
		LastMod: api.LastModRecord{Right: v.LastMod.Right, Wrong: v.LastMod.Wrong, Unannounced: v.LastMod.Unannounced, Truthful: v.LastMod.Truthful()},
	}
}

func lookJSON(l *sentinel.Look) *api.Look {
	if l == nil {
		return nil
	}
	out := api.Look{
		ID: l.ID, Kind: string(l.Kind), BeganAt: l.BeganAt, EndedAt: l.EndedAt, Requests: l.Requests, Documents: l.Documents, Unmodified: l.Unmodified,
		Found: l.Found, New: l.New, Known: l.Known, Excluded: l.Excluded, Trapped: l.Trapped, Refused: l.Refused, Later: l.Later,
		Moved: l.Moved, Noted: l.Noted, Hastened: l.Hastened, Errors: l.Errors, Note: l.Note,
	}
	for _, p := range l.Problems {
		out.Problems = append(out.Problems, api.LookError(p))
	}
	return &out
}

// indexNow takes a submission of many addresses.
func (s *server) indexNow(r *http.Request, v *Services) (int, any, error) {
	var req api.IndexNowRequest
	if err := decodeJSON(r, &req); err != nil {
		return 0, nil, err
	}
	return push(r, v, sentinel.Push{Host: req.Host, Key: req.Key, KeyLocation: req.KeyLocation, URLs: req.URLList})
}

// indexNowOne takes a submission of one address.
func (s *server) indexNowOne(r *http.Request, v *Services) (int, any, error) {
	q := queryOf(r, "url", "key", "keyLocation")
	address, p := q.text("url"), sentinel.Push{Key: q.text("key"), KeyLocation: q.text("keyLocation")}
	if q.err != nil {
		return 0, nil, q.err
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return 0, nil, fault.Field("url", "%.200q is no address of a page", address)
	}
	p.Host, p.URLs = u.Host, []string{address}
	return push(r, v, p)
}

// push answers with the statuses of the protocol, of which 422 is for nothing else here.
func push(r *http.Request, v *Services, p sentinel.Push) (int, any, error) {
	got, err := v.Sentinel.Push(r.Context(), p)
	if mismatch, ok := errors.AsType[*sentinel.MismatchError](err); ok {
		return http.StatusUnprocessableEntity, refusal{mismatch}, nil
	}
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, api.IndexNowResult(got), nil
}

// refusal is a problem whose status is no kind's.
type refusal struct{ error }

func (f refusal) write(w http.ResponseWriter, status int) {
	writeProblem(w, status, f.Error(), []api.FieldError{{Field: fault.FieldOf(f.error), Message: f.Error()}})
}

// sentinelTimer begins the looks that are due.
func (s *server) sentinelTimer(ctx context.Context, v *Services, _ envelope) (string, error) {
	begun, err := v.Sentinel.Tick(ctx)
	return fmt.Sprintf("%d looks begun", begun), err
}

// sentinelWorker does one step of a look.
func (s *server) sentinelWorker(ctx context.Context, v *Services, e envelope) (string, error) {
	body, err := e.payload("job")
	if err != nil {
		return "", err
	}
	return "", v.Sentinel.Step(ctx, body)
}

package handlers

import (
	"net/http"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/extract"
	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/lineage"
	"github.com/tidemark/tidemark/pkg/snapshot"
	"github.com/tidemark/tidemark/pkg/source"
)

// Of an item's past no more than this is answered beside it, the newest.
const (
	maxCaptures = api.MaxPast
	maxEdges    = api.MaxPast
)

// pastQuery reads what a listing of an item's past is asked for.
func pastQuery(r *http.Request, v *Services) (id source.ID, top int, after string, err error) {
	q := queryOf(r, "top", "continuation")
	top, after = q.number("top", defaultListed, 1, maxPastListed), q.text("continuation")
	if q.err != nil {
		return "", 0, "", q.err
	}
	it, err := v.Registry.Find(r.Context(), source.ID(r.PathValue("id")))
	return it.ID, top, after, blame("id", err)
}

// maxPastListed is what one request of a table can give, less the row that tells whether there are more.
const maxPastListed = 999

// captures lists all captures of an item, a page at a time, in the order of their digests.
func (s *server) captures(r *http.Request, v *Services) (int, any, error) {
	id, top, after, err := pastQuery(r, v)
	if err != nil {
		return 0, nil, err
	}
	if after != "" && !isDigest(after) {
		return 0, nil, fault.Field("continuation", "continuation is none of a listing of captures")
	}
	found, more, err := v.Snapshots.Page(r.Context(), id, after, top)
	if err != nil {
		return 0, nil, err
	}
	page := api.CapturePage{Captures: []api.Capture{}}
	for _, c := range found {
		page.Captures = append(page.Captures, captureJSON(c))
	}
	if more {
		page.Continuation = page.Captures[top-1].SHA256
	}
	return http.StatusOK, page, nil
}

// edges lists all that captures of an item took over from, a page at a time, newest first.
func (s *server) edges(r *http.Request, v *Services) (int, any, error) {
	id, top, after, err := pastQuery(r, v)
	if err != nil {
		return 0, nil, err
	}
	found, next, err := v.Snapshots.EdgesAfter(r.Context(), id, after, top)
	if err != nil {
		return 0, nil, blame("continuation", err)
	}
	page := api.EdgePage{Lineage: []api.Edge{}, Continuation: next}
	for _, e := range found {
		page.Lineage = append(page.Lineage, edgeJSON(e))
	}
	return http.StatusOK, page, nil
}

func isDigest(s string) bool { return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == "" }

// capture answers what was captured: its text, or the bytes as they came.
func (s *server) capture(r *http.Request, v *Services) (int, any, error) {
	q := queryOf(r, "raw")
	raw, digest := q.flag("raw"), r.PathValue("sha256")
	if q.err != nil {
		return 0, nil, q.err
	}
	if _, _, err := source.ParseID(r.PathValue("id")); err != nil {
		return 0, nil, blame("id", err)
	}
	if !isDigest(digest) {
		return 0, nil, fault.Field("sha256", "sha256 is not 64 hexadecimal digits")
	}
	c, body, err := v.Snapshots.Load(r.Context(), source.ID(r.PathValue("id")), "sha256:"+digest)
	if fault.Is(err, fault.NotFound) {
		return 0, nil, fault.New(fault.NotFound, "the item has no capture %s, or it is not kept any more", digest)
	}
	if err != nil {
		return 0, nil, err
	}
	if raw {
		return http.StatusOK, content{body: body, mediaType: c.ContentType(), filename: digest}, nil
	}
	// The text does not depend on where links lead.
	doc, err := v.Documents.Extract(r.Context(), body, c.ContentType(), "https://capture.invalid/", extract.Limits{})
	if err != nil {
		return 0, nil, err
	}
	if doc.Unsupported {
		return 0, nil, fault.Field("raw", "text cannot be extracted from %s; raw=true gives the bytes", doc.MimeType)
	}
	return http.StatusOK, content{body: []byte(doc.Text), mediaType: "text/plain; charset=utf-8"}, nil
}

// content is an answer that is not JSON. It comes from a stranger: browsers are told to trust
// nothing in it.
type content struct {
	body      []byte
	mediaType string
	filename  string // to be saved, not shown; empty: may be shown
}

func (c content) write(w http.ResponseWriter, status int) {
	h := w.Header()
	h.Set("Content-Type", c.mediaType)
	if c.mediaType == "" {
		h.Set("Content-Type", "application/octet-stream")
	}
	if c.filename != "" {
		h.Set("Content-Disposition", `attachment; filename="`+c.filename+`"`)
	}
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	w.WriteHeader(status)
	_, _ = w.Write(c.body) // the caller has gone: nobody to tell
}

// pastJSON lists captures and edges, newest first.
func pastJSON(captures []snapshot.Capture, edges []lineage.Edge) (cs []api.Capture, es []api.Edge) {
	slices.SortFunc(captures, func(a, b snapshot.Capture) int { return b.CapturedAt.Compare(a.CapturedAt) })
	for _, c := range captures[:min(len(captures), maxCaptures)] {
		cs = append(cs, captureJSON(c))
	}
	for _, e := range edges {
		es = append(es, edgeJSON(e))
	}
	return cs, es
}

func captureJSON(c snapshot.Capture) api.Capture {
	return api.Capture{
		SHA256: strings.TrimPrefix(c.RawHash, "sha256:"), ContentHash: c.ContentHash, CanonicalURI: c.CanonicalURI,
		FetchURL: c.FetchURL, Header: c.Header,
		CapturedAt: c.CapturedAt, LastVerifiedAt: c.LastVerifiedAt, Bytes: c.Bytes, MimeType: c.MimeType,
		StatusCode: c.StatusCode, RunID: c.RunID, NormalizationVersion: c.NormalizationVersion,
	}
}

func edgeJSON(e lineage.Edge) api.Edge {
	return api.Edge{Newer: string(e.Newer), Older: string(e.Older), At: e.At, Meta: api.EdgeMetadata{
		Reason: e.Reason, ConflictResolved: e.ConflictResolved, Selected: e.Selected,
		CanonicalURIMatch: orNull(e.CanonicalURIMatch), ContentSHA256Match: orNull(e.ContentSHA256Match),
	}}
}

func orNull(id lineage.CaptureID) *string {
	if id == "" {
		return nil
	}
	text := string(id)
	return &text
}

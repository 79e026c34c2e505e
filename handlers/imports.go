package handlers

import (
	"context"
	"net/http"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/mailimport"
)

// importTime is how long a request imports before the queue goes on, well below what clients and the
// front end of Azure wait for.
const importTime = 20 * time.Second

const (
	defaultImports = 20
	maxImports     = 100
)

// importMbox begins to import a file of mails, and answers with how far that came.
func (s *server) importMbox(r *http.Request, v *Services) (int, any, error) {
	var req api.ImportRequest
	if err := decodeJSON(r, &req); err != nil {
		return 0, nil, err
	}
	q := mailimport.Request{Path: req.MboxPath, Window: req.CompletionWindow}
	for _, n := range []struct {
		given     *int
		name      string
		into      *int
		otherwise int
	}{{req.BatchSize, "batch_size", &q.Batch, mailimport.DefaultBatch}, {req.InsertChunkSize, "insert_chunk_size", &q.Chunk, mailimport.DefaultChunk}} {
		if n.given == nil {
			continue
		}
		if *n.into = *n.given; *n.given == 0 { // which a Request takes for the default
			return 0, nil, fault.Field(n.name, "%s must not be 0: leave it out for %d", n.name, n.otherwise)
		}
	}
	im, err := v.Imports.Start(r.Context(), q)
	if err != nil {
		return 0, nil, err
	}
	if im, err = v.Imports.Advance(r.Context(), im, importTime); err != nil {
		return 0, nil, err
	}
	if im.Over() {
		return http.StatusOK, importJSON(im), nil
	}
	return http.StatusAccepted, importJSON(im), nil
}

// importState tells how far an import is.
func (s *server) importState(r *http.Request, v *Services) (int, any, error) {
	if q := queryOf(r); q.err != nil {
		return 0, nil, q.err
	}
	im, err := v.Imports.Get(r.Context(), r.PathValue("id"))
	return http.StatusOK, importJSON(im), err
}

// importList lists the latest imports, without what was broken.
func (s *server) importList(r *http.Request, v *Services) (int, any, error) {
	q := queryOf(r, "top")
	top := q.number("top", defaultImports, 1, maxImports)
	if q.err != nil {
		return 0, nil, q.err
	}
	list, err := v.Imports.List(r.Context(), top)
	out := api.Imports{Imports: []api.Import{}}
	for _, im := range list {
		out.Imports = append(out.Imports, importJSON(im))
	}
	return http.StatusOK, out, err
}

func importJSON(im mailimport.Import) api.Import {
	out := api.Import{
		ID: im.ID, Status: string(im.State), Message: im.Message, Schema: im.Schema, MboxPath: im.Path,
		Bytes: im.Offset, Size: im.File.Length, Mails: im.Mails, Inserted: im.Inserted, Skipped: im.Skipped, Updated: im.Updated, Failed: im.Failed,
		Failures: []api.ImportFailure{}, Enqueued: im.Enqueued, Batches: im.Batches, NotEnqueued: im.NotEnqueued, Note: im.Note,
		StartedAt: im.StartedAt, UpdatedAt: im.UpdatedAt, EndedAt: im.EndedAt,
	}
	for _, f := range im.Failures {
		out.Failures = append(out.Failures, api.ImportFailure(f))
	}
	return out
}

// mboxWorker does one turn of an import.
func (s *server) mboxWorker(ctx context.Context, v *Services, e envelope) (string, error) {
	body, err := e.payload("job")
	if err != nil {
		return "", err
	}
	return "", v.Imports.Step(ctx, body)
}

package handlers

import (
	"context"
	"net/http"
	"time"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/run/mailimport"
)

// importTime is how long a request imports before the queue goes on, well below what clients and the
// front end of Azure wait for.
const importTime = 20 * time.Second

// importMbox begins to import a file of mails, and answers with how far that came.
func importMbox(ctx context.Context, v *call, req api.ImportRequest) (any, error) {
	q := mailimport.Request{Path: req.MboxPath, Window: req.CompletionWindow}
	for _, n := range []struct {
		given     *int
		name      string
		into      *int
		otherwise int
	}{{req.BatchSize, "batch_size", &q.Batch, mailimport.DefaultBatch},
		{req.InsertChunkSize, "insert_chunk_size", &q.Chunk, mailimport.DefaultChunk}} {
		if n.given == nil {
			continue
		}
		if *n.into = *n.given; *n.given == 0 { // which a Request takes for the default
			return nil, fault.Field(n.name, "%s must not be 0: leave it out for %d", n.name, n.otherwise)
		}
	}
	im, err := v.Imports.Start(ctx, q)
	if err != nil {
		return nil, err
	}
	if im, err = v.Imports.Advance(ctx, im, importTime); err != nil {
		return nil, err
	}
	if im.Over() {
		return wire.Reply{Status: http.StatusOK, Body: importJSON(im)}, nil
	}
	return importJSON(im), nil
}

// importState tells how far an import is.
func importState(ctx context.Context, v *call, q api.ImportID) (api.Import, error) {
	im, err := v.Imports.Get(ctx, q.ID)
	return importJSON(im), err
}

// importList lists the latest imports, without what was broken.
func importList(ctx context.Context, v *call, q api.ImportQuery) (api.Imports, error) {
	list, err := v.Imports.List(ctx, q.Top)
	out := api.Imports{Imports: []api.Import{}}
	for _, im := range list {
		out.Imports = append(out.Imports, importJSON(im))
	}
	return out, err
}

func importJSON(im mailimport.Import) api.Import {
	out := api.Import{
		ID: im.ID, Status: string(im.State), Message: im.Message, Schema: im.Schema, MboxPath: im.Path,
		Bytes: im.Offset, Size: im.Size, Mails: im.Mails, Inserted: im.Inserted, Skipped: im.Skipped, Updated: im.Updated,
		Failed:   im.Failed,
		Failures: []api.ImportFailure{}, Enqueued: im.Enqueued, Batches: im.Batches, NotEnqueued: im.NotEnqueued,
		Note:      im.Note,
		StartedAt: im.StartedAt, UpdatedAt: im.UpdatedAt, EndedAt: im.EndedAt,
	}
	for _, f := range im.Failures {
		out.Failures = append(out.Failures, api.ImportFailure(f))
	}
	return out
}

// mboxWorker does one turn of an import, of mails or of a list.
func mboxWorker(ctx context.Context, v *call, e wire.Envelope) (string, error) {
	body, err := e.Job()
	if err != nil {
		return "", err
	}
	if v.Lists.Owns(body) {
		return "", v.Lists.Step(ctx, body)
	}
	return "", v.Imports.Step(ctx, body)
}

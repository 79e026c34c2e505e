package handlers

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/run/listimport"
	"github.com/tidemark/tidemark/pkg/run/mailimport"
)

// importTime limits how long an import runs within a request; the queue then continues the work.
// The limit is much shorter than the time that clients and Azure's front end wait for an answer.
const importTime = 20 * time.Second

// importMbox starts to import a file of mails, and answers with the progress so far.
func (h *runHandlers) importMbox(ctx context.Context, req api.ImportRequest) (any, error) {
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
		if *n.into = *n.given; *n.given == 0 { // 0 selects the Request's default
			return nil, fault.Field(n.name, "%s must not be 0: leave it out for %d", n.name, n.otherwise)
		}
	}
	im, err := h.Mails.Start(ctx, q)
	if err != nil {
		return nil, err
	}
	if im, err = h.Mails.Advance(ctx, im, importTime); err != nil {
		return nil, err
	}
	if im.Over() {
		return wire.Reply{Status: http.StatusOK, Body: importJSON(im)}, nil
	}
	return importJSON(im), nil
}

// importList lists the latest imports, without their failures.
func (h *runHandlers) importList(ctx context.Context, q api.ImportQuery) (api.Imports, error) {
	list, err := h.Mails.List(ctx, q.Top)
	return api.Imports{Imports: wire.Each(list, importJSON)}, err
}

func importJSON(im mailimport.Import) api.Import {
	return api.Import{
		ID: im.ID, Status: string(im.State), Message: im.Message, Schema: im.Schema, MboxPath: im.Path,
		Bytes: im.Offset, Size: im.Size, Mails: im.Mails, Inserted: im.Inserted, Skipped: im.Skipped, Updated: im.Updated,
		Failed:   im.Failed,
		Failures: wire.Each(im.Failures, func(f mailimport.Failure) api.ImportFailure { return api.ImportFailure(f) }),
		Enqueued: im.Enqueued, Batches: im.Batches, NotEnqueued: im.NotEnqueued, Note: im.Note,
		StartedAt: im.StartedAt, UpdatedAt: im.UpdatedAt, EndedAt: im.EndedAt,
	}
}

// importStep does one step of an import, either of mails or of a list of addresses.
func (h *runHandlers) importStep(ctx context.Context, message []byte) error {
	if h.Lists.Owns(message) {
		return h.Lists.Step(ctx, message)
	}
	return h.Mails.Step(ctx, message)
}

// importAddresses starts to import a list of addresses, and answers with the progress so far.
func (h *runHandlers) importAddresses(r *http.Request) (int, any, error) {
	req, err := listOf(r)
	if err != nil {
		return 0, nil, err
	}
	im, err := h.Lists.Start(r.Context(), []byte(req.Content), listimport.Format(req.Format))
	if err == nil {
		im, err = h.Lists.Advance(r.Context(), im, importTime)
	}
	return api.ImportList.Status, listImportJSON(im), err
}

// listOf reads the request. Its body is either JSON or the file itself, as curl --data-binary sends it.
func listOf(r *http.Request) (req api.ListImportRequest, err error) {
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if media == "" || media == "application/json" {
		return wire.Decode[api.ListImportRequest](r, api.ImportList.Endpoint)
	}
	body, err := io.ReadAll(r.Body)
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		err = fault.New(fault.TooLarge, "the list is larger than %d MiB: import it in parts", wire.MaxBody>>20)
	}
	req.Content = string(body)
	switch {
	case strings.Contains(media, "opml"):
		req.Format = string(listimport.OPML)
	case strings.HasSuffix(media, "/csv"):
		req.Format = string(listimport.CSV)
	case strings.Contains(media, "ndjson"), strings.Contains(media, "jsonl"):
		req.Format = string(listimport.JSONLines)
	}
	return req, err
}

func listImportJSON(im listimport.Import) api.ListImport {
	return api.ListImport{
		ID: im.ID, Format: im.Format, Total: im.Total, Done: im.Next, Added: im.Added, Known: im.Known,
		Refused: im.Refused, Warning: im.Warning, StartedAt: im.StartedAt, EndedAt: im.EndedAt,
		Refusals: wire.Each(im.Refusals, func(a listimport.Address) api.RefusedAddress {
			return api.RefusedAddress{Source: a.URL, Error: a.Why}
		}),
	}
}

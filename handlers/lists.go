package handlers

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/run/listimport"
)

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

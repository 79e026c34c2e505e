package handlers

import (
	"net/http"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/source"
)

// chunks lists what the index was last given of an item.
func (s *server) chunks(r *http.Request, v *Services) (int, any, error) {
	if q := queryOf(r); q.err != nil {
		return 0, nil, q.err
	}
	it, err := v.Registry.Find(r.Context(), source.ID(r.PathValue("id")))
	if err != nil {
		return 0, nil, blame("id", err)
	}
	out := api.ChunkList{Chunks: []api.ChunkInfo{}}
	if it.Manifest == "" {
		return http.StatusOK, out, nil
	}
	records, err := v.Manifests.Records(r.Context(), it.ID, it.Manifest)
	for _, c := range records {
		out.Chunks = append(out.Chunks, api.ChunkInfo{
			ChunkUID: string(c.ChunkUID), VirtualPath: c.MetaV2.VirtualPath, Key: string(c.Key), Kind: string(c.Kind),
			Heading: c.Heading, Name: c.Name, Tokens: c.Tokens, Start: c.Start, End: c.End, TextHash: c.TextHash,
		})
	}
	return http.StatusOK, out, err
}

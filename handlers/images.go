package handlers

import (
	"net/http"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/source"
)

// images lists the pictures that the index shows of an item (A18).
func (s *server) images(r *http.Request, v *Services) (int, any, error) {
	if q := queryOf(r); q.err != nil {
		return 0, nil, q.err
	}
	it, err := v.Registry.Find(r.Context(), source.ID(r.PathValue("id")))
	if err != nil {
		return 0, nil, blame("id", err)
	}
	found, err := v.Worker.Images(r.Context(), it)
	out := api.ImageList{Images: []api.Image{}}
	for _, img := range found {
		out.Images = append(out.Images, api.Image{
			ID: img.ID, Src: img.Src, Alt: img.Alt, Title: img.Title, Caption: img.Caption, ParentPageID: string(it.ID), ParentPageURL: it.DisplaySource,
		})
	}
	return http.StatusOK, out, err
}

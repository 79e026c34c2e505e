package ui

import (
	"net/http"

	"github.com/tidemark/tidemark/pkg/api"
)

type imagesData struct {
	api.ImageList
	ID       string
	Pictures bool // they are loaded from where they are
}

// images shows the pictures of an item; they are a stranger's, and loaded only when asked to.
func images(o Options, r *http.Request) (page, error) {
	it, err := api.GetItem.Call(r.Context(), o.Client, api.ItemID{ID: r.PathValue("id")})
	if err != nil {
		return page{}, err
	}
	d := imagesData{ID: it.ID, Pictures: r.URL.Query().Get("pictures") != ""}
	d.ImageList, err = api.ListImages.Call(r.Context(), o.Client, api.ItemID{ID: it.ID})
	return page{name: "images", title: "Images of " + titleOf(it.Item), data: d, pictures: d.Pictures}, err
}

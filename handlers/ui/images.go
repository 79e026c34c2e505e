package ui

import (
	"net/http"

	"github.com/tidemark/tidemark/handlers/ui/frame"
	"github.com/tidemark/tidemark/pkg/api"
)

type imagesData struct {
	api.ImageList
	ID       string
	Pictures bool // let the browser load the pictures from their servers
}

// images lists the images of an item. The images are on other servers, and browsers load them only on request.
func (a itemsArea) images(r *http.Request) (frame.Page, error) {
	it, err := api.GetItem.Call(r.Context(), a.client, api.ItemID{ID: r.PathValue("id")})
	if err != nil {
		return frame.Page{}, err
	}
	d := imagesData{ID: it.ID, Pictures: r.URL.Query().Get("pictures") != ""}
	d.ImageList, err = api.ListImages.Call(r.Context(), a.client, api.ItemID{ID: it.ID})
	return frame.Page{Name: "images", Title: "Images of " + frame.ItemTitle(it.Item), Data: d, Pictures: d.Pictures}, err
}

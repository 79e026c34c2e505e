package ui

import (
	"net/http"
	"net/url"

	"github.com/tidemark/tidemark/handlers/ui/frame"
	"github.com/tidemark/tidemark/pkg/api"
)

// act checks, forces, pauses or removes an item, or accepts its present content.
func (a itemsArea) act(r *http.Request) (frame.Page, error) {
	id, what := r.PathValue("id"), r.PostForm.Get("do")
	var err error
	switch what {
	case "check", "force":
		_, err = api.ReindexItem.Call(r.Context(), a.client, api.ReindexRequest{ID: id, Force: what == "force"})
	case "remove":
		_, err = api.RemoveItem.Call(r.Context(), a.client, api.ItemID{ID: id})
	case "pause", "resume":
		paused := what == "pause"
		_, err = api.PatchItem.Call(r.Context(), a.client, api.ItemPatch{ID: id,
			ItemSettings: api.ItemSettings{Paused: &paused}})
	case "accept":
		_, err = api.AcceptItem.Call(r.Context(), a.client, api.ItemID{ID: id})
	default:
		err = frame.BadRequest("an item can be checked, forced, paused, resumed, removed or accepted")
	}
	done := map[string]string{"check": "check", "force": "forced", "remove": "removed", "accept": "accepted",
		"pause": "paused", "resume": "resumed"}[what]
	return frame.GoTo("/items/" + url.PathEscape(id) + "?done=" + done), err
}

package ui

import (
	"net/http"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/textdiff"
)

type diffData struct {
	ID       string
	From, To api.Capture
	Hunks    [][]textdiff.Row
	Same     bool
	Cut      bool // the texts are longer than what was compared
	Long     bool // more differs than is shown
}

// diff shows two captures of an item side by side.
func diff(o Options, r *http.Request) (page, error) {
	id, q := r.PathValue("id"), r.URL.Query()
	it, err := api.GetItem.Call(r.Context(), o.Client, api.ItemID{ID: id})
	if err != nil {
		return page{}, err
	}
	d := diffData{ID: id}
	old, err := textOf(o, r, it, q.Get("from"), &d.From, &d.Cut)
	if err != nil {
		return page{}, err
	}
	text, err := textOf(o, r, it, q.Get("to"), &d.To, &d.Cut)
	if err != nil {
		return page{}, err
	}
	d.Hunks, d.Long = textdiff.Compare(old, text)
	d.Same = len(d.Hunks) == 0
	return page{name: "diff", title: "Changes of " + titleOf(it.Item), data: d}, nil
}

// text reads the text of a capture of an item.
func textOf(o Options, r *http.Request, it api.ItemDetail, digest string, c *api.Capture, cut *bool) (string, error) {
	for _, known := range it.Captures {
		if known.SHA256 == digest {
			*c = known
		}
	}
	text, err := api.GetCapture.Call(r.Context(), o.Client, api.CaptureID{ID: it.ID, SHA256: digest})
	*cut = *cut || len(text) > textdiff.MaxText
	return strings.ToValidUTF8(words.Clip(string(text), textdiff.MaxText), "�"), err
}

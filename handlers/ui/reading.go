package ui

import (
	"bytes"
	"cmp"
	"html/template"
	"net/http"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/handlers/ui/frame"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// maxReading limits the number of bytes of a text that are shown.
const maxReading = 512 << 10

type readingData struct {
	Item          api.Item
	Capture       api.Capture
	Earlier, Next string        // digests of the captures before and after this one
	Body          template.HTML // from a converter that lets no HTML through
	Cut           bool
}

// reading shows the text of a page as it is now, as it was on a given day, or as it is in a given capture.
func (a readingArea) reading(r *http.Request) (frame.Page, error) {
	asOf := cmp.Or(r.PathValue("sha256"), r.URL.Query().Get("asOf"))
	text, err := api.GetPageText.Call(r.Context(), a.client,
		api.TextQuery{ID: r.PathValue("id"), AsOf: asOf, Format: "json", Zone: r.URL.Query().Get("zone")})
	if err != nil {
		return frame.Page{}, err
	}
	it, err := api.GetItem.Call(r.Context(), a.client, api.ItemID{ID: text.ItemID})
	if err != nil {
		return frame.Page{}, err
	}
	d := readingData{Item: it.Item, Capture: api.Capture{SHA256: text.Capture, CapturedAt: text.At},
		Cut: len(text.Text) > maxReading}
	all := frame.Bodies(it.Captures)
	if i := slices.IndexFunc(all, func(c api.Capture) bool { return c.SHA256 == text.Capture }); i >= 0 {
		d.Capture = all[i]
		if i > 0 {
			d.Next = all[i-1].SHA256
		}
		if i+1 < len(all) {
			d.Earlier = all[i+1].SHA256
		}
	}
	var body bytes.Buffer
	err = untrusted.Convert([]byte(words.Clip(strings.ToValidUTF8(text.Text, "�"), maxReading)), &body)
	d.Body = template.HTML(body.String())
	return frame.Page{Name: "reading", Title: frame.ItemTitle(it.Item), Data: d}, err
}

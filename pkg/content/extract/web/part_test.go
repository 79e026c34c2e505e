package web_test

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
	"github.com/tidemark/tidemark/pkg/policy/watch"
)

const shop = `<html lang=en><head><title>Shop</title></head><body><nav id=menu><a href=/a>Home</a><b>Menu 1</b></nav>
<main><h1>Lamp</h1><p class=intro>A lamp for the desk, made of brass, with a shade of green glass and a long cord.</p>
<div class=price>EUR <b>12</b> <span class=old>15</span></div><ul class=stock><li>Berlin: 3<li>Paris: 4</ul></main>
<footer>Updated now</footer></body></html>`

func TestW10Part(t *testing.T) {
	for name, tt := range map[string]struct {
		spec  watch.Spec
		text  string
		found int
	}{
		"an element":       {watch.Spec{Include: []string{".price"}}, "EUR 12 15", 1},
		"but a part of it": {watch.Spec{Include: []string{".price"}, Exclude: []string{".old"}}, "EUR 12", 1},
		"several, in page order": {watch.Spec{Include: []string{".stock", "main > .price b"}},
			"12\n\n- Berlin: 3\n- Paris: 4", 2},
		"around the content": {watch.Spec{Include: []string{"#menu b, footer"}}, "Menu 1\n\nUpdated now", 2},
		"nothing":            {watch.Spec{Include: []string{".sale"}}, "", 0},
		"nothing is left":    {watch.Spec{Include: []string{".price"}, Exclude: []string{"main"}}, "", 0},
		"no text in it":      {watch.Spec{Include: []string{".price"}, Exclude: []string{".price *, .price"}}, "", 0},
		"the page but for a part": {watch.Spec{Exclude: []string{".price", "h1", ".stock"}},
			"A lamp for the desk, made of brass, with a shade of green glass and a long cord.", 0},
	} {
		t.Run(name, func(t *testing.T) {
			rules, err := watch.Compile(tt.spec)
			if err != nil {
				t.Fatal(err)
			}
			doc, found, read, err := web.Part([]byte(shop), "text/html", "https://x.example/", extract.Limits{}, rules)
			if err != nil || !read || found != tt.found || doc.Text != tt.text {
				t.Errorf("%d, %v, %v: %q", found, read, err, doc.Text)
			}
		})
	}
}

type refusing struct{}

func (refusing) Select(*html.Node) ([]*html.Node, error) { return nil, errors.New("no") }
func (refusing) Narrow() bool                            { return true }

func TestW10PartOfWhatIsNone(t *testing.T) {
	part := func(body, contentType string) (read bool, err error) {
		_, _, read, err = web.Part([]byte(body), contentType, "https://x.example/", extract.Limits{}, refusing{})
		return read, err
	}
	if read, err := part("a,b", "text/csv"); read || err != nil {
		t.Errorf("a table: %v, %v", read, err)
	}
	if read, err := part(strings.Repeat("<div>", 3000), "text/html"); read || err != nil {
		t.Errorf("a deep page: %v, %v", read, err)
	}
	if _, err := part(shop, "text/html"); err == nil {
		t.Error("the selector's error is lost")
	}
}

package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/tidemark/tidemark/handlers"
	"github.com/tidemark/tidemark/handlers/ui"
	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/registry"
)

const (
	shownHosts   = 10_000
	shownChanges = 10_000
	pageRounds   = 21
)

// dashboard measures each page of the dashboard with a hundred thousand items and ten thousand changes. It measures
// the time on the server, in comparison with a file that needs no storage, and the size after the compression that a
// proxy would apply.
func (b *bench) dashboard() error {
	store, err := app.OpenStore(settingsOf(map[string]string{"STORAGE": app.Embedded,
		"TIDEMARK_DATA": b.temp("dashboard")}), slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer store.Close()
	c, err := b.assemble(store, "dashboard-index")
	if err != nil {
		return err
	}
	defer c.Index.Close()
	l := &listed{ctx: b.ctx, hosts: shownHosts, Registry: c.Registry}
	if err := l.fill(); err != nil {
		return err
	}
	if err := publish(b.ctx, c.Feed); err != nil {
		return err
	}
	some, err := c.Registry.Items.List(b.ctx, registry.ListQuery{Host: lastHost, Top: 1})
	if err != nil {
		return err
	}
	served := handlers.New(handlers.Options{
		Open: func(context.Context) (*handlers.Services, error) { return c.Services, nil }})
	section("Pages of the dashboard, 100,000 items and 10,000 changes", "page", "ms, median", "worst of 21",
		"median to a static file", "KB packed", "aim")
	var file time.Duration
	for _, path := range []string{"/static/style.css", "", "/attention", "/machine", "/items", "/items?status=Error",
		"/items?host=" + lastHost, "/items/" + string(some[0].ID), "/tags", "/hosts", "/hosts/" + lastHost,
		"/search?q=harbour", "/notifications", "/help/guide"} {
		took, size, err := pageOf(served, ui.Root+path)
		if err != nil {
			return err
		}
		median := percentile(took, 50)
		if file == 0 {
			file = median
		}
		row(path, ms(median), ms(percentile(took, 99)), float64(median)/float64(file), float64(size)/1000,
			"< 50 ms, < 60 KB")
	}
	return nil
}

func ms(d time.Duration) float64 { return d.Seconds() * 1000 }

// pageOf requests a page again and again.
func pageOf(served http.Handler, path string) (took []time.Duration, packed int, err error) {
	var body []byte
	for range pageRounds {
		w := httptest.NewRecorder()
		began := time.Now()
		served.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		took = append(took, time.Since(began))
		if body = w.Body.Bytes(); w.Code != http.StatusOK {
			return nil, 0, fmt.Errorf("%s: %d", path, w.Code)
		}
	}
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, err = z.Write(body)
	err = errors.Join(err, z.Close())
	return took, out.Len(), err
}

// publish writes changes of the items of the last host into the feed, oldest first.
func publish(ctx context.Context, to *feed.Feed) error {
	now := time.Now()
	for n := 0; n < shownChanges; n += 50 {
		g := feed.Group{ID: fmt.Sprintf("g%06d", n)}
		for i := n; i < n+50; i++ {
			g.Changes = append(g.Changes, feed.Change{At: now.Add(time.Duration(i-shownChanges) * time.Minute),
				Kind: feed.Content, ItemID: fmt.Sprint(i), Host: lastHost, Title: fmt.Sprintf("Page %d of the harbour", i),
				URL: fmt.Sprintf("https://%s/a/page/of/a/site/%d", lastHost, i), Passages: []feed.Passage{
					{Text: "The harbour opened at six in the morning until the end of the season.", Op: "removed"},
					{Text: "The harbour opens at seven in the morning until the end of the season.", Op: "added"}}})
		}
		if err := to.Publish(ctx, g); err != nil {
			return err
		}
	}
	return nil
}

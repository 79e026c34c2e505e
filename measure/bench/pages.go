package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
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
// the time on the server, in comparison with a file that needs no storage, and the size as sent.
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
	section("Pages of the dashboard, 100,000 items and 10,000 changes (load "+load()+")", "page", "ms, median",
		"worst of 21", "median to an empty page", "KB as sent", "aim")
	paths, err := dashboardPages(served, string(some[0].ID))
	if err != nil {
		return err
	}
	var empty time.Duration
	for _, path := range paths {
		took, size, err := pageOf(served, ui.Root+path)
		if err != nil {
			return err
		}
		median := percentile(took, 50)
		if path == emptyPage {
			empty = median
		}
		row(path, ms(median), ms(percentile(took, 99)), float64(median)/float64(empty), float64(size)/1000,
			"≤ 60 ms, ≤ 100 KB")
	}
	return nil
}

// emptyPage has the frame of every page, with no content but a sentence that there is no such page.
const emptyPage = "/nothing"

// dashboardPages returns the paths of the dashboard's pages, the empty one first. The items have no captures, so pages
// that show one are left out: what they cost depends on the capture alone.
func dashboardPages(served http.Handler, item string) ([]string, error) {
	w := httptest.NewRecorder()
	served.ServeHTTP(w, httptest.NewRequest(http.MethodGet, ui.Root, nil))
	_, after, found := strings.Cut(w.Body.String(), `href="`+ui.Root+`/changes/`)
	change, _, _ := strings.Cut(after, `"`)
	if !found {
		return nil, errors.New("the first page shows no change")
	}
	return []string{emptyPage, "", "/changes/" + change, "/add", "/attention", "/machine", "/index", "/keys", "/items",
		"/items?find=harbour", "/items?status=Error", "/items?host=" + lastHost, "/items/" + item,
		"/items/" + item + "/experts", "/items/" + item + "/stop", "/tell?item=" + item, "/tell", "/tags", "/hosts",
		"/hosts/" + lastHost, "/backfill", "/search?q=harbour", "/notifications", "/notifications/messages?state=failed",
		"/notifications/channels", "/notifications/new-channel", "/notifications/new-channel?kind=smtp",
		"/notifications/address", "/tags/harbour", "/entries", "/entries/batches", "/entries/imports", "/import", "/help",
		"/help/guide", "/static/style.css"}, nil
}

func ms(d time.Duration) float64 { return d.Seconds() * 1000 }

// pageOf requests a page again and again, as a browser does. The size is that of the answer, compressed by the server.
func pageOf(served http.Handler, path string) (took []time.Duration, size int, err error) {
	for range pageRounds {
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, nil)
		r.Header.Set("Accept-Encoding", "gzip")
		began := time.Now()
		served.ServeHTTP(w, r)
		took = append(took, time.Since(began))
		if w.Code != http.StatusOK && !strings.HasSuffix(path, emptyPage) {
			return nil, 0, fmt.Errorf("%s: %d", path, w.Code)
		}
		size = w.Body.Len()
	}
	return took, size, nil
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

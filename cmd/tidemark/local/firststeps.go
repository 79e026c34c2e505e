package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// firstPatience limits the time for which the progress of the first choice is shown.
const firstPatience = 2 * time.Minute

// A beginning carries out the first choice while the host runs.
type beginning struct {
	t      *terminal.Terminal
	client *api.Client
	at     string // address of the server
	data   string // the data folder
}

// run carries out a choice and says where the dashboard is. A failure does not stop the server.
func (b *beginning) run(ctx context.Context, f first) {
	limited, cancel := context.WithTimeout(ctx, firstPatience)
	defer cancel()
	b.t.Say("")
	err := f.begin(limited, b)
	switch {
	case ctx.Err() != nil:
		return // the server is being stopped, as another message says
	case errors.Is(err, context.DeadlineExceeded):
		b.t.Say("It goes on by itself.")
	case err != nil:
		b.t.Note("%v", err)
	}
	b.t.Say("%s", b.t.Screen.Bold("Go on in the dashboard: "+b.at+"/api/ui"))
}

// until(…) shows the result of each poll. It ends when over reports the end.
func until[T any](ctx context.Context, b *beginning, poll func() (T, error), line func(T) string,
	over func(T) bool) error {
	v := &terminal.View{Out: b.t.Out, Screen: b.t.Screen}
	defer func() {
		if !errors.Is(ctx.Err(), context.Canceled) { // after a cancel, other messages appear below the picture
			v.Close()
		}
	}()
	return terminal.Follow(ctx, b.t, 300*time.Millisecond, poll, func(seen T) bool {
		text := line(seen)
		v.Show(b.t.Now(), func() string { return text }, func() []string { return []string{text} })
		return over(seen)
	})
}

// checked waits until an item was checked.
func (b *beginning) checked(ctx context.Context, id string) (it api.ItemDetail, err error) {
	err = until(ctx, b, func() (api.ItemDetail, error) {
		it, err = api.GetItem.Call(ctx, b.client, api.ItemID{ID: id})
		return it, err
	}, func(it api.ItemDetail) string { return terminal.Clean(it.NormalizedSource) + ": " + string(it.Status) },
		func(it api.ItemDetail) bool {
			return it.Status != api.StatusPending && it.Status != api.StatusCrawled && !it.ReindexRequested
		})
	return it, err
}

func (w watchPage) begin(ctx context.Context, b *beginning) error {
	added, err := api.AddURL.Call(ctx, b.client, api.AddURLRequest{URL: w.url})
	if err != nil {
		return err
	}
	it, err := b.checked(ctx, added.ID)
	if err != nil {
		return err
	}
	if it.Status != api.StatusIndexed {
		b.t.Say("%s is %s: %s", terminal.Clean(w.url), it.Status, terminal.Clean(it.ErrorMessage))
	} else {
		b.t.Say("%s can be searched, and is checked again as often as it changes.", terminal.Clean(w.url))
	}
	b.t.Say("What is known of it: %s/api/ui/items/%s", b.at, it.ID)
	return nil
}

// slowSite limits the wait for a site at which nothing was found yet, when the reason is known.
const slowSite = 10 * time.Second

func (s indexSite) begin(ctx context.Context, b *beginning) error {
	run, err := api.StartBackfill.Call(ctx, b.client, api.BackfillRequest{Sources: []string{s.Slug}})
	if err != nil {
		return err
	}
	b.t.Say("Looking for the pages of %s, at most %s: %s/api/ui/backfill/%s", s.Domain,
		words.Thousands(run.MaxURLsPerSource), b.at, run.ID)
	var st api.SearchStatus
	began := b.t.Now()
	err = until(ctx, b, func() (api.BackfillRun, error) {
		if run, err = api.GetBackfill.Call(ctx, b.client, api.BackfillID{ID: run.ID}); err != nil {
			return run, err
		}
		st, err = api.GetStatus.Call(ctx, b.client, api.StatusQuery{})
		return run, err
	}, func(run api.BackfillRun) string {
		return strings.TrimSpace(fmt.Sprintf("%s found, %s can be searched  %s", words.Count(run.Queued, "page"),
			words.Thousands(st.Items[api.StatusIndexed]), terminal.Clean(noteOf(run))))
	}, func(run api.BackfillRun) bool {
		return st.Items[api.StatusIndexed] > 0 || run.Over() && st.Backlog() == 0 ||
			run.Queued == 0 && noteOf(run) != "" && b.t.Now().Sub(began) > slowSite
	})
	if err != nil {
		return err
	}
	return s.found(ctx, b, run, st)
}

// noteOf returns the reason why the run of one site waits or has ended, or "" while the run makes progress.
func noteOf(run api.BackfillRun) string {
	for _, p := range run.Progress {
		if p.Note != "" {
			return p.Note
		}
	}
	return run.Note
}

// found prints what was found on a site, and what to do when nothing was found.
func (s indexSite) found(ctx context.Context, b *beginning, run api.BackfillRun, st api.SearchStatus) error {
	entry := fmt.Sprintf("The site's entry is in %s; `%s docs backfill-sites` explains it.",
		filepath.Join(b.data, app.SitesFile), b.t.Name)
	switch {
	case run.Queued == 0 && !run.Over():
		b.t.Say("Nothing was found yet, and it is tried again: %s.", terminal.Clean(noteOf(run)))
		b.t.Say("%s", entry)
		return nil
	case run.Queued == 0 && st.Total() == 0:
		b.t.Say("No page was found:\n  %s", strings.ReplaceAll(terminal.CleanLines(strings.Join(run.Report, "\n")), "\n",
			"\n  "))
		for _, why := range slices.Sorted(maps.Keys(run.Reasons)) {
			b.t.Say("  left out, %s: %s", terminal.Clean(why), words.Thousands(run.Reasons[why]))
		}
		b.t.Say("%s", entry)
		s.askWhatToRead(ctx, b)
		b.t.Say("Meanwhile its first page is watched.")
		return watchPage{s.Home}.begin(ctx, b)
	}
	b.t.Say("%s found so far, of which %s can be searched; the rest follows at the pace of the site.",
		words.Count(run.Queued, "page"), words.Thousands(st.Items[api.StatusIndexed]))
	b.t.Say("What it publishes from now on is found once a day. %s", entry)
	return nil
}

// askWhatToRead begins a poll. Where no sitemap lists the pages of a site, its poll asks what to read.
func (s indexSite) askWhatToRead(ctx context.Context, b *beginning) {
	if _, err := api.PollSite.Call(ctx, b.client, api.SiteSlug{Slug: s.Slug}); err != nil {
		b.t.Note("the site is not polled: %v", err)
		return
	}
	b.t.Say("The feeds and links of its first page are read now. `%s sites show %s%s` asks which of them to use,",
		b.t.Name, s.Slug, serverFlag(b.at))
	b.t.Say("as %s/api/ui/hosts/%s does. Write the answer in that entry, and start again.", b.at, s.Domain)
}

// sampleFiles are the sample pages.
var sampleFiles fs.FS = tidemark.Sample

// The sample page that is edited, and the edit, so that the user has a change to see.
const (
	changedSample = "troubleshooting/biofouling.html"
	sampleBefore  = "<p>Everything"
	sampleAfter   = "<p>Copper paint keeps zebrafish away. Everything"
)

func (sample) begin(ctx context.Context, b *beginning) error {
	root := filepath.Join(b.data, sampleFolder)
	var pages []string
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			pages = append(pages, name)
		}
		return err
	})
	if err != nil {
		return err
	}
	if _, err := b.client.AddFiles(ctx, pages, api.AddOptions{}); err != nil {
		return err
	}
	err = until(ctx, b, func() (api.SearchStatus, error) {
		return api.GetStatus.Call(ctx, b.client, api.StatusQuery{})
	}, func(st api.SearchStatus) string {
		return fmt.Sprintf("%d of %s can be searched", st.Items[api.StatusIndexed], words.Count(len(pages), "sample page"))
	}, func(st api.SearchStatus) bool { return st.Backlog() == 0 && st.Items[api.StatusPending] == 0 })
	if err != nil {
		return err
	}
	id, err := b.change(ctx, filepath.Join(root, filepath.FromSlash(changedSample)))
	if err != nil {
		return err
	}
	b.t.Say("%s of a manual can be searched: %s/api/ui/search?q=barnacles", words.Count(len(pages), "sample page"), b.at)
	b.t.Say("One has changed since: %s/api/ui/items/%s", b.at, id)
	b.t.Say("They are files in %s. To be rid of them:", root)
	b.t.Say("  find %s -name '*.html' -exec %s remove%s {} +; rm -r %s", root, b.t.Name, serverFlag(b.at), root)
	return nil
}

// change edits the page and requests a check of it.
func (b *beginning) change(ctx context.Context, name string) (id string, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	text = []byte(strings.Replace(string(text), sampleBefore, sampleAfter, 1))
	if err := os.WriteFile(name, text, 0o644); err != nil {
		return "", err
	}
	it, err := api.ReindexItem.Call(ctx, b.client, api.ReindexRequest{Source: name, Force: true})
	if err != nil {
		return "", err
	}
	_, err = b.checked(ctx, it.ID)
	return it.ID, err
}

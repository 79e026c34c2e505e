package walk

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

const (
	// maxFetched and fetchTime limit the pages that one step of a dry run fetches.
	maxFetched = 16
	fetchTime  = 15 * time.Second
	// maxWait limits the time that a dry run waits for a host before it tries again.
	maxWait = time.Hour
)

// fetchPages fetches some pages of a dry run, as politely as the crawl, and reads their links.
func (v *walking) fetchPages(ctx context.Context) (wait time.Duration, err error) {
	open, err := v.openPages(ctx)
	if err != nil {
		return 0, err
	}
	began := v.Clock()
	for i, p := range open {
		if v.isFull() || i == maxFetched || v.Clock().Sub(began) > fetchTime {
			return 0, nil
		}
		page := v.rows[p.row].Pages[p.i]
		got, err := v.Web.FetchResource(ctx, politeness.ResourceRequest{URL: page.URL})
		v.out.Requests += got.Requests
		refused, isRefused := errors.AsType[*politeness.SiteError](err)
		switch {
		case fault.Is(err, fault.Throttled):
			v.out.Note = "waits for the site: " + err.Error()
			return min(max(fault.RetryAfter(err), time.Second), maxWait), nil
		case isRefused:
			v.miss(p, page, "cannot be read: "+string(fault.KindOf(refused.Err)))
		case err != nil:
			return 0, err
		default:
			v.out.Documents++
			if err := v.fetched(ctx, p, page, got); err != nil {
				return 0, err
			}
		}
	}
	return 0, nil
}

// miss leaves out a page that a dry run cannot read.
func (v *walking) miss(p at, page *linked, why string) {
	v.Report.LeftOut(why, page.URL)
	v.walk.Pages--
	v.done(p, page, linkLeftOut, nil)
}

// fetched reads a page of a dry run. A page that redirects is found at its target.
func (v *walking) fetched(ctx context.Context, p at, page *linked, got politeness.Resource) error {
	asked, _ := v.Rules.ParseURL(page.URL) // it was parsed before
	answered, err := v.Rules.ParseURL(got.FinalURL)
	switch {
	case got.Refused() != nil:
		v.miss(p, page, fmt.Sprintf("HTTP %d", got.Status))
		return nil
	case err == nil && answered.Normalized != asked.Normalized:
		v.link(got.FinalURL, page.Depth)
		v.miss(p, page, "redirects to another address")
		return nil
	}
	read := v.readBody(got.Body, got.ContentType, got.FinalURL, got.Robots)
	if !v.links(page.Depth, read) {
		return nil
	}
	items, err := v.Items.LookupAll(ctx, []source.Source{asked})
	if err != nil {
		return err
	}
	if items[0] != nil {
		v.out.Known++
	} else {
		v.out.New++
	}
	v.done(p, page, linkRead, read)
	return nil
}

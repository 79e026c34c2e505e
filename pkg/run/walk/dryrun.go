package walk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
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

// trial is the work of one step of a dry run.
type trial struct{ *walking }

// fetchPages fetches some pages of a dry run, as politely as the crawl, and reads their links.
func (v trial) fetchPages(ctx context.Context) (wait time.Duration, err error) {
	open, err := v.openPages(ctx)
	if err != nil {
		return 0, err
	}
	began := v.Clock()
	for i, p := range open {
		if v.isFull() || i == min(maxFetched, v.MaxRead) || v.Clock().Sub(began) > fetchTime {
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
			v.miss(p, page, unreadWhy(refused))
		case err != nil:
			return 0, err
		default:
			v.out.Documents++
			v.out.Bytes += len(got.Body)
			if err := v.fetched(ctx, p, page, got); err != nil {
				return 0, err
			}
		}
	}
	return 0, nil
}

// unreadWhy says in words why a site does not serve a page.
func unreadWhy(refused *politeness.SiteError) string {
	switch fault.KindOf(refused.Err) {
	case fault.Blocked:
		return "cannot be read: robots.txt or the guard of addresses forbids it"
	case fault.TooLarge:
		return "cannot be read: too large, or too many redirects"
	case fault.Unavailable:
		return "cannot be read: the site does not answer"
	}
	return "cannot be read"
}

// miss leaves out a page that a dry run cannot read. It was fetched, so it counts as one of the pages: else a site that
// refuses all its pages would be asked for more of them than the limit.
func (v trial) miss(p at, page *linked, why string) {
	v.Report.LeftOut(why, page.URL)
	v.done(p, page, linkLeftOut, nil)
}

// fetched reads a page of a dry run. A page that redirects is found at its target.
func (v trial) fetched(ctx context.Context, p at, page *linked, got politeness.Resource) error {
	asked, _ := v.Rules.ParseURL(page.URL) // it was parsed before
	answered, err := v.Rules.ParseURL(got.FinalURL)
	switch {
	case got.Refused() != nil:
		v.miss(p, page, fmt.Sprintf("HTTP %d", got.Status))
		return nil
	case err == nil && answered.Normalized != asked.Normalized:
		if why := v.elsewhere(answered); why != "" {
			v.miss(p, page, why)
			return nil
		}
		asked = answered
	}
	read := v.readBody(got.Body, got.ContentType, got.FinalURL, got.Robots)
	if ended, _ := v.links(page, read); !ended { // it is fetched again, from where it answers
		page.URL, v.rows[p.row].changed = got.FinalURL, true
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
	leadsOn(v.Report, page, read, got.ContentType, "")
	if read != nil && isThin(got) {
		v.walk.Thin++
		v.walk.ThinAt = cmp.Or(v.walk.ThinAt, got.FinalURL)
	}
	v.done(p, page, linkRead, read)
	page.URL = got.FinalURL
	return nil
}

// isThin reports whether a page has little text, and so maybe few links, without its scripts.
func isThin(got politeness.Resource) bool {
	doc, err := web.Extract(got.Body, got.ContentType, got.FinalURL, extract.Limits{})
	return err == nil && doc.Thin != ""
}

// elsewhere returns the reason why the target of a redirect is not wanted; "" if it is found now.
func (v trial) elsewhere(target source.Source) string {
	if why := v.Site.Judge(target); why != "" {
		return "redirects to " + why
	}
	if !v.note(xxhash.Sum64String(target.Normalized)) {
		return "redirects to a page that is found anyway"
	}
	if why := v.traps.Judge(target.Normalized); why != "" {
		return "redirects to " + why
	}
	return ""
}

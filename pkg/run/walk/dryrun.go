package walk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/discover"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/robots"
	"github.com/tidemark/tidemark/pkg/registry"
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

// maxWhy limits the reason why a page could not be read, in bytes.
const maxWhy = 200

// unread records that a page cannot be read. Of a start, each poll says so: from there, it finds nothing.
func unread(v *walking, p at, page *linked, why string) {
	why = words.Ellipsis(cmp.Or(why, "nothing of it is stored"), maxWhy)
	if page.Depth == 0 {
		v.Report.Unread(page.URL, "no links are followed from here: "+why)
	}
	if page.isUnread() {
		return
	}
	v.done(p, page, linkRead, nil)
	page.Body = ""
	if v.walk.Unread++; v.walk.UnreadAt == "" {
		v.walk.UnreadAt, v.walk.UnreadWhy = page.URL, why
	}
}

// isUnread reports whether a page is counted as one that could not be read.
func (l *linked) isUnread() bool { return l.State == linkRead && l.Body == "" }

// nowRead records that a page can be read, or is read again.
func (w *Walk) nowRead(page *linked) {
	if !page.isUnread() {
		return
	}
	w.Unread--
	if w.UnreadAt == page.URL {
		w.UnreadAt, w.UnreadWhy = "", ""
	}
}

// leadsOn tells a report why no links are followed from a start: it is no web page, or has none. It may be thin for the
// reason given.
func leadsOn(to Report, page *linked, got *discover.Page, contentType, thin string) {
	switch {
	case page.Depth > 0 || page.State != linkRegistered || page.Again:
	case got == nil && !discover.IsPage(contentType):
		to.Unread(page.URL, "no links are followed from here: it is "+words.Ellipsis(contentType, maxWhy)+
			", not a web page")
	case got != nil && len(got.Links) == 0 && !got.NoFollow && thin != "":
		to.Unread(page.URL, "no links are followed from here, because it has none: "+words.Ellipsis(thin, maxWhy))
	case got != nil && len(got.Links) == 0 && !got.NoFollow:
		to.Unread(page.URL, "no links are followed from here, because it has none")
	}
}

// cutBody stands for the body of a page whose links were not all examined. No body has this digest.
const cutBody = "cut"

// bodyOf returns a short digest of the body that the site served last for an item; "" if none is stored.
func bodyOf(it *registry.Item) string {
	hash := it.RawHash
	if it.Validators.Body != "" {
		hash = it.Validators.Body
	}
	if len(hash) < 19 {
		return ""
	}
	return hash[7:19] // behind "sha256:"
}

// pageOf returns the page that the crawl has read, or else reads the stored body of an item; nil if it is no web page,
// or cannot be read, which it reports.
func (s Step) pageOf(ctx context.Context, it *registry.Item) (*discover.Page, error) {
	hash := it.RawHash
	if it.Validators.Body != "" {
		hash = it.Validators.Body
	}
	if page, directives := s.Awaited.Page(it.ID, hash, verdict.BaseURL(it)); page != nil {
		return s.directed(page, directives), nil
	}
	formers, err := s.Moves.Formers(ctx, it)
	if err != nil {
		return nil, err
	}
	capture, body, err := s.Snapshots.LoadOf(ctx, append([]source.ID{it.ID}, formers...), hash)
	if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Invalid) {
		s.Report.Unread(verdict.BaseURL(it), "its links are not followed: the page is not stored")
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return s.readBody(body, capture.ContentType(), verdict.BaseURL(it), capture.Header["X-Robots-Tag"]), nil
}

// readBody reads a body; nil if it is no web page, or one that cannot be parsed, which it reports.
func (s Step) readBody(body []byte, contentType, base string, directives []string) *discover.Page {
	page, err := discover.ReadPage(body, contentType, base)
	switch {
	case err != nil && discover.IsPage(contentType):
		s.Report.Unread(base, "its links are not followed: "+err.Error())
		return nil
	case err != nil:
		return nil
	}
	return s.directed(&page, directives)
}

// directed applies the directives of the headers of a page.
func (s Step) directed(page *discover.Page, directives []string) *discover.Page {
	page.NoFollow = page.NoFollow || robots.ParseDirectives(directives, s.Agent, time.Time{}).NoFollow
	return page
}

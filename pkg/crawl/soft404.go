package crawl

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/tidemark/tidemark/pkg/extract"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/registry"
)

// Some sites answer 200 for pages that do not exist, or send everybody to their front page. To
// know them, a host is asked for a page that cannot exist, once a week at most and only when it has
// just shown new content; what looks the same is missing (A14). A page that was kept before its host
// was known is judged from its snapshot when it is next found unchanged: see lateabsent.go.

const (
	// absentFor is how long an answer is believed.
	absentFor = 7 * 24 * time.Hour
	// absentTrust is how long a process believes what it has read of it.
	absentTrust = 10 * time.Minute
)

// Why a page that was answered is missing.
const (
	WhySoft404 = "soft 404: the host answers this for pages that do not exist"
	WhyToRoot  = "soft 404: the host sends pages that do not exist to its front page"
)

// absentPage describes what an origin shows instead of 404.
type absentPage struct {
	ToRoot  bool                `json:"toRoot,omitempty"` // a redirect to the front page
	Visible extract.Fingerprint `json:"visible"`
	Main    extract.Fingerprint `json:"main"`
	Content string              `json:"content,omitempty"` // contentHash
	mark    string              // by which items remember that they were compared with it
}

// honest reports whether the origin, as far as is known, answers 404.
func (a absentPage) honest() bool { return !a.ToRoot && a.Content == "" }

// softMissing tells why a page with new content is missing all the same; "" if it is not, and then
// what it was compared with. The error is our own storage's.
func (c *check) softMissing(ctx context.Context, resp fetch.Response, r reading) (why, mark string, err error) {
	if !c.o.Soft404 || c.file != nil || isRoot(c.NormalizedSource) || r.doc.Unsupported || r.doc.VisibleText == "" {
		return "", "", nil
	}
	absent, err := c.absent(ctx)
	if err != nil {
		return "", "", err
	}
	switch {
	case absent.ToRoot:
		if len(resp.Redirects) > 0 && isRoot(resp.FinalURL) {
			return WhyToRoot, "", nil
		}
	case absent.honest(): // so there is nothing to compare with
	case absent.likes(describe(r.doc, r.hash, c.fetchURL())):
		return WhySoft404, "", nil
	}
	return "", absent.mark, nil
}

// likes reports whether a page looks like the one shown for pages that do not exist. All that is
// visible must be near, and so must the main content, because on many sites every page has most of
// its text in common with all others.
func (a absentPage) likes(p absentPage) bool {
	return a.Content == p.Content || a.Visible.Near(p.Visible) && (a.Main == p.Main || a.Main.Near(p.Main))
}

// describe takes a page's fingerprints, without the words of its own address, which many such pages
// repeat. hash is its contentHash.
func describe(doc extract.Document, hash, address string) absentPage {
	own := map[string]bool{}
	for w := range strings.FieldsFuncSeq(strings.ToLower(address), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		own[w] = true
	}
	leave := func(w string) bool { return own[w] }
	return absentPage{
		Visible: extract.FingerprintOf(doc.VisibleText, leave), Main: extract.FingerprintOf(doc.Text, leave),
		Content: hash,
	}
}

func isRoot(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Path == "" || u.Path == "/") && u.RawQuery == ""
}

// absent is what the page's origin shows for pages that do not exist: from memory, from the
// registry, or from the site.
func (c *check) absent(ctx context.Context) (absentPage, error) {
	o, err := originOf(c.fetchURL())
	if err != nil {
		return absentPage{}, nil // Unreachable: it was just fetched
	}
	now := c.o.Clock()
	if a, ok := c.absents.get(o, now, absentTrust); ok {
		return a, nil
	}
	turn := c.absents.turn(o) // pages of one job wait for the first that asks
	turn.Lock()
	defer turn.Unlock()
	if a, ok := c.absents.get(o, now, absentTrust); ok {
		return a, nil
	}
	row, err := c.reg.Absent(ctx, c.partition(o), o.scheme, o.host)
	if err != nil {
		return absentPage{}, err
	}
	if row.AskedAt.IsZero() || now.Sub(row.AskedAt) >= absentFor || !row.Known && now.Sub(row.AskedAt) >= absentTrust {
		if row, err = c.askAbsent(ctx, o, row); err != nil {
			return absentPage{}, err
		}
	}
	a := absentOf(row)
	if row.Known {
		c.absents.put(o, a, now)
	}
	return a, nil
}

// absentOf reads what is known of an origin.
func absentOf(row registry.Absent) (a absentPage) {
	_ = json.Unmarshal([]byte(row.Page), &a) // empty or damaged: nothing is known
	a.mark = row.Mark
	return a
}

// askAbsent asks the origin for a page that cannot exist, if nobody else does and there is time.
// Whatever it cannot learn leaves what was known.
func (c *check) askAbsent(ctx context.Context, o origin, row registry.Absent) (registry.Absent, error) {
	if c.batch.Until.Sub(c.o.Clock()) < commitMargin+lastStart {
		return row, nil
	}
	address := o.scheme + "://" + o.host + "/" + unlikely(o, c.o.Clock())
	r, err := c.ruling(ctx, o)
	if err != nil || r.unknown() || !r.allows(c.o.Agent, address) {
		return row, err
	}
	defer c.permit()()
	if c.wait(ctx) != nil {
		return row, ctx.Err()
	}
	row, ours, err := c.reg.ClaimAbsent(ctx, row, c.o.Clock())
	if err != nil || !ours {
		return row, err
	}
	resp, err := c.ask(ctx, fetch.Request{URL: address})
	if c.guest.ours != nil || err != nil {
		return row, c.guest.ours
	}
	page, learned, err := c.learnAbsent(ctx, address, resp)
	if err != nil || !learned {
		return row, err
	}
	row.Mark = markOf(absentOf(row), page)
	row.Page, row.Known = page, true
	return row, c.reg.PutAbsent(ctx, row)
}

// learnAbsent describes an answer: empty for an honest one.
func (c *check) learnAbsent(ctx context.Context, address string, resp fetch.Response) (page string, learned bool, err error) {
	switch resp.Status {
	case http.StatusNotFound, http.StatusGone:
		return "", true, nil
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		_, err := c.pause(ctx, resp)
		return "", false, err
	case http.StatusOK:
	default:
		return "", false, nil
	}
	a := absentPage{ToRoot: len(resp.Redirects) > 0 && isRoot(resp.FinalURL)}
	if !a.ToRoot {
		doc, err := c.o.Documents.Extract(ctx, resp.Body, resp.Header.Get("Content-Type"), resp.FinalURL, extract.Limits{})
		if err != nil || doc.Unsupported {
			return "", false, ctx.Err()
		}
		a = describe(doc, doc.ContentHash(), address)
	}
	b, _ := json.Marshal(a) // always encodes
	return string(b), true, nil
}

// unlikely is a path that nobody has, and that tells who asks for it and why.
func unlikely(o origin, now time.Time) string {
	sum := sha256.Sum256([]byte(o.scheme + o.host + now.String()))
	return "tidemark-looks-for-a-page-that-does-not-exist-" + hex.EncodeToString(sum[:8])
}

// absentCache keeps what origins show, and who asks them.
type absentCache struct {
	originCache[absentPage]
	turns map[origin]*sync.Mutex
}

// turn is held by who asks an origin.
func (c *absentCache) turn(o origin) *sync.Mutex {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.turns == nil || len(c.turns) >= originBound {
		c.turns = map[origin]*sync.Mutex{}
	}
	if c.turns[o] == nil {
		c.turns[o] = &sync.Mutex{}
	}
	return c.turns[o]
}

package crawl

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/base/recent"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/registry"
)

const (
	// fingerprintFor is how long an answer is believed.
	fingerprintFor = 7 * 24 * time.Hour
	// fingerprintTrust is how long a process believes what it has read of it.
	fingerprintTrust = 10 * time.Minute
)

// readAnswer reads what the site sent, and remembers what the host shows for pages that do not exist where
// the document has to be compared with that. The check has its permit until it is certain that the host
// is not asked for such a page: who waited for another permit could wait for those who wait for the
// memory that this check has. The error is our own storage's, or that our time is over.
func (c *check) readAnswer(ctx context.Context, got verdict.Answer) (r verdict.Reading, err error) {
	defer c.answered()
	o, compared := c.compared(got)
	shown, known := c.job.w.fingerprints.get(o, c.now(), fingerprintTrust)
	if known || !compared {
		c.answered()
	}
	if r, err = c.read(ctx, got); err != nil {
		return r, err
	}
	if !compared || !c.basis.IsNews(&c.item, r, c.now()) || r.Doc.Unsupported ||
		r.Doc.VisibleText == "" {
		return r, nil
	}
	if !known {
		shown, err = prober{c.job, &c.site}.current(ctx, o)
	}
	c.basis.Soft404 = shown
	return r, err
}

// compared reports whether an answer may have to be compared with what its origin shows for pages that do
// not exist.
func (c *check) compared(got verdict.Answer) (o origin, ok bool) {
	if !c.basis.Rules.Soft404 || got.File != nil || verdict.IsRoot(c.item.NormalizedSource) {
		return o, false
	}
	o, err := originOf(verdict.FetchURL(&c.item))
	return o, err == nil
}

// prober learns what hosts show for pages that do not exist, for a check that has a permit.
type prober struct {
	job  *job
	site *asker
}

// current is what an origin shows, asked for again where the answer is old.
func (p prober) current(ctx context.Context, o origin) (verdict.Fingerprint, error) {
	w := p.job.w
	now := w.o.Clock()
	turn := w.fingerprints.turn(o) // pages of one job wait for the first that asks
	turn.Lock()
	defer turn.Unlock()
	if f, ok := w.fingerprints.get(o, now, fingerprintTrust); ok {
		return f, nil
	}
	row, err := w.reg.Hosts.Soft404(ctx, w.partition(o), o.scheme, o.host)
	if err != nil {
		return verdict.Fingerprint{}, err
	}
	age := now.Sub(row.AskedAt)
	useless := !row.Known || !verdict.FingerprintOf(row).ReadUnder(w.o.Version)
	if row.AskedAt.IsZero() || age >= fingerprintFor || useless && age >= fingerprintTrust {
		if row, err = p.ask(ctx, o, row); err != nil {
			return verdict.Fingerprint{}, err
		}
	}
	f := verdict.FingerprintOf(row)
	if row.Known {
		w.fingerprints.put(o, f, now)
	}
	return f, nil
}

// known is what is known of an origin under an id, from memory or from the registry. Nobody asks the
// site.
func (p prober) known(ctx context.Context, o origin, id string) (verdict.Fingerprint, error) {
	w := p.job.w
	if f, ok := w.fingerprints.get(o, w.o.Clock(), fingerprintTrust); ok && f.ID == id {
		return f, nil
	}
	row, err := w.reg.Hosts.Soft404(ctx, w.partition(o), o.scheme, o.host)
	if err != nil {
		return verdict.Fingerprint{}, err
	}
	f := verdict.FingerprintOf(row)
	w.fingerprints.put(o, f, w.o.Clock())
	return f, nil
}

// ask asks the origin for a page that cannot exist, if nobody else does and there is time. Whatever it
// cannot learn leaves what was known.
func (p prober) ask(ctx context.Context, o origin, row registry.Soft404) (registry.Soft404, error) {
	w := p.job.w
	if p.job.batch.startsTooLate(w.o.Clock()) {
		return row, nil
	}
	address := o.scheme + "://" + o.host + "/" + unlikely(o, w.o.Clock())
	r, err := p.site.ruling(ctx, o)
	if err != nil || r.unknown() || !r.allows(w.o.Agent, address) {
		return row, err
	}
	if p.job.wait(ctx) != nil {
		return row, ctx.Err()
	}
	row, ours, err := w.reg.Hosts.ClaimSoft404(ctx, row, w.o.Clock())
	if err != nil || !ours {
		return row, err
	}
	resp, err := p.site.ask(ctx, fetch.Request{URL: address})
	if p.site.session.ours != nil || err != nil {
		return row, p.site.session.ours
	}
	page, learned, err := p.learn(ctx, address, resp)
	if err != nil || !learned {
		return row, err
	}
	row.Fingerprint = verdict.FingerprintID(verdict.FingerprintOf(row), page)
	row.Page, row.Known = page, true
	return row, w.reg.Hosts.PutSoft404(ctx, row)
}

// learn describes an answer: empty for an honest one.
func (p prober) learn(ctx context.Context, address string, resp fetch.Response) (page string, learned bool, err error) {
	var f verdict.Fingerprint
	switch {
	case resp.Status == http.StatusNotFound || resp.Status == http.StatusGone:
		return "", true, nil
	case resp.Status != http.StatusOK:
		return "", false, nil
	case len(resp.Redirects) > 0 && verdict.IsRoot(resp.FinalURL):
		f.ToRoot = true
	default:
		w := p.job.w
		doc, unreadable, err := w.extract(ctx, p.site.room, resp.Body, resp.Header.Get("Content-Type"), resp.FinalURL)
		if err != nil || unreadable != nil || doc.Unsupported {
			return "", false, err
		}
		f = verdict.Describe(doc, doc.ContentHash(), address)
		f.Version = w.o.Version.String()
	}
	b, _ := json.Marshal(f) // always encodes
	return string(b), true, nil
}

// unlikely is a path that nobody has, and that tells who asks for it and why.
func unlikely(o origin, now time.Time) string {
	sum := sha256.Sum256([]byte(o.scheme + o.host + now.String()))
	return "tidemark-looks-for-a-page-that-does-not-exist-" + hex.EncodeToString(sum[:8])
}

// fingerprintCache keeps what origins show, and who asks them.
type fingerprintCache struct {
	originCache[verdict.Fingerprint]
	turns recent.Map[origin, *sync.Mutex]
}

// turn is held by who asks an origin.
func (c *fingerprintCache) turn(o origin) *sync.Mutex {
	return c.turns.GetOrPut(o, &sync.Mutex{})
}

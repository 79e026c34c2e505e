package politeness

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"time"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/registry"
)

const (
	// fingerprintFor is how long a fingerprint stays valid.
	fingerprintFor = 7 * 24 * time.Hour
	// fingerprintTrust is how long a process uses its cached copy before it reads the row again.
	fingerprintTrust = 10 * time.Minute
)

// Reader reads an answer. If the answer cannot be read, unreadable is the reason. The error err means that this
// worker's time is over.
type Reader func(ctx context.Context, resp fetch.Response) (doc extract.Document, unreadable, err error)

// Prober learns how origins answer for pages that do not exist. [Prober.Current] may send a request, so its caller must
// hold a permit.
type Prober struct {
	site    *Asker
	version lineage.Version // version of the rules for reading answers
	read    Reader
}

// Prober returns a prober that sends requests through the asker. It uses the given function to read answers, under
// the given version of the rules.
func (a *Asker) Prober(version lineage.Version, read Reader) Prober {
	return Prober{site: a, version: version, read: read}
}

// Remembered returns the fingerprint of an origin from this process's cache.
func (p Prober) Remembered(o Origin) (f verdict.Fingerprint, known bool) {
	h := p.site.hosts
	return h.fingerprints.get(o, h.clock(), fingerprintTrust)
}

// Current returns the present fingerprint of an origin. If the last answer is too old, Current asks the origin again.
func (p Prober) Current(ctx context.Context, o Origin) (verdict.Fingerprint, error) {
	h := p.site.hosts
	now := h.clock()
	asking := h.fingerprints.mutexes.GetOrPut(o, NewLock())
	asking.Lock()
	defer asking.Unlock()
	if f, ok := p.Remembered(o); ok {
		return f, nil
	}
	row, err := h.rows.Soft404(ctx, h.partition(o), o.Scheme, o.Host)
	if err != nil {
		return verdict.Fingerprint{}, err
	}
	age := now.Sub(row.AskedAt)
	useless := !row.Known || !verdict.FingerprintOf(row).ReadUnder(p.version)
	if row.AskedAt.IsZero() || age >= fingerprintFor || useless && age >= fingerprintTrust {
		if row, err = p.ask(ctx, o, row); err != nil {
			return verdict.Fingerprint{}, err
		}
	}
	f := verdict.FingerprintOf(row)
	if row.Known {
		h.fingerprints.put(o, f, now)
	}
	return f, nil
}

// Known returns the fingerprint of an origin that has the given id: from the cache or else from the registry. It
// never sends a request to the origin.
func (p Prober) Known(ctx context.Context, o Origin, id string) (verdict.Fingerprint, error) {
	h := p.site.hosts
	if f, ok := p.Remembered(o); ok && f.ID == id {
		return f, nil
	}
	row, err := h.rows.Soft404(ctx, h.partition(o), o.Scheme, o.Host)
	if err != nil {
		return verdict.Fingerprint{}, err
	}
	f := verdict.FingerprintOf(row)
	h.fingerprints.put(o, f, h.clock())
	return f, nil
}

// ask requests from the origin a page that cannot exist, unless another worker is already doing so or there is no
// time. If it learns nothing, the old fingerprint remains.
func (p Prober) ask(ctx context.Context, o Origin, row registry.Soft404) (registry.Soft404, error) {
	h := p.site.hosts
	if p.site.lease.startsTooLate(h.clock()) {
		return row, nil
	}
	address := o.Scheme + "://" + o.Host + "/" + unlikely(o, h.clock())
	r, err := p.site.ruling(ctx, o)
	if err != nil || r.unknown() || !r.allows(h.agent, address) {
		return row, err
	}
	row, ours, err := h.rows.ClaimSoft404(ctx, row, h.clock())
	if err != nil || !ours {
		return row, err
	}
	// The wait comes last: what takes time after it would shorten the pause before the host's next request.
	if p.site.lease.Wait(ctx) != nil {
		return row, ctx.Err()
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
	return row, h.rows.PutSoft404(ctx, row)
}

// learn describes an answer. The description is "" if the origin answered with an honest 404.
func (p Prober) learn(ctx context.Context, address string, resp fetch.Response) (page string, learned bool, err error) {
	var f verdict.Fingerprint
	switch {
	case resp.Status == http.StatusNotFound || resp.Status == http.StatusGone:
		return "", true, nil
	case !resp.OK():
		return "", false, nil
	case len(resp.Redirects) > 0 && verdict.IsRoot(resp.FinalURL):
		f.ToRoot = true
	default:
		doc, unreadable, err := p.read(ctx, resp)
		if err != nil || unreadable != nil || doc.Unsupported {
			return "", false, err
		}
		f = verdict.Describe(doc, doc.ContentHash(), address)
		f.Version = p.version.String()
	}
	b, _ := json.Marshal(f) // encoding a fingerprint cannot fail
	return string(b), true, nil
}

// unlikely returns a path that no site has. The words of the path show the site's owner who requests it and why.
func unlikely(o Origin, now time.Time) string {
	sum := sha256.Sum256([]byte(o.Scheme + o.Host + now.String()))
	return "tidemark-looks-for-a-page-that-does-not-exist-" + hex.EncodeToString(sum[:8])
}

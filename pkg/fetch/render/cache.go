package render

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/recent"
	"github.com/tidemark/tidemark/pkg/fetch"
)

// Bounds of the cache.
const (
	cacheBytes   = 32 << 20
	cacheOne     = 2 << 20 // of one answer
	cacheLongest = 24 * time.Hour
)

// cache keeps answers that a shared cache may keep (RFC 9111), so that the scripts and styles of a site are not
// requested again for each of its pages. It is safe for concurrent use.
type cache struct{ kept recent.Map[cacheKey, kept] }

func newCache() *cache {
	const least = 1 << 10 // so that empty answers are bounded, too
	size := func(k kept) int { return max(len(k.res.Body), least) }
	return &cache{recent.Map[cacheKey, kept]{Most: cacheBytes, Size: size}}
}

// cacheKey tells answers apart. A page that may reach hosts of CRAWL_ALLOW_HOSTS shares none with a page that may not.
type cacheKey struct {
	url    string
	public bool
	origin string // of the page that asked, which an answer may name
	accept string
}

type kept struct {
	res   fetch.Response
	until time.Time
}

// variesAsKey reports whether an answer depends only on what its key has, or on what is the same in all requests.
func variesAsKey(res fetch.Response) bool {
	for name := range strings.SplitSeq(strings.ToLower(strings.Join(res.Header.Values("Vary"), ",")), ",") {
		switch strings.TrimSpace(name) {
		case "", "accept", "accept-encoding", "accept-language", "origin", "user-agent", "sec-fetch-dest",
			"sec-fetch-mode", "sec-fetch-site":
		default:
			return false
		}
	}
	return true
}

// keyOf returns the key of a request, and whether its answer may be kept at all.
func keyOf(h fetch.Hop, public bool) (cacheKey, bool) {
	if h.Method != http.MethodGet || len(h.Secret) > 0 || h.Header.Get("Cookie") != "" ||
		h.Header.Get("Authorization") != "" || h.Header.Get("Range") != "" {
		return cacheKey{}, false
	}
	return cacheKey{url: h.URL, public: public, origin: h.Header.Get("Origin"),
		accept: h.Header.Get("Accept") + "\n" + h.Header.Get("Accept-Language")}, true
}

func (c *cache) get(h fetch.Hop, public bool, now time.Time) (fetch.Response, bool) {
	key, ok := keyOf(h, public)
	if !ok {
		return fetch.Response{}, false
	}
	k, ok := c.kept.Get(key)
	if !ok || now.After(k.until) {
		return fetch.Response{}, false
	}
	return k.res, true
}

func (c *cache) put(h fetch.Hop, public bool, res fetch.Response, now time.Time) {
	key, ok := keyOf(h, public)
	fresh := freshness(res)
	if !ok || fresh <= 0 || len(res.Body) > cacheOne {
		return
	}
	c.kept.Put(key, kept{res: res, until: now.Add(fresh)})
}

var maxAge = regexp.MustCompile(`(?:^|[,\s])(?:s-maxage|max-age)\s*=\s*"?(\d{1,9})`)

// freshness returns how long an answer may be used again, or 0.
func freshness(res fetch.Response) time.Duration {
	control := strings.ToLower(strings.Join(res.Header.Values("Cache-Control"), ","))
	if res.Status != http.StatusOK || res.Encoding != "" || len(res.Header.Values("Set-Cookie")) > 0 ||
		strings.Contains(control, "no-store") || strings.Contains(control, "no-cache") ||
		strings.Contains(control, "private") || !variesAsKey(res) {
		return 0
	}
	m := maxAge.FindStringSubmatch(control)
	if m == nil {
		return 0
	}
	seconds, _ := strconv.Atoi(m[1])
	age, _ := strconv.Atoi(res.Header.Get("Age"))
	return min(max(time.Duration(seconds-age)*time.Second, 0), cacheLongest)
}

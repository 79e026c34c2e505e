package render

import (
	"container/list"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/fetch"
)

// Bounds of the cache.
const (
	cacheBytes   = 32 << 20
	cacheOne     = 2 << 20 // of one answer
	cacheLongest = 24 * time.Hour
)

// cache keeps answers that a shared cache may keep (RFC 9111), so that the scripts and styles of a site are not
// requested again for each of its pages. Its zero value is empty. It is safe for concurrent use.
type cache struct {
	mu    sync.Mutex
	order list.List // elements are of type *kept, the most recently used first
	of    map[cacheKey]*list.Element
	bytes int
}

// cacheKey tells answers apart. A page that may reach hosts of CRAWL_ALLOW_HOSTS shares none with a page that may not.
type cacheKey struct {
	url    string
	public bool
	origin string // of the page that asked, which an answer may name
	accept string
}

type kept struct {
	key   cacheKey
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
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.of[key]
	if !ok {
		return fetch.Response{}, false
	}
	k := e.Value.(*kept)
	if now.After(k.until) {
		c.remove(e)
		return fetch.Response{}, false
	}
	c.order.MoveToFront(e)
	return k.res, true
}

func (c *cache) put(h fetch.Hop, public bool, res fetch.Response, now time.Time) {
	key, ok := keyOf(h, public)
	fresh := freshness(res)
	if !ok || fresh <= 0 || len(res.Body) > cacheOne {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.of[key]; ok {
		c.remove(e)
	}
	if c.of == nil {
		c.of = map[cacheKey]*list.Element{}
	}
	c.of[key] = c.order.PushFront(&kept{key: key, res: res, until: now.Add(fresh)})
	for c.bytes += len(res.Body); c.bytes > cacheBytes; {
		c.remove(c.order.Back())
	}
}

func (c *cache) remove(e *list.Element) {
	k := c.order.Remove(e).(*kept)
	delete(c.of, k.key)
	c.bytes -= len(k.res.Body)
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

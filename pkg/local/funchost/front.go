package funchost

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
)

// A front answers all HTTP requests: first the management API, then the functions by name, then the home page.
type front struct {
	opt         Options
	routePrefix string
	functions   []*function
	gate        gate
	admin       *admin
	proxy       *proxy
}

// ServeHTTP implements [http.Handler].
func (p *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	paced(w, r, p.opt.BodyIdle)
	if r.ContentLength > maxBody {
		refuse(w, http.StatusRequestEntityTooLarge, tooLargeDetail)
		return
	}
	r, why := p.gate.pass(r)
	if why != "" {
		refuse(w, http.StatusForbidden, why)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	if isAdmin(r.URL.Path) && !p.opt.Keys {
		p.admin.serve(w, r)
		return
	}
	if p.opt.BarePaths {
		r = withPrefix(r, p.routePrefix)
	}
	f, needsKey := p.find(r)
	switch {
	case f == nil:
		p.serveHome(w, r)
	case needsKey:
		w.WriteHeader(http.StatusUnauthorized)
	default:
		p.proxy.serve(w, r, f)
	}
}

// A gate decides who may call functions.
type gate struct {
	sameSite *http.CrossOriginProtection
	keys     bool // whether the app requires keys
	proxies  proxies
	user     string // the header in which a trusted proxy reports the user; may be empty
	base     string // the path below which callers reach this host; may be empty
}

// sameSiteBut returns what refuses the requests of pages of other sites, but for those of some patterns.
func sameSiteBut(patterns []string) *http.CrossOriginProtection {
	p := http.NewCrossOriginProtection()
	for _, pattern := range patterns {
		p.AddInsecureBypassPattern(pattern)
	}
	return p
}

// pass returns a request as the outermost trusted proxy received it, and the reason to refuse the request, or "" if
// there is none.
func (g gate) pass(r *http.Request) (out *http.Request, why string) {
	out, forwarded := g.proxies.behind(r)
	wrong := below(out, g.base)
	user := g.userOf(r)
	out.Header.Del(g.user)
	out.Header.Del(api.HostUserHeader)
	if user != "" {
		out.Header.Set(api.HostUserHeader, user)
	}
	switch {
	case wrong != nil:
		why = wrong.Error()
	case g.sameSite.Check(out) != nil:
		// Without keys, any web page could make the browser of a user of this machine call functions.
		why = "cross-origin request refused"
	case g.keys:
	case forwarded:
		why = "refused: this host runs without keys, and a proxy lets others in; name the proxy in TRUSTED_PROXIES, which " +
			"demands keys"
	case !isLocal(out.Host):
		// A web page whose own host name resolves to this machine may not call functions, either.
		why = "refused: this host runs without keys and is called localhost; LISTEN lets others in, with keys"
	}
	return out, why
}

// userOf returns the user that a trusted proxy reports. Two values are no report: the client may have sent one of them.
func (g gate) userOf(r *http.Request) string {
	said := r.Header.Values(g.user)
	if g.user == "" || len(said) != 1 || !g.proxies.trust(hostOf(r.RemoteAddr)) {
		return ""
	}
	return said[0]
}

// isLocal reports whether a Host header names this machine itself.
func isLocal(host string) bool {
	name := (&url.URL{Host: host}).Hostname()
	ip := net.ParseIP(name)
	return strings.EqualFold(name, "localhost") || ip != nil && ip.IsLoopback()
}

// find returns the first function, by name, whose route and methods match the request. If no function accepts the
// method, find returns nil: this host never answers 405.
//
// The result needsKey is true if an earlier function with a matching route is anonymous but does not list the method,
// and the function found demands a key of the host. Clients of anonymous functions have no such key, so the real host
// answers 401. Other requests for functions that demand a key are served as if the client had one.
func (p *front) find(r *http.Request) (found *function, needsKey bool) {
	passedAnonymous := false
	for _, f := range p.functions {
		accepts := f.accepts(r.Method)
		if f.trigger.Type != httpTrigger || f.disabled || !accepts && !f.anonymous() || !f.route.match(r.URL) {
			continue
		}
		if accepts {
			return f, passedAnonymous && !f.anonymous()
		}
		passedAnonymous = true
	}
	return nil, false
}

func (p *front) serveHome(w http.ResponseWriter, r *http.Request) {
	if strings.Trim(r.URL.Path, "/") != "" {
		refuse(w, http.StatusNotFound, "no function takes this path and method")
		return
	}
	if p.opt.Home != nil {
		p.opt.Home.ServeHTTP(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	io.WriteString(w, "<!doctype html><title>Functions host</title><p>The function app is up and running.</p>\n")
}

// withPrefix returns a request with the route prefix before its path, unless the path already begins with the prefix.
// The home page has no prefix.
func withPrefix(r *http.Request, routePrefix string) *http.Request {
	path, prefix := r.URL.EscapedPath(), "/"+routePrefix+"/"
	has := len(path) >= len(prefix)-1 && strings.EqualFold((path + "/")[:len(prefix)], prefix)
	if prefix == "//" || has || strings.Trim(path, "/") == "" {
		return r
	}
	r = r.Clone(r.Context())
	for _, p := range []*string{&r.URL.Path, &r.URL.RawPath} {
		if *p != "" {
			*p = strings.TrimSuffix(prefix, "/") + *p
		}
	}
	return r
}

// maxBody is the largest body of a request, in bytes, that the real host accepts (FUNCTIONS_REQUEST_BODY_SIZE_LIMIT).
const maxBody = 104_857_600

var tooLargeDetail = fmt.Sprintf("the request is larger than %d bytes", maxBody)

// refuse answers a request that the host itself refuses.
func refuse(w http.ResponseWriter, status int, detail string) {
	b, err := marshal(api.Problem{Title: http.StatusText(status), Status: status, Detail: detail})
	if err != nil {
		b = []byte("{}")
	}
	w.Header().Set("Content-Type", api.ProblemType)
	w.WriteHeader(status)
	w.Write(b)
}

// refuseBody answers a request whose body could not be read.
func refuseBody(w http.ResponseWriter, err error) {
	_, tooLarge := errors.AsType[*http.MaxBytesError](err)
	switch {
	case tooLarge:
		refuse(w, http.StatusRequestEntityTooLarge, tooLargeDetail)
	case errors.Is(err, errSlowBody):
		refuse(w, http.StatusRequestTimeout, errSlowBody.Error())
	default:
		refuse(w, http.StatusBadRequest, "the body of the request cannot be read")
	}
}

// minBodyRate is the least rate, in bytes per second, that the web server of the real host accepts.
const minBodyRate = 240

var errSlowBody = fault.New(fault.Unavailable, "the body of the request did not arrive in time")

// pacedBody is a request's body that may neither stall for long nor arrive very slowly for ever, because each body
// occupies a connection. A body that keeps arriving is accepted, however large it is.
type pacedBody struct {
	io.ReadCloser
	conn   *http.ResponseController
	idle   time.Duration
	read   int64
	waited time.Duration
}

// paced sets a deadline for the body of r. It does so at once, even before the handler reads, because the server
// itself reads the part of a body that the handler leaves unread.
func paced(w http.ResponseWriter, r *http.Request, idle time.Duration) {
	if r.Body == http.NoBody {
		return
	}
	b := &pacedBody{ReadCloser: r.Body, conn: http.NewResponseController(w), idle: idle}
	_ = b.conn.SetReadDeadline(time.Now().Add(idle))
	r.Body = b
}

func (b *pacedBody) Read(p []byte) (int, error) {
	begun := time.Now()
	_ = b.conn.SetReadDeadline(begun.Add(patience(b.idle, b.read, b.waited)))
	n, err := b.ReadCloser.Read(p)
	b.read += int64(n)
	b.waited += time.Since(begun)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return n, errSlowBody
	}
	if err == io.EOF {
		_ = b.conn.SetReadDeadline(time.Time{}) // no deadline for the data after the body
	}
	return n, err
}

// patience returns the time within which the next bytes of a body must arrive.
func patience(idle time.Duration, read int64, waited time.Duration) time.Duration {
	return min(idle, idle+time.Duration(read)*time.Second/minBodyRate-waited)
}

// maxAdminBody bounds the body of an admin request.
const maxAdminBody = 1 << 20

// isAdmin reports whether a path belongs to the host's management API.
func isAdmin(path string) bool {
	first, _, more := strings.Cut(strings.Trim(path, "/"), "/")
	return more && strings.EqualFold(first, "admin")
}

// admin is the management API of the host.
type admin struct {
	functions []*function
	invoker   *invoker
	tasks     *tasks
}

// serve runs a timer function on request, POST /admin/functions/NAME. It answers 202 at once and runs the function
// afterwards. This host implements no other part of the management API.
func (a *admin) serve(w http.ResponseWriter, r *http.Request) {
	f := a.named(r)
	if f == nil {
		refuse(w, http.StatusNotFound,
			"this host's management API knows POST /admin/functions/NAME only, of a function of the app")
		return
	}
	var body struct{}
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxAdminBody)).Decode(&body)
	switch {
	case errors.Is(err, errSlowBody):
		refuseBody(w, err)
	case err != nil:
		refuse(w, http.StatusBadRequest, "want a JSON object as body, such as {}")
	case f.trigger.Type != timerTrigger:
		refuse(w, http.StatusBadRequest, "only timer functions can be run by hand")
	default:
		a.runByHand(f)
		w.WriteHeader(http.StatusAccepted)
	}
}

// named returns the function whose name is in the path of a request to the management API.
func (a *admin) named(r *http.Request) *function {
	name, ok := strings.CutPrefix(strings.ToLower(strings.Trim(r.URL.Path, "/")), "admin/functions/")
	i := slices.IndexFunc(a.functions, func(f *function) bool { return strings.EqualFold(f.name, name) })
	if !ok || i < 0 || r.Method != http.MethodPost {
		return nil
	}
	return a.functions[i]
}

func (a *admin) runByHand(f *function) {
	now := time.Now()
	e := timerEnvelope(f, timerStatus{Next: f.schedule.next(now)}, false, now)
	a.tasks.run(func(ctx context.Context) {
		// invoke logs the outcome. No caller waits for it.
		a.invoker.invoke(ctx, f, e)
	})
}

package render

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/fetch/render/devtools"
)

// maxRefusals is how often a page may be refused something, as a multiple of the requests that it may send, before its
// scripts are stopped.
const maxRefusals = 4

// requestPaused answers a request of the page. It is called by the reader of the connection.
func (t *tab) requestPaused(m devtools.Message) {
	var q request
	if err := json.Unmarshal(m.Params, &q); err != nil {
		t.cancel(pageError("", err)) // whatever it is, it must not go on
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	p := &paused{tab: t, session: m.Session, q: q}
	if t.closing {
		p.fail("Aborted")
		return
	}
	t.waiting[q.ID] = time.Now()
	t.running.Go(func() {
		p.answer()
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.waiting, q.ID)
		t.quiet = time.Now()
	})
}

// paused is a request that waits for its answer.
type paused struct {
	*tab
	session string
	q       request
}

// answer judges the request and answers it.
func (p *paused) answer() {
	if isLoop(p) {
		p.account.meet(BoundNavigations)
		p.fail("Aborted") // so what the frame shows stays
		return
	}
	rules := rules{site: p.site, postHosts: p.page.PostHosts}
	do, reason := rules.judge(p.q)
	switch do {
	case doRefuse:
		noteLed(p, "is refused: "+string(reason))
		p.refuse(reason)
	case doOmit:
		p.fail("Aborted")
	case doLocal:
		p.b.dev.Send(p.session, "Fetch.continueRequest", map[string]any{"requestId": p.q.ID})
	case doApproval:
		p.fulfil(fetch.Response{Status: http.StatusNoContent, Header: approval(p.q)})
	case doFetch:
		p.fetch()
	}
}

// isLoop counts the documents of a frame, and reports whether this is one too many.
func isLoop(p *paused) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.q.Type != "Document" {
		return false
	}
	p.documents[p.q.Frame]++
	return p.documents[p.q.Frame] > maxDocuments
}

// approval lets a request to another origin be made (CORS protocol). The answer to the request itself has to allow
// that its origin reads it.
func approval(q request) http.Header {
	h := http.Header{}
	h.Set("Access-Control-Allow-Origin", q.header("Origin"))
	h.Set("Access-Control-Allow-Methods", q.header("Access-Control-Request-Method"))
	h.Set("Access-Control-Allow-Headers", q.header("Access-Control-Request-Headers"))
	h.Set("Access-Control-Allow-Credentials", "true")
	return h
}

// refuse counts and refuses the request.
func (p *paused) refuse(reason Reason) {
	if _, all := p.account.refuse(reason, p.q.Request.URL); all > maxRefusals*p.r.o.MaxRequests {
		p.stopScripts(BoundRequests)
	}
	p.fail("BlockedByClient")
}

func (p *paused) fail(why string) {
	p.b.dev.Send(p.session, "Fetch.failRequest", map[string]any{"requestId": p.q.ID, "errorReason": why})
}

// fetch sends the request and gives the browser the answer.
func (p *paused) fetch() {
	if p.isPlain() {
		p.fulfil(*p.page.Plain)
		return
	}
	h, public := p.hop(), p.web == p.r.public
	res, known := p.r.cache.get(h, public, time.Now())
	if !known {
		var reason Reason
		var err error
		if res, reason, err = p.send(h); reason != "" {
			noteLed(p, "is refused: "+string(reason))
			p.refuse(reason)
			return
		} else if err != nil {
			noteLed(p, "does not answer")
			p.fail("ConnectionFailed")
			return
		}
		p.r.cache.put(h, public, res, time.Now())
	}
	if res.Status >= http.StatusBadRequest {
		noteLed(p, fmt.Sprintf("answered %d", res.Status))
		if slices.Contains([]string{"Fetch", "XHR", "Script"}, p.q.Type) {
			p.account.note(func(out *Rendered) { out.Errors++ })
		}
	}
	p.account.keep(h, res, known)
	if isPDF(res) && !isMain(p) {
		p.account.refuse(RefusedPDF, p.q.Request.URL)
		p.fail("Aborted")
		return
	}
	if isPDF(res) {
		noteLed(p, "is a PDF")
	}
	p.fulfil(res)
}

// isPDF reports whether an answer is a PDF.
func isPDF(res fetch.Response) bool {
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	return kind == "application/pdf"
}

// isMain reports whether a request is for a document of the main frame.
func isMain(p *paused) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.main != nil && p.q.Frame == p.main.to.ID && p.q.Type == "Document"
}

// noteLed remembers what became of a document that scripts lead the page to.
func noteLed(p *paused, what string) {
	if isMain(p) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.led.to, p.led.what = p.q.Request.URL, what
	}
}

// isPlain reports whether the request is the first one for the document, to which the plain response is the answer.
func (p *paused) isPlain() bool {
	if !isMain(p) {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	was := p.plain
	p.plain = true
	return !was
}

// hop is the request as it is sent.
func (p *paused) hop() fetch.Hop {
	h := fetch.Hop{Method: p.q.Request.Method, URL: p.q.Request.URL, Header: http.Header{}}
	for name, value := range p.q.Request.Headers {
		h.Header.Set(name, value)
	}
	h.Header.Del("Upgrade-Insecure-Requests")
	if h.Header.Get("Accept-Language") == "" {
		h.Header.Set("Accept-Language", p.view().Language)
	}
	h.Body, _ = p.q.body()
	p.mu.Lock()
	frame := p.origins[p.q.Frame]
	p.mu.Unlock()
	if mayKnow(p.q, p.own, frame) {
		h.Secret = p.page.Secret
	}
	return h
}

// send sends the request within the bounds of the page and of the host.
func (p *paused) send(h fetch.Hop) (res fetch.Response, refused Reason, err error) {
	host, err := hostOf(h.URL)
	if err != nil {
		return res, RefusedScheme, nil
	}
	select {
	case p.permits <- struct{}{}:
		defer func() { <-p.permits }()
	case <-p.ctx.Done():
		return res, RefusedBound, nil
	}
	leave, err := p.hosts.acquire(p.ctx, host)
	if err != nil {
		return res, RefusedBound, nil
	}
	defer leave()
	left, met := p.account.reserve()
	if met != "" {
		p.account.meet(met)
		return res, RefusedBound, nil
	}
	refused = p.page.refuses(p.ctx, h.URL)
	if refused != "" {
		p.account.charge(host, res, errNotSent)
		return res, refused, nil
	}
	h.MaxBytes = left
	res, err = p.web.Hop(p.ctx, h)
	p.account.charge(host, res, err)
	switch {
	case fault.Is(err, fault.Blocked), fault.Is(err, fault.Invalid):
		return res, RefusedAddress, nil
	case fault.Is(err, fault.TooLarge):
		p.account.meet(BoundBytes)
		return res, RefusedBound, nil
	}
	return res, "", err
}

var errNotSent = fault.New(fault.Blocked, "not sent")

// refuses asks the gate of the page, and returns why an address may not be requested, or "".
func (p Page) refuses(ctx context.Context, address string) Reason {
	if p.Gate == nil {
		return ""
	}
	err := p.Gate(ctx, address)
	switch {
	case fault.Is(err, fault.Blocked):
		return RefusedRobots
	case err != nil:
		return RefusedHost
	}
	return ""
}

func hostOf(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	return u.Host, nil
}

// hidden are headers of answers that the browser does not get: they belong to the connection, describe a body that was
// decoded meanwhile, ask for a password, or make the browser report or connect elsewhere.
var hidden = []string{"Content-Encoding", "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "Trailer",
	"Upgrade", "Www-Authenticate", "Proxy-Authenticate", "Alt-Svc", "Strict-Transport-Security", "Report-To", "Nel",
	"Reporting-Endpoints", "Accept-Ch", "Critical-Ch", "Clear-Site-Data"}

// fulfil gives the browser an answer.
func (p *paused) fulfil(res fetch.Response) {
	header := res.Header.Clone()
	for _, name := range hidden {
		header.Del(name)
	}
	if header.Get("Content-Type") == "" && p.q.Type == "Document" && len(res.Body) > 0 {
		header.Set("Content-Type", http.DetectContentType(res.Body))
	}
	list := []map[string]string{}
	for name, values := range header {
		for _, value := range values {
			list = append(list, map[string]string{"name": name, "value": strings.ToValidUTF8(value, "?")})
		}
	}
	status := res.Status
	if status < 200 || status > 599 || status == http.StatusNotModified {
		status = http.StatusOK
	}
	err := p.b.dev.Start(p.session, "Fetch.fulfillRequest", map[string]any{"requestId": p.q.ID, "responseCode": status,
		"responsePhrase": statusText(status), "responseHeaders": list, "body": res.Body}).Wait(p.ctx, nil)
	var refused *devtools.CallError
	if errors.As(err, &refused) && refused.Code != devtools.UnknownSession {
		p.fail("Failed")
	}
}

// hostPermits bounds the requests at once to hosts with limits of their own.
type hostPermits struct {
	limit func(host string) int
	mu    sync.Mutex
	of    map[string]chan struct{}
}

// acquire waits until a host may get one more request.
func (p *hostPermits) acquire(ctx context.Context, host string) (leave func(), err error) {
	if p.limit == nil {
		return func() {}, nil
	}
	p.mu.Lock()
	permits := p.of[host]
	if n := p.limit(host); permits == nil && n > 0 {
		if p.of == nil {
			p.of = map[string]chan struct{}{}
		}
		permits = make(chan struct{}, n)
		p.of[host] = permits
	}
	p.mu.Unlock()
	if permits == nil {
		return func() {}, nil
	}
	select {
	case permits <- struct{}{}:
		return func() { <-permits }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

package fetch

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// This file finds out whether a host answers with https or with http, for an address that a person typed without a
// scheme.

const (
	// schemeLimit bounds the attempts for all addresses of one request together.
	schemeLimit = 3 * time.Second
	// maxHosts bounds the hosts of one request.
	maxHosts = 20

	secure = 2 * time.Second // of Limit, for https
)

// SchemeGuesser asks hosts. Its transport refuses addresses that must not be reached.
type SchemeGuesser struct {
	Transport http.RoundTripper
	UserAgent string
}

// ErrNotSecure is wrapped by the error for a public host that does not answer with https.
var ErrNotSecure = errors.New("does not answer with https")

// web matches a scheme of the web, with or without slashes behind it. Before a number, it is the name of a host.
var web = regexp.MustCompile(`^(?i:https?):(?:\D|$)`)

// missing reports whether an address has no scheme.
func missing(raw string) bool {
	raw = strings.TrimSpace(raw)
	if web.MatchString(raw) {
		return false
	}
	before, _, found := strings.Cut(raw, "://")
	return raw != "" && !strings.HasPrefix(raw, "/") && (!found || strings.ContainsAny(before, "/?#"))
}

// Guess adds the scheme to those addresses that have none. It asks each host once for its robots.txt, first with https.
// It tries http only for a host that is not public: for a public host, the error asks the person to write http://. An
// address has an error in place of a scheme if its host answers neither, or must not be asked.
func (g *SchemeGuesser) Guess(ctx context.Context, raws []string) (found []string, errs []error) {
	ctx, cancel := context.WithTimeout(ctx, schemeLimit)
	defer cancel()
	found, errs = make([]string, len(raws)), make([]error, len(raws))
	hosts := map[string]*answer{}
	for i, raw := range raws {
		if found[i] = raw; !missing(raw) {
			continue
		}
		host, err := hostOf(raw)
		if err != nil {
			errs[i] = err
		} else if hosts[host] == nil {
			hosts[host] = &answer{}
		}
	}
	if len(hosts) <= maxHosts {
		g.askAll(ctx, hosts)
	}
	for i, raw := range raws {
		host, err := hostOf(raw)
		if !missing(raw) || err != nil {
			continue
		}
		if len(hosts) > maxHosts {
			errs[i] = fault.Field("url", "url: no scheme, and %d hosts are too many to ask: write https:// or http://",
				len(hosts))
		} else if errs[i] = hosts[host].err; errs[i] == nil {
			found[i] = hosts[host].scheme + "://" + strings.TrimSpace(raw)
		}
	}
	return found, errs
}

// answer is what was found out about one host.
type answer struct {
	scheme string
	err    error
}

func (g *SchemeGuesser) askAll(ctx context.Context, hosts map[string]*answer) {
	var all sync.WaitGroup
	for host, a := range hosts {
		all.Go(func() { a.scheme, a.err = g.ask(ctx, host) })
	}
	all.Wait()
}

func (g *SchemeGuesser) ask(ctx context.Context, host string) (string, error) {
	first, cancel := context.WithTimeout(ctx, secure)
	defer cancel()
	err := g.answers(first, "https", host)
	if err == nil {
		return "https", nil
	}
	if fault.Is(err, fault.Blocked) || fault.Is(err, fault.Invalid) {
		return "", fault.Field("url", "url: %w", err)
	}
	if public(host) {
		return "", fault.Field("url", "url: %[1]s %[2]w: if it has only http, write http://%[1]s", host,
			ErrNotSecure)
	}
	if err := g.answers(ctx, "http", host); err != nil {
		return "", fault.Field("url", "url: %s answers neither with https nor with http: %w", host, err)
	}
	return "http", nil
}

// answers reports why a host does not answer with a scheme. Any answer will do.
func (g *SchemeGuesser) answers(ctx context.Context, scheme, host string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodHead, scheme+"://"+host+"/robots.txt", nil)
	if err != nil {
		return err
	}
	r.Header.Set("User-Agent", g.UserAgent)
	res, err := g.Transport.RoundTrip(r)
	if err != nil {
		return err
	}
	return res.Body.Close()
}

// hostOf returns the host and port of an address without a scheme, in the form in which sources have them.
func hostOf(raw string) (string, error) {
	u, err := url.Parse("https://" + strings.TrimSpace(raw))
	if err != nil || u.Hostname() == "" || u.User != nil {
		return "", fault.Field("url", "url: no scheme: it must begin with http:// or https://")
	}
	src, err := source.DefaultRules().ParseURL("https://" + strings.TrimSpace(raw))
	if err != nil {
		return "", err
	}
	if u.Port() == "443" { // which the source leaves out
		return src.Host + ":443", nil
	}
	return src.Host, nil
}

// local are the ends of names that only a network of its own knows.
var local = []string{".localhost", ".local", ".lan", ".home", ".internal", ".home.arpa"}

// public reports whether a host may be one of the whole internet, by its name.
func public(host string) bool {
	u := url.URL{Host: host}
	name := strings.TrimSuffix(u.Hostname(), ".")
	if ip, err := netip.ParseAddr(name); err == nil {
		return !ip.IsPrivate() && !ip.IsLoopback() && !ip.IsLinkLocalUnicast()
	}
	if !strings.Contains(name, ".") {
		return false
	}
	return !slices.ContainsFunc(local, func(end string) bool { return strings.HasSuffix(name, end) })
}

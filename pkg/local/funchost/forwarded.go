package funchost

import (
	"cmp"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
)

const (
	forwardedFor   = "X-Forwarded-For"
	forwardedHost  = "X-Forwarded-Host"
	forwardedProto = "X-Forwarded-Proto"
	forwardedAll   = "Forwarded"
)

// dropped are headers in which proxies report a client or a host. Handlers never see them.
var dropped = []string{forwardedFor, forwardedHost, forwardedAll, api.PrefixHeader, "X-Forwarded-Port", "X-Real-Ip",
	"Cf-Connecting-Ip", "True-Client-Ip"}

// proxies are the addresses of trusted proxies.
type proxies []netip.Prefix

// behind returns a request as the outermost trusted proxy received it, with that proxy's client and host, and the
// scheme and the path that it has taken off in headers. If the sender is not a trusted proxy, behind drops the headers
// in which proxies report these. The result forwarded reports whether the request had any of these headers.
func (p proxies) behind(r *http.Request) (out *http.Request, forwarded bool) {
	for _, name := range append([]string{forwardedProto, "Via"}, dropped...) {
		forwarded = forwarded || r.Header.Get(name) != ""
	}
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	r, prefix := r.Clone(r.Context()), ""
	if p.trust(hostOf(r.RemoteAddr)) {
		said := forwardedBy(r.Header)
		client := hostOf(r.RemoteAddr)
		// Each proxy has appended the address of its caller. Therefore the client is the last address that is not the
		// address of a trusted proxy.
		for _, address := range slices.Backward(said.clients) {
			client = address
			if !p.trust(address) {
				break
			}
		}
		r.RemoteAddr = net.JoinHostPort(client, "0")
		r.Host = cmp.Or(said.host, r.Host)
		if said.scheme != "" {
			scheme = said.scheme
		}
		prefix = last(elements(r.Header.Values(api.PrefixHeader)))
	}
	for _, name := range dropped {
		r.Header.Del(name)
	}
	r.Header.Set(forwardedProto, scheme)
	if prefix != "" {
		r.Header.Set(api.PrefixHeader, prefix)
	}
	return r, forwarded
}

// below takes the base path off the path of a request from [proxies.behind], unless a proxy has done so, and reports
// in a header the whole path below which the caller reaches this host. It changes the request.
func below(r *http.Request, base string) error {
	said := r.Header.Get(api.PrefixHeader)
	prefix, err := api.ParsePrefix(said)
	if err != nil {
		return fault.New(fault.Invalid, "refused: %s is %.100q; the proxy must send %w", api.PrefixHeader, said, err)
	}
	if !strings.HasSuffix(prefix, base) {
		prefix += base
	}
	r.Header.Del(api.PrefixHeader)
	if prefix != "" {
		r.Header.Set(api.PrefixHeader, prefix)
	}
	for _, p := range []*string{&r.URL.Path, &r.URL.RawPath} {
		if rest, found := strings.CutPrefix(*p, base); found && strings.HasPrefix(rest+"/", "/") {
			*p = rest
		}
	}
	r.URL.Path = cmp.Or(r.URL.Path, "/")
	return nil
}

func hostOf(address string) string {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	return host
}

// trust reports whether an address belongs to a trusted proxy.
func (p proxies) trust(address string) bool {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return false
	}
	ip = ip.Unmap().WithZone("")
	return slices.ContainsFunc(p, func(n netip.Prefix) bool { return n.Contains(ip) })
}

// forwarding holds the reports of proxies about a request.
type forwarding struct {
	clients      []string // addresses, the outermost first
	host, scheme string   // values from the last proxy that reports them
}

// forwardedBy reads X-Forwarded-…, or else Forwarded (RFC 7239). It ignores values that are not an address, host or
// scheme, because the client may have invented the outermost ones.
func forwardedBy(h http.Header) (f forwarding) {
	if len(h.Values(forwardedFor)) > 0 || h.Get(forwardedAll) == "" {
		for _, address := range elements(h.Values(forwardedFor)) {
			f.client(address)
		}
		f.host = hostName(last(elements(h.Values(forwardedHost))))
		f.scheme = schemeName(last(elements(h.Values(forwardedProto))))
		return f
	}
	for _, element := range elements(h.Values(forwardedAll)) {
		for pair := range strings.SplitSeq(element, ";") {
			name, value, _ := strings.Cut(strings.TrimSpace(pair), "=")
			value = strings.Trim(value, `"`)
			switch strings.ToLower(name) {
			case "for":
				f.client(value)
			case "host":
				f.host = cmp.Or(hostName(value), f.host)
			case "proto":
				f.scheme = cmp.Or(schemeName(value), f.scheme)
			}
		}
	}
	return f
}

// client adds an address, which may have a port. A value that is not an address empties the list, because the addresses
// before it cannot be trusted.
func (f *forwarding) client(text string) {
	if at, err := netip.ParseAddrPort(text); err == nil {
		text = at.Addr().String()
	}
	ip, err := netip.ParseAddr(strings.Trim(text, "[]"))
	if err != nil {
		f.clients = nil
		return
	}
	f.clients = append(f.clients, ip.Unmap().WithZone("").String())
}

// elements returns the elements of a list that may be spread over several headers.
func elements(values []string) []string { return words.Parts(strings.Join(values, ","), ",") }

func last(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[len(list)-1]
}

// hostName returns a host with its port; "" for a text that cannot be one.
func hostName(text string) string {
	if len(text) > 255 || strings.ContainsFunc(text, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && !strings.ContainsRune(".-_:[]", c)
	}) {
		return ""
	}
	return text
}

func schemeName(text string) string {
	if text = strings.ToLower(text); text == "http" || text == "https" {
		return text
	}
	return ""
}

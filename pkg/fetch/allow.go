package fetch

import (
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/idna"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// allowList lists hosts with a property, such as those that are exempt from the guard, as URLs name them.
type allowList []allowed

// allowed is one entry of the list: a prefix for literal addresses, or a name.
type allowed struct {
	prefix netip.Prefix
	name   string // in lower case, without the final dot
	suffix bool   // name matches every host below it, but not the host with that name
	port   string // if empty, any port matches
}

// parseHosts parses the value of a field that lists hosts.
func parseHosts(field string, entries []string) (allowList, error) {
	var list allowList
	for _, entry := range entries {
		a, ok := parseAllowed(strings.TrimSpace(entry))
		if !ok {
			return nil, fault.Field(field, "%q: want host, host:port, *.suffix, an IP or a CIDR", entry)
		}
		list = append(list, a)
	}
	return list, nil
}

func parseAllowed(entry string) (allowed, bool) {
	if prefix, err := netip.ParsePrefix(entry); err == nil {
		return allowed{prefix: prefix}, true
	}
	host, port := splitHost(entry)
	if port != "" && !isPort(port) {
		return allowed{}, false
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		return allowed{prefix: netip.PrefixFrom(addr, addr.BitLen()), port: port}, addr.Zone() == ""
	}
	name, suffix := strings.CutPrefix(host, "*.")
	name, ok := asciiHost(name)
	return allowed{name: name, suffix: suffix, port: port}, ok
}

// match reports whether a URL with this host and port is in the list.
func (l allowList) match(host, port string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	addr, err := netip.ParseAddr(host)
	return slices.ContainsFunc(l, func(a allowed) bool {
		switch {
		case a.port != "" && a.port != port:
			return false
		case err == nil:
			return a.prefix.IsValid() && a.prefix.Contains(addr)
		case a.suffix:
			return strings.HasSuffix(host, "."+a.name)
		default:
			return a.name != "" && a.name == host
		}
	})
}

// Admit returns an error for a URL that would never be fetched, as far as that is known without a DNS lookup. The
// reason can be the port, a literal address that is not public, or a name of this machine. The error names the
// setting that would allow the URL. Errors: Blocked, Invalid. If the addresses of a name turn out not to be public,
// the name is refused only when it is fetched.
func (c *Client) Admit(raw string) error {
	u, err := c.guard.target(raw)
	if u == nil || err != nil && !fault.Is(err, fault.Blocked) || u.Scheme != "http" && u.Scheme != "https" {
		return err
	}
	name, port := strings.TrimSuffix(u.Hostname(), "."), effectivePort(u)
	local := name == "localhost" || strings.HasSuffix(name, ".localhost") // RFC 6761: these names mean this machine
	what := ""
	switch {
	case err == nil && !local, c.guard.allow.match(name, port):
		return err
	case port != "80" && port != "443":
		what = "port " + port + " is neither 80 nor 443"
	case local:
		what = name + " is a name of this machine"
	default:
		what = name + " is not a public address"
	}
	return fault.New(fault.Blocked, "%s, so it would never be fetched: if the host is yours, add %s to "+
		"CRAWL_ALLOW_HOSTS and start again", what, u.Host)
}

// splitHost splits "host", "host:port", "[v6]", "[v6]:port" or a bare v6; port may be empty.
func splitHost(s string) (host, port string) {
	if _, err := netip.ParseAddr(s); err == nil {
		return s, ""
	}
	if host, port, err := net.SplitHostPort(s); err == nil {
		return host, port
	}
	return strings.TrimSuffix(strings.TrimPrefix(s, "["), "]"), ""
}

func isPort(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && n > 0
}

// asciiHost converts a host name to the form in which DNS looks it up: lower case, IDNA applied, without the final
// dot. It keeps names of ASCII letters unchanged, including underscores, because such hosts exist.
func asciiHost(name string) (string, bool) {
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	if strings.ContainsFunc(name, func(c rune) bool { return c >= 0x80 }) {
		var err error
		if name, err = idna.Lookup.ToASCII(name); err != nil {
			return "", false
		}
	}
	const legal = "abcdefghijklmnopqrstuvwxyz0123456789-_."
	return name, name != "" && len(name) <= 253 && strings.Trim(name, legal) == ""
}

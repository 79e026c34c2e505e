package local

import (
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/local/funchost"
	"golang.org/x/net/http/httpguts"
)

// listening is the address of the app, and who can reach it.
type listening struct {
	Port        int
	given       string // the address of LISTEN; empty for this machine only
	beyond      bool   // whether other machines reach the app, directly or through a proxy
	proxies     []netip.Prefix
	userHeader  string // the header in which a proxy reports the user; may be empty
	certificate *funchost.Certificate
}

// listenAt does the same as [listen], with a port that is not parsed yet.
func listenAt(getenv func(string) string, port string) (listening, error) {
	n, wrong := command.ParsePort("--port (PORT)", port, 65535)
	l, err := listen(getenv, n)
	return l, errors.Join(wrong, err)
}

// listen reads LISTEN, TRUSTED_PROXIES and the certificate. A port in LISTEN replaces the given port.
func listen(getenv func(string) string, port int) (l listening, err error) {
	l.Port = port
	wrong := []error{l.read(getenv("LISTEN"))}
	for _, text := range strings.Fields(strings.ReplaceAll(getenv("TRUSTED_PROXIES"), ",", " ")) {
		network, err := parseNetwork(text)
		if err != nil {
			wrong = append(wrong, command.Usagef("TRUSTED_PROXIES: %q is no address and no CIDR such as 10.0.0.0/8", text))
		}
		l.proxies = append(l.proxies, network)
	}
	l.beyond = l.beyond || len(l.proxies) > 0
	if l.userHeader = getenv("AUTH_HEADER"); l.userHeader != "" {
		wrong = append(wrong, checkUserHeader(l.userHeader, l.proxies))
	}
	l.certificate, err = certificate(getenv("TLS_CERT_FILE"), getenv("TLS_KEY_FILE"))
	return l, errors.Join(append(wrong, err)...)
}

// certificate loads a certificate; nil if there is none.
func certificate(chain, key string) (*funchost.Certificate, error) {
	switch {
	case chain == "" && key == "":
		return nil, nil
	case chain == "" || key == "":
		return nil, command.Usagef("TLS_CERT_FILE and TLS_KEY_FILE go together: one of them is not set")
	}
	return funchost.LoadCertificate(chain, key, nil)
}

// checkUserHeader refuses a header that anybody but a trusted proxy could set, or that has another meaning.
func checkUserHeader(name string, proxies []netip.Prefix) error {
	switch {
	case len(proxies) == 0:
		return command.Usagef("AUTH_HEADER is %s, which only a proxy in TRUSTED_PROXIES may send: set that, too", name)
	case !httpguts.ValidHeaderFieldName(name) || taken(name):
		return command.Usagef("AUTH_HEADER is %q: give the name of a header that has no other meaning, such as Remote-User",
			name)
	}
	return nil
}

// taken reports whether requests have a header of this name for another reason.
func taken(name string) bool {
	name = http.CanonicalHeaderKey(name)
	return slices.Contains([]string{"Accept", "Authorization", "Cf-Connecting-Ip", "Connection", "Cookie", "Forwarded",
		"Host", "Origin", "Range", "Referer", "Transfer-Encoding", "True-Client-Ip", "User-Agent", "Via", "X-Forwarded-For",
		"X-Forwarded-Host", "X-Forwarded-Port", api.PrefixHeader, "X-Forwarded-Proto", "X-Functions-Key",
		"X-Real-Ip"}, name) ||
		strings.HasPrefix(name, "Accept-") || strings.HasPrefix(name, "Content-") || strings.HasPrefix(name, "Sec-")
}

// read parses an address with or without a port.
func (l *listening) read(text string) error {
	if text == "" {
		return nil
	}
	host, port := strings.Trim(text, "[]"), ""
	if _, err := netip.ParseAddr(host); err != nil {
		if host, port, err = net.SplitHostPort(text); err != nil {
			host, port = text, ""
		}
	}
	if port != "" {
		n, err := command.ParsePort("the port of LISTEN", port, 65535)
		if err != nil {
			return err
		}
		l.Port = n
	}
	if strings.ContainsAny(host, " /[]%") {
		return command.Usagef("LISTEN is %q: want an address with or without a port, such as 0.0.0.0:7071, "+
			"[::]:7071 or 10.0.0.7",
			text)
	}
	l.given = net.JoinHostPort(host, strconv.Itoa(l.Port))
	ip, _ := netip.ParseAddr(host)
	l.beyond = !ip.IsLoopback() && !strings.EqualFold(host, "localhost")
	return nil
}

// presents reports whether a certificate that a server has presented is the one of these settings.
func (l listening) presents(c *x509.Certificate) bool {
	return l.certificate != nil && l.certificate.Is(c)
}

func parseNetwork(text string) (netip.Prefix, error) {
	if ip, err := netip.ParseAddr(text); err == nil {
		return netip.PrefixFrom(ip, ip.BitLen()), nil
	}
	return netip.ParsePrefix(text)
}

// needsKeys reports whether requests need a key: always if others can reach the app, otherwise unless the user wants
// none.
func (l *local) needsKeys() bool {
	return l.app.beyond || l.config.KeysNeeded || strings.TrimSpace(l.getenv("API_KEYS_REQUIRED")) == ""
}

// admitting returns the settings of the app that depend on who can reach it.
func (l *local) admitting() (env []string, err error) {
	if l.needsKeys() {
		env = append(env, "API_KEYS_REQUIRED=true")
	}
	if file := l.config.KeysFile; file != "" { // a relative path is relative to this process's folder, not to the app's
		if file, err = filepath.Abs(file); err == nil {
			env = append(env, "API_KEYS_FILE="+file)
		}
	}
	return env, err
}

// Address returns the address that the app listens on: on this machine only, unless LISTEN says otherwise.
func (l listening) Address() string {
	if l.given != "" {
		return l.given
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(l.Port))
}

// URL returns the address of the app for people.
func (l listening) URL() string { return l.url(l.certificate != nil) }

// Here returns the address for people of the server that the settings describe: PORT, LISTEN, and whether there is a
// certificate. Settings that are wrong are left to the start.
func Here(getenv func(string) string) string {
	port, err := command.ParsePort("PORT", portText(getenv), 65535)
	l := listening{Port: port}
	if err = errors.Join(err, l.read(getenv("LISTEN"))); err != nil {
		return command.DefaultServer
	}
	return l.url(getenv("TLS_CERT_FILE") != "")
}

func (l listening) url(secure bool) string {
	scheme, host := "http", "localhost"
	if secure {
		scheme = "https"
	}
	if name, _, err := net.SplitHostPort(l.given); err == nil && name != "" {
		if ip, err := netip.ParseAddr(name); err != nil || !ip.IsUnspecified() && !ip.IsLoopback() {
			host = name
		}
	}
	return scheme + "://" + net.JoinHostPort(host, strconv.Itoa(l.Port))
}

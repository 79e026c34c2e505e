package devtools

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/coder/websocket"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// CheckEndpoint returns why an address cannot be that of a browser, or nil. Errors: Invalid.
func CheckEndpoint(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme == "" {
		return fault.New(fault.Invalid, "it is no URL")
	}
	if !slices.Contains([]string{"http", "https", "ws", "wss"}, u.Scheme) {
		return fault.New(fault.Invalid, "it begins neither with http:// or https:// nor with ws:// or wss://")
	}
	if u.Hostname() == "" {
		return fault.New(fault.Invalid, "it names no host")
	}
	if port, err := strconv.ParseUint(cmp.Or(u.Port(), "443"), 10, 16); err != nil || port == 0 {
		return fault.New(fault.Invalid, "its port is not one from 1 to 65535")
	}
	return nil
}

// socket is a connection to a browser by WebSocket.
type socket struct {
	conn   *websocket.Conn
	ctx    context.Context // ends with the connection
	cancel context.CancelFunc
}

// Send implements Wire.
func (s *socket) Send(message []byte) error {
	ctx, cancel := context.WithTimeout(s.ctx, 30*time.Second)
	defer cancel()
	return s.conn.Write(ctx, websocket.MessageText, message)
}

// Receive implements Wire. A message above the bound ends the connection.
func (s *socket) Receive() ([]byte, error) {
	_, raw, err := s.conn.Read(s.ctx)
	return raw, err
}

// Close implements Wire.
func (s *socket) Close() error {
	s.cancel()
	return s.conn.CloseNow()
}

// Dial connects to a browser. A Chrome answers only where the Host header is an address or localhost. So a
// Chrome that refuses its name is asked once more, as localhost.
func Dial(ctx context.Context, endpoint string) (Wire, error) {
	u, err := url.Parse(endpoint)
	if err != nil {
		return nil, err
	}
	w, err := dialAs(ctx, *u, "")
	if err != nil && ctx.Err() == nil && !isAddress(u.Hostname()) {
		if again, second := dialAs(ctx, *u, "localhost"); second == nil {
			return again, nil
		}
	}
	return w, err
}

func isAddress(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil || host == "localhost"
}

// dialAs connects with a Host header; empty means that of the address.
func dialAs(ctx context.Context, u url.URL, host string) (Wire, error) {
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if u.Scheme == "http" || u.Scheme == "https" {
		found, err := debuggerOf(ctx, client, u, host)
		if err != nil {
			return nil, err
		}
		u = found
	}
	conn, _, err := websocket.Dial(ctx, u.String(), &websocket.DialOptions{HTTPClient: client, Host: host})
	if err != nil {
		return nil, withoutQuery(err)
	}
	conn.SetReadLimit(maxMessage)
	s := &socket{conn: conn}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s, nil
}

// debuggerOf asks a browser for the address of its debugger. Only the path of the answer counts, because a browser
// behind a name or a forwarded port does not know its own address.
func debuggerOf(ctx context.Context, client *http.Client, u url.URL, host string) (url.URL, error) {
	ask := u
	ask.Path = strings.TrimSuffix(u.Path, "/") + "/json/version"
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, ask.String(), nil)
	if err != nil {
		return u, err
	}
	r.Host = cmp.Or(host, u.Host)
	res, err := client.Do(r)
	if err != nil {
		return u, withoutQuery(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	if err != nil {
		return u, err
	}
	var version struct {
		Debugger string `json:"webSocketDebuggerUrl"`
	}
	if res.StatusCode != http.StatusOK || json.Unmarshal(body, &version) != nil || version.Debugger == "" {
		return u, fault.New(fault.Unavailable, "/json/version answers HTTP %d: %.120q", res.StatusCode, body)
	}
	at, err := url.Parse(version.Debugger)
	if err != nil {
		return u, fault.New(fault.Unavailable, "/json/version names no address: %.120q", body)
	}
	u.Scheme = map[string]string{"http": "ws", "https": "wss"}[u.Scheme]
	u.Path, u.RawQuery = at.Path, cmp.Or(u.RawQuery, at.RawQuery)
	return u, nil
}

// withoutQuery drops the address from an error, because its query may be a secret.
func withoutQuery(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*net.OpError](err); ok {
		return e
	}
	return err
}

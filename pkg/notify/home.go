package notify

import (
	"context"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/notify/letter"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
	"golang.org/x/net/idna"
)

// This file keeps the address at which people reach the installation. Messages lead back to it. It is a setting, or
// what an administrator has confirmed; it is never taken from a request, because the sender of a request
// chooses the host that it names.
//
//	Notifications  home  address  the address that was confirmed

// HomeSetting is the setting that has the address.
const HomeSetting = "PUBLIC_URL"

// dashboardPath is the path of the dashboard below the address.
const dashboardPath = "/api/ui"

// homeAddress is the row of the address that was confirmed.
type homeAddress struct {
	URL string    `col:"url"`
	By  string    `col:"by"` // name of the administrator's key
	At  time.Time `col:"at"`
}

var (
	homeRows = row.Of[homeAddress]()
	homeKey  = storage.Key{Partition: "home", Row: "address"}
)

// HomeAddress keeps the address. Any number of processes may use it.
type HomeAddress struct {
	Rows storage.Table
	Set  string // the value of the setting; empty if it is not set
	// BasePath is the path in which an address ends, such as /tidemark; empty for any.
	BasePath string
	// Nearby lists addresses of the machine for people to choose from; nil for none. See [MachineAddresses].
	Nearby func() []string
}

// get returns the address. It is empty if nobody has given one.
func (b HomeAddress) get(ctx context.Context) (api.PublicAddress, error) {
	if b.Set != "" {
		return api.PublicAddress{URL: b.Set, Origin: "setting"}, nil
	}
	kept, _, err := homeRows.Load(ctx, b.Rows, homeKey)
	if err != nil || kept.URL == "" {
		return api.PublicAddress{}, err
	}
	return api.PublicAddress{URL: kept.URL, Origin: "here", By: kept.By, At: kept.At}, nil
}

// confirm keeps an address that an administrator has confirmed; an empty one removes it. Errors: Invalid; Conflict if
// the setting has the address.
func (b HomeAddress) confirm(ctx context.Context, text, by string, now time.Time) (api.PublicAddress, error) {
	if b.Set != "" {
		return api.PublicAddress{}, fault.New(fault.Conflict, "the setting %s has the address: change it there", HomeSetting)
	}
	kept := homeAddress{By: by, At: now}
	if strings.TrimSpace(text) != "" {
		var err error
		if kept.URL, err = ParseHome(text); err != nil {
			return api.PublicAddress{}, fault.Field("url", "url: %w", err)
		}
		if err = EndsIn(kept.URL, b.BasePath); err != nil {
			return api.PublicAddress{}, fault.Field("url", "url: want %w", err)
		}
	}
	_, err := b.Rows.Transact(ctx, storage.Op{Kind: storage.Upsert,
		Entity: storage.Entity{Key: homeKey, Props: homeRows.Encode(&kept)}})
	if err != nil {
		return api.PublicAddress{}, err
	}
	return b.get(ctx)
}

// ParseHome returns an address as it is kept: scheme, host and the path below which people reach the installation,
// without a slash at the end. It takes the address of the dashboard, too.
func ParseHome(text string) (string, error) {
	const most = 300 // bytes
	text = strings.TrimSpace(text)
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || len(text) > most:
		return "", fault.New(fault.Invalid, "an address such as https://tidemark.example or http://192.168.1.5:7071")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return "", fault.New(fault.Invalid, "leave out user names, queries and anchors: want https://tidemark.example")
	}
	host, err := hostOf(u)
	if err != nil {
		return "", err
	}
	path, err := api.ParsePrefix(strings.TrimSuffix(strings.TrimSuffix(u.EscapedPath(), "/"), dashboardPath))
	if err != nil {
		return "", fault.New(fault.Invalid, "an address with %w", err)
	}
	return u.Scheme + "://" + host + path, nil
}

// EndsIn returns an error if an address from [ParseHome] leads outside the path below which the app is reached, as
// BASE_PATH says.
func EndsIn(address, basePath string) error {
	u, err := url.Parse(address)
	if address != "" && (err != nil || !strings.HasSuffix(u.Path, basePath)) {
		return fault.New(fault.Invalid, "an address that ends in %s, as BASE_PATH says", basePath)
	}
	return nil
}

// hostOf returns the host of an address with its port: an IP address, or a name in ASCII.
func hostOf(u *url.URL) (string, error) {
	name, port := u.Hostname(), u.Port()
	if addr, err := netip.ParseAddr(name); err == nil && addr.Zone() == "" {
		name = addr.String()
	} else if name, err = idna.Lookup.ToASCII(name); err != nil {
		return "", fault.New(fault.Invalid, "%.100q is no name of a host", u.Hostname())
	}
	if n, err := strconv.Atoi(port); port != "" && (err != nil || n < 1 || n > 65535) || strings.HasSuffix(u.Host, ":") {
		return "", fault.New(fault.Invalid, "the port must be a number of 1 to 65535")
	}
	switch {
	case port != "":
		return net.JoinHostPort(name, port), nil
	case strings.Contains(name, ":"):
		return "[" + name + "]", nil
	default:
		return name, nil
	}
}

// IsLoopback reports whether an address is of this machine, so that no other machine reaches it.
func IsLoopback(text string) bool {
	u, err := url.Parse(text)
	if err != nil {
		return false
	}
	name := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	addr, err := netip.ParseAddr(name)
	return name == "localhost" || strings.HasSuffix(name, ".localhost") ||
		err == nil && (addr.Unmap().IsLoopback() || addr.IsUnspecified())
}

// MachineAddresses returns the addresses at which the local network may reach this machine, at most five.
func MachineAddresses() (out []string) {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return nil
	}
	const most = 5
	for _, a := range all {
		network, ok := a.(*net.IPNet)
		if ok && network.IP.To4() != nil && network.IP.IsPrivate() && len(out) < most {
			out = append(out, network.IP.String())
		}
	}
	return out
}

// links makes the links of messages back to the installation. Without an address it makes none, and without a key no
// short link, and none that mutes.
type links struct {
	home string
	key  []byte
	now  time.Time
}

// links returns what makes the links of the messages of a step.
func (s *base) links(ctx context.Context) (links, error) {
	at, err := s.o.Home.get(ctx)
	if err != nil || at.URL == "" {
		return links{}, err
	}
	return links{at.URL + dashboardPath, s.o.Keys.Derive(linkPurpose), s.now()}, nil
}

// shortPath is the path of short links, below that of the dashboard.
const shortPath = "/m/"

// to returns the address of a page of the dashboard, or "" without an address.
func (l links) to(path string, query url.Values) string {
	if l.home == "" {
		return ""
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return l.home + path
}

// below returns a path of the API, which may be empty, as it is below the address.
func (l links) below(path string) string {
	u, err := url.Parse(l.home)
	if err != nil || path == "" {
		return path
	}
	return strings.TrimSuffix(u.Path, dashboardPath) + path
}

// of returns the links of a change in a message of a rule.
func (l links) of(r *rule, c api.FeedChange) (out letter.Links) {
	out.Why = l.to("/changes/"+url.PathEscape(c.ID), nil)
	if c.ID == "" { // it stands in no feed
		out.Why = l.to("/items/"+url.PathEscape(c.ItemID), nil)
	}
	out.Difference = out.Why
	if c.Diff != "" {
		q := url.Values{"from": {c.From}, "to": {c.To}}
		if diff, err := url.Parse(c.Diff); err == nil && diff.Query().Has("part") {
			q.Set("part", diff.Query().Get("part"))
		}
		out.Difference = l.to("/items/"+url.PathEscape(c.ItemID)+"/diff", q)
	}
	out.ShortDifference, out.ShortWhy = out.Difference, out.Why
	if at, err := feed.ParsePosition(c.ID); err == nil && len(l.key) > 0 {
		out.ShortWhy = l.short(shortLink{Opens: OpensWhy, Change: at})
		out.ShortDifference = l.short(shortLink{Opens: OpensDifference, Change: at})
	}
	if c.ItemID != "" && r != nil {
		out.Mute = l.short(shortLink{Opens: OpensMute, Item: c.ItemID, Rule: sumOf(r.ID), Until: l.now.Add(muteLinkLife)})
	}
	return out
}

// stop returns the link that stops the mails of a rule about a page, or about all pages of the rule if it is "".
func (l links) stop(r *rule, item string) string {
	return l.short(shortLink{Opens: OpensStop, Item: item, Rule: sumOf(r.ID), Until: l.now.Add(stopLinkLife)})
}

// short returns the address of a short link, or "" without a key.
func (l links) short(to shortLink) string {
	if len(l.key) == 0 {
		return ""
	}
	return l.to(shortPath+to.sign(l.key), nil)
}

// LinksAt returns the links to a change at an address of the installation. There is none that mutes.
func LinksAt(address string, c api.FeedChange) letter.Links {
	return links{home: address + dashboardPath}.of(nil, c)
}

// rule returns the address of a rule, or "".
func (l links) rule(r *rule) string {
	if r.ID == "" {
		return "" // it is not saved yet
	}
	return l.to("/notifications/rules/"+url.PathEscape(r.ID), nil)
}

// PublicAddress returns the address at which people reach the installation, with the addresses of the machine.
func (s *Book) PublicAddress(ctx context.Context) (api.PublicAddress, error) {
	out, err := s.o.Home.get(ctx)
	if problem := s.o.Keys.Problem(); problem != "" {
		out.NoMutes = problem
	}
	if s.o.Home.Nearby != nil {
		out.Machine = s.o.Home.Nearby()
	}
	return out, err
}

// SavePublicAddress keeps the address that an administrator has confirmed.
func (s *Book) SavePublicAddress(ctx context.Context, address, by string) (api.PublicAddress, error) {
	if _, err := s.o.Home.confirm(ctx, address, by, s.now()); err != nil {
		return api.PublicAddress{}, err
	}
	return s.PublicAddress(ctx)
}

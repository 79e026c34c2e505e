package ui

import (
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/notify"
)

// addressData is the address to which messages lead, and what is proposed while there is none.
type addressData struct {
	api.PublicAddress

	Form     Form
	Aside    bool     // whether the form opens another tab, because it stands beside another form
	Loopback bool     // whether only this machine reaches the address, or the proposed one
	Nearby   []string // addresses of this machine in its network
	Back     string   // the page to which the form leads
}

// address shows the form of the address to which messages lead.
func (a area) address(r *http.Request) (page, error) {
	d, err := a.addressOf(r, "/notifications")
	return page{Name: "address", Title: "Address in messages", Data: d}, err
}

// addressOf returns the form of the address. It proposes the address that the browser has used.
// Nothing is kept before an administrator confirms it, because a request may name any host.
func (a area) addressOf(r *http.Request, back string) (d addressData, err error) {
	d.Back = back
	if d.PublicAddress, err = api.GetPublicAddress.Call(r.Context(), a.client, api.None{}); err != nil {
		return d, err
	}
	at := d.URL
	if at == "" {
		at, _ = notify.ParseHome((&url.URL{Scheme: wire.Address(r).Scheme, Host: wire.OuterHost(r)}).String())
	}
	d.Form.Values = url.Values{"url": {at}}
	d.propose(at)
	return d, nil
}

// propose lists the addresses of this machine in its network if only this machine reaches an address.
func (d *addressData) propose(at string) {
	if d.Loopback = notify.IsLoopback(at); !d.Loopback {
		return
	}
	u, err := url.Parse(at)
	if err != nil {
		return
	}
	for _, host := range d.Machine {
		near := url.URL{Scheme: u.Scheme, Host: host}
		if port := u.Port(); port != "" {
			near.Host = net.JoinHostPort(host, port)
		}
		d.Nearby = append(d.Nearby, near.String())
	}
}

// saveAddress keeps the address that an administrator has confirmed, or removes it.
func (a area) saveAddress(r *http.Request) (page, error) {
	f := r.PostForm
	text, done := f.Get("url"), "address-save"
	if f.Get("do") == "remove" {
		text, done = "", "address-remove"
	} else if text == "" {
		text = "-" // an empty field is a mistake, and removes nothing
	}
	_, err := api.SavePublicAddress.Call(r.Context(), a.client, api.PublicAddressRequest{URL: text})
	if problem := refusal(err); problem != nil {
		d, err := a.addressOf(r, f.Get("back"))
		d.Form = Form{Values: f, Problem: problem}
		return page{Name: "address", Title: "Address in messages", Status: problem.Status, Data: d}, err
	}
	return goTo(back(f.Get("back"), done)), err
}

// mute mutes a page, or a rule on a page, or ends a mute. The form says to which page the browser goes back.
func (a area) mute(r *http.Request) (page, error) {
	ctx, f := r.Context(), r.PostForm
	done := "muted"
	var err error
	if id := f.Get("end"); id != "" {
		done = "unmuted"
		_, err = api.RemoveMute.Call(ctx, a.client, api.MuteID{ID: id})
	} else {
		_, err = api.AddMute.Call(ctx, a.client, api.MuteRequest{ItemID: f.Get("itemId"), Rule: f.Get("rule"),
			For: f.Get("for")})
	}
	return goTo(back(f.Get("back"), done)), err
}

// back returns the path to which an action leads, with the name of its message.
func back(path, done string) string {
	if !strings.HasPrefix(path, "/") {
		path = "/"
	}
	path, at, anchored := strings.Cut(path, "#")
	sign := "?"
	if strings.Contains(path, "?") {
		sign = "&"
	}
	if path += sign + "done=" + done; anchored {
		path += "#" + at
	}
	return path
}

package ui

import (
	"cmp"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/notify"
	"github.com/tidemark/tidemark/pkg/notify/form"
)

type channelData struct {
	Name      string // empty for a new channel
	Kind      string // empty while the service is not chosen
	Service   form.Service
	Channel   api.Channel
	NoSecrets string // why typed secrets cannot be stored
	Form      Form
	Check     api.ChannelCheck
	Secret    string // the generated secret, which is shown once
	Tested    bool
	Answer    api.ReceiverAnswer
	Anyway    bool        // whether the channel may be saved although the test failed
	Rules     []api.Rule  // the rules that use the channel
	Address   addressData // to which messages lead
	// ForRule is the query of the form of a new rule that waits for this channel, or empty.
	ForRule string
}

// services returns the kinds of channels to choose from.
func services() (out []choice) {
	for _, one := range form.Services() {
		out = append(out, choice{one.Kind, one.Label})
	}
	for _, kind := range []string{notify.Webhook, notify.Service} {
		out = append(out, choice{kind, channelKind(kind)})
	}
	return out
}

// channelField is a field of a service in a form.
type channelField struct {
	form.Field

	Input, Value, Wrong string
	Stored              bool // whether there is a stored secret
	Again               bool // whether a secret was typed, which is not sent back
	Remove              bool // whether saving removes the stored secret
}

// Fields returns the fields of the service: those that most people need, or the others.
func (d channelData) Fields(rare bool) (out []channelField) {
	for _, f := range d.Service.Fields {
		if f.Rare != rare {
			continue
		}
		name := form.Prefix + f.Name
		one := channelField{Field: f, Input: name, Value: cmp.Or(d.Form.Get(name), f.Default),
			Wrong: fieldMessage(d.Form.Problem, name), Stored: slices.Contains(d.Channel.Secrets, f.Name)}
		if f.Secret {
			one.Again, one.Value, one.Remove = one.Value != "", "", d.Form.Values.Has("remove."+f.Name)
		}
		out = append(out, one)
	}
	return out
}

// channel shows the form of a channel.
func (v *visit) channel() page {
	return v.channelPage(channelData{Name: v.PathValue("name")})
}

// newChannel shows the services to choose from, or the form of a new channel of the chosen one.
func (v *visit) newChannel() page {
	q := v.URL.Query()
	return v.channelPage(channelData{Kind: q.Get("kind"), ForRule: q.Get("rule")})
}

func (v *visit) channelPage(d channelData) page {
	p := page{Name: "channel", Title: d.Name, Refused: d.Form.Problem}
	all := ask(v, api.ListChannels, api.None{})
	d.NoSecrets = all.NoSecrets
	back := v.URL.Path
	if d.Name == "" {
		back = "/notifications/address" // in another tab: what was typed here stays
	}
	d.Address = v.addressOf(back)
	d.Address.Aside = d.Name == ""
	if d.Name == "" {
		d.Service, _ = form.Of(d.Kind)
		if p.Title = "Another way"; d.Kind == "" {
			p.Title = "Where shall messages go?"
		}
		if d.Form.Values == nil {
			d.Form.Values = url.Values{"name": {freeName(d.Kind, all.Channels)}}
		}
		p.Data = d
		return p
	}
	at := slices.IndexFunc(all.Channels, func(c api.Channel) bool { return c.Name == d.Name })
	if at < 0 {
		return v.fail(notFound("there is no such channel"))
	}
	c := all.Channels[at]
	d.Channel, d.Kind = c, c.Kind
	d.Service, _ = form.Of(d.Kind)
	was := url.Values{"url": {c.URL}, "secret": {c.Secret}, "urlFrom": {c.URLFrom}}
	for _, f := range d.Service.Fields {
		if !f.Secret {
			was.Set(form.Prefix+f.Name, cmp.Or(c.Fields[f.Name], f.Default))
		}
	}
	if d.Form.Was = was; d.Form.Values == nil {
		d.Form.Values = maps.Clone(was)
	} else {
		d.Form = d.Form.Typed(d.Form.Values, d.Form.Problem)
	}
	for _, rule := range ask(v, api.ListRules, api.RuleQuery{Brief: true}).Rules {
		if slices.Contains(rule.Channels, d.Name) {
			d.Rules = append(d.Rules, rule)
		}
	}
	p.Data = d
	return p
}

// freeName proposes a name for a new channel.
func freeName(kind string, all []api.Channel) string {
	kind = cmp.Or(map[string]string{"smtp": "mail", notify.Service: "chat", "generic": "program"}[kind], kind)
	name := kind
	for n := 2; slices.ContainsFunc(all, func(c api.Channel) bool { return c.Name == name }); n++ {
		name = fmt.Sprintf("%s-%d", kind, n)
	}
	return name
}

// channelSpec reads a channel from its form. A secret that is not typed is left out, which keeps
// the stored one, unless it is to be removed.
func channelSpec(f url.Values, name, kind string) api.ChannelSpec {
	text := func(field string) string { return strings.TrimSpace(f.Get(field)) }
	spec := api.ChannelSpec{Name: cmp.Or(name, text("name"))}
	spec.Kind = kind
	service, ok := form.Of(kind)
	if !ok {
		spec.URLFrom = strings.TrimPrefix(text("urlFrom"), "CREDENTIAL_")
		if kind == notify.Webhook {
			spec.URL, spec.Secret = text("url"), strings.TrimPrefix(text("secret"), "CREDENTIAL_")
		}
		return spec
	}
	spec.Fields = map[string]string{}
	for _, field := range service.Fields {
		value := text(form.Prefix + field.Name)
		if value != "" || field.Secret && f.Has("remove."+field.Name) {
			spec.Fields[field.Name] = value
		}
	}
	return spec
}

// saveChannel checks, tests, saves or removes a channel. For a new channel, name and kind come from
// the form. A channel is tested before it is saved.
func (v *visit) saveChannel() page {
	f, name := v.PostForm, v.PathValue("name")
	do := f.Get("do")
	switch do {
	case "remove":
		ask(v, api.RemoveChannel, api.ChannelName{Name: name})
		if problem := v.refused(); problem != nil {
			return v.channelPage(channelData{Name: name, Form: Form{Problem: problem}})
		}
		return goTo("/notifications/channels?done=channel-remove")
	case "test-stored":
		answer := ask(v, api.TestChannel, api.ChannelTest{Name: name})
		return v.channelPage(channelData{Name: name, Tested: true, Answer: answer})
	}
	d := channelData{Name: name, Kind: f.Get("kind"), Form: Form{Values: f}, ForRule: f.Get("rule")}
	spec := channelSpec(f, name, d.Kind)
	if v.wrongChannel(&d, spec) || do == "check" {
		return v.channelPage(d)
	}
	if do == "test" || do == "save" {
		d.Answer = ask(v, api.TestChannel, spec.Test())
		d.Form.Problem = v.refused()
		d.Tested = d.Form.Problem == nil
		if d.Anyway = do == "save" && d.Tested; do == "test" || !d.Answer.OK {
			return v.channelPage(d)
		}
	}
	return v.keepChannel(d, spec)
}

// wrongChannel checks a channel, and reports whether there are mistakes.
func (v *visit) wrongChannel(d *channelData, spec api.ChannelSpec) (wrong bool) {
	path := spec
	path.Name = cmp.Or(spec.Name, "new") // the name is part of the address
	if url.PathEscape(path.Name) != path.Name || strings.Trim(path.Name, ".") == "" {
		path.Name = "new"
	}
	d.Check = ask(v, api.CheckChannel, api.ChannelUpdate(path))
	if problem := v.refused(); problem != nil {
		d.Form.Problem = problem
		return true
	}
	if path.Name != spec.Name {
		d.Check.Errors = append(d.Check.Errors, api.FieldError{Field: "name",
			Message: "The name must have 1 to 64 of a-z, 0-9, dot, hyphen and underscore"})
	}
	if len(d.Check.Errors) > 0 {
		d.Form.Problem = &api.Problem{Title: "Bad Request", Status: http.StatusBadRequest,
			Detail: d.Check.Errors[0].Message, Errors: d.Check.Errors}
	}
	return d.Form.Problem != nil
}

// waiting returns the path of the form of the rule that waits for this channel, with the channel chosen, or "".
func (d channelData) waiting(channel string) string {
	rule, err := url.ParseQuery(d.ForRule)
	if err != nil || len(rule) == 0 {
		return ""
	}
	rule.Set("channels", channel)
	return "/tell?" + rule.Encode()
}

// GoOn returns the address of the form of the rule that waits for this channel, or "".
func (d channelData) GoOn() string {
	if path := d.waiting(d.Name); path != "" {
		return Root + path
	}
	return ""
}

// changedChannel returns what a person changed in the form of a channel.
func changedChannel(f url.Values, spec api.ChannelSpec) (api.Patch, error) {
	shown, err := url.ParseQuery(f.Get(was))
	if err != nil || len(shown) == 0 {
		return nil, badRequest("the form is not complete: open it again")
	}
	was, p := channelSpec(shown, spec.Name, spec.Kind), api.Patch{}
	set := func(is, was string, path ...string) {
		if is != was {
			p.Set(is, path...)
		}
	}
	set(spec.URL, was.URL, "url")
	set(spec.Secret, was.Secret, "secret")
	set(spec.URLFrom, was.URLFrom, "urlFrom")
	for name, value := range was.Fields {
		set(spec.Fields[name], value, "fields", name)
	}
	for name, value := range spec.Fields {
		if _, shown := was.Fields[name]; !shown {
			p.Set(value, "fields", name) // also a stored secret that is to be removed
		}
	}
	return p, nil
}

// keepChannel saves a channel, of a known one what a person changed.
func (v *visit) keepChannel(d channelData, spec api.ChannelSpec) page {
	var kept api.Channel
	if d.Name == "" {
		kept = ask(v, api.AddChannel, spec)
	} else {
		patch := v.valid(changedChannel(d.Form.Values, spec))
		kept = ask(v, api.PatchChannel, api.ChannelPatch{Name: d.Name, Patching: api.Patching{Patch: patch}})
	}
	if problem := v.refused(); problem != nil {
		d.Form.Problem = problem
		return v.channelPage(d)
	}
	if kept.SigningSecret != "" {
		return v.channelPage(channelData{Name: kept.Name, Secret: kept.SigningSecret, ForRule: d.ForRule})
	}
	done := "channel-save"
	if d.Answer.OK {
		done = "channel-tested"
	}
	if rule := d.waiting(spec.Name); rule != "" {
		return goTo(back(rule, done))
	}
	return goTo("/notifications/channels/" + url.PathEscape(spec.Name) + "?done=" + done)
}

// channelKind returns the name of a kind of channels.
func channelKind(kind string) string {
	if service, ok := form.Of(kind); ok {
		return service.Label
	}
	return map[string]string{notify.Webhook: "Webhook", notify.Service: "Address in a setting"}[kind]
}

// anyFilled reports whether one of these fields has a value of its own, or a mistake.
func anyFilled(all []channelField) bool {
	return slices.ContainsFunc(all, func(f channelField) bool {
		return f.Value != f.Default || f.Stored || f.Again || f.Wrong != ""
	})
}

// inputMode returns the keyboard that a phone shows for a kind of input.
func inputMode(input string) string {
	if input == "number" {
		return "numeric"
	}
	return input
}

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
func (v *visit) address() page {
	d := v.addressOf("/notifications/channels")
	return page{Name: "address", Title: "Address in messages", Data: d}
}

// addressOf returns the form of the address. It proposes the address that the browser has used.
// Nothing is kept before an administrator confirms it, because a request may name any host.
func (v *visit) addressOf(back string) (d addressData) {
	d.Back = back
	d.PublicAddress = ask(v, api.GetPublicAddress, api.None{})
	at := cmp.Or(d.URL, v.seenAt())
	d.Form.Values = url.Values{"url": {at}}
	d.propose(at)
	return d
}

// seenAt returns the address that the browser has used; "" if messages cannot lead there.
func (v *visit) seenAt() string {
	at := wire.Address(v.Request)
	at.Path = wire.Prefix(v.Context())
	home, _ := notify.ParseHome(at.String())
	return home
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
		near := url.URL{Scheme: u.Scheme, Host: host, Path: u.Path}
		if port := u.Port(); port != "" {
			near.Host = net.JoinHostPort(host, port)
		}
		d.Nearby = append(d.Nearby, near.String())
	}
}

// saveAddress keeps the address that an administrator has confirmed, or removes it.
func (v *visit) saveAddress() page {
	f := v.PostForm
	text, done := f.Get("url"), "address-save"
	if f.Get("do") == "remove" {
		text, done = "", "address-remove"
	} else if text == "" {
		text = "-" // an empty field is a mistake, and removes nothing
	}
	ask(v, api.SavePublicAddress, api.PublicAddressRequest{URL: text})
	if problem := v.refused(); problem != nil {
		d := v.addressOf(f.Get("back"))
		d.Form = Form{Values: f, Problem: problem}
		return page{Name: "address", Title: "Address in messages", Refused: problem, Data: d}
	}
	return goTo(back(f.Get("back"), done))
}

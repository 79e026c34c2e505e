package ui

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/notify"
	"github.com/tidemark/tidemark/pkg/notify/form"
)

type channelData struct {
	Name      string // empty for a new channel
	Kind      string // empty while the service is not chosen
	Service   form.Service
	Services  []form.Service // to choose from
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
func (a area) channel(r *http.Request) (page, error) {
	return a.channelPage(r, channelData{Name: r.PathValue("name")})
}

// newChannel shows the services to choose from, or the form of a new channel of the chosen one.
func (a area) newChannel(r *http.Request) (page, error) {
	q := r.URL.Query()
	return a.channelPage(r, channelData{Kind: q.Get("kind"), ForRule: q.Get("rule")})
}

func (a area) channelPage(r *http.Request, d channelData) (page, error) {
	p := page{Name: "channel", Title: "Channel " + d.Name}
	if d.Form.Problem != nil {
		p.Status = d.Form.Problem.Status
	}
	all, err := api.ListChannels.Call(r.Context(), a.client, api.None{})
	if err != nil {
		return p, err
	}
	d.NoSecrets, d.Services = all.NoSecrets, form.Services()
	back := r.URL.Path
	if d.Name == "" {
		back = "/notifications/address" // in another tab: what was typed here stays
	}
	if d.Address, err = a.addressOf(r, back); err != nil {
		return p, err
	}
	d.Address.Aside = d.Name == ""
	if d.Name == "" {
		d.Service, _ = form.Of(d.Kind)
		if p.Title = "New channel"; d.Form.Values == nil {
			d.Form.Values = url.Values{"name": {freeName(d.Kind, all.Channels)}}
		}
		p.Data = d
		return p, nil
	}
	at := slices.IndexFunc(all.Channels, func(c api.Channel) bool { return c.Name == d.Name })
	if at < 0 {
		return p, notFound("there is no such channel")
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
	rules, err := api.ListRules.Call(r.Context(), a.client, api.RuleQuery{})
	for _, rule := range rules.Rules {
		if slices.Contains(rule.Channels, d.Name) {
			d.Rules = append(d.Rules, rule)
		}
	}
	p.Data = d
	return p, err
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
func (a area) saveChannel(r *http.Request) (page, error) {
	ctx, f, name := r.Context(), r.PostForm, r.PathValue("name")
	do := f.Get("do")
	switch do {
	case "remove":
		d := channelData{Name: name}
		_, err := api.RemoveChannel.Call(ctx, a.client, api.ChannelName{Name: name})
		if d.Form.Problem = refusal(err); d.Form.Problem != nil {
			return a.channelPage(r, d)
		}
		return goTo("/notifications?done=channel-remove"), err
	case "test-stored":
		answer, err := api.TestChannel.Call(ctx, a.client, api.ChannelTest{Name: name})
		if err != nil {
			return page{}, err
		}
		return a.channelPage(r, channelData{Name: name, Tested: true, Answer: answer})
	}
	d := channelData{Name: name, Kind: f.Get("kind"), Form: Form{Values: f}, ForRule: f.Get("rule")}
	spec := channelSpec(f, name, d.Kind)
	if wrong, err := a.wrongChannel(r, &d, spec); err != nil || wrong || do == "check" {
		if err != nil {
			return page{}, err
		}
		return a.channelPage(r, d)
	}
	if do == "test" || do == "save" {
		var err error
		d.Answer, err = api.TestChannel.Call(ctx, a.client, spec.Test())
		if d.Form.Problem = refusal(err); err != nil && d.Form.Problem == nil {
			return page{}, err
		}
		d.Tested = err == nil
		if d.Anyway = do == "save" && d.Tested; do == "test" || !d.Answer.OK {
			return a.channelPage(r, d)
		}
	}
	return a.keepChannel(r, d, spec)
}

// wrongChannel checks a channel, and reports whether there are mistakes.
func (a area) wrongChannel(r *http.Request, d *channelData, spec api.ChannelSpec) (wrong bool, err error) {
	path := spec
	path.Name = cmp.Or(spec.Name, "new") // the name is part of the address
	if url.PathEscape(path.Name) != path.Name || strings.Trim(path.Name, ".") == "" {
		path.Name = "new"
	}
	d.Check, err = api.CheckChannel.Call(r.Context(), a.client, api.ChannelUpdate(path))
	if problem := refusal(err); problem != nil {
		d.Form.Problem = problem
		return true, nil
	}
	if path.Name != spec.Name {
		d.Check.Errors = append(d.Check.Errors, api.FieldError{Field: "name",
			Message: "The name must have 1 to 64 of a-z, 0-9, dot, hyphen and underscore"})
	}
	if len(d.Check.Errors) > 0 {
		d.Form.Problem = &api.Problem{Title: "Bad Request", Status: http.StatusBadRequest,
			Detail: d.Check.Errors[0].Message, Errors: d.Check.Errors}
	}
	return d.Form.Problem != nil, err
}

// waiting returns the path of the form of the rule that waits for this channel, with the channel chosen, or "".
func (d channelData) waiting(channel string) string {
	rule, err := url.ParseQuery(d.ForRule)
	if err != nil || len(rule) == 0 {
		return ""
	}
	rule.Set("channels", channel)
	return "/notifications/new-rule?" + rule.Encode()
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
func (a area) keepChannel(r *http.Request, d channelData, spec api.ChannelSpec) (page, error) {
	var kept api.Channel
	var err error
	if d.Name == "" {
		kept, err = api.AddChannel.Call(r.Context(), a.client, spec)
	} else if patch, wrong := changedChannel(d.Form.Values, spec); wrong != nil {
		err = wrong
	} else {
		kept, err = api.PatchChannel.Call(r.Context(), a.client,
			api.ChannelPatch{Name: d.Name, Patching: api.Patching{Patch: patch}})
	}
	if problem := refusal(err); problem != nil {
		d.Form.Problem = problem
		return a.channelPage(r, d)
	}
	if err == nil && kept.SigningSecret != "" {
		return a.channelPage(r, channelData{Name: kept.Name, Secret: kept.SigningSecret, ForRule: d.ForRule})
	}
	done := "channel-save"
	if d.Answer.OK {
		done = "channel-tested"
	}
	if rule := d.waiting(spec.Name); rule != "" {
		return goTo(back(rule, done)), err
	}
	return goTo("/notifications/channels/" + url.PathEscape(spec.Name) + "?done=" + done), err
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

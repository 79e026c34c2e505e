package ui

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
)

type ruleData struct {
	ID       string // empty for a new one
	Origin   string
	Gathered int
	Channels []api.Channel
	Form     form
	Preview  *api.RuleTest
}

// rule is the form of a rule.
func rule(o Options, r *http.Request) (page, error) {
	d := ruleData{ID: r.PathValue("id")}
	test, err := api.TestRule.Call(r.Context(), o.Client, api.RuleID{ID: d.ID})
	if err != nil {
		return page{}, err
	}
	d.Preview = &test
	return rulePage(o, r, d)
}

// newRule is the form of a rule that is none yet. Its address may say what to begin with.
func newRule(o Options, r *http.Request) (page, error) {
	return rulePage(o, r, ruleData{Form: form{Values: r.URL.Query()}})
}

func rulePage(o Options, r *http.Request, d ruleData) (page, error) {
	all, err := api.ListChannels.Call(r.Context(), o.Client, api.None{})
	d.Channels = all.Channels
	p := page{name: "rule"}
	switch {
	case err != nil:
	case d.ID == "":
		p.title = "New rule"
	default:
		var it api.Rule
		it, err = api.GetRule.Call(r.Context(), o.Client, api.RuleID{ID: d.ID})
		d.Origin, d.Gathered, p.title = it.Origin, it.Gathered, "Rule "+it.Name
		if d.Form.Values == nil {
			d.Form.Values = ruleValues(it.RuleSpec)
		}
	}
	p.data = d
	if d.Form.Problem != nil {
		p.status = d.Form.Problem.Status
	}
	return p, err
}

// ruleValues are a rule as its form has it.
func ruleValues(s api.RuleSpec) url.Values {
	f := url.Values{"name": {s.Name}, "channels": s.Channels, "filter.host": {s.Filter.Host},
		"filter.tag": {s.Filter.Tag}, "filter.type": {s.Filter.Type}, "filter.kind": strings.Split(s.Filter.Kind, ","),
		"filter.q": {s.Filter.Q}, "filter.silenced": {s.Filter.Silenced}, "filter.added": {s.Filter.Added},
		"filter.removed": {s.Filter.Removed}, "digest": {cmp.Or(s.Digest, "none")}, "at": {s.At}, "timezone": {s.Timezone}}
	if s.Filter.MinShare > 0 {
		f.Set("filter.minShare", strconv.FormatFloat(100*s.Filter.MinShare, 'g', 4, 64))
	}
	if q := s.QuietHours; q != nil {
		f.Set("quietHours.from", q.From)
		f.Set("quietHours.to", q.To)
		f.Set("quietHours.timezone", q.Timezone)
	}
	return f
}

// ruleSpec reads the form of a rule.
func ruleSpec(f url.Values) (s api.RuleSpec, err error) {
	text := func(name string) string { return strings.TrimSpace(f.Get(name)) }
	s = api.RuleSpec{Name: text("name"), Channels: f["channels"], Digest: text("digest"), At: text("at"),
		Timezone: text("timezone")}
	s.Filter.ChangeFilter = api.ChangeFilter{Host: text("filter.host"), Tag: text("filter.tag"),
		Type: text("filter.type"), Kind: strings.Join(f["filter.kind"], ","), Q: text("filter.q"),
		Silenced: text("filter.silenced")}
	s.Filter.Added, s.Filter.Removed = f.Get("filter.added"), f.Get("filter.removed")
	if share := strings.TrimSpace(strings.TrimSuffix(text("filter.minShare"), "%")); share != "" {
		percent, err := strconv.ParseFloat(share, 64)
		if err != nil || !(percent >= 0 && percent <= 100) {
			return s, wrongField("filter.minShare", "the minimum share must be a number from 0 to 100, in percent")
		}
		s.Filter.MinShare = percent / 100
	}
	if text("quietHours.from")+text("quietHours.to") != "" {
		s.QuietHours = &api.QuietHours{From: text("quietHours.from"), To: text("quietHours.to"),
			Timezone: text("quietHours.timezone")}
	}
	return s, nil
}

// wrongField refuses a field of a form, as the API would.
func wrongField(field, detail string) *api.Problem {
	return &api.Problem{Title: "Bad Request", Status: http.StatusBadRequest, Detail: detail,
		Errors: []api.FieldError{{Field: field, Message: detail}}}
}

// saveRule tries, keeps or removes a rule. The id is empty for one that is not there yet.
func saveRule(o Options, r *http.Request) (page, error) {
	f, id := r.PostForm, r.PathValue("id")
	if f.Get("do") == "remove" {
		_, err := api.RemoveRule.Call(r.Context(), o.Client, api.RuleID{ID: id})
		return page{to: "/notifications?done=rule-remove"}, err
	}
	d := ruleData{ID: id, Form: form{Values: f}}
	spec, err := ruleSpec(f)
	if err == nil {
		switch {
		case f.Get("do") == "preview":
			var test api.RuleTest
			test, err = api.PreviewRule.Call(r.Context(), o.Client, spec)
			if err == nil {
				d.Preview = &test
				return rulePage(o, r, d)
			}
		case id == "":
			_, err = api.AddRule.Call(r.Context(), o.Client, spec)
		default:
			_, err = api.SaveRule.Call(r.Context(), o.Client, api.RuleUpdate{ID: id, RuleSpec: spec})
		}
	}
	if problem := refusal(err); problem != nil && problem.Status != http.StatusNotFound {
		d.Form.Problem = problem
		return rulePage(o, r, d)
	}
	return page{to: "/notifications?done=rule-save"}, err
}

// kindChoices are the kinds of change that a rule can be of, with what they mean.
func kindChoices() []choice {
	return []choice{{"content", "text changed"}, {"new", "new page"}, {"gone", "gone"}, {"back", "back again"},
		{"title", "title"}, {"images", "images"}, {"metadata", "metadata"},
		{"reverted", "earlier text restored"}, {"failing", "failing"}, {"recovered", "recovered"},
		{"watchBroken", "watch broken"}, {"watchRestored", "watch restored"}}
}

// rhythms are how often a rule tells.
func rhythms() []choice {
	return []choice{{"none", "immediately"}, {"hourly", "hourly"}, {"daily", "daily"}}
}

type channelData struct {
	Name    string // empty for a new one
	Channel api.Channel
	Form    form
	Secret  string // that is shown once
	Tested  bool
	Answer  api.ReceiverAnswer
	Rules   []api.Rule // that name it
}

// channel is the form of a channel.
func channel(o Options, r *http.Request) (page, error) {
	return channelPage(o, r, channelData{Name: r.PathValue("name")})
}

func newChannel(o Options, r *http.Request) (page, error) { return channelPage(o, r, channelData{}) }

func channelPage(o Options, r *http.Request, d channelData) (page, error) {
	p := page{name: "channel", title: "Channel " + d.Name}
	if d.Form.Problem != nil {
		p.status = d.Form.Problem.Status
	}
	if d.Name == "" {
		p.title, p.data = "New channel", d
		return p, nil
	}
	all, err := api.ListChannels.Call(r.Context(), o.Client, api.None{})
	if err != nil {
		return p, err
	}
	at := slices.IndexFunc(all.Channels, func(c api.Channel) bool { return c.Name == d.Name })
	if at < 0 {
		return p, &api.Problem{Title: "Not Found", Status: http.StatusNotFound, Detail: "there is no such channel"}
	}
	d.Channel = all.Channels[at]
	if d.Form.Values == nil {
		c := d.Channel
		d.Form.Values = url.Values{"url": {c.URL}, "secret": {c.Secret}, "urlFrom": {c.URLFrom}}
	}
	rules, err := api.ListRules.Call(r.Context(), o.Client, api.None{})
	for _, rule := range rules.Rules {
		if slices.Contains(rule.Channels, d.Name) {
			d.Rules = append(d.Rules, rule)
		}
	}
	p.data = d
	return p, err
}

// saveChannel keeps, tries or removes a channel. The name is that of the form for a new one.
func saveChannel(o Options, r *http.Request) (page, error) {
	ctx, f, name := r.Context(), r.PostForm, r.PathValue("name")
	d := channelData{Name: name}
	switch f.Get("do") {
	case "test":
		answer, err := api.TestChannel.Call(ctx, o.Client, api.ChannelName{Name: name})
		if err != nil {
			return page{}, err
		}
		d.Tested, d.Answer = true, answer
		return channelPage(o, r, d)
	case "remove":
		_, err := api.RemoveChannel.Call(ctx, o.Client, api.ChannelName{Name: name})
		if d.Form.Problem = refusal(err); d.Form.Problem != nil {
			return channelPage(o, r, d)
		}
		return page{to: "/notifications?done=channel-remove"}, err
	}
	text := func(field string) string { return strings.TrimSpace(f.Get(field)) }
	spec := api.ChannelSpec{Name: name, Kind: "webhook", URL: text("url"), Secret: text("secret")}
	if text("urlFrom") != "" {
		spec.Kind, spec.URLFrom = "shoutrrr", strings.TrimPrefix(text("urlFrom"), "CREDENTIAL_")
	}
	var kept api.Channel
	var err error
	if name == "" {
		spec.Name = text("name")
		kept, err = api.AddChannel.Call(ctx, o.Client, spec)
	} else {
		kept, err = api.SaveChannel.Call(ctx, o.Client, api.ChannelUpdate(spec))
	}
	if problem := refusal(err); problem != nil {
		d.Form = form{Values: f, Problem: problem}
		return channelPage(o, r, d)
	}
	if err == nil && kept.SigningSecret != "" {
		return channelPage(o, r, channelData{Name: kept.Name, Secret: kept.SigningSecret})
	}
	return page{to: "/notifications/channels/" + url.PathEscape(spec.Name) + "?done=channel-save"}, err
}

package rules

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/handlers/ui/frame"
	"github.com/tidemark/tidemark/pkg/api"
)

type channelData struct {
	Name    string // empty for a new channel
	Channel api.Channel
	Form    frame.Form
	Secret  string // the generated secret, which is shown once
	Tested  bool
	Answer  api.ReceiverAnswer
	Rules   []api.Rule // the rules that use the channel
}

// channel shows the form of a channel.
func (a area) channel(r *http.Request) (frame.Page, error) {
	return a.channelPage(r, channelData{Name: r.PathValue("name")})
}

// newChannel shows the form of a new channel.
func (a area) newChannel(r *http.Request) (frame.Page, error) { return a.channelPage(r, channelData{}) }

func (a area) channelPage(r *http.Request, d channelData) (frame.Page, error) {
	p := frame.Page{Name: "channel", Title: "Channel " + d.Name}
	if d.Form.Problem != nil {
		p.Status = d.Form.Problem.Status
	}
	if d.Name == "" {
		p.Title, p.Data = "New channel", d
		return p, nil
	}
	all, err := api.ListChannels.Call(r.Context(), a.client, api.None{})
	if err != nil {
		return p, err
	}
	at := slices.IndexFunc(all.Channels, func(c api.Channel) bool { return c.Name == d.Name })
	if at < 0 {
		return p, frame.NotFound("there is no such channel")
	}
	d.Channel = all.Channels[at]
	if d.Form.Values == nil {
		c := d.Channel
		d.Form.Values = url.Values{"url": {c.URL}, "secret": {c.Secret}, "urlFrom": {c.URLFrom}}
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

// saveChannel tests, saves or removes a channel. For a new channel, the name comes from the form.
func (a area) saveChannel(r *http.Request) (frame.Page, error) {
	ctx, f, name := r.Context(), r.PostForm, r.PathValue("name")
	d := channelData{Name: name}
	switch f.Get("do") {
	case "test":
		answer, err := api.TestChannel.Call(ctx, a.client, api.ChannelName{Name: name})
		if err != nil {
			return frame.Page{}, err
		}
		d.Tested, d.Answer = true, answer
		return a.channelPage(r, d)
	case "remove":
		_, err := api.RemoveChannel.Call(ctx, a.client, api.ChannelName{Name: name})
		if d.Form.Problem = frame.Refusal(err); d.Form.Problem != nil {
			return a.channelPage(r, d)
		}
		return frame.GoTo("/notifications?done=channel-remove"), err
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
		kept, err = api.AddChannel.Call(ctx, a.client, spec)
	} else {
		kept, err = api.SaveChannel.Call(ctx, a.client, api.ChannelUpdate(spec))
	}
	if problem := frame.Refusal(err); problem != nil {
		d.Form = frame.Form{Values: f, Problem: problem}
		return a.channelPage(r, d)
	}
	if err == nil && kept.SigningSecret != "" {
		return a.channelPage(r, channelData{Name: kept.Name, Secret: kept.SigningSecret})
	}
	return frame.GoTo("/notifications/channels/" + url.PathEscape(spec.Name) + "?done=channel-save"), err
}

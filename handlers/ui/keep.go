package ui

import (
	"cmp"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/notify"
)

// keep saves what a person has chosen: a new channel first, then what is watched of the page, then the alert. If one of
// them is refused, the dialogue shows why, and goes on from what is saved.
func (v *visit) keep(d tellData) page {
	f, do := v.PostForm, v.PostForm.Get("do")
	patch := v.valid(d.wanted(f))
	if v.err == nil && f.Get("what") == toldPart && d.Item.ID != "" && len(effectiveWatch(d.Item).Include) == 0 {
		return goTo(linkTo(itemPath(d.Item.ID)+"/pick", params("to", d.Of.Path())))
	}
	only := do == "watch" || !d.Ready() && f.Get("kind") == inboxOnly
	var made api.Channel
	var saved api.Rule
	var undo *api.Undo
	if v.err == nil && !only {
		made = v.way(&d, patch)
	}
	if v.err == nil && d.Item.ID != "" {
		undo = v.watch(d, only)
	}
	if v.err == nil && !only {
		saved = v.saveRule(d.Of.Rule, patch, do == "anyway", f.Get("now") != "")
		undo = saved.Undo
	}
	if p := refusal(v.err); p != nil && p.Status != http.StatusNotFound {
		v.err = nil
		return v.notKept(d, p)
	}
	if made.SigningSecret != "" {
		return v.channelPage(channelData{Name: made.Name, Secret: made.SigningSecret})
	}
	return goTo(withUndo(d.next(saved, f.Get("now") != "", only), undo))
}

// notKept shows the dialogue with why something was refused.
func (v *visit) notKept(d tellData, problem *api.Problem) page {
	p := v.previewed(d)
	if d, ok := p.Data.(tellData); ok {
		d.Form.Problem, d.Refused = problem, problem.Cannot
		p = tellPage(d)
	}
	return p
}

// next returns where a person goes on who has saved.
func (d tellData) next(saved api.Rule, now, only bool) string {
	at, done := "/notifications/rules/"+url.PathEscape(saved.ID), "told"
	if now {
		done = "rule-now"
	}
	if only {
		done = "watched"
	}
	switch {
	case !only && len(saved.Cannot) > 0:
	case d.Item.ID != "" && d.Of.Rule == "":
		at = itemPath(d.Item.ID)
	case d.Of.Rule == "":
		at = "/notifications"
	}
	return at + "?done=" + done
}

// The kinds of channels that the dialogue makes, and the choice of none.
const (
	mailKind  = "smtp"
	phoneKind = "ntfy"
	inboxOnly = "none"
)

// way makes the channel that a person fills in because there is none, after a test. The alert has it then.
func (v *visit) way(d *tellData, patch api.Patch) (made api.Channel) {
	f := v.PostForm
	channels, named := patch.Get("channels")
	if list, _ := channels.([]string); len(list) > 0 || d.Of.Rule != "" && !named {
		return made
	}
	spec := wayOf(f)
	c := channelData{Kind: spec.Kind}
	switch {
	case d.Ready() || d.Of.More == "alert":
		v.fail(wrongField("channels", "choose where to"))
	case v.wrongChannel(&c, spec):
		v.fail(c.Form.Problem)
	case f.Get("do") != "anyway":
		answer := ask(v, api.TestChannel, spec.Test())
		if d.Answer = &answer; !answer.OK {
			v.fail(badRequest("nothing is saved: the test message did not arrive"))
		}
	}
	if made = ask(v, api.AddChannel, spec); v.err == nil {
		d.Channels = append(d.Channels, made)
		f["channels"] = []string{made.Name}
		patch["channels"] = f["channels"]
		if home := f.Get("home"); home != "" {
			ask(v, api.SavePublicAddress, api.PublicAddressRequest{URL: home})
		}
	}
	return made
}

// wayOf reads a new channel from the dialogue. Mail is sent from the address that gets it. A port may stand behind the
// server.
func wayOf(f url.Values) api.ChannelSpec {
	kind := f.Get("kind")
	in := url.Values{"name": {freeName(kind, nil)}, "url": {f.Get("hook")}}
	for name, values := range f {
		if strings.HasPrefix(name, "fields.") {
			in[name] = values
		}
	}
	if kind == mailKind {
		first, _, _ := strings.Cut(in.Get("fields.to"), ",")
		in.Set("fields.from", strings.TrimSpace(first))
		if host, port, err := net.SplitHostPort(strings.TrimSpace(in.Get("fields.host"))); err == nil {
			in.Set("fields.host", host)
			in.Set("fields.port", port)
			switch {
			case port == "465":
				in.Set("fields.encryption", "tls")
			case port != "587" && in.Get("fields.password") == "": // a server of the own network
				in.Set("fields.encryption", "none")
			}
		}
		if in.Get("fields.password") != "" {
			in.Set("fields.user", cmp.Or(strings.TrimSpace(in.Get("fields.user")), in.Get("fields.from")))
		}
	}
	return channelSpec(in, "", kind)
}

// watch saves what has to be watched of the page for the wish, and its tags. Without an alert, the page gets the
// interval.
func (v *visit) watch(d tellData, only bool) *api.Undo {
	patch := api.Patch{}
	if shown, err := url.ParseQuery(d.Form.Get(was)); err == nil && shown.Has("tags") {
		patch = v.valid(changesOf[api.ItemSettings](d.Form.Values))
	}
	if w := d.Wish.Watch; w != nil {
		var set api.Patch
		if text, err := json.Marshal(w); err != nil || json.Unmarshal(text, &set) != nil {
			v.fail(err)
			return nil
		}
		patch["watch"] = set
	}
	if check := d.Form.Get("check"); only && check != "" && check != asSet {
		patch["interval"] = api.Patch{"min": check, "max": check}
	}
	if v.err != nil || len(patch) == 0 && d.Item.DraftUntil.IsZero() {
		return nil // a page that is only looked at stays when its settings are saved
	}
	it := ask(v, api.PatchItem, api.ItemPatch{ID: d.Item.ID, Patching: api.Patching{Patch: patch}})
	return it.Undo
}

// saveRule makes a rule, or changes the one with an id.
func (v *visit) saveRule(id string, patch api.Patch, anyway, now bool) api.Rule {
	if anyway {
		patch["anyway"] = true
	}
	if now {
		patch["now"] = true
	}
	if id != "" {
		return ask(v, api.PatchRule, api.RulePatch{ID: id, Patching: api.Patching{Patch: patch}})
	}
	var spec api.NewRule
	v.fail(patch.Apply(&spec))
	return ask(v, api.AddRule, spec)
}

// wayWord names a channel where it is chosen.
func wayWord(c api.Channel) string {
	switch to := c.Fields["to"]; {
	case c.Kind == mailKind && to != "":
		return "Mail to " + to
	case c.Kind == notify.Webhook:
		return "Webhook " + c.Name
	}
	return c.Name
}

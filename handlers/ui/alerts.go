package ui

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/content/field/condition"
	"github.com/tidemark/tidemark/pkg/form"
	"github.com/tidemark/tidemark/pkg/notify/letter"
)

// The numbers of messages, and of alerts for one page, that a page lists.
const (
	deliveriesShown = 50
	rulesShown      = 100
)

// alertsData are the alerts: first those that cannot fire, and those that somebody has muted.
type alertsData struct {
	Cannot, Rules []anAlert
	Mutes         []api.Mute
	Chips         []chip // one for each channel that an alert uses
	More          string // the continuation of the list of alerts
}

// anAlert is an alert with what it asks for, in words.
type anAlert struct {
	api.Rule
	Asks string
}

// inWords puts what alerts ask for into words. Of an alert for any change of a page, that is the part that is watched.
func (v *visit) inWords(rules []api.Rule) (out []anAlert) {
	var ids []string
	for _, r := range rules {
		a := anAlert{r, alertAsks(r.RuleSpec)}
		if out = append(out, a); a.Asks == anyChange && r.Filter.ItemID != "" {
			ids = append(ids, r.Filter.ItemID)
		}
	}
	if len(ids) == 0 {
		return out
	}
	slices.Sort(ids)
	for _, it := range ask(v, api.ListItems, api.ItemQuery{IDs: strings.Join(slices.Compact(ids), ",")}).Items {
		for i := range out {
			if of := &out[i]; of.Filter.ItemID == it.ID && it.Watch != nil {
				of.Asks = asksOf(of.RuleSpec, it.Watch.Include)
			}
		}
	}
	return out
}

// alerts shows what people are told.
func (v *visit) alerts() page {
	q := v.URL.Query()
	if q.Has("state") || q.Has("after") { // the messages were on this page once
		return goTo(linkTo("/notifications/messages", q))
	}
	var d alertsData
	all := ask(v, api.ListRules, api.RuleQuery{Top: rulesShown, Continuation: q.Get("rules")})
	cannot := ask(v, api.ListRules, api.RuleQuery{Cannot: true, Top: rulesShown})
	if q.Get("rules") == "" {
		d.Cannot = v.inWords(cannot.Rules)
	}
	mutes := ask(v, api.ListMutes, api.MuteQuery{})
	d.Mutes, d.More = mutes.Mutes, all.Continuation
	d.Chips = channelChips(all.Rules, q.Get("channel"))
	d.Rules = v.inWords(slices.DeleteFunc(all.Rules, func(rule api.Rule) bool {
		here := func(c api.Rule) bool { return c.ID == rule.ID }
		only := q.Get("channel")
		return slices.ContainsFunc(cannot.Rules, here) || only != "" && !slices.Contains(rule.Channels, only)
	}))
	return page{Name: "notifications", Title: "What I am told", Data: d}
}

// channelChips filters alerts by their channels.
func channelChips(all []api.Rule, only string) (out []chip) {
	var names []string
	for _, rule := range all {
		names = append(names, rule.Channels...)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		to := linkTo(Root+"/notifications", params("channel", name))
		out = append(out, chip{Text: name, To: to, On: name == only})
	}
	if len(out) < 2 {
		return nil
	}
	return slices.Insert(out, 0, chip{Text: "All", To: Root + "/notifications", On: only == ""})
}

// channelsData are the ways by which people are told.
type channelsData struct {
	api.Channels

	Home   api.PublicAddress // the address to which messages lead
	Tested string            // the channel to which a test message was sent
	Answer api.ReceiverAnswer
}

// channels shows where messages go.
func (v *visit) channels() page {
	return v.channelsPage("", api.ReceiverAnswer{})
}

func (v *visit) channelsPage(tested string, answer api.ReceiverAnswer) page {
	d := channelsData{Tested: tested, Answer: answer}
	d.Channels = ask(v, api.ListChannels, api.None{})
	d.Home = ask(v, api.GetPublicAddress, api.None{})
	return page{Name: "channels", Title: "Where to", Data: d}
}

// channelIcon returns the name of the icon of a kind of channel.
func channelIcon(c api.Channel) string {
	icon, _ := wayTo(c)
	return icon
}

// messagesData are the messages of the last 30 days.
type messagesData struct {
	api.DeliveryPage

	Names map[string]string // names of the channels' alerts, by id
	State string            // only messages in this state are shown
	Chips []chip
}

// messages shows the messages that were sent, wait, or did not arrive.
func (v *visit) messages() page {
	q := v.URL.Query()
	d := messagesData{State: q.Get("state"), Names: map[string]string{}}
	for _, c := range choices("", "All", "waiting", "Waiting", "failed", "Not arrived", "sent", "Arrived") {
		to := linkTo(Root+"/notifications/messages", params("state", c.Value))
		d.Chips = append(d.Chips, chip{c.Text, to, c.Value == d.State})
	}
	rules := ask(v, api.ListRules, api.RuleQuery{Brief: true, Top: rulesShown})
	for _, rule := range rules.Rules {
		d.Names[rule.ID] = rule.Name
	}
	d.DeliveryPage = ask(v, api.ListDeliveries, api.DeliveryQuery{State: d.State,
		Top: deliveriesShown, Continuation: q.Get("after")})
	return page{Name: "messages", Title: "Messages", Data: d}
}

// actNotifications sends a test message, sends an earlier message again, or switches an alert on or off or removes it.
func (v *visit) actNotifications() page {
	of, do := v.PostForm.Get("of"), v.PostForm.Get("do")
	switch do {
	case "test":
		answer := ask(v, api.TestChannel, api.ChannelTest{Name: of})
		return v.channelsPage(of, answer)
	case "retry":
		ask(v, api.RetryDelivery, api.DeliveryID{ID: of})
		return goTo(back(cmp.Or(v.PostForm.Get("back"), "/notifications/messages"), "delivery-retry"))
	case "off", "on", "remove":
		return v.changeAlert(of, "/notifications")
	}
	return v.fail(badRequest("a channel can be tested, a message sent again, an alert switched off or removed"))
}

// mute mutes a page, or a rule on a page, or ends a mute. The form says to which page the browser goes back.
func (v *visit) mute() page {
	f := v.PostForm
	done := "muted"
	var mute api.Mute
	if id := f.Get("end"); id != "" {
		done = "unmuted"
		mute = ask(v, api.RemoveMute, api.MuteID{ID: id})
	} else {
		mute = ask(v, api.AddMute, api.MuteRequest{ItemID: f.Get("itemId"), Rule: f.Get("rule"),
			For: f.Get("for")})
	}
	return goTo(withUndo(back(f.Get("back"), done), mute.Undo))
}

// ruleTone returns the class of an [api.OutcomeState] or [api.RuleHereState].
func ruleTone(state any) string {
	switch state {
	case api.OutcomeSent:
		return "good"
	case api.OutcomeCannot, api.OutcomeFailed, api.RuleCannot:
		return "bad"
	case api.OutcomeGathered, api.OutcomeMuted, api.RuleMuted, api.RuleWaits:
		return "warn"
	}
	return "quiet"
}

// ruleData is what the page of an alert shows: what it does, where it cannot, and what it has sent.
type ruleData struct {
	api.Rule
	Item     api.ItemDetail // of an alert for one page
	Broken   string         // why it reports nothing
	Preview  *api.RuleTest
	Messages []api.Delivery
}

// messagesShown is the number of messages that the page of an alert lists.
const messagesShown = 10

// rule shows the page of an alert.
func (v *visit) rule() page {
	id := api.RuleID{ID: v.PathValue("id")}
	d := ruleData{Rule: ask(v, api.GetRule, id)}
	test := ask(v, api.TestRule, id)
	if v.refused(http.StatusBadRequest) == nil { // the page of a broken alert says why
		d.Preview = &test
	}
	if d.Broken = cmp.Or(d.Problem, d.Warning); d.Filter.ItemID != "" {
		d.Item = ask(v, api.GetItem, api.ItemID{ID: d.Filter.ItemID})
		if v.missing() {
			d.Broken = cmp.Or(d.Broken, "its page is not watched any more")
		} else if d.Item.Paused {
			d.Broken = cmp.Or(d.Broken, "its page is paused, and checked only on request")
		}
	}
	d.Messages = ask(v, api.ListDeliveries, api.DeliveryQuery{Rule: id.ID, Top: messagesShown}).Deliveries
	return page{Name: "rule", Title: cmp.Or(d.Name, d.ID), Data: d}
}

// Cost says what the checks of the alert cost a site.
func (d ruleData) Cost() string { return form.Cost(d.Every) }

// actRule switches an alert off or on, tells what holds already, or removes it.
func (v *visit) actRule() page {
	id := v.PathValue("id")
	return v.changeAlert(id, "/notifications/rules/"+url.PathEscape(id))
}

// changeAlert is actRule of an alert, from the page with that path.
func (v *visit) changeAlert(id, from string) page {
	do := v.PostForm.Get("do")
	patch := map[string]api.Patch{"now": {"now": true}, "off": {"off": true}, "on": {"off": nil}}[do]
	if patch == nil && do != "remove" {
		return v.fail(badRequest("an alert can be switched off and on, and be removed"))
	}
	if patch == nil {
		gone := ask(v, api.RemoveRule, api.RuleID{ID: id})
		return goTo(withUndo("/notifications?done=rule-remove", gone.Undo))
	}
	patch["anyway"] = true // what it waits for stays as it is
	saved := ask(v, api.PatchRule, api.RulePatch{ID: id, Patching: api.Patching{Patch: patch}})
	return goTo(withUndo(back(from, "rule-"+do), saved.Undo))
}

// newRule leads from former addresses to the dialogue.
func (v *visit) newRule() page {
	q := v.URL.Query()
	for former, name := range map[string]string{"filter.itemId": "item", "filter.item": "item", "filter.tag": "tag",
		"filter.items": "q"} {
		if value := q.Get(former); value != "" {
			q.Set(name, value)
		}
		q.Del(former)
	}
	if !tellScopeOf(q).Some() {
		q.Set("all", "1")
	}
	return goTo(linkTo("/tell", q))
}

// Variables lists what the words of a message may stand for.
func (d tellData) Variables() []letter.Variable { return letter.Variables }

// Begun returns the query that opens this dialogue again, for who makes a channel meanwhile.
func (d tellData) Begun() string {
	_, query, _ := strings.Cut(d.Of.Path(), "?")
	begun, _ := url.ParseQuery(query)
	for name, values := range d.Form.Values {
		is := func(prefix string) bool { return d.Of.More == "alert" && strings.HasPrefix(name, prefix) }
		if d.Of.Rule == "" && (slices.Contains(chosenInputs, name) || is("filter.") || is("when.")) {
			begun[name] = values
		}
	}
	return begun.Encode()
}

// Names returns the names of values to propose.
func (d tellData) Names() []string { return namesOf(d.Item.Fields) }

// Present returns the present value of the page that the condition is about, if it is known.
func (d tellData) Present() (now api.ItemField) {
	if now = d.Item.Fields[strings.TrimSpace(d.Form.Get("when.field"))]; now.State != "value" {
		return api.ItemField{}
	}
	return now
}

// ruleChanges returns what a person changed in the form of a rule.
func ruleChanges(typed url.Values) (api.Patch, error) {
	typed, err := withCondition(typed)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(typed.Get("quietHours.from")+typed.Get("quietHours.to")) == "" {
		typed.Del("quietHours.timezone") // the browser fills it in
	}
	return changesOf[api.RuleSpec](typed)
}

// tried tries a rule with changes that are not saved; a new one if the id is empty.
func (v *visit) tried(id string, patch api.Patch) api.RuleTest {
	var rule api.Rule
	if id != "" {
		rule = ask(v, api.GetRule, api.RuleID{ID: id})
	}
	v.fail(patch.Apply(&rule.RuleSpec))
	form.Tidy(&rule.RuleSpec)
	return ask(v, api.PreviewRule, api.NewRule{RuleSpec: rule.RuleSpec})
}

// A pastOf says what a trial of a rule cannot know of the value that its condition is about. At
// most one of Unread, Unlisted and Since is set.
type pastOf struct {
	Name     string
	Unread   bool      // no such value of the page has been read
	Known    []string  // the values of the page that have been read
	Unlisted bool      // its changes are listed only while somebody asks for it
	Since    time.Time // it has been read since then
}

// tried is the time that a trial of a rule looks back.
const tried = 30 * 24 * time.Hour

// Past returns what the trial cannot know; nil if it knows all, or if there is no condition.
func (d tellData) Past(now time.Time) *pastOf {
	p := &pastOf{Name: strings.TrimSpace(d.Form.Get("when.field"))}
	if d.Of.More == "" {
		if p.Name = ""; d.Wish.When != nil {
			p.Name = d.Wish.When.Field
		}
	}
	f, read := d.Item.Fields[p.Name]
	usual := field.Reported(p.Name)
	switch {
	case p.Name == "":
		return nil
	case d.Item.ID == "":
		p.Unlisted = !usual
	case !read && !d.Item.LastChecked.IsZero():
		p.Unread, p.Known = true, slices.Sorted(maps.Keys(d.Item.Fields))
	case read && !f.Asked && !usual:
		p.Unlisted = true
	case f.First != nil && now.Sub(f.First.At) < tried:
		p.Since = f.First.At
	}
	if !p.Unread && !p.Unlisted && p.Since.IsZero() {
		return nil
	}
	return p
}

// alertOf returns what an alert is for: the title of its page, or which pages. With [alertAsks] it is a sentence:
// "Storm lamp when the price is below 80 EUR".
func alertOf(r api.Rule) string {
	f := r.Filter
	switch {
	case f.ItemID != "":
		return cmp.Or(r.Title, r.URL, r.Name)
	case f.Tag != "":
		return "Pages with the tag “" + f.Tag + "”"
	case f.Host != "":
		return "Pages of " + f.Host
	case f.Items != "":
		return searchWords(f.Items)
	}
	return "All pages"
}

// searchWords says which pages a search of pages finds: those of a host, with a tag, with words.
func searchWords(search string) string {
	q, _ := url.ParseQuery(strings.TrimPrefix(search, "?"))
	says := "Pages"
	for _, part := range [][2]string{{"host", " of "}, {"tag", " with the tag "}, {"find", " with the words "}} {
		if value := strings.TrimSpace(q.Get(part[0])); value != "" {
			says += part[1] + value
		}
	}
	return says
}

// isFor reports whether an alert is for a page.
func isFor(f api.RuleFilter, it api.Item) bool {
	q, _ := url.ParseQuery(strings.TrimPrefix(f.Items, "?"))
	for _, tag := range []string{f.Tag, q.Get("tag")} {
		if tag != "" && !slices.Contains(it.Tags, strings.ToLower(tag)) {
			return false
		}
	}
	for _, host := range []string{f.Host, q.Get("host")} {
		if host != "" && !strings.EqualFold(host, it.SourceHost) {
			return false
		}
	}
	return (f.ItemID == "" || f.ItemID == it.ID) && (f.Type == "" || f.Type == it.Type) && hasWords(it, q.Get("find"))
}

// hasWords reports whether words are in the title or the address of a page.
func hasWords(it api.Item, find string) bool {
	text := strings.ToLower(it.Title + "\n" + itemSource(it))
	return !slices.ContainsFunc(strings.Fields(strings.ToLower(find)), func(w string) bool {
		return !strings.Contains(text, w)
	})
}

// An alertLine says what somebody is told of a page, in words.
type alertLine struct {
	ID, Words string
	To        string // the names of the channels
	Off       bool
}

// alertLines puts the alerts for a page alone into words.
func alertLines(rules []api.Rule, watched []string) (out []alertLine) {
	for _, r := range rules {
		out = append(out, alertLine{r.ID, asksOf(r.RuleSpec, watched), strings.Join(r.Channels, ", "), !r.Enabled})
	}
	return out
}

// asksOf is [alertAsks] of an alert for one page, of which these parts are watched.
func asksOf(r api.RuleSpec, watched []string) string {
	asks := alertAsks(r)
	if asks == anyChange && len(watched) > 0 {
		return "when " + words.Ellipsis(partWords(watched[0]), 60) + " changes"
	}
	return asks
}

// anyChange is what an alert without a wish of its own asks for.
const anyChange = "when anything changes"

// alertAsks says when an alert fires: "when the price is below 80 EUR".
func alertAsks(r api.RuleSpec) string {
	f := r.Filter
	f.ItemID, f.Item, f.Tag, f.Host, f.Items = "", "", "", "", ""
	asks, rest := anyChange, f
	switch added, removed := wordOf(f.Added), wordOf(f.Removed); {
	case r.When != nil && isInStock(*r.When):
		asks = "when it is in stock"
	case r.When != nil && r.When.Field != "":
		asks = conditionWords(*r.When)
	case f.Kind == "listed":
		asks, rest.Kind = "when a list has a new entry", ""
	case f.Kind != "":
		asks, rest.Kind = "when something changes of the kind "+strings.ReplaceAll(f.Kind, ",", ", "), ""
	case f.Q != "":
		asks, rest.Q = "when “"+f.Q+"” changes", ""
	case added != "" && f.Removed == "":
		asks, rest.Added = "when “"+added+"” appears", ""
	case removed != "" && f.Added == "":
		asks, rest.Removed = "when “"+removed+"” disappears", ""
	}
	if more := form.Line(rest); more != "" {
		asks += ", only " + more
	}
	return asks
}

// alertWhy says why an alert tells nothing. The label of a setting stands in place of its path.
func alertWhy(r api.Rule) string {
	why := cmp.Or(r.Problem, r.Warning)
	path, rest, found := strings.Cut(why, ": ")
	if label := form.Label(path); found && label != "" {
		return label + ": " + rest
	}
	return why
}

// conditionWords puts a condition into words: when the price is below 80 EUR.
func conditionWords(c api.Condition) string {
	read, err := condition.Parse(c)
	if err != nil {
		return "when the value " + c.Field + " is as asked"
	}
	says, of := read.Words(), field.Word(c.Field)
	if strings.HasPrefix(says, of+" ") {
		says = "the " + says
	}
	return "when " + says
}

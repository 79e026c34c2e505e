package ui

import (
	"html/template"
	"net/http"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/field/condition"
	"github.com/tidemark/tidemark/pkg/form"
)

// The numbers of deliveries, and of rules for one page, that a page lists.
const (
	deliveriesShown = 50
	rulesShown      = 100
)

type notificationsData struct {
	Rules api.Rules
	Mutes []api.Mute
	api.Channels
	api.DeliveryPage
	Names  map[string]string // names of rules, by id
	State  string            // only deliveries in this state are shown
	First  bool              // whether this is the first page of deliveries
	Home   api.PublicAddress // the address to which messages lead
	Tested string            // the channel to which a test message was sent
	Answer api.ReceiverAnswer
}

// notifications shows the channels, the rules, and the messages that were sent.
func (a area) notifications(r *http.Request) (page, error) {
	return a.notificationsPage(r, "", api.ReceiverAnswer{})
}

func (a area) notificationsPage(r *http.Request, tested string, answer api.ReceiverAnswer) (p page,
	err error) {
	q := r.URL.Query()
	d := notificationsData{State: q.Get("state"), First: q.Get("after") == "", Tested: tested, Answer: answer}
	if d.Rules, err = api.ListRules.Call(r.Context(), a.client, api.RuleQuery{Top: rulesShown,
		Continuation: q.Get("rules")}); err != nil {
		return p, err
	}
	mutes, err := api.ListMutes.Call(r.Context(), a.client, api.MuteQuery{})
	if d.Mutes = mutes.Mutes; err != nil {
		return p, err
	}
	d.Names = map[string]string{}
	for _, r := range d.Rules.Rules {
		d.Names[r.ID] = r.Name
	}
	if d.Channels, err = api.ListChannels.Call(r.Context(), a.client, api.None{}); err != nil {
		return p, err
	}
	if d.Home, err = api.GetPublicAddress.Call(r.Context(), a.client, api.None{}); err != nil {
		return p, err
	}
	d.DeliveryPage, err = api.ListDeliveries.Call(r.Context(), a.client, api.DeliveryQuery{State: d.State,
		Top: deliveriesShown, Continuation: q.Get("after")})
	return page{Name: "notifications", Title: "Notifications", Data: d}, err
}

// actNotifications sends a test message, or sends an earlier message again.
func (a area) actNotifications(r *http.Request) (page, error) {
	ctx, what := r.Context(), r.PostForm.Get("of")
	switch r.PostForm.Get("do") {
	case "test":
		answer, err := api.TestChannel.Call(ctx, a.client, api.ChannelTest{Name: what})
		if err != nil {
			return page{}, err
		}
		return a.notificationsPage(r, what, answer)
	case "retry":
		_, err := api.RetryDelivery.Call(ctx, a.client, api.DeliveryID{ID: what})
		return goTo("/notifications?done=delivery-retry"), err
	}
	return page{}, badRequest("a channel can be tested, and a message can be sent again")
}

// rulesFuncs are the functions that the templates of this part call.
var rulesFuncs = template.FuncMap{"ruleTone": ruleTone,
	"selects": condition.Selected, "sent": form.Sent, "operators": operators,
	"part":       part,
	"references": references, "channelKind": channelKind, "anyFilled": anyFilled, "inputMode": inputMode}

// rulesViews returns the pages and forms about notifications, by pattern: which changes are reported to which channels,
// and the outcome of each message.
func (a area) rulesViews() map[string]viewFunc {
	return map[string]viewFunc{
		"GET /notifications":                 a.notifications,
		"GET /notifications/new-rule":        a.newRule,
		"GET /notifications/rules/{id}":      a.rule,
		"GET /notifications/new-channel":     a.newChannel,
		"GET /notifications/channels/{name}": a.channel,

		"GET /notifications/address": a.address,

		"POST /notifications/address":         a.saveAddress,
		"POST /mute":                          a.mute,
		"POST /notifications":                 a.actNotifications,
		"POST /notifications/new-rule":        a.saveRule,
		"POST /notifications/rules/{id}":      a.saveRule,
		"POST /notifications/new-channel":     a.saveChannel,
		"POST /notifications/channels/{name}": a.saveChannel,
	}
}

// ruleTone returns the class of an [api.OutcomeState] or [api.RuleHereState].
func ruleTone(state any) string {
	switch state {
	case api.OutcomeSent:
		return "good"
	case api.OutcomeCannot, api.OutcomeFailed, api.RuleCannot:
		return "bad"
	case api.OutcomeGathered, api.OutcomeMuted, api.RuleMuted, api.RuleWaits:
		return "wait"
	}
	return "quiet"
}

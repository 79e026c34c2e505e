package ui

import (
	"net/http"

	"github.com/tidemark/tidemark/pkg/api"
)

// deliveriesShown is how many deliveries a page lists.
const deliveriesShown = 50

type notificationsData struct {
	api.Rules
	api.Channels
	api.DeliveryPage
	Names  map[string]string // of rules, by id
	State  string            // of the deliveries that are shown
	First  bool              // the first page of them
	Tested string            // a channel that was sent a test
	Answer api.ReceiverAnswer
}

// notifications shows who is told of changes, how, and what was sent.
func notifications(o Options, r *http.Request) (page, error) {
	return notificationsPage(o, r, "", api.ReceiverAnswer{})
}

func notificationsPage(o Options, r *http.Request, tested string, answer api.ReceiverAnswer) (p page, err error) {
	q := r.URL.Query()
	d := notificationsData{State: q.Get("state"), First: q.Get("after") == "", Tested: tested, Answer: answer}
	if d.Rules, err = api.ListRules.Call(r.Context(), o.Client, api.None{}); err != nil {
		return p, err
	}
	d.Names = map[string]string{}
	for _, r := range d.Rules.Rules {
		d.Names[r.ID] = r.Name
	}
	if d.Channels, err = api.ListChannels.Call(r.Context(), o.Client, api.None{}); err != nil {
		return p, err
	}
	d.DeliveryPage, err = api.ListDeliveries.Call(r.Context(), o.Client, api.DeliveryQuery{State: d.State,
		Top: deliveriesShown, Continuation: q.Get("after")})
	return page{name: "notifications", title: "Notifications", data: d}, err
}

// actNotifications sends a test, or sends a message again.
func actNotifications(o Options, r *http.Request) (page, error) {
	ctx, what := r.Context(), r.PostForm.Get("of")
	switch r.PostForm.Get("do") {
	case "test":
		answer, err := api.TestChannel.Call(ctx, o.Client, api.ChannelName{Name: what})
		if err != nil {
			return page{}, err
		}
		return notificationsPage(o, r, what, answer)
	case "retry":
		_, err := api.RetryDelivery.Call(ctx, o.Client, api.DeliveryID{ID: what})
		return page{to: "/notifications?done=delivery-retry"}, err
	}
	return page{}, badRequest("a channel can be tested, and a message can be sent again")
}

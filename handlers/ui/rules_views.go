package ui

import (
	"html/template"

	"github.com/tidemark/tidemark/handlers/ui/frame"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/field/condition"
	"github.com/tidemark/tidemark/pkg/form"
)

// This file is the part of the dashboard about notifications: which changes are reported to which channels, and
// the outcome of each message.

// rulesFuncs are the functions that the templates of this part call.
var rulesFuncs = template.FuncMap{"selects": condition.Selected, "sent": form.Sent, "operators": operators, "part": part,
	"references": references, "channelKind": channelKind, "anyFilled": anyFilled, "inputMode": inputMode}

// rulesArea is this part of the dashboard.
type rulesArea struct{ client *api.Client }

// rulesViews returns the pages of this part and the actions of their forms, by pattern.
func rulesViews(client *api.Client) map[string]frame.View {
	a := rulesArea{client}
	return map[string]frame.View{
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

package openapitest

import (
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/api/openapi"
)

// webhook is a request that Tidemark sends.
type webhook struct {
	name           string // the type of its event
	id             string
	summary, about string
	body           any
}

// webhooks lists the requests that channels of the kind webhook get.
func webhooks() []webhook {
	return []webhook{
		{
			name: string(api.EventChange), id: "onChange", summary: "A page, file or entry has changed",
			about: "One change that a rule of the channel matches.",
			body:  api.ChangeEvent{},
		},
		{
			name: string(api.EventDigest), id: "onDigest", summary: "Several pages, files or entries have changed",
			about: "The changes of an hour or a day, of quiet hours, or of a time with many changes.",
			body:  api.DigestEvent{},
		},
		{
			name: string(api.EventTest), id: "onTest", summary: "Somebody tests a channel",
			about: "Sent by `POST channels/{name}/test`.",
			body:  api.TestEvent{},
		},
		{
			name: string(api.EventCannot), id: "onCannot", summary: "A rule can report nothing any more",
			about: "Sent once when a rule can fire on none of its pages, with the reasons.",
			body:  api.CannotEvent{},
		},
	}
}

// signature describes the headers of Standard Webhooks (https://www.standardwebhooks.com).
var signature = []struct{ name, about string }{
	{"webhook-id", "Identifies the message. It is unchanged when the message is sent again."},
	{"webhook-timestamp", "When the message was sent, in seconds since 1970. It differs when the message is sent again."},
	{"webhook-signature", "`v1,` and the HMAC-SHA256 in base64, by the channel's secret, of id, timestamp and body, " +
		"joined by full stops."},
}

// webhook builds the operation of a webhook.
func (b *builder) webhook(w webhook) openapi.Operation {
	out := openapi.Operation{
		OperationID: w.id, Tags: []string{tagNotify}, Summary: w.summary, Description: w.about,
		Security: &[]openapi.Requirement{}, // the signature takes the place of a key
		RequestBody: &openapi.RequestBody{Required: true, Content: openapi.List[openapi.MediaType]{
			{Name: "application/cloudevents+json", Value: openapi.MediaType{Schema: b.given.of(typeOf(w.body))}}}},
		Responses: openapi.List[openapi.Response]{
			{Name: "2XX", Value: openapi.Response{Description: "The message has arrived."}},
			{Name: "410", Value: openapi.Response{Description: "The receiver is gone; the message is not sent again."}},
			{Name: "default", Value: openapi.Response{Description: "The message is sent again, for a day. Redirects are " +
				"not followed."}},
		},
	}
	for _, h := range signature {
		out.Parameters = append(out.Parameters, openapi.Parameter{Name: h.name, In: "header", Required: true,
			Description: h.about, Schema: &openapi.Schema{Type: openapi.Types{"string"}}})
	}
	return out
}

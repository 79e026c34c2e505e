package send

import (
	"github.com/tidemark/tidemark/pkg/base/words"
)

// untitled returns what stands below the title where a service shows that by itself.
func (m Message) untitled() Message {
	if m.Alone {
		return Message{Text: m.Text}
	}
	return Message{Title: m.URL, Text: m.Text, Foot: m.Foot}
}

// Shown is a message in the form in which a service gets it.
type Shown struct {
	Title string // empty if the service has one text, which begins with the title
	Text  string
	Cut   bool // it is longer than the service takes, so a part is left out
}

// Webhook is the name of a webhook beside those of services.
const Webhook = "webhook"

// markups are those of the services whose texts are not shown as they are.
var markups = map[string]markup{
	"discord": discordText, "googlechat": chatText, "mattermost": mattermostText, "pushover": pushoverText,
	"rocketchat": rocketText, "slack": slackText, "telegram": telegramText, "zulip": zulipText,
}

// Preview returns a message as a service gets it. A service that is not known gets the text as it is.
func Preview(service string, m Message) Shown {
	text, below := asIs, m
	if k, ok := markups[service]; ok {
		text = k
	}
	var out Shown
	switch service {
	case "ntfy":
		text, below = ntfyFit(m), m.untitled()
		out.Title = asIs.fit(line(m.Title), 1000)
	case "gotify":
		out.Title, below = line(m.Title), m.untitled()
	case "pushover":
		out.Title = pushoverText.fit(line(m.Title), 250)
	case "teams":
		text = teamsFit(m)
	case Webhook:
		out.Title, below = m.Title, Message{Text: m.Text}
	case Mail:
		out.Title = words.Ellipsis(words.Clean(m.Title), maxSubject)
	}
	out.Text = text.message(below)
	text.most = 1 << 30
	out.Cut = out.Text != text.message(below)
	return out
}

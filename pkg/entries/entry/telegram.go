package entry

import (
	"regexp"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// linkWords limits the number of words that a message may have in addition to an address and still be a link. The
// limit is enough for a title and a remark. A longer text is a thought that mentions a page. As a link, that text
// would be lost if the page is already known.
const linkWords = 25

// Telegram is a message (spec 001 API: telegram). Text is required; for media, Text is the caption.
type Telegram struct {
	Text, Caption     string
	ContentType       string // thought, note or link; inferred when empty
	ChatID, MessageID string // required unless the message is a link
	URL               string
	ForwardedFrom     string
	Date              string
}

// NormalizeTelegram makes the entry of a message. The entry is a link if a URL is given, or if the text contains the
// address of one page and at most 25 other words. Otherwise it is a thought. A text with the addresses of several
// pages is a thought, because a link to one page would hide the others. The given rules define which parameters of a
// URL are trackers. Errors: Invalid, with the name of a field.
func NormalizeTelegram(m Telegram, rules source.Rules) (Fields, error) {
	raw, field := m.Text, "text"
	if strings.TrimSpace(raw) == "" {
		raw, field = m.Caption, "caption"
	}
	text := clean(raw)
	if text == "" {
		return nil, fault.Field("text", "text is missing: give the message's text, or its caption")
	}
	if err := checkLong(field, text); err != nil {
		return nil, err
	}
	found := linksIn(text, rules)
	kind, target, err := m.kind(text, found, rules)
	if err != nil {
		return nil, err
	}
	out := retrieval(text, text, "")
	out.add(Fields{"source": "telegram", "content_type": kind, "capture_text": text, "extracted_text": text,
		"clean_text": text})
	out.merge("telegram", m.metadata(found))
	if kind == "link" {
		return out.asLink(target, text), nil
	}
	if err := m.checkIDs(); err != nil {
		return nil, err
	}
	// There is no secondary key, because the same words in another message are another thought.
	out.setKeys(Keys{Policy: TelegramThought, Primary: "tg:" + m.ChatID + ":" + m.MessageID})
	return out, nil
}

// telegramID matches the ids of chats and messages: numbers, or the public name of a channel.
var telegramID = regexp.MustCompile(`^(?:-?[0-9]{1,20}|@?[A-Za-z][A-Za-z0-9_]{0,63})$`)

// checkIDs checks the ids that identify a thought.
func (m Telegram) checkIDs() error {
	if m.ChatID == "" || m.MessageID == "" {
		return fault.Field("source",
			"source.chat_id and source.message_id are required: the message is no link, and they are its key")
	}
	if !telegramID.MatchString(m.ChatID) {
		return fault.Field("source.chat_id", "source.chat_id %.50q is neither a number nor the name of a channel", m.ChatID)
	}
	if !telegramID.MatchString(m.MessageID) {
		return fault.Field("source.message_id", "source.message_id %.50q is no number", m.MessageID)
	}
	return nil
}

// kind returns the kind of a message. For a link it also returns the address of the page.
func (m Telegram) kind(text string, found []link, rules source.Rules) (string, link, error) {
	var target link
	if m.URL != "" {
		var err error
		if target, err = parseLink(m.URL, rules); err != nil {
			return "", link{}, fault.Field("source.url", "%w", err)
		}
	} else if len(found) > 0 {
		target = found[0]
	}
	switch m.ContentType {
	case "thought", "note":
		return m.ContentType, link{}, nil
	case "link":
		if target.url == "" {
			return "", link{}, fault.Field("source.url", "content_type is link, but neither source.url nor the text has a URL")
		}
		return "link", target, nil
	case "":
		if m.URL != "" || len(found) == 1 && countWords(withoutURLs(text)) <= linkWords {
			return "link", target, nil
		}
		return "thought", link{}, nil
	}
	return "", link{}, fault.Field("content_type", "content_type must be thought, note or link, not %.50q", m.ContentType)
}

// asLink gives an entry the identity of a page. The rest of the text, without the address, becomes the title.
func (f Fields) asLink(target link, text string) Fields {
	f["url"], f["url_canonical"] = target.url, target.canonical
	if title := oneLine(withoutURLs(text)); title != "" {
		f["title"] = words.Clip(title, maxTitle)
	}
	f.setKeys(Keys{TelegramLink, target.canonical, Digest(target.canonical)})
	return f
}

func (m Telegram) metadata(found []link) map[string]any {
	meta := map[string]any{}
	for name, value := range map[string]string{
		"chat_id": m.ChatID, "message_id": m.MessageID, "forwarded_from": oneLine(m.ForwardedFrom), "date": oneLine(m.Date),
	} {
		if value != "" {
			meta[name] = words.Clip(value, maxName)
		}
	}
	if len(found) > 0 {
		var urls []any
		for _, l := range found[:min(len(found), maxListed)] {
			urls = append(urls, l.canonical)
		}
		meta["urls"] = urls
	}
	return meta
}

package send

import (
	"encoding/json"
	"maps"
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/base/words"
)

// markup is how a service reads texts: what would be markup or a mention in them, and how long they may be.
type markup struct {
	most   int               // the longest text, in units
	unit   func(string) int  // the unit in which the service counts
	escape map[string]string // what stands for a character that is markup or begins a mention
	inURL  map[string]string // the same within an address
}

// The units in which services count.
func points(s string) int  { return utf8.RuneCountInString(s) }
func bytesOf(s string) int { return len(s) }
func utf16Units(s string) (n int) {
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

const invisible = "\u200B" // a space without width ends what would be markup

// backslashed, behind and entities are ways to escape characters.
func backslashed(chars string) map[string]string {
	return each(chars, func(c string) string { return `\` + c })
}
func behind(chars string) map[string]string {
	return each(chars, func(c string) string { return c + invisible })
}
func each(chars string, as func(c string) string) map[string]string {
	out := map[string]string{}
	for _, r := range chars {
		out[string(r)] = as(string(r))
	}
	return out
}

func joined(all ...map[string]string) map[string]string {
	out := map[string]string{}
	for _, m := range all {
		maps.Copy(out, m)
	}
	return out
}

// bracketed escapes brackets in an address, because they could make it part of a link with another text.
var bracketed = map[string]string{"[": "%5B", "]": "%5D"}

var entities = map[string]string{"&": "&amp;", "<": "&lt;", ">": "&gt;"}

// address matches an address in a text. What follows it is no part of it if it is a mark of markup.
var address = regexp.MustCompile("(?i)https?://[^\\s<>\"`|\\\\]+")

// everyone matches what would call everyone in a room, also within an address.
var everyone = regexp.MustCompile(`(?i)@(all|channel|everyone|here|room|topic|stream)\b`)

// pieces returns a text in pieces that must not be cut: escaped characters, and addresses as a whole.
func (k markup) pieces(text string) (out []string) {
	for text != "" {
		at := address.FindStringIndex(text)
		if at == nil {
			at = []int{len(text), len(text)}
		}
		for _, r := range text[:at[0]] {
			out = append(out, replaced(string(r), k.escape))
		}
		if at[0] < at[1] {
			out = append(out, k.url(text[at[0]:at[1]]))
		}
		text = text[at[1]:]
	}
	return out
}

func replaced(char string, by map[string]string) string {
	if as, ok := by[char]; ok {
		return as
	}
	return char
}

// everyoneFirst matches the same in the authority of an address, where a user such as anna@here.com calls nobody.
var everyoneFirst = regexp.MustCompile(`(?i)(^|[^0-9a-z])@(all|channel|everyone|here|room|topic|stream)\b`)

// literal matches an authority whose brackets are those of an IPv6 address.
var literal = regexp.MustCompile(`^([^@&\[\]]*@)?\[[0-9A-Fa-f:.]+\](:\d+)?$`)

// url returns an address as it stands in a text. It stays the same address: %40 and %5B are other characters in its
// authority than @ and [, so these remain there unless they would be markup.
func (k markup) url(address string) string {
	scheme, authority, rest := authorityOf(address)
	if k.escape["@"] != "" {
		authority = everyoneFirst.ReplaceAllString(authority, "${1}%40${2}")
		rest = everyone.ReplaceAllString(rest, "%40${1}")
	}
	if !literal.MatchString(authority) {
		authority = eachReplaced(authority, k.inURL)
	}
	return scheme + authority + eachReplaced(rest, k.inURL)
}

// authorityOf returns an address in three parts. One without :// is all rest.
func authorityOf(address string) (scheme, authority, rest string) {
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok || strings.ContainsAny(scheme, "[]&<>@") {
		return "", "", address
	}
	end := len(rest)
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		end = i
	}
	return scheme + "://", rest[:end], rest[end:]
}

func eachReplaced(text string, by map[string]string) string {
	var b strings.Builder
	for _, r := range text {
		b.WriteString(replaced(string(r), by))
	}
	return b.String()
}

// fit returns a text within a number of units. A text that was cut ends in an ellipsis.
func (k markup) fit(text string, most int) string {
	var whole, cut strings.Builder
	size, room := 0, most-k.unit("…")
	for _, p := range k.pieces(text) {
		size += k.unit(p)
		whole.WriteString(p)
		if size <= room {
			cut.WriteString(p)
		}
		if size > most {
			if room < 0 {
				return ""
			}
			return strings.TrimRight(cut.String(), " \n") + "…"
		}
	}
	return whole.String()
}

// message returns the title, the address, the text and the foot of a message as one text, within the limit of the
// service. The address is whole: if the text is too long, the rest is cut, and an address that is too long itself is
// left out.
func (k markup) message(m Message) string {
	link := ""
	if m.URL != "" && !m.Alone {
		link = "\n" + k.url(m.URL)
	}
	const least = 20 // units for the title
	if k.unit(link)+least > k.most {
		link = ""
	}
	out := k.fit(line(m.Title), k.most-k.unit(link)) + link
	foot := k.foot(m.Foot, (k.most-k.unit(out))/2)
	text := ""
	if m.Text != "" {
		text = k.fit(m.Text, k.most-k.unit(out)-k.unit(foot)-1)
	}
	if text != "" && out != "" {
		text = "\n" + text
	}
	return strings.TrimPrefix(out+text+foot, "\n")
}

// foot returns the first lines of a foot that are whole within a number of units, each after a line break.
func (k markup) foot(text string, most int) string {
	var out strings.Builder
	for l := range strings.Lines(text) {
		add := "\n" + strings.Join(k.pieces(strings.TrimSuffix(l, "\n")), "")
		if most -= k.unit(add); most < 0 {
			break
		}
		out.WriteString(add)
	}
	return out.String()
}

// runsOf returns a text in pieces, each an address or what is between two.
func runsOf(text string) (out []string) {
	for text != "" {
		at := address.FindStringIndex(text)
		if at == nil {
			return append(out, text)
		}
		if at[0] > 0 {
			out = append(out, text[:at[0]])
		}
		out, text = append(out, text[at[0]:at[1]]), text[at[1]:]
	}
	return out
}

// line returns a text in one line.
func line(text string) string { return strings.Join(strings.Fields(text), " ") }

// jsonOf returns a value in JSON. It escapes no more than JSON asks for, because services have limits on requests.
func jsonOf(v any) []byte {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // texts and numbers always encode
	return []byte(strings.TrimSuffix(b.String(), "\n"))
}

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

// Preview returns a message as a service gets it. A service that is not known gets the text as it is.
func Preview(service string, m Message) Shown {
	text, below := asIs, m
	if k, ok := services[service]; ok {
		text = k.text
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
	if service == Mail && m.Mail != "" {
		out.Text = m.Mail
		return out
	}
	text.most = 1 << 30
	out.Cut = out.Text != text.message(below)
	return out
}

package send

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// builder makes the requests that send a message to a service.
type builder func(u *url.URL, m Message) ([]request, error)

// kind is a service: how its requests are built, how its answers refuse a message, and how it reads texts.
type kind struct {
	build   builder
	refusal refusal
	text    markup
}

// services contains the services by the schemes of their addresses. Addresses have the form that shoutrrr uses
// (https://shoutrrr.nickfedor.com).
var services = map[string]kind{
	"discord":    {discord, discordSays, discordText},
	"generic":    {generic, nil, asIs},
	"googlechat": {googlechat, saysNo, chatText},
	"gotify":     {gotify, saysNo, asIs},
	"matrix":     {matrix, saysNo, asIs},
	"mattermost": {mattermost, saysNo, mattermostText},
	"ntfy":       {ntfy, saysNo, ntfyText},
	"pushover":   {pushover, mustSayYes, pushoverText},
	"rocketchat": {rocketchat, saysNo, rocketText},
	"slack":      {slack, mustSayYes, slackText},
	"smtp":       {text: asIs}, // see [Sender.letter]
	"teams":      {teams, teamsSays, asIs},
	"telegram":   {telegram, mustSayYes, telegramText},
	"zulip":      {zulip, saysNo, zulipText},
}

// The markups of services. Limits are those of their documentation.
var (
	asIs         = markup{most: 32 << 10, unit: bytesOf}
	slackText    = markup{most: 4000, unit: points, escape: entities, inURL: entities}
	discordText  = markup{most: 2000, unit: utf16Units, escape: backslashed("\\*_~|[]()<>#`"), inURL: bracketed}
	telegramText = markup{most: 4096, unit: utf16Units, escape: behind("@")}
	pushoverText = markup{most: 1024, unit: points}
	ntfyText     = markup{most: 4096, unit: bytesOf}
	chatText     = markup{most: 4096, unit: bytesOf, inURL: bracketed,
		escape: joined(behind("[]"), map[string]string{"<": "‹"})}
	mattermostText = markup{most: 4000, unit: points, inURL: bracketed,
		escape: joined(backslashed("\\*_~|[]()<>#`!"), behind("@"))}
	rocketText = markup{most: 5000, unit: utf16Units, inURL: bracketed,
		escape: joined(backslashed("*_~`"), behind("@#[]<"))}
	zulipText = markup{most: 10_000, unit: points, inURL: bracketed, escape: behind("@#[]<*`")}
)

// Services returns the names of all services, sorted.
func Services() []string { return slices.Sorted(maps.Keys(services)) }

// Check parses the address of a service. It returns the names of the service and of its receivers: chats, rooms, mail
// addresses. A receiver that is the only one may have the name "". The error does not repeat the address.
func Check(address string) (name string, receivers []string, err error) {
	u, kind, err := service(address)
	if err != nil {
		return "", nil, err
	}
	if u.Scheme == "smtp" {
		b, err := mailbox(u)
		return u.Scheme, b.names(), err
	}
	requests, err := kind.build(u, Message{ID: "check"})
	for _, r := range requests {
		receivers = append(receivers, r.name)
	}
	return u.Scheme, receivers, err
}

func service(address string) (u *url.URL, k kind, err error) {
	u, err = url.Parse(strings.TrimSpace(address))
	if err != nil || u.Scheme == "" || u.Opaque != "" {
		return nil, k, fault.New(fault.Invalid, "want an address such as slack://… of %s", strings.Join(Services(), ", "))
	}
	k, ok := services[u.Scheme]
	if !ok {
		return nil, k, fault.New(fault.Invalid, "there is no service %.20q; known are %s", u.Scheme,
			strings.Join(Services(), ", "))
	}
	return u, k, nil
}

// want returns an error for an address. The error states the required form.
func want(form string) ([]request, error) {
	return nil, fault.New(fault.Invalid, "want an address of the form %s", form)
}

// jsonTo returns a request to an address, with the given value as its JSON body.
func jsonTo(to string, body any) request {
	return request{url: to, body: jsonOf(body), header: http.Header{"Content-Type": {"application/json"}}}
}

// at returns the URL of a path. The host is that of the service's address.
func at(u *url.URL, path ...string) string {
	scheme := "https"
	if q := u.Query(); q.Get("disabletls") == "yes" || q.Get("scheme") == "http" {
		scheme = "http"
	}
	return (&url.URL{Scheme: scheme, Host: u.Host}).JoinPath(path...).String()
}

// parts returns the segments of a path.
func parts(u *url.URL) []string {
	return strings.FieldsFunc(u.Path, func(r rune) bool { return r == '/' })
}

// list returns the names in a list with commas, each once.
func list(text string) (out []string) {
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// secret returns the password in an address, or the user's name if there is no password.
func secret(u *url.URL) string {
	if p, ok := u.User.Password(); ok {
		return p
	}
	return u.User.Username()
}

// slack://hook:A-B-C@webhook, or slack://xoxb:TOKEN@CHANNEL.
func slack(u *url.URL, m Message) ([]request, error) {
	const form = "slack://hook:A-B-C@webhook or slack://xoxb:TOKEN@CHANNEL"
	token, _ := u.User.Password()
	kind := u.User.Username()
	switch abc := strings.Split(token, "-"); {
	case kind == "hook" && len(abc) == 3:
		return []request{jsonTo("https://hooks.slack.com/services/"+strings.Join(abc, "/"),
			map[string]any{"text": slackText.message(m), "mrkdwn": false})}, nil
	case (kind == "xoxb" || kind == "xoxp") && token != "" && u.Host != "":
		r := jsonTo("https://slack.com/api/chat.postMessage", map[string]any{"channel": u.Host,
			"text": slackText.message(m), "mrkdwn": false})
		r.header.Set("Authorization", "Bearer "+kind+"-"+token)
		return []request{r}, nil
	}
	return want(form)
}

// discord://TOKEN@WEBHOOKID. Without wait, Discord answers before it has saved the message. Only versions from 8 on ask
// for pauses in seconds.
func discord(u *url.URL, m Message) ([]request, error) {
	if u.User.Username() == "" || u.Host == "" {
		return want("discord://TOKEN@WEBHOOKID")
	}
	to := (&url.URL{Scheme: "https", Host: "discord.com"}).JoinPath("api/v10/webhooks", u.Host, u.User.Username())
	to.RawQuery = "wait=true"
	return []request{jsonTo(to.String(), map[string]any{"content": discordText.message(m),
		"allowed_mentions": map[string]any{"parse": []string{}}})}, nil
}

// teams://HOST/PATH?QUERY: the address of a workflow "when a Teams webhook request is received".
func teams(u *url.URL, m Message) ([]request, error) {
	if u.User != nil || u.Host == "" || u.RawQuery == "" {
		return want("teams://HOST/workflows/…?…, a workflow's address")
	}
	to := *u
	to.Scheme = "https"
	return []request{jsonTo(to.String(), cards(m, teamsFit(m)))}, nil
}

// teamsFit returns the markup of a message that Teams takes.
func teamsFit(m Message) markup {
	const most = 28 << 10 // bytes that Teams takes
	text := asIs
	for text.most = most; len(jsonOf(cards(m, text))) > most; {
		text.most = text.most * 3 / 4
	}
	return text
}

func cards(m Message, text markup) map[string]any {
	return map[string]any{"type": "message", "attachments": []any{map[string]any{
		"contentType": "application/vnd.microsoft.card.adaptive", "content": card(m, text)}}}
}

// card returns a message as an adaptive card. The texts of a RichTextBlock are no markup, and only addresses lead
// anywhere.
func card(m Message, text markup) map[string]any {
	body := []any{}
	for i, line := range strings.Split(text.message(m), "\n") {
		runs := []any{}
		for _, piece := range runsOf(line) {
			run := map[string]any{"type": "TextRun", "text": piece}
			if i == 0 {
				run["weight"] = "Bolder"
			} else if address.MatchString(piece) {
				run["selectAction"] = map[string]any{"type": "Action.OpenUrl", "url": piece}
			}
			runs = append(runs, run)
		}
		if len(runs) > 0 {
			body = append(body, map[string]any{"type": "RichTextBlock", "inlines": runs})
		}
	}
	return map[string]any{"type": "AdaptiveCard", "version": "1.4", "body": body}
}

// telegram://TOKEN@telegram?chats=A,B.
func telegram(u *url.URL, m Message) (out []request, err error) {
	token := u.User.String()
	chats := list(u.Query().Get("chats"))
	if token == "" || len(chats) == 0 || len(chats) > 10 {
		return want("telegram://TOKEN@telegram?chats=CHAT,CHAT")
	}
	for _, chat := range chats {
		r := jsonTo("https://api.telegram.org/bot"+token+"/sendMessage",
			map[string]any{"chat_id": chat, "text": telegramText.message(m), "disable_web_page_preview": true})
		r.name = chat
		out = append(out, r)
	}
	return out, nil
}

// ntfy://[USER:PASSWORD@]HOST/TOPIC, or ntfy://:TOKEN@HOST/TOPIC.
func ntfy(u *url.URL, m Message) ([]request, error) {
	topic := parts(u)
	if u.Host == "" || len(topic) != 1 {
		return want("ntfy://[USER:PASSWORD@]HOST/TOPIC")
	}
	if len(topic[0]) > maxTopic {
		return nil, fault.New(fault.Invalid, "a topic of ntfy has at most %d characters", maxTopic)
	}
	r := jsonTo(at(u, "/"), ntfyBody(topic[0], m, ntfyFit(m)))
	switch password, ok := u.User.Password(); {
	case ok && u.User.Username() != "":
		r.header.Set("Authorization", basic(u.User.Username(), password))
	case secret(u) != "":
		r.header.Set("Authorization", "Bearer "+secret(u))
	}
	return []request{r}, nil
}

// maxTopic is the length of the longest topic.
const maxTopic = 64

// ntfyFit returns the markup of a message that keeps within the size of a request, beside that of a message.
func ntfyFit(m Message) markup {
	text, topic := ntfyText, strings.Repeat("t", maxTopic)
	for len(jsonOf(ntfyBody(topic, m, text))) > 2*ntfyText.most && text.most > 0 {
		text.most = text.most * 3 / 4
	}
	return text
}

func ntfyBody(topic string, m Message, text markup) map[string]any {
	return map[string]any{"topic": topic, "title": asIs.fit(line(m.Title), 1000), "message": text.message(m.untitled())}
}

func basic(user, password string) string {
	r := http.Request{Header: http.Header{}}
	r.SetBasicAuth(user, password)
	return r.Header.Get("Authorization")
}

// matrix://:TOKEN@HOST/?rooms=!A:HOST,!B:HOST. A room ignores a second message with the same id.
func matrix(u *url.URL, m Message) (out []request, err error) {
	rooms := list(u.Query().Get("rooms"))
	if u.Host == "" || secret(u) == "" || len(rooms) == 0 || len(rooms) > 10 {
		return want("matrix://:TOKEN@HOST/?rooms=!ROOM:HOST")
	}
	for _, room := range rooms {
		r := jsonTo(at(u, "_matrix/client/v3/rooms", url.PathEscape(room), "send/m.room.message", m.ID),
			map[string]any{"msgtype": "m.text", "body": asIs.message(m), "m.mentions": map[string]any{}})
		r.name, r.method = room, http.MethodPut
		r.header.Set("Authorization", "Bearer "+secret(u))
		out = append(out, r)
	}
	return out, nil
}

// gotify://HOST/TOKEN.
func gotify(u *url.URL, m Message) ([]request, error) {
	p := parts(u)
	if u.Host == "" || len(p) == 0 {
		return want("gotify://HOST/TOKEN")
	}
	r := jsonTo(at(u, append(p[:len(p)-1:len(p)-1], "message")...),
		map[string]any{
			"title": line(m.Title), "message": asIs.message(m.untitled()), "priority": 5,
		})
	r.header.Set("X-Gotify-Key", p[len(p)-1])
	return []request{r}, nil
}

// mattermost://[USER@]HOST/TOKEN[/CHANNEL].
func mattermost(u *url.URL, m Message) ([]request, error) {
	p := parts(u)
	if u.Host == "" || len(p) == 0 || len(p) > 2 {
		return want("mattermost://[USER@]HOST/TOKEN[/CHANNEL]")
	}
	body := map[string]string{"text": mattermostText.message(m)}
	if len(p) == 2 {
		body["channel"] = p[1]
	}
	if name := u.User.Username(); name != "" {
		body["username"] = name
	}
	return []request{jsonTo(at(u, "hooks", p[0]), body)}, nil
}

// rocketchat://[USER@]HOST/TOKENA/TOKENB[/CHANNEL].
func rocketchat(u *url.URL, m Message) ([]request, error) {
	p := parts(u)
	if u.Host == "" || len(p) < 2 || len(p) > 3 {
		return want("rocketchat://[USER@]HOST/TOKENA/TOKENB[/CHANNEL]")
	}
	body := map[string]string{"text": rocketText.message(m)}
	if len(p) == 3 {
		body["channel"] = p[2]
	}
	return []request{jsonTo(at(u, "hooks", p[0], p[1]), body)}, nil
}

// pushover://shoutrrr:TOKEN@USERKEY.
func pushover(u *url.URL, m Message) ([]request, error) {
	token, _ := u.User.Password()
	if token == "" || u.Host == "" {
		return want("pushover://shoutrrr:TOKEN@USERKEY")
	}
	form := url.Values{"token": {token}, "user": {u.Host}, "title": {pushoverText.fit(line(m.Title), 250)},
		"message": {pushoverText.message(m)}}
	if points(m.URL) <= 512 { // a longer one is in the message
		form.Set("url", m.URL)
	}
	if d := u.Query().Get("devices"); d != "" {
		form.Set("device", d)
	}
	return []request{{url: "https://api.pushover.net/1/messages.json", body: []byte(form.Encode()),
		header: http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}}}, nil
}

// googlechat://chat.googleapis.com/v1/spaces/SPACE/messages?key=…&token=….
func googlechat(u *url.URL, m Message) ([]request, error) {
	q := u.Query()
	if u.Host != "chat.googleapis.com" || q.Get("key") == "" || q.Get("token") == "" {
		return want("googlechat://chat.googleapis.com/v1/spaces/SPACE/messages?key=…&token=…")
	}
	to := *u
	to.Scheme = "https"
	return []request{jsonTo(to.String(), map[string]string{"text": chatText.message(m)})}, nil
}

// zulip://BOT%40HOST:KEY@HOST/?stream=…&topic=….
func zulip(u *url.URL, m Message) ([]request, error) {
	key, _ := u.User.Password()
	q := u.Query()
	if u.Host == "" || key == "" || q.Get("stream") == "" {
		return want("zulip://BOT:KEY@HOST/?stream=STREAM&topic=TOPIC")
	}
	topic := q.Get("topic")
	if topic == "" {
		topic = "Tidemark"
	}
	form := url.Values{"type": {"stream"}, "to": {q.Get("stream")}, "topic": {topic}, "content": {zulipText.message(m)}}
	return []request{{url: at(u, "api/v1/messages"), body: []byte(form.Encode()), header: http.Header{
		"Content-Type":  {"application/x-www-form-urlencoded"},
		"Authorization": {basic(u.User.Username(), key)}}}}, nil
}

// generic://HOST/PATH receives title and message as JSON.
func generic(u *url.URL, m Message) ([]request, error) {
	if u.Host == "" || u.User != nil {
		return want("generic://HOST/PATH")
	}
	to, q := *u, u.Query()
	to.Scheme = "https"
	if q.Get("disabletls") == "yes" {
		to.Scheme = "http"
	}
	q.Del("disabletls")
	to.RawQuery = q.Encode()
	return []request{jsonTo(to.String(), map[string]string{"title": m.Title, "message": asIs.message(m),
		"url": m.URL, "id": m.ID})}, nil
}

package form

import (
	"cmp"
	"net/url"
	"regexp"
	"strings"
)

// Services lists all services, the most common first.
func Services() []Service {
	return []Service{mailForm, slack, telegram, teams, discord, ntfy, gotify, matrix, mattermost, rocketchat, zulip,
		pushover, googlechat, generic}
}

// webhookField is the field with the secret address of a webhook.
func webhookField(help, example string) Field {
	return Field{Name: "webhook", Label: "Address of the webhook", Help: help, Example: example, Secret: true,
		Input: "url"}
}

var serverHelp = "with http:// before it, messages are sent without encryption"

// path returns the parts of the path of an address.
func path(u *url.URL) []string {
	return strings.FieldsFunc(u.Path, func(r rune) bool { return r == '/' })
}

var slack = Service{
	Kind: "slack", Label: "Slack",
	Help: "In Slack, make an app with an incoming webhook for your channel (api.slack.com/messaging/webhooks), and copy " +
		"the address of the webhook. A bot with its token works, too.",
	Fields: []Field{
		optional(webhookField("", "https://hooks.slack.com/services/T000/B000/XXXX")),
		{Name: "token", Label: "Or the token of a bot", Example: "xoxb-…", Secret: true, Optional: true, Rare: true},
		{Name: "channel", Label: "Channel of the bot", Help: "the id of the channel; the bot must be a member",
			Example: "C0123456789", Optional: true, Rare: true},
	},
	address: slackAddress, destination: fixed("slack.com"),
}

func optional(f Field) Field {
	f.Optional = true
	return f
}

func slackAddress(v Values, say report) string {
	switch {
	case v["webhook"] == "" && v["token"] == "":
		say("webhook", "Address of the webhook is missing")
	case v["webhook"] != "" && v["token"]+v["channel"] != "":
		say("token", "Give the address of a webhook, or the token and the channel of a bot, but not both")
	case v["token"] != "":
		kind, rest, _ := strings.Cut(v["token"], "-")
		if kind != "xoxb" && kind != "xoxp" || rest == "" {
			say("token", "The token of a bot begins with xoxb-")
		}
		if v["channel"] == "" || strings.ContainsAny(v["channel"], "/?#@: ") {
			say("channel", "The channel must be its id, such as C0123456789: see “About” of the channel in Slack")
		}
		return (&url.URL{Scheme: "slack", User: url.UserPassword(kind, rest), Host: v["channel"]}).String()
	}
	const want = "The address must be that of an incoming webhook: https://hooks.slack.com/services/T…/B…/…"
	u := hook(v["webhook"], say)
	if u == nil {
		return ""
	}
	if p := path(u); u.Host == "hooks.slack.com" && len(p) == 4 && p[0] == "services" && !strings.Contains(u.Path, "-") {
		return (&url.URL{Scheme: "slack", User: url.UserPassword("hook", strings.Join(p[1:], "-")), Host: "webhook"}).String()
	}
	say("webhook", want)
	return ""
}

var telegram = Service{
	Kind: "telegram", Label: "Telegram",
	Help: "In Telegram, write /newbot to @BotFather: it gives you the token. Then write something to your new bot, or " +
		"add it to your group, so that it may write to you. @userinfobot tells you the id of your chat.",
	Fields: []Field{
		{Name: "token", Label: "Token of the bot", Example: "123456789:AAE…", Secret: true},
		{Name: "chats", Label: "Chats", Help: "ids, or names of public channels, at most 10, separated by commas",
			Example: "123456789, @channel", Several: true},
	},
	address: func(v Values, say report) string {
		if !telegramToken.MatchString(v["token"]) {
			say("token", "The token looks like 123456789:AAE… as @BotFather gives it")
		}
		chats := listed(v["chats"])
		if n := strings.Count(chats, ",") + 1; n > 10 {
			say("chats", "at most 10 chats; there are %d", n)
		}
		for chat := range strings.SplitSeq(chats, ",") {
			if !telegramChat.MatchString(chat) {
				say("chats", "%.40q is neither the id of a chat, such as 123456789 or -1001234567890, nor a name such as @channel",
					chat)
			}
		}
		id, rest, _ := strings.Cut(v["token"], ":")
		return (&url.URL{Scheme: "telegram", User: url.UserPassword(id, rest), Host: "telegram",
			RawQuery: url.Values{"chats": {chats}}.Encode()}).String()
	},
	destination: fixed("api.telegram.org"),
}

var (
	telegramToken = regexp.MustCompile(`^\d+:[A-Za-z0-9_-]+$`)
	telegramChat  = regexp.MustCompile(`^(-?\d+|@[A-Za-z]\w+)$`)
)

var teams = Service{
	Kind: "teams", Label: "Microsoft Teams",
	Help: "In Teams, choose Workflows in the menu of the channel, then “Post to a channel when a webhook request is " +
		"received”, and copy the address that it shows at the end.",
	Fields: []Field{webhookField("", "https://….logic.azure.com/workflows/…")},
	address: func(v Values, say report) string {
		u := hook(v["webhook"], say)
		switch {
		case u == nil:
			return ""
		case strings.HasSuffix(u.Hostname(), "webhook.office.com"):
			say("webhook", "Microsoft has ended connectors: make a workflow instead, and use its address")
		case u.Scheme != "https" || u.RawQuery == "" || len(path(u)) < 2:
			say("webhook", "The address must be the whole address of a workflow, with all that is behind the ?")
		}
		to := *u
		to.Scheme = "teams"
		return to.String()
	},
	destination: inField("webhook"),
}

var discord = Service{
	Kind: "discord", Label: "Discord",
	Help:   "In Discord, open the settings of the channel, Integrations, Webhooks, make one and copy its address.",
	Fields: []Field{webhookField("", "https://discord.com/api/webhooks/1234/XXXX")},
	address: func(v Values, say report) string {
		u := hook(v["webhook"], say)
		if u == nil {
			return ""
		}
		p := path(u)
		known := u.Host == "discord.com" || u.Host == "discordapp.com" || u.Host == "ptb.discord.com" ||
			u.Host == "canary.discord.com"
		if len(p) > 2 && strings.HasPrefix(p[1], "v") {
			p = append(p[:1:1], p[2:]...) // api/v10/webhooks/…
		}
		if !known || len(p) != 4 || p[0] != "api" || p[1] != "webhooks" {
			say("webhook", "The address must be that of a webhook: https://discord.com/api/webhooks/…/…")
			return ""
		}
		if u.RawQuery != "" {
			say("webhook", "What is behind the ? is not supported: leave it out")
		}
		return (&url.URL{Scheme: "discord", User: url.User(p[3]), Host: p[2]}).String()
	},
	destination: fixed("discord.com"),
}

var matrix = Service{
	Kind: "matrix", Label: "Matrix",
	Help: "Make a user for Tidemark and invite it to the room. Its access token is in Element under All settings, Help " +
		"& About. The id of a room is in its settings under Advanced.",
	Fields: []Field{
		{Name: "server", Label: "Home server", Help: serverHelp, Example: "https://matrix.org", Input: "url"},
		{Name: "token", Label: "Access token", Secret: true},
		{Name: "rooms", Label: "Rooms", Help: "ids, at most 10, separated by commas", Example: "!abc:matrix.org",
			Several: true},
	},
	address: func(v Values, say report) string {
		u := server("Home server", v["server"], false, say)
		rooms := listed(v["rooms"])
		if n := strings.Count(rooms, ",") + 1; n > 10 {
			say("rooms", "at most 10 rooms; there are %d", n)
		}
		for room := range strings.SplitSeq(rooms, ",") {
			if !strings.HasPrefix(room, "!") {
				say("rooms", "%.40q is not the id of a room, which begins with !", room)
			}
		}
		if u == nil {
			return ""
		}
		return address("matrix", u, url.UserPassword("", v["token"]), url.Values{"rooms": {rooms}})
	},
	destination: inField("server"),
}

var mattermost = Service{
	Kind: "mattermost", Label: "Mattermost",
	Help: "In Mattermost, make an incoming webhook under Integrations, and copy its address.",
	Fields: []Field{
		webhookField(serverHelp, "https://chat.example/hooks/XXXX"),
		{Name: "channel", Label: "Other channel", Help: "empty for that of the webhook", Optional: true, Rare: true},
		{Name: "user", Label: "Shown as", Help: "if the server allows it", Optional: true, Rare: true},
	},
	address: func(v Values, say report) string { return hooks("mattermost", 1, v, say) }, destination: inField("webhook"),
}

var rocketchat = Service{
	Kind: "rocketchat", Label: "Rocket.Chat",
	Help: "In Rocket.Chat, an administrator makes an incoming integration, and copies its webhook address.",
	Fields: []Field{
		webhookField(serverHelp, "https://chat.example/hooks/A/B"),
		{Name: "channel", Label: "Other channel", Help: "empty for that of the webhook", Optional: true, Rare: true},
		{Name: "user", Label: "Shown as", Help: "if the server allows it", Optional: true, Rare: true},
	},
	address: func(v Values, say report) string { return hooks("rocketchat", 2, v, say) }, destination: inField("webhook"),
}

// hooks makes the address of a webhook /hooks/… with that many parts behind.
func hooks(scheme string, parts int, v Values, say report) string {
	u := hook(v["webhook"], say)
	if u == nil {
		return ""
	}
	p := path(u)
	if len(p) != parts+1 || p[0] != "hooks" || u.RawQuery != "" {
		say("webhook", "The address must be that of an incoming webhook: https://HOST/hooks/%s",
			strings.TrimSuffix(strings.Repeat("…/", parts), "/"))
		return ""
	}
	if strings.Contains(v["channel"], "/") {
		say("channel", "The channel must be its name, without /")
	}
	p = p[1:]
	if v["channel"] != "" {
		p = append(p, v["channel"])
	}
	var user *url.Userinfo
	if v["user"] != "" {
		user = url.User(v["user"])
	}
	return address(scheme, u, user, nil, p...)
}

var zulip = Service{
	Kind: "zulip", Label: "Zulip",
	Help: "In Zulip, add a bot for incoming webhooks under Personal settings, Bots. Its mail address and its API key " +
		"are shown there.",
	Fields: []Field{
		{Name: "server", Label: "Server", Help: serverHelp, Example: "https://you.zulipchat.com", Input: "url"},
		{Name: "bot", Label: "Mail address of the bot", Example: "tide-bot@you.zulipchat.com", Input: "email"},
		{Name: "key", Label: "API key", Secret: true},
		{Name: "stream", Label: "Channel", Example: "general"},
		{Name: "topic", Label: "Topic", Default: "Tidemark", Optional: true},
	},
	address: func(v Values, say report) string {
		u := server("Server", v["server"], false, say)
		if !strings.Contains(v["bot"], "@") {
			say("bot", "The bot has a mail address, such as tide-bot@you.zulipchat.com")
		}
		if u == nil {
			return ""
		}
		return address("zulip", u, url.UserPassword(v["bot"], v["key"]), url.Values{"stream": {v["stream"]},
			"topic": {cmp.Or(v["topic"], "Tidemark")}})
	},
	destination: inField("server"),
}

var googlechat = Service{
	Kind: "googlechat", Label: "Google Chat",
	Help:   "In the space, choose Apps & integrations, Webhooks, add one and copy its address.",
	Fields: []Field{webhookField("", "https://chat.googleapis.com/v1/spaces/…/messages?key=…&token=…")},
	address: func(v Values, say report) string {
		u := hook(v["webhook"], say)
		if u == nil {
			return ""
		}
		if q := u.Query(); u.Host != "chat.googleapis.com" || q.Get("key") == "" || q.Get("token") == "" {
			say("webhook", "The address must be the whole address of the webhook, with key and token: "+
				"https://chat.googleapis.com/v1/spaces/…/messages?key=…&token=…")
		}
		to := *u
		to.Scheme = "googlechat"
		return to.String()
	},
	destination: fixed("chat.googleapis.com"),
}

var ntfy = Service{
	Kind: "ntfy", Label: "ntfy",
	Help: "Install the app ntfy on your phone and subscribe to a topic that nobody guesses: on ntfy.sh everybody who " +
		"knows the topic can read it.",
	Fields: []Field{
		{Name: "topic", Label: "Topic", Help: "letters, digits, - and _", Example: "tide-4f81c2"},
		{Name: "server", Label: "Server", Help: serverHelp, Default: "https://ntfy.sh", Input: "url"},
		{Name: "token", Label: "Access token", Help: "if the topic is protected", Example: "tk_…", Secret: true,
			Optional: true},
		{Name: "user", Label: "Or a user", Optional: true, Rare: true},
		{Name: "password", Label: "Password of the user", Secret: true, Optional: true, Rare: true},
	},
	address: func(v Values, say report) string {
		u := server("Server", v["server"], false, say)
		if !ntfyTopic.MatchString(v["topic"]) {
			say("topic", "A topic has 1 to 64 letters, digits, - and _")
		}
		var user *url.Userinfo
		switch {
		case v["token"] != "" && v["user"]+v["password"] != "":
			say("token", "Give a token, or a user and a password, but not both")
		case (v["user"] == "") != (v["password"] == ""):
			say("password", "A user needs a password, and a password a user")
		case v["token"] != "":
			user = url.UserPassword("", v["token"])
		case v["user"] != "":
			user = url.UserPassword(v["user"], v["password"])
		}
		if u == nil {
			return ""
		}
		return address("ntfy", u, user, nil, v["topic"])
	},
	destination: inField("server"),
}

var ntfyTopic = regexp.MustCompile(`^[-_A-Za-z0-9]{1,64}$`)

var gotify = Service{
	Kind: "gotify", Label: "Gotify",
	Help: "In Gotify, make an application under Apps, and copy its token.",
	Fields: []Field{
		{Name: "server", Label: "Server", Help: serverHelp, Example: "https://gotify.example", Input: "url"},
		{Name: "token", Label: "Token of the application", Secret: true},
	},
	address: func(v Values, say report) string {
		u := server("Server", v["server"], true, say)
		if strings.ContainsAny(v["token"], "/?# ") {
			say("token", "The token has letters, digits, . - and _ only")
		}
		if u == nil {
			return ""
		}
		return address("gotify", u, nil, nil, append(path(u), v["token"])...)
	},
	destination: inField("server"),
}

var pushover = Service{
	Kind: "pushover", Label: "Pushover",
	Help: "At pushover.net, your user key is on the first page. Make an application there and copy its token.",
	Fields: []Field{
		{Name: "user", Label: "User key", Secret: true},
		{Name: "token", Label: "Token of the application", Secret: true},
		{Name: "devices", Label: "Devices", Help: "names, separated by commas; empty for all", Optional: true, Several: true,
			Rare: true},
	},
	address: func(v Values, say report) string {
		for _, f := range []string{"user", "token"} {
			if !pushoverKey.MatchString(v[f]) {
				say(f, "A key of Pushover has 30 letters and digits")
			}
		}
		q := url.Values{}
		if v["devices"] != "" {
			q.Set("devices", listed(v["devices"]))
		}
		return (&url.URL{Scheme: "pushover", User: url.UserPassword("shoutrrr", v["token"]), Host: v["user"],
			RawQuery: q.Encode()}).String()
	},
	destination: fixed("api.pushover.net"),
}

var pushoverKey = regexp.MustCompile(`^[A-Za-z0-9]{30}$`)

var generic = Service{
	Kind: "generic", Label: "Other program",
	Help: "The program gets the title, the text and the address of the page as JSON. A signed webhook with all of the " +
		"change is the kind “Webhook”.",
	Fields: []Field{webhookField(serverHelp, "https://home.example/hook")},
	address: func(v Values, say report) string {
		u := hook(v["webhook"], say)
		if u == nil {
			return ""
		}
		q := u.Query()
		if q.Has("disabletls") {
			say("webhook", "The address may have no parameter named disabletls")
		}
		to := *u
		to.Scheme = "generic"
		if u.Scheme == "http" {
			q.Set("disabletls", "yes")
			to.RawQuery = q.Encode()
		}
		return to.String()
	},
	destination: inField("webhook"),
}

package form

import (
	"net/url"
	"regexp"
	"strings"
)

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

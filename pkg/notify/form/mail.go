package form

import (
	"cmp"
	"net"
	"net/mail"
	"net/url"
	"strconv"
	"strings"
)

// The choices of encryption for mail.
const (
	startTLS = "starttls"
	wholeTLS = "tls"
	bare     = "none"
)

// ports are the usual ports of mail servers, by encryption.
var ports = map[string]string{startTLS: "587", wholeTLS: "465", bare: "25"}

var mailForm = Service{
	Kind: "smtp", Label: "E-mail",
	Help: "Your mail provider names the server, the port and the encryption under “SMTP” or “outgoing mail”. " +
		"Providers that ask for a second factor give you an app password: use that as the password.",
	Fields: []Field{
		{Name: "to", Label: "To", Help: "who gets the messages, at most 50 addresses, separated by commas",
			Example: "you@example.com", Several: true, Input: "email"},
		{Name: "from", Label: "From", Help: "usually your own address: many servers refuse any other",
			Example: "you@example.com", Input: "email"},
		{Name: "host", Label: "Mail server", Help: "its name or address, without a port", Example: "smtp.example.com"},
		{Name: "encryption", Label: "Encryption", Default: startTLS, Choices: []Choice{
			{startTLS, "STARTTLS", ports[startTLS]}, {wholeTLS, "TLS (SSL)", ports[wholeTLS]},
			{bare, "none", ports[bare]}}, Help: "none is for servers in your own network, and excludes a password"},
		{Name: "port", Label: "Port", Help: "empty for the usual one: 587 with STARTTLS, 465 with TLS, 25 without encryption",
			Example: "587", Optional: true, Input: "number"},
		{Name: "user", Label: "User", Help: "often your mail address; empty if the server asks for none", Optional: true},
		{Name: "password", Label: "Password", Secret: true, Optional: true},
		{Name: "fromName", Label: "Name of the sender", Help: "shown before the address", Example: "Tidemark",
			Optional: true, Rare: true},
		{Name: "auth", Label: "How to log in", Help: "empty for what the server offers", Optional: true, Rare: true,
			Choices: []Choice{{"", "as the server offers", ""}, {"plain", "PLAIN", ""}, {"login", "LOGIN", ""},
				{"crammd5", "CRAM-MD5", ""}, {"oauth2", "a token (OAuth 2.0), as Microsoft 365 asks for", ""}}},
		{Name: "tokenUrl", Label: "Address of tokens",
			Help:    "with a token only; the password is then the secret of the client",
			Example: "https://login.microsoftonline.com/TENANT/oauth2/v2.0/token", Optional: true, Rare: true},
		{Name: "clientId", Label: "Client id", Help: "with a token only", Optional: true, Rare: true},
		{Name: "scope", Label: "Scope", Help: "with a token only", Example: "https://outlook.office365.com/.default",
			Optional: true, Rare: true},
		{Name: "clientHost", Label: "Name in EHLO", Help: "empty for the domain of the sender", Example: "mail.example.com",
			Optional: true, Rare: true},
	},
	address: mailAddress, destination: mailDestination,
}

// mailPort returns the port of a form.
func mailPort(v Values) string { return cmp.Or(v["port"], ports[v["encryption"]]) }

// mailDestination is the mail server, and where tokens are asked for: the password is sent there.
func mailDestination(v Values) []string {
	if v["host"] == "" {
		return []string{""}
	}
	out := []string{net.JoinHostPort(strings.TrimSuffix(strings.Trim(v["host"], "[]"), "."), mailPort(v))}
	if v["auth"] == "oauth2" {
		out = append(out, withScheme(v["tokenUrl"]))
	}
	return out
}

func mailAddress(v Values, say report) string {
	checkMail(v, say)
	q := url.Values{"from": {v["from"]}, "to": {listed(v["to"])},
		"encryption": {map[string]string{startTLS: "ExplicitTLS", wholeTLS: "ImplicitTLS", bare: "None"}[v["encryption"]]}}
	for field, option := range map[string]string{"fromName": "fromName", "clientHost": "clientHost", "auth": "auth",
		"tokenUrl": "tokenUrl", "clientId": "clientId", "scope": "scope"} {
		if v[field] != "" {
			q.Set(option, v[field])
		}
	}
	out := url.URL{Scheme: "smtp", Host: net.JoinHostPort(strings.Trim(v["host"], "[]"), mailPort(v)), Path: "/"}
	if v["user"] != "" {
		out.User = url.UserPassword(v["user"], v["password"])
	}
	out.RawQuery = q.Encode()
	return out.String()
}

// checkMail checks the fields of a mail server together.
func checkMail(v Values, say report) {
	host := strings.Trim(v["host"], "[]")
	if strings.ContainsAny(host, "/@ ") || strings.Contains(host, ":") && net.ParseIP(host) == nil {
		say("host", "The mail server is a name or an address alone, such as smtp.example.com; its port has a field of "+
			"its own")
	}
	if n, err := strconv.Atoi(mailPort(v)); err != nil || n < 1 || n > 65535 {
		say("port", "The port must be a number from 1 to 65535")
	}
	switch {
	case v["port"] == ports[wholeTLS] && v["encryption"] == startTLS:
		say("encryption", "Port 465 expects TLS from the first byte: choose TLS (SSL), or another port")
	case v["port"] == ports[startTLS] && v["encryption"] == wholeTLS:
		say("encryption", "Port 587 expects STARTTLS: choose that, or another port")
	}
	if _, err := mail.ParseAddress(v["from"]); err != nil {
		say("from", "The sender must be a mail address such as you@example.com")
	}
	all, err := mail.ParseAddressList(listed(v["to"]))
	switch {
	case err != nil:
		say("to", "The receivers must be mail addresses such as you@example.com, separated by commas")
	case len(all) > 50:
		say("to", "at most 50 receivers; there are %d", len(all))
	}
	switch {
	case v["encryption"] == bare && v["password"] != "":
		say("encryption", "A password is never sent without encryption: choose STARTTLS or TLS, or leave user and password "+
			"empty")
	case v["user"] != "" && v["password"] == "":
		say("password", "The user has no password: type it, or leave the user empty")
	case v["user"] == "" && v["password"] != "":
		say("user", "The password has no user: type the user, or leave the password empty")
	case v["auth"] != "" && v["password"] == "":
		say("auth", "Logging in needs a user and a password")
	}
	checkToken(v, say)
}

// checkToken checks the fields of a login by token.
func checkToken(v Values, say report) {
	if v["auth"] != "oauth2" {
		for _, f := range []string{"tokenUrl", "clientId", "scope"} {
			if v[f] != "" {
				say(f, "This is for logging in with a token: choose that, or leave it empty")
			}
		}
		return
	}
	if u, err := url.Parse(v["tokenUrl"]); err != nil || u.Scheme != "https" || u.Host == "" {
		say("tokenUrl", "Logging in with a token needs the address where tokens are given: https://…")
	}
	if v["clientId"] == "" {
		say("clientId", "Logging in with a token needs the id of the client")
	}
}

package send

import (
	"cmp"
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
)

// Shorter texts are not hidden, since they occur in any answer.
const (
	leastSecret  = 4
	leastSegment = 8
)

// secretsOf returns the secrets of a target: tokens, passwords, parts of the path and of the query of its address. The
// longest is the first. User names and addresses of mail are not secret.
func secretsOf(to Target) (out []string) {
	add := func(least int, all ...string) {
		for _, text := range all {
			if len(text) >= least {
				out = append(out, text, url.PathEscape(text), url.QueryEscape(text))
			}
		}
	}
	u, err := url.Parse(cmp.Or(to.Webhook, to.Service))
	if err != nil {
		return nil
	}
	password, _ := u.User.Password()
	add(leastSecret, password)
	if len(to.Key) > 0 {
		add(leastSecret, base64.StdEncoding.EncodeToString(to.Key))
	}
	if !strings.EqualFold(u.Scheme, "smtp") {
		add(leastSecret, u.User.Username())
		add(leastSegment, strings.Split(u.Path, "/")...)
		for _, values := range u.Query() {
			add(leastSegment, values...)
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return len(b) - len(a) })
	return out
}

// hidden replaces secrets in a text, and the beginning of one at the end of a text that was cut.
func hidden(text string, secrets []string) string {
	for _, secret := range secrets {
		text = strings.ReplaceAll(text, secret, "…")
	}
	start, cut := strings.CutSuffix(text, "…")
	if !cut {
		return text
	}
	for _, secret := range secrets {
		for n := len(secret) - 1; n >= leastSecret; n-- {
			if short, found := strings.CutSuffix(start, secret[:n]); found {
				return short + "…"
			}
		}
	}
	return text
}

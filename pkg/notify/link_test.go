package notify

import (
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

var (
	linkKey = []byte(strings.Repeat("k", 32))
	linkNow = time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
)

// W21: TestW21Links checks that a link names one page and one rule, works for 30 days, and only with its key.
func TestW21Links(t *testing.T) {
	l := muteLink{Item: "url_a", Rule: "r1", Until: linkNow.Add(muteLinkLife)}
	token := l.sign(linkKey)
	if have, err := parseMuteLink(linkKey, token, linkNow); err != nil || have != l {
		t.Errorf("%+v, %v", have, err)
	}
	if _, err := parseMuteLink(linkKey, token, linkNow.Add(muteLinkLife)); !fault.Is(err, fault.Expired) {
		t.Errorf("after 30 days: %v", err)
	}
	other := muteLink{Item: "url_b", Rule: "r1", Until: l.Until}.sign(linkKey)
	mixed := other[:strings.Index(other, ".")] + token[strings.Index(token, "."):]
	for name, tt := range map[string]struct {
		key   []byte
		token string
	}{"no key": {nil, token}, "another key": {[]byte(strings.Repeat("l", 32)), token}, "another page": {linkKey, mixed},
		"no signature": {linkKey, token[:strings.Index(token, ".")]}, "nothing": {linkKey, ""},
		"too long": {linkKey, strings.Repeat("a", maxToken+1)}} {
		if _, err := parseMuteLink(tt.key, tt.token, linkNow); !fault.Is(err, fault.NotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if strings.Trim(token, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") != "" {
		t.Errorf("%q does not go into an address", token)
	}
}

// FuzzParseLink checks that only what was signed is taken.
func FuzzParseLink(f *testing.F) {
	known := muteLink{Item: "url_a", Rule: "r1", Until: linkNow.Add(muteLinkLife)}
	f.Add(known.sign(linkKey))
	f.Add("dXJsX2EKcjEKMQ.AAAA")
	f.Fuzz(func(t *testing.T, token string) {
		if l, err := parseMuteLink(linkKey, token, linkNow); err == nil && l != known {
			t.Errorf("%q is %+v", token, l)
		}
	})
}

package notify

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// MuteLinkLife is how long the link of a message works.
const MuteLinkLife = 30 * 24 * time.Hour

// mutePurpose is the purpose of the key that signs links.
const mutePurpose = "mute links"

const (
	maxToken = 1000 // bytes
	macSize  = 16   // bytes of a signature: 128 bits
)

// muteLink names one page and one rule. Who has it, signed, may mute the page for the rule, for a week at most.
type muteLink struct {
	Item, Rule string
	Until      time.Time // when the link stops working; whole seconds
}

// sign returns the link as a text of letters, digits, hyphens, underscores and a dot, which only the holders of a key
// can make.
func (l muteLink) sign(key []byte) string {
	text := strings.Join([]string{l.Item, l.Rule, strconv.FormatInt(l.Until.Unix(), 36)}, "\n")
	enc := base64.RawURLEncoding
	return enc.EncodeToString([]byte(text)) + "." + enc.EncodeToString(signature(key, text))
}

func signature(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "mute link 1\n%s", text)
	return mac.Sum(nil)[:macSize]
}

// parseMuteLink checks a signed link. Errors: NotFound for one that the key has not signed, or no key; Expired for one that
// has expired.
func parseMuteLink(key []byte, token string, now time.Time) (l muteLink, err error) {
	wrong := fault.New(fault.NotFound, "this link is not valid")
	if len(key) == 0 || len(token) > maxToken {
		return l, wrong
	}
	first, second, _ := strings.Cut(token, ".")
	text, err := base64.RawURLEncoding.Strict().DecodeString(first)
	mac, failed := base64.RawURLEncoding.Strict().DecodeString(second)
	if err != nil || failed != nil || !hmac.Equal(mac, signature(key, string(text))) {
		return l, wrong
	}
	parts := strings.Split(string(text), "\n")
	if len(parts) != 3 {
		return l, wrong // Unreachable: such a text is never signed.
	}
	until, err := strconv.ParseInt(parts[2], 36, 64)
	if err != nil {
		return l, wrong // Unreachable, too.
	}
	l = muteLink{parts[0], parts[1], time.Unix(until, 0).UTC()}
	if !now.Before(l.Until) {
		return l, fault.New(fault.Expired, "this link was valid for 30 days and has expired")
	}
	return l, nil
}

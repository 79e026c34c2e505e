package notify

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
)

// LinkedMute is what the mute link of a message is about, and what is muted of it now.
type LinkedMute struct {
	Title string    // title or address of the page
	Rule  string    // name of the rule
	Mute  *api.Mute // the mute that holds now, rather one that no link has made; nil if none does
}

// linked is a valid mute link, with what it names.
type linked struct {
	LinkedMute

	link muteLink
	page Page
	own  string // id of the mute that the link has made and that holds now; "" if none does
}

// MuteLinks does what the mute links of messages ask for.
type MuteLinks struct{ book *Book }

// Signed returns what a link would mute, if the link was signed here. It reads nothing but the link, which may have
// expired.
func (s MuteLinks) Signed(token string) (what string, signed bool) {
	link, err := parseMuteLink(s.book.o.Keys.Derive(mutePurpose), token, s.book.now())
	return link.Item + "\n" + link.Rule, err == nil || fault.Is(err, fault.Expired)
}

// Read returns what a mute link is about. It changes nothing. Errors: NotFound for a link that is not valid, or whose
// page or rule no longer exists; Expired for one that has expired.
func (s MuteLinks) Read(ctx context.Context, token string) (LinkedMute, error) {
	l, err := s.linked(ctx, token)
	return l.LinkedMute, err
}

func (s MuteLinks) linked(ctx context.Context, token string) (l linked, err error) {
	b := s.book
	if l.link, err = parseMuteLink(b.o.Keys.Derive(mutePurpose), token, b.now()); err != nil {
		return l, err
	}
	r, err := b.rule(ctx, l.link.Rule)
	if fault.Is(err, fault.NotFound) {
		return l, fault.New(fault.NotFound, "the rule of this message no longer exists, so it sends nothing")
	}
	if err != nil {
		return l, err
	}
	if b.o.Page != nil {
		l.page, err = b.o.Page(ctx, l.link.Item)
	}
	if fault.Is(err, fault.NotFound) {
		return l, fault.New(fault.NotFound, "the page of this message is no longer watched")
	}
	if err != nil {
		return l, err
	}
	l.Rule, l.Title = r.Name, l.page.Title
	if l.Title == "" {
		l.Title = l.page.URL
	}
	all, err := b.Mutes.all(ctx)
	for _, m := range all.Of(l.link.Item, b.now()) {
		if m.Rule != "" && m.Rule != l.link.Rule {
			continue
		}
		if m.ByLink {
			l.own = m.ID
		}
		if l.Mute == nil || l.Mute.ByLink {
			l.Mute = &m
		}
	}
	return l, err
}

// Mute mutes the page of a link for its rule, for a day or a week. If the page is muted already, and not by a
// link, it stays as it is: somebody who has signed in has decided that.
func (s MuteLinks) Mute(ctx context.Context, token, length string) (LinkedMute, error) {
	l, err := s.linked(ctx, token)
	if err != nil {
		return l.LinkedMute, err
	}
	if length != "day" && length != "week" {
		return l.LinkedMute, fault.Field("for", "for must be day or week, not %.40q", length)
	}
	if l.Mute != nil && !l.Mute.ByLink {
		return l.LinkedMute, nil
	}
	until, err := muteUntil(length, s.book.now())
	if err != nil {
		return l.LinkedMute, err // Unreachable: both lengths are known.
	}
	m, err := s.book.mute(ctx, api.Mute{ItemID: l.link.Item, Rule: l.link.Rule, URL: l.page.URL, Title: l.page.Title,
		Until: until, ByLink: true})
	if err == nil {
		l.Mute = &m
	}
	return l.LinkedMute, err
}

// Undo ends the mute that a link has made. Other mutes stay, and one that still holds is returned.
func (s MuteLinks) Undo(ctx context.Context, token string) (LinkedMute, error) {
	l, err := s.linked(ctx, token)
	if err != nil || l.own == "" {
		return l.LinkedMute, err
	}
	// NotFound: it has ended meanwhile.
	if _, err := s.book.Unmute(ctx, l.own); err != nil && !fault.Is(err, fault.NotFound) {
		return l.LinkedMute, err
	}
	return s.Read(ctx, token)
}

// muteLinkLife is how long the link of a message works.
const muteLinkLife = 30 * 24 * time.Hour

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

// parseMuteLink checks a signed link. Errors: NotFound for one that the key has not signed, or no key; Expired for
// one that has expired.
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

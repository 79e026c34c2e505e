package notify

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
)

// LinkedMute is what a link that mutes or stops is about, and what is muted of it now.
type LinkedMute struct {
	Title    string    // title or address of the page; "" if the link is of all pages of the rule
	Rule     string    // name of the rule
	Stops    bool      // the link is there to stop a mail for good
	Always   bool      // the link may mute without an end
	Channels int       // number of channels to which the rule sends
	Mute     *api.Mute // the mute that holds longest now, rather one that no link has made; nil if none does
	Own      bool      // a link of the same page and rule has made a mute that holds, so that an undo ends it
}

// linked is a valid link that mutes, with what it names.
type linked struct {
	LinkedMute

	link  muteLink
	short bool
	rule  rule
	page  Page
	own   string // id of the mute that the link has made and that holds now; "" if none does
}

// MuteLinks does what the links of messages ask for.
type MuteLinks struct{ book *Book }

// Signed returns what a link is about, if it was signed here. It reads nothing but the link, which may have expired.
func (s MuteLinks) Signed(token string) (what string, signed bool) {
	if isShort(token) {
		l, err := parseShort(s.book.o.Keys.Derive(linkPurpose), token, s.book.now())
		return l.Change.String() + "\n" + l.Item + "\n" + string(l.Rule[:]), err == nil || fault.Is(err, fault.Expired)
	}
	link, err := parseMuteLink(s.book.o.Keys.Derive(mutePurpose), token, s.book.now())
	return link.Item + "\n" + link.Rule, err == nil || fault.Is(err, fault.Expired)
}

// isShort reports whether a token is of a short link. Those of older messages have a dot.
func isShort(token string) bool { return !strings.Contains(token, ".") }

// Leads returns the path of the page of the dashboard to which a link leads; "" for a link that mutes. Errors: NotFound
// for a link that is not valid.
func (s MuteLinks) Leads(ctx context.Context, token string) (path string, err error) {
	b := s.book
	if !isShort(token) {
		return "", nil
	}
	l, err := parseShort(b.o.Keys.Derive(linkPurpose), token, b.now())
	if err != nil || l.Opens >= OpensMute {
		return "", fault.Except(err, fault.Expired)
	}
	c, err := b.feed.At(ctx, l.Change.String())
	shown := api.FeedChange{ID: l.Change.String()} // its page says that it is not kept any more
	if err == nil {
		shown = c.JSON()
	}
	to := links{home: dashboardPath}.of(nil, shown)
	if l.Opens == OpensWhy {
		return to.Why, fault.Except(err, fault.NotFound)
	}
	return to.Difference, fault.Except(err, fault.NotFound)
}

// Read returns what a link that mutes is about. It changes nothing. Errors: NotFound for a link that is not valid, or
// whose page or rule no longer exists; Expired for one that has expired.
func (s MuteLinks) Read(ctx context.Context, token string) (LinkedMute, error) {
	l, err := s.linked(ctx, token)
	return l.LinkedMute, err
}

func (s MuteLinks) linked(ctx context.Context, token string) (l linked, err error) {
	b := s.book
	if l, err = s.named(ctx, token); err != nil {
		return l, err
	}
	l.Rule, l.Channels, l.Always = l.rule.Name, len(l.rule.Channels), l.short
	if b.o.Page != nil && l.link.Item != "" {
		l.page, err = b.o.Page(ctx, l.link.Item)
	}
	if fault.Is(err, fault.NotFound) {
		return l, fault.New(fault.NotFound, "the page of this message is no longer watched")
	}
	if err != nil {
		return l, err
	}
	l.Title = cmp.Or(l.page.Title, l.page.URL)
	all, err := b.Mutes.all(ctx)
	for _, m := range all.covering(l.link.Item, l.rule.ID, b.now()) {
		if m.ByLink && m.ItemID == l.link.Item {
			l.own, l.Own = m.ID, true
		}
		if l.Mute == nil || longer(m, *l.Mute) {
			l.Mute = &m
		}
	}
	return l, err
}

// longer reports whether a mute is to be shown rather than another one.
func longer(m, than api.Mute) bool {
	switch {
	case m.Until.Equal(than.Until):
		return !m.ByLink
	case m.Until.IsZero() || than.Until.IsZero():
		return m.Until.IsZero()
	}
	return m.Until.After(than.Until)
}

// named reads a token, and finds the rule that it names.
func (s MuteLinks) named(ctx context.Context, token string) (l linked, err error) {
	b := s.book
	missing := fault.New(fault.NotFound, "the alert of this message no longer exists, so it sends nothing")
	if l.short = isShort(token); !l.short {
		if l.link, err = parseMuteLink(b.o.Keys.Derive(mutePurpose), token, b.now()); err != nil {
			return l, err
		}
		if l.rule, err = b.rule(ctx, l.link.Rule); fault.Is(err, fault.NotFound) {
			err = missing
		}
		return l, err
	}
	short, err := parseShort(b.o.Keys.Derive(linkPurpose), token, b.now())
	if err != nil {
		return l, err
	}
	l.link, l.Stops = muteLink{Item: short.Item, Until: short.Until}, short.Opens == OpensStop
	for _, page := range slices.Compact([]string{short.Item, ""}) {
		all, err := b.under(ctx, page)
		if err != nil {
			return l, err
		}
		for _, r := range all {
			if sumOf(r.ID) == short.Rule {
				l.rule, l.link.Rule = r, r.ID
				return l, nil
			}
		}
	}
	return l, missing
}

// Mute mutes what a link is about: for a day or a week, or without an end, if the link may do that. "stop" is without
// an end, and for links that stop. If somebody who has signed in has muted it for as long already, it stays as it is.
func (s MuteLinks) Mute(ctx context.Context, token, length string) (LinkedMute, error) {
	l, err := s.linked(ctx, token)
	if err != nil {
		return l.LinkedMute, err
	}
	if length == "stop" && l.Stops {
		length = "always"
	}
	if length != "day" && length != "week" && (length != "always" || !l.Always) ||
		l.link.Item == "" && length != "always" {
		return l.LinkedMute, fault.Field("for", "for must be day or week, not %.40q", length)
	}
	if l.Mute != nil && !l.Mute.ByLink && (l.Mute.Until.IsZero() || length != "always") {
		return l.LinkedMute, nil
	}
	until, err := muteUntil(length, s.book.now())
	if err != nil {
		return l.LinkedMute, err // Unreachable: these lengths are known.
	}
	_, err = s.book.mute(ctx, api.Mute{ItemID: l.link.Item, Rule: l.rule.ID, URL: l.page.URL, Title: l.page.Title,
		Until: until, ByLink: true})
	if err != nil {
		return l.LinkedMute, err
	}
	return s.Read(ctx, token)
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

// muteLink names one page and one rule. Who has it, signed as in older messages, may mute the page for the rule, for a
// week at most.
type muteLink struct {
	Item, Rule string
	Until      time.Time // when the link stops working; whole seconds
}

// sign returns the token of a link as older messages have it: letters, digits, hyphens, underscores and a dot, which
// only the holders of a key can make.
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
		return l, errExpired
	}
	return l, nil
}

package send

import (
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// requestTo builds the request of a message to a service with one receiver.
func requestTo(t testing.TB, to string, m Message) request {
	t.Helper()
	u, kind, err := service(to)
	must(t, err)
	all, err := kind.build(u, m)
	must(t, err)
	return all[0]
}

// textFor is the text of a message in the request to a service.
func textFor(t testing.TB, to string, m Message) string {
	t.Helper()
	r := requestTo(t, to, m)
	if form, err := url.ParseQuery(string(r.body)); err == nil && form.Get("type")+form.Get("user") != "" {
		return form.Get("content") + form.Get("message")
	}
	var body struct {
		Text, Content, Message, Body string
	}
	must(t, json.Unmarshal(r.body, &body))
	return body.Text + body.Content + body.Message + body.Body
}

var addresses9 = []string{"https://medium.example/@user/a", "https://a.example/_b_*c*~d~/?q=1",
	"https://a.example/x?a=b&c=d#e", "https://a.example/Foo_(bar)", "https://a.example/@allison",
	"http://a.example:8080/a;b=c,d", "https://a.example/ä?x=%5B1%5D",
	"http://[2001:db8::1]/", "http://anna@[2001:db8::1]:8080?q", "https://user@here.com/"}

// TestY9AddressesStayWhole checks that an address stays the same address in the text for each service, in the place of
// the page's address and within a text.
func TestY9AddressesStayWhole(t *testing.T) {
	for to := range texts {
		for _, address := range addresses9 {
			want := address
			if to == slackHook {
				want = strings.ReplaceAll(address, "&", "&amp;") // as Slack reads it
			}
			text := textFor(t, to, Message{ID: "a", Title: "t", URL: address, Text: "+ see " + address + " now"})
			if !strings.Contains(text, want+"\n") || !strings.Contains(text, "see "+want+" now") {
				t.Errorf("%.12s: %q is not whole in %q", to, address, text)
			}
		}
	}
	text := textFor(t, "mattermost://h/t", Message{Title: "t", URL: "https://a.example/?x[]=1&y=/@all"})
	if !strings.Contains(text, "https://a.example/?x%5B%5D=1&y=/%40all") {
		t.Errorf("%q", text)
	}
	for address, want := range map[string]string{
		"https://@here/":                       "https://%40here/",
		"https://a:@all":                       "https://a:%40all",
		"https://[pay](b@[::1]/":               "https://%5Bpay%5D(b@%5B::1%5D/",
		"https://a.example?x=[1](https://@all": "https://a.example?x=%5B1%5D(https://%40all",
		"https://[::1](https://evil.example":   "https://%5B::1%5D(https://evil.example",
		"https://@@all":                        "https://@%40all",
		"a[b]/user@all":                        "a%5Bb%5D/user%40all",
	} {
		if got := mattermostText.url(address); got != want {
			t.Errorf("%q becomes %q, want %q", address, got, want)
		}
	}
}

// TestY9NoEmptyLine checks that a message without an address begins with its text where the title stands elsewhere.
func TestY9NoEmptyLine(t *testing.T) {
	for _, to := range []string{ntfyTopic, "gotify://h.example/tk"} {
		if text := textFor(t, to, Message{Title: "5 changes", Text: "+ a"}); text != "+ a" {
			t.Errorf("%.12s: %q", to, text)
		}
	}
}

// masked is a link with another text, as markup has it.
var masked = regexp.MustCompile(`(^|[^\\])(\[[^\]]*[^\\]\]\(|<http|<@|<!|<users)`)

// TestY9TitlesAreNoMarkup checks that the text of a page neither gives a link another text nor calls anybody.
func TestY9TitlesAreNoMarkup(t *testing.T) {
	for _, evil := range []string{"[pay](https://evil.example) snake_case_name", "https://a[pay](https://evil.example)",
		"<https://evil.example|pay>", "<@U123> <!channel> <users/all>",
		"@all @channel @here @everyone @room @**all** @anna",
		"\\[pay](https://evil.example)",
		"![pay](https://evil.example)", "](https://evil.example)[", "*b* _i_ ~s~ `c` ||x||"} {
		for to := range texts {
			kind, _, _ := strings.Cut(to, ":")
			text := textFor(t, to, Message{ID: "a", Title: evil, Text: "+ " + evil})
			escapes := services[kind].text.escape
			switch {
			case escapes["["] == "" && escapes["<"] == "": // it shows texts as they are
			case kind == "slack": // it has no links in brackets
				if strings.Contains(text, "<") {
					t.Errorf("%s: %q", kind, text)
				}
			default:
				plain := strings.ReplaceAll(text, `\\`, "") // an escaped backslash escapes nothing
				if masked.MatchString(plain) {
					t.Errorf("%s: %q", kind, text)
				}
			}
			switch kind {
			case "telegram", "mattermost", "rocketchat", "zulip":
				if regexp.MustCompile(`@[a-z*]`).MatchString(text) {
					t.Errorf("%s calls somebody: %q", kind, text)
				}
			}
		}
	}
	if got := textFor(t, discordHook, Message{Title: "[a](b) c_d *e*"}); got != `\[a\]\(b\) c\_d \*e\*` {
		t.Errorf("%q", got)
	}
	if body := string(requestTo(t, matrixRoom, Message{Title: "@room"}).body); !strings.Contains(body, `"m.mentions":{}`) {
		t.Errorf("%s", body)
	}
	if body := string(requestTo(t, slackHook, Message{Title: "*a*"}).body); !strings.Contains(body, `"mrkdwn":false`) {
		t.Errorf("%s", body)
	}
}

// TestY9Cards checks that a card for Teams has its texts where there is no markup, that only addresses lead anywhere,
// and that it stays within the size that Teams takes.
func TestY9Cards(t *testing.T) {
	card := func(m Message) string { return string(requestTo(t, teamsHook, m).body) }
	body := card(Message{Title: "[pay](https://evil.example)", URL: "https://a.example/x?a=b&c=d", Text: "- a\n+ b"})
	if strings.Contains(body, `"TextBlock"`) || strings.Count(body, "Action.OpenUrl") != 1 ||
		!strings.Contains(body, `"url":"https://a.example/x?a=b&c=d"`) || !strings.Contains(body, `"text":"- a"`) {
		t.Error(body)
	}
	for _, text := range []string{strings.Repeat("\"\n", 20_000), strings.Repeat("€\x01", 20_000),
		strings.Repeat("a ", 99)} {
		if body := card(Message{Title: "t", URL: "https://a.example/", Text: text}); len(body) > 28<<10 ||
			!strings.Contains(body, "https://a.example/") || (len(text) > 1000) != strings.Contains(body, "…") {
			t.Errorf("%d bytes of %.6q", len(body), text)
		}
	}
}

// TestY9Limits checks that a text that fills the limit of a service is whole, that a longer one is cut below it, in the
// unit in which the service counts, and that the page's address is never cut.
func TestY9Limits(t *testing.T) {
	const address = "https://a.example/page"
	for to, limit := range texts {
		for _, char := range []string{"a", "é", "€", "😀", "_", "&", "@", "https://a.example/long "} {
			if limit.most > 10_000 && char != "€" {
				continue
			}
			short := Message{ID: "a", Title: "t", URL: address}
			used := limit.unit(textFor(t, to, short)) + 1
			one := limit.unit(textFor(t, to, Message{Title: "t", URL: address, Text: char + char})) -
				limit.unit(textFor(t, to, Message{Title: "t", URL: address, Text: char}))
			fits := (limit.most - used) / one
			short.Text = strings.Repeat(char, fits)
			if text := textFor(t, to, short); limit.unit(text) > limit.most || strings.Contains(text, "…") {
				t.Errorf("%.12s: %d of %d, cut at %d of %q", to, limit.unit(text), limit.most, fits, char)
			}
			short.Text = strings.Repeat(char, fits+9)
			text := textFor(t, to, short)
			if size := limit.unit(text); size > limit.most || size < limit.most-limit.unit("…")-2*one-8 ||
				!strings.HasSuffix(text, "…") || !strings.Contains(text, address+"\n") {
				t.Errorf("%.12s: %d of %d for %q", to, size, limit.most, char)
			}
			if !utf8.ValidString(text) || strings.Contains(text, "https://a.exa…") {
				t.Errorf("%.12s: cut within %q", to, char)
			}
		}
	}
}

// TestY9LongTitlesAndAddresses checks that a long title gives way to the address, and that an address that no text of
// the service can hold is left out, not cut.
func TestY9LongTitlesAndAddresses(t *testing.T) {
	long := "https://a.example/" + strings.Repeat("x", 1900)
	for to, limit := range texts {
		text := textFor(t, to, Message{ID: "a", Title: strings.Repeat("T", 40_000), URL: long, Text: "text"})
		if size := limit.unit(text); size > limit.most {
			t.Errorf("%.12s: %d of %d", to, size, limit.most)
		}
		if holds := limit.most > 1950; holds != strings.Contains(text, long) || !holds && strings.Contains(text, "https") {
			t.Errorf("%.12s: %.60q", to, text)
		}
	}
	for n, want := range map[int]bool{512: true, 513: false} {
		address := "https://a.example/" + strings.Repeat("x", n-len("https://a.example/"))
		m := Message{Title: strings.Repeat("é", 300), URL: address}
		form, err := url.ParseQuery(string(requestTo(t, pushoverUser, m).body))
		must(t, err)
		if form.Get("url") == address != want || form.Get("url") != "" && !want || points(form.Get("title")) != 250 {
			t.Errorf("%d: %q, title of %d", n, form.Get("url"), points(form.Get("title")))
		}
	}
	evil := strings.Repeat("\"\x01", 2048)
	if body := requestTo(t, ntfyTopic, Message{Title: evil, Text: evil}).body; len(body) > 2*4096 {
		t.Errorf("%d bytes for ntfy", len(body))
	}
	for n, taken := range map[int]bool{64: true, 65: false, 20_000: false} {
		if _, _, err := Check("ntfy://h.example/" + strings.Repeat("t", n)); (err == nil) != taken {
			t.Errorf("a topic of %d characters: %v", n, err)
		}
	}
}

func FuzzMessage(f *testing.F) {
	f.Add("[pay](https://evil.example)", "https://a.example/@x", "+ text https://b.example/")
	f.Fuzz(func(t *testing.T, title, address, text string) {
		for to, limit := range texts {
			if got := textFor(t, to, Message{ID: "a", Title: title, URL: address, Text: text}); limit.unit(got) > limit.most {
				t.Errorf("%.12s: %d of %d", to, limit.unit(got), limit.most)
			}
		}
	})
}

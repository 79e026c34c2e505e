package browser

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	cdp "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/tidemark/tidemark/pkg/api"
)

// chores are jobs that begin or end in the dashboard, in the order in which they are played: a later one finds what the
// ones before have left. Those with many pages come last, because a check of another page would wait for them.
var chores = []struct {
	name string
	do   func(p *person)
}{
	{"14: why nothing was told", whyNothing},
	{"7: a changed PDF", changedPDF},
	{"10: mute a week from the mail", muteFromMail},
	{"15: history of a value", historyOfValue},
	{"16: take back a mute, an ignored line, a setting, what was seen, a removed page", takeBack},
	{"17: remove a page with its history, and without", removePages},
	{"19: a page made by JavaScript", madeByScript},
	{"22: what is new", whatIsNew},
	{"12: forty addresses", fortyAddresses},
	{"13: tag many pages", tagMany},
	{"9: one mail a day at 7:30", dailyMail},
}

// known returns the watched page of the site with a name.
func (p *person) known(name string) api.Item {
	p.Helper()
	list, err := api.ListItems.Call(p.Context(), p.client, api.ItemQuery{Find: "/" + name})
	must(p.T, err)
	if len(list.Items) != 1 {
		p.Fatalf("%d pages are watched as %s", len(list.Items), name)
	}
	return list.Items[0]
}

// checks presses the button for a check, and waits for its end.
func (p *person) checks(id string) {
	p.Helper()
	checked := func() (at int64) {
		it, err := api.GetItem.Call(p.Context(), p.client, api.ItemID{ID: id})
		must(p.T, err)
		return it.LastChecked.UnixNano()
	}
	before := checked()
	p.open("/items/" + id)
	p.follow("main button", "Check now")
	p.eventually("it was checked", func() bool { return checked() > before })
}

// watches adds a page by its address, and waits until the dialogue shows a text of it. Then it chooses.
func (p *person) watches(name, text string, choose func()) (id string) {
	p.Helper()
	p.open("")
	p.follow("header a", "Watch a page")
	p.fill("url", p.address(name))
	p.follow("main button", "Read the page")
	p.reads("#read", text)
	if says := p.text("#preview"); strings.Contains(says, "being read") {
		p.Errorf("the page was read, and it says %q", says)
	}
	choose()
	p.follow("main button", "Watch and tell me")
	p.reads(".toast", "told from now on")
	return p.known(name).ID
}

// menu presses something in the menu of a page.
func (p *person) menu(id, tag, text string) {
	p.Helper()
	p.open("/items/" + id)
	p.click("main summary", "More")
	p.follow("main "+tag, text)
}

// undoes presses Undo at the message of what was just done.
func (p *person) undoes(done string) {
	p.Helper()
	p.reads(".toast", done)
	p.follow(".toast button", "Undo")
	p.reads(".toast", "It is as it was before.")
}

// whyNothing finds out from the dashboard why a change of a price was not told, though other text has changed with it.
func whyNothing(p *person) {
	anchor := sitePages["price"]
	anchor.name, anchor.title = "why.html", "Anchor shop"
	sitePages["why"] = anchor
	id := p.puts("why", "", pageNow{Value: "199.00", Noise: noises[0]})
	p.tells(id, func() {
		p.click("label", "A price or number")
		p.click(".chip", "199")
		p.fill("limit", "100")
	})
	p.puts("why", id, pageNow{Moved: true, Value: "199.00", Noise: noises[2]})
	p.puts("why", id, pageNow{Moved: true, Value: "195.00", Noise: noises[3]})
	p.open("")
	p.follow("main a", "Values")
	p.reads("#live-changes", "195 EUR")
	p.click("summary", "195 EUR")
	p.reads("details[open]", "195 EUR is not below 100 EUR")
	p.follow("a", "Why, and more")
	p.reads("main", "195 EUR is not below 100 EUR")
	if n := p.mailed("Anchor shop"); n > 0 {
		p.Errorf("%d mails tell of what was not asked for", n)
	}
}

// prints writes a price list as a PDF, in a size of type.
func (p *person) prints(name, size, price string) {
	p.Helper()
	list := fmt.Sprintf(`<title>Price list</title><style>* { font-size: %s }</style><h1>Prices of the chandlery</h1>
		<p>All prices are in euros, and hold until the next list.</p><table><tr><th>Thing<th>Price
		<tr><td>Anchor<td>EUR 89.00<tr><td>Storm lamp<td>EUR %s<tr><td>Compass<td>EUR 45.00</table>`, size, price)
	var pdf []byte
	p.do(chromedp.Navigate("about:blank"),
		chromedp.Evaluate(fmt.Sprintf("document.write(%q); document.close()", list), nil),
		chromedp.ActionFunc(func(ctx context.Context) (err error) {
			pdf, _, err = page.PrintToPDF().Do(ctx)
			return err
		}))
	must(p.T, os.WriteFile(filepath.Join(p.folder, name), pdf, 0o644))
}

// changedPDF is told what changed in a price list, and nothing when it was only set anew.
func changedPDF(p *person) {
	p.prints("tariff.pdf", "11pt", "79.00")
	id := p.watches("tariff.pdf", "Storm lamp", func() {})
	before := len(p.sink.read())
	p.prints("tariff.pdf", "14pt", "79.00")
	p.checks(id)
	p.prints("tariff.pdf", "14pt", "84.00")
	p.checks(id)
	p.hears("79.00 → EUR 84.00")
	for _, l := range p.sink.read()[before:] {
		if !strings.Contains(l.text, "Storm lamp") || !strings.Contains(l.text, "79.00") {
			p.Errorf("the mail says %q", l)
		}
	}
	if n := len(p.sink.read()) - before; n != 1 {
		p.Errorf("%d mails tell of one change", n)
	}
}

// muteLink is the link of a mail to the page that mutes.
var muteLink = regexp.MustCompile(`(?i)mute\S* (http\S+/api/ui/m/\S+)`)

// muteFromMail mutes a page by the link in a mail, and ends that early. What changed meanwhile is never sent.
func muteFromMail(p *person) {
	lamp := p.known("lamp.html").ID
	p.offers(lamp, "84.00", "InStock")
	p.hears("84 EUR")
	all := p.sink.read()
	link := muteLink.FindStringSubmatch(all[len(all)-1].text)
	if link == nil {
		p.Fatalf("no link mutes in %s", all[len(all)-1].text)
	}
	p.do(chromedp.Navigate(link[1]))
	p.follow("main button", "Mute for a week")
	p.reads("main", "until")
	p.offers(lamp, "89.00", "InStock")
	p.open("/items/" + lamp)
	p.reads("main", "Tell me again")
	p.reads(".history, #live-item", "muted")
	p.do(chromedp.Navigate(link[1]))
	p.follow("main button", "Undo: send messages again")
	p.reads("main", "Messages are sent again.")
	p.offers(lamp, "94.00", "InStock")
	p.hears("94 EUR")
	if now := p.sink.read(); len(now) != len(all)+1 {
		p.Errorf("%d mails came of a page that was muted: %q", len(now)-len(all)-1, now[len(all):])
	}
}

// historyOfValue sees the price of a page over time, and takes it away as CSV.
func historyOfValue(p *person) {
	dir := p.TempDir()
	p.do(cdp.SetDownloadBehavior(cdp.SetDownloadBehaviorBehaviorAllow).WithDownloadPath(dir))
	p.open("/items/" + p.known("lamp.html").ID)
	p.follow("main h2 a", "Price")
	for _, want := range []string{"94 EUR", "Lowest", "79 EUR", "Highest"} {
		p.reads("main .figures", want)
	}
	for _, want := range []string{"79", "84", "89", "94"} {
		p.reads("main table", want)
	}
	p.click("main a", "All values as CSV")
	var csv []byte
	p.eventually("the file is there", func() bool {
		files, _ := filepath.Glob(filepath.Join(dir, "*.csv"))
		if len(files) == 1 {
			csv, _ = os.ReadFile(files[0])
		}
		return len(csv) > 0
	})
	lines := strings.Split(strings.TrimSpace(string(csv)), "\n")
	for i, want := range []string{"79", "84", "89", "94"} {
		if len(lines) != 5 || !strings.Contains(lines[i+1], want) {
			p.Errorf("no %s in line %d of %s", want, i+1, csv)
		}
	}
}

// takeBack takes back what can be done to a page, each right after it was done. What was there before stays.
func takeBack(p *person) {
	pool, board := p.known("opening.html").ID, p.known("jobs.html").ID
	p.menu(pool, "button", "Mute a week")
	p.undoes("Muted")
	if text := p.text("main"); strings.Contains(text, "Tell me again") {
		p.Errorf("it is still muted: %s", text)
	}
	p.menu(pool, "a", "Ignore lines")
	p.click("li label", "Open Monday")
	p.follow("main button", "Ignore the ticked lines")
	p.undoes("ignored from now on")
	p.menu(pool, "a", "Tags")
	p.fill("tags", "quay")
	p.follow("main button", "Save")
	p.undoes("Saved.")
	p.open("")
	unseen := p.text(".head p")
	p.follow("main button", "Mark all as seen")
	p.reads(".head", "You have seen everything")
	p.undoes("All changes are marked as seen.")
	p.reads(".head p", unseen)

	before := len(p.sink.read())
	p.puts("pool", pool, pageNow{Moved: true, Value: "12 to 15", Noise: "12:05"})
	p.puts("pool", pool, pageNow{Moved: true, Value: "13 to 17", Noise: "12:31"})
	p.hears("13 to 17")
	if now := p.sink.subjects()[before:]; len(now) != 1 {
		p.Errorf("the mails say %q", now)
	}
	if tags := p.known("opening.html").Tags; len(tags) > 0 {
		p.Errorf("it still has the tags %q", tags)
	}

	p.menu(board, "a", "Stop watching")
	p.follow("main button", "Remove it with every reading")
	p.undoes("Removed.")
	p.reads("main", "Warden")
	p.puts("jobs", board, pageNow{Moved: true, Value: "Pilot", Noise: noises[1]})
	p.hears("Pilot")
}

// finds searches by words.
func (p *person) finds(words string) string {
	p.Helper()
	p.open("")
	p.follow("header a", "Search")
	p.fill("q", words)
	p.reads("#results", "result")
	return p.text("#results")
}

// removePages stops watching a page and keeps what it was, and removes another one with all of that.
func removePages(p *person) {
	meetings, documents := p.known("meetings.html").ID, p.known("documents.html").ID
	p.menu(meetings, "a", "Stop watching")
	p.follow("main button", "Stop checking, keep everything")
	p.reads(".toast", "Paused.")
	p.reads("main", "Town Hall")
	p.menu(documents, "a", "Stop watching")
	p.follow("main button", "Remove it with every reading")
	p.reads(".toast", "Removed.")
	p.eventually("the search finds it no more", func() bool {
		return !strings.Contains(p.finds("flood plan"), "Documents of the council")
	})
	if text := p.finds("finance meetings"); !strings.Contains(text, "Council meetings") {
		p.Errorf("what was kept is not found: %s", text)
	}
	p.follow("header a", "Pages")
	text := p.text("main")
	if !strings.Contains(text, "being removed") || !strings.Contains(text, "Council meetings") {
		p.Errorf("the list of pages has %s", text)
	}
}

// madeByScript is told of a price on a page that is empty without a browser.
func madeByScript(p *person) {
	write := func(name, text string) { must(p.T, os.WriteFile(filepath.Join(p.folder, name), []byte(text), 0o644)) }
	price := func(price string) {
		write("goods.txt", "<h1>Sextant</h1><p>A sextant of brass, made in the harbour by hand.</p><p>Price: <b>€ "+price+
			"</b></p>")
	}
	write("goods.html", `<!doctype html><html lang=en><title>Sextant</title><div id=root></div>
		<script>fetch("goods.txt").then(r => r.text()).then(t => { root.innerHTML = t })</script>`)
	price("129.00")
	id := p.watches("goods.html", "made in the harbour", func() {
		p.click("label", "A price or number")
		p.click(".chip", "129")
		p.fill("limit", "100")
	})
	price("119.00")
	p.checks(id)
	price("99.00")
	p.checks(id)
	p.hears("99 EUR")
	if n := p.mailed("Sextant"); n != 1 {
		p.Errorf("%d mails: %q", n, p.sink.subjects())
	}
}

// whatIsNew reads what changed since the last visit, and nothing else is new then.
func whatIsNew(p *person) {
	pool, rates := p.known("opening.html").ID, p.known("rates.json").ID
	p.open("")
	p.reads(".head", "not seen yet")
	p.follow("main button", "Mark all as seen")
	p.reads(".head", "You have seen everything")
	p.puts("pool", pool, pageNow{Moved: true, Value: "13 to 17", Noise: "12:44"})
	p.puts("rates", rates, pageNow{Moved: true, Value: "1.15", Noise: "12:45"})
	p.eventually("it is listed", func() bool {
		p.open("")
		return strings.Contains(p.text(".head"), "1 not seen yet")
	})
	above, below, _ := strings.Cut(p.text("main"), "You have seen what is below")
	if !strings.Contains(above, "1.15") || strings.Contains(above, "pool") || !strings.Contains(below, "Swimming pool") {
		p.Errorf("new is %s", above)
	}
	p.click("summary", "1.15")
	p.reads("details[open]", "1.11")
	p.follow("details[open] button", "Mark as seen")
	p.reads(".head", "You have seen everything")
}

// fortyAddresses pastes addresses with duplicates and wrong ones, and sees what became of them.
func fortyAddresses(p *person) {
	var all []string
	for n := range 36 {
		all = append(all, p.address(fmt.Sprintf("index.html?n=%d", n)))
	}
	p.open("/add")
	p.fill("urls", strings.Join(append(all, all[0], all[1], "ftp://a.example/", "not an address"), "\n"))
	p.fill("tags", "village")
	p.follow("main button", "Watch pages")
	p.reads("main", "36 added, 2 named twice, 2 refused.")
}

// tagMany gives a tag to all pages of another one.
func tagMany(p *person) {
	p.eventually("the pages are listed", func() bool {
		p.open("/items?tag=village")
		return p.number(`document.querySelectorAll("main li [name=id]").length`) > 20
	})
	p.fill("of", "filter")
	p.click("main .go summary", "More")
	p.fill("with", "coast")
	p.follow("main button", "Add the tag")
	p.reads("#live-bulk", "done")
	p.open("/tags")
	p.reads("main", "coast")
	p.reads("main", "36 pages\nwith the tag coast")
}

// dailyMail asks for one mail a day about all pages of a tag.
func dailyMail(p *person) {
	p.open("/tell?tag=village")
	p.set("send", "daily")
	p.follow("main button", "Tell me")
	p.reads(".toast", "told from now on")
	rules, err := api.ListRules.Call(p.Context(), p.client, api.RuleQuery{})
	must(p.T, err)
	at := slices.IndexFunc(rules.Rules, func(r api.Rule) bool { return r.Filter.Tag == "village" })
	if at < 0 || rules.Rules[at].Digest != "daily" || rules.Rules[at].At != "07:30" || rules.Rules[at].Timezone == "" {
		p.Errorf("%d of %d rules: %+v", at, len(rules.Rules), rules.Rules[max(at, 0)])
	}
}

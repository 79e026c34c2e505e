package browser

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/tidemark/tidemark/pkg/api"
)

var wideToo = flag.Bool("wide", false, "play the jobs at 1280 pixels, too, look at pages in the dark, and at "+
	"lists of 3000 things")

// This file plays what people do who watch pages, from an empty folder to the message, with presses only. Afterwards a
// site does to each page what sites do: a row is inserted above, the list has another order, and classes have other
// names. The messages must be about the right thing even so.

// A state of a page: what people see of it, and whether it has been rearranged.
type pageNow struct {
	Moved bool
	Value string // what a job is about
	Noise string // what moves besides
}

// Class returns a class of the page, as a build of a site names it.
func (n pageNow) Class(name string) string {
	if n.Moved {
		return "css-" + name + "-x7f2"
	}
	return "css-" + name + "-1a2b"
}

// rows returns rows of the page: with a new one above and in another order, if it was rearranged.
func (n pageNow) rows(first string, all ...string) string {
	if n.Moved {
		slices.Reverse(all)
		all = append([]string{first}, all...)
	}
	return strings.Join(all, "\n")
}

// A site's page is one that a job is about.
type sitePage struct {
	name, title string
	body        func(n pageNow) string
}

// pages are what the jobs are about.
var sitePages = map[string]sitePage{
	"price": {"prices.html", "Brass shop", func(n pageNow) string {
		item := func(name, price string) string {
			return fmt.Sprintf(`<tr class=%s><th>%s</th><td>%s</td></tr>`, n.Class("row"), name, price)
		}
		return "<table><tr><th>Thing</th><th>Price</th></tr>" + n.rows(item("Oil can", "€ 12.00"),
			item("Storm lamp", "€ "+n.Value),
			item("Anchor", "€ 89.00"), item("Compass", "€ "+n.Noise)) + "</table>"
	}},
	"meetings": {"meetings.html", "Council meetings", func(n pageNow) string {
		row := func(day, room string) string {
			return fmt.Sprintf(`<tr class=%s><td>%s</td><td>%s</td></tr>`, n.Class("row"), day, room)
		}
		return "<table><tr><th>Committee</th><th>Room</th></tr>" + n.rows(row("Finance", "Room 9"),
			row("Planning", "Room "+n.Noise),
			row("Harbour", n.Value), row("Bridges", "Room 4")) + "</table>"
	}},
	"jobs": {"jobs.html", "Posts that are open", func(n pageNow) string {
		job := func(name string) string {
			return fmt.Sprintf(`<article class=%s><h3><a href="/job/%s">%s</a></h3><p>Full time, in the harbour.</p></article>`,
				n.Class("job"), strings.ReplaceAll(strings.ToLower(name), " ", "-"), name)
		}
		return "<section class=" + n.Class("jobs") + ">" + n.rows(job(n.Value), job("Ferryman"), job("Accountant"),
			job("Lock keeper"), job("Rigger")) + "</section><aside><p>" + n.Noise + "</p></aside>"
	}},
	"documents": {"documents.html", "Documents of the council", func(n pageNow) string {
		doc := func(name string) string {
			return fmt.Sprintf(`<li class=%s><a href="/doc/%s.pdf">%s (PDF)</a></li>`, n.Class("doc"),
				strings.ReplaceAll(strings.ToLower(name), " ", "-"), name)
		}
		return "<ul>" + n.rows(doc(n.Value), doc("Budget"), doc("Minutes of May"), doc("Harbour rules"),
			doc("Tide tables")) + "</ul><p>" + n.Noise + "</p>"
	}},
	"pool": {"opening.html", "Swimming pool", func(n pageNow) string {
		line := func(text string) string { return fmt.Sprintf(`<p class=%s>%s</p>`, n.Class("line"), text) }
		return n.rows(line("Welcome to the pool."), line("It is "+n.Noise+" now."),
			line("Open Monday to Friday "+n.Value+"."),
			line("A swim is 4 euros for all."))
	}},
	"lamp": {"stock.html", "Storm lamp", func(n pageNow) string {
		return `<script type="application/ld+json">{"@context": "https://schema.org", "@type": "Product", "name": "Storm lamp",
			"offers": {"@type": "Offer", "price": "79.00", "priceCurrency": "EUR", "availability": "https://schema.org/` +
			n.Value + `"}}</script>` + n.rows("<p>Free of lead.</p>", "<p class="+n.Class("who")+">Seen at "+n.Noise+".</p>",
			"<p>Of brass.</p>")
	}},
	"rates": {"rates.json", "rates", nil},
}

// puts writes a page as it is now, and starts a check.
func (p *person) puts(key, id string, n pageNow) string {
	p.Helper()
	page := sitePages[key]
	if page.body == nil {
		text := fmt.Sprintf(`{"time": %q, "base": "EUR", "rates": {"GBP": 0.85, "USD": %s}}`, n.Noise, n.Value)
		if n.Moved {
			text = fmt.Sprintf(`{"version": 2, "rates": {"CHF": 0.93, "USD": %s, "GBP": 0.85}, "time": %q, "base": "EUR"}`,
				n.Value, n.Noise)
		}
		must(p.T, os.WriteFile(filepath.Join(p.folder, page.name), []byte(text), 0o644))
		return p.readAgain(id, page.name, n.Value)
	}
	text := fmt.Sprintf("<html lang=en><title>%s</title><main><h1>%[1]s</h1><p>%s</p>%s</main></html>", page.title,
		strings.Repeat("A line about the harbour. ", 12), page.body(n))
	must(p.T, os.WriteFile(filepath.Join(p.folder, page.name), []byte(text), 0o644))
	return p.readAgain(id, page.name, n.Noise)
}

// timed plays a job, and logs how long it takes.
func (p *person) timed(name string, play func()) {
	p.Helper()
	began := time.Now()
	play()
	p.Logf("%s: %.1f s", name, time.Since(began).Seconds())
}

// told returns how many mails say a text in their subject.
func (p *person) mailed(text string) (n int) {
	for _, subject := range p.sink.subjects() {
		if strings.Contains(subject, text) {
			n++
		}
	}
	return n
}

// hears waits for a mail.
func (p *person) hears(text string) {
	p.Helper()
	defer func() {
		if p.mailed(text) == 0 {
			sent, _ := api.ListDeliveries.Call(context.Background(), p.client, api.DeliveryQuery{})
			p.Logf("the subjects are %q; sent was %+v", p.sink.subjects(), sent.Deliveries)
		}
	}()
	p.eventually(fmt.Sprintf("a mail says %q", text), func() bool { return p.mailed(text) > 0 })
}

// tells asks, on the page of an item, to be told of what is pressed in the dialogue.
func (p *person) tells(id string, choose func()) {
	p.Helper()
	p.open("/items/" + id)
	p.follow("main a", "Tell me when")
	choose()
	p.follow("main button", "Tell me")
	p.reads(".toast", "told from now on")
}

// A task is a job whose outcome must stay right when the page is rearranged.
type task struct {
	page          string
	first, second string // what it is about, before and after
	says, never   string // in the subject of the mail; in none
	ask           func(p *person, id string)
}

// tasks are numbered as the jobs of a page watcher are.
var tasks = map[string]task{
	"2: a price that is only text": {"price", "199.00", "175.00", "199 → 175 EUR", "Compass", func(p *person, id string) {
		p.tells(id, func() {
			p.click("label", "A price or number")
			p.click(".chip", "199")
			p.fill("limit", "180")
		})
	}},
	"3: in stock again": {"lamp", "OutOfStock", "InStock", "in stock", "Seen at", func(p *person, id string) {
		p.tells(id, func() { p.click("label", "It is in stock") })
	}},
	"4: one row of a table": {"meetings", "Great Hall", "Town Hall", "Town Hall", "Room 9", func(p *person, id string) {
		p.open("/items/" + id)
		p.follow("main a", "Watch a part")
		p.click("#press button", "Great Hall")
		p.reads("#chosen", "Great Hall")
		p.follow("main button", "Watch")
		p.tells(id, func() {})
	}},
	"5: a new job on a board": {"jobs", "Warden", "Warden", "Warden", "Accountant", func(p *person, id string) {
		p.tells(id, func() { p.click("label", "A list has a new entry") })
	}},
	"6: a new PDF": {"documents", "Flood plan", "Flood plan", "Flood plan", "Budget", func(p *person, id string) {
		p.tells(id, func() { p.click("label", "A list has a new entry") })
	}},
	"8: ignore the clock": {"pool", "10 to 18", "12 to 15", "12 to 15", "It is", func(p *person, id string) {
		p.tells(id, func() { p.click("label", "Anything changes") })
		p.puts("pool", id, pageNow{Value: "10 to 18", Noise: "10:52"})
		p.open("/items/" + id + "/ignore")
		p.click("li label", "It is")
		p.follow("main button", "Ignore the ticked lines")
		p.reads(".toast", "ignored from now on")
	}},
	"21: a number of a JSON answer": {"rates", "1.08", "1.11", "1.11", "time", func(p *person, id string) {
		p.open("/items/" + id)
		p.follow("main a", "Watch a part")
		p.click("#press button", "1.08")
		p.reads("#chosen", "1.08")
		p.follow("main button", "Watch")
		p.tells(id, func() {})
	}},
}

// noises are what moves on a page besides, at each of its readings.
var noises = []string{"10:15", "10:31", "11:02", "11:45"}

// plays does a task, rearranges the page, and waits for the mail about the right thing.
func (p *person) plays(name string, j task) {
	p.Helper()
	lists := j.first == j.second // the entry is new when the page is rearranged
	id := p.puts(j.page, "", pageNow{Value: j.first, Noise: noises[0]})
	j.ask(p, id)
	before := len(p.sink.subjects())
	if !lists {
		p.puts(j.page, id, pageNow{Moved: true, Value: j.first, Noise: noises[2]})
	}
	p.puts(j.page, id, pageNow{Moved: true, Value: j.second, Noise: noises[3]})
	p.hears(j.says)
	for _, subject := range p.sink.subjects()[before:] {
		if strings.Contains(subject, j.never) {
			p.Errorf("%s: a mail says %q", name, subject)
		}
	}
	p.Logf("%s: %q", name, p.sink.subjects()[before:])
}

// TestJobsOfAWatcher plays the jobs of somebody who watches pages, on a phone, and with -wide on a desktop, too. What
// is asked for must be told after a row was inserted above, the list has another order and the page other classes; and
// nothing else may be told.
func TestJobsOfAWatcher(t *testing.T) {
	widths := []int64{390}
	if *wideToo {
		widths = append(widths, 1280)
	}
	for _, width := range widths {
		p := newPerson(t, "RENDER_BROWSER=auto", "container=1") // in a container, root may start Chromium
		p.wide(width)
		p.open("")
		firstMail(p)
		p.tellsFirst()
		for name, j := range tasks {
			p.timed(name, func() { p.plays(name, j) })
		}
		for _, c := range chores {
			p.timed(c.name, func() { c.do(p) })
		}
	}
}

// TestJobsWithoutScripts plays the first jobs in a browser that runs no scripts.
func TestJobsWithoutScripts(t *testing.T) {
	p := newPerson(t)
	p.browse(chromedp.Flag("blink-settings", "scriptEnabled=false"))
	p.wide(390)
	p.open("")
	firstMail(p)
	p.tellsFirst()
	for _, name := range []string{"2: a price that is only text", "4: one row of a table", "5: a new job on a board"} {
		p.plays(name, tasks[name])
	}
}

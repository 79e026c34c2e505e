package main

import (
	"cmp"
	"fmt"
	"strings"
)

// pageTemplate is a page of one kind of site. Its slots are in braces: {before}, {in} and {after} are in the content,
// {out} is outside of it, and {heading} is beside the name of the site. The name {p} stands for a paragraph; {text} for
// many. A heading {h1} is left out where the fact is one.
type pageTemplate struct{ name, html string }

const (
	// siteTop and siteEnd are what a site has around its pages.
	siteTop = `<header class="site"><a href="/">Port</a>{heading}<nav><a href="/a">Quays</a> <a href="/b">Ships</a>
		<a href="/c">Tides</a></nav></header>`
	siteEnd = `<footer><p>Port of Example. <a href="/imprint">Imprint</a></p></footer>`
)

// pageTemplates are the kinds of pages.
var pageTemplates = []pageTemplate{
	{"shop", siteTop + `<main><div class="product">{h1}{before}<div class="description">{p}{in}{text}</div>{after}</div>
		</main>{out}` + siteEnd},
	{"shop without landmarks", `<div class="top"><a href="/">Port</a>{heading}</div><div id="c">{h1}{before}
		<div class="text">{text}{in}{p}</div>{after}</div><div class="side">{out}</div>`},
	{"terms", siteTop + `<main>{h1}{before}<div class="terms"><h2>1 Scope</h2>{p}{p}{p}<h2>2 Use</h2>{p}{in}{text}</div>
		{after}</main><div>{out}</div>` + siteEnd},
	{"job", siteTop + `<div class="wrap"><article class="job">{h1}{before}{p}{in}{p}{p}{after}</article>{out}</div>` + siteEnd},
	{"event", siteTop + `<main><section class="event">{h1}{before}{p}{in}</section>{after}</main>{out}` + siteEnd},
	{"package", siteTop + `<main><div class="row"><div class="readme"><h2>Use</h2>{text}{in}<pre>install quay</pre>{p}</div>
		<div class="meta">{h1}{before}{after}</div></div></main>{out}` + siteEnd},
	{"minutes", siteTop + `<div role="main">{h1}{before}{p}{in}{after}</div>{out}<div role="contentinfo">Imprint</div>`},
	{"questions", siteTop + `<main>{h1}{before}<h2>Where?</h2>{p}<h2>When?</h2>{p}{in}{p}{after}</main>{out}` + siteEnd},
	{"manual", `<div class="related" role="navigation"><a href="/n">next</a></div>{heading}<div class="document">
		<div class="body" role="main"><section id="quay">{h1}{before}{text}<section id="use"><h2>Use</h2>{p}{in}</section>
		{after}</section></div></div><div class="sphinxsidebarwrapper">{out}</div>`},
	{"wiki", `{heading}<div id="content" class="mw-body">{h1}{before}<div id="mw-content-text"><div class="mw-parser-output">{p}{p}
		<h2>History</h2>{text}{in}<h2>See also</h2><p>Ships.</p>{after}</div></div></div><div id="mw-panel">{out}</div>`},
	{"government", siteTop + `<form action="/post"><div class="container"><main id="main"><div class="row"><div class="col">{h1}
		{before}{text}{in}</div><div class="col">{after}</div></div></main></div></form><div class="container">{out}</div>` + siteEnd},
	{"article", `<meta property="og:type" content="article">` + siteTop + `<article>{h1}{before}<div class="entry-content">
		{text}{in}{p}</div>{after}</article>{out}` + siteEnd},
	{"blog without landmarks", `<div id="header">{heading}</div><div class="wrapper"><div class="post">{h1}{before}
		<div class="post-body entry-content">{text}{in}{p}</div>{after}</div><div class="rightcol">{out}</div></div>`},
	{"layout of tables", `<table width="100%"><tr><td>{heading}</td></tr><tr><td valign="top">{h1}{before}{text}{in}{p}{after}
		</td></tr><tr><td>{out}</td></tr></table>`},
}

// page returns a page with a fact.
func (p pageTemplate) page(s spot, slot, language, text string) string {
	prose := "<p>" + proseOf[language] + "</p>\n"
	const many = 8 // paragraphs
	heading := "<h1>North Quay</h1>"
	if strings.Contains(s.html, "<h1>") {
		heading = ""
	}
	html := s.with(text)
	fill := func(name string) string { return map[bool]string{true: html}[name == slot] }
	body := strings.NewReplacer("{h1}", heading, "{text}", strings.Repeat(prose, many), "{p}", prose, "{before}",
		fill("before"), "{in}", fill("in"), "{after}", fill("after"), "{out}", fill("out"), "{heading}", fill("heading"),
	).Replace(p.html)
	direction := map[string]string{"ar": ` dir="rtl"`}[language]
	return fmt.Sprintf("<!DOCTYPE html><html lang=%q%s><meta charset=utf-8><title>%s</title><body>%s</body></html>",
		language, direction, cmp.Or(s.title(), "North Quay - Port"), body)
}

func (p pageTemplate) group() string { return p.name }

// existing is zero, because no fact is in the prose.
func (p pageTemplate) existing(string) int { return 0 }

// with returns the spot with a fact.
func (s spot) with(text string) string {
	return strings.Replace(strings.ReplaceAll(s.html, "%%", "%"), "%s", text, 1)
}

// title returns the title of a page whose heading is the fact.
func (s spot) title() string {
	if strings.Contains(s.html, "<h1>") {
		return "Port"
	}
	return ""
}

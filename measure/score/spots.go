package main

// spot is a way in which pages show a fact, and where on a page it may be: at the beginning, in the middle or at the
// end of the content, or outside of it.
type spot struct {
	name  string
	where string // some of the slots of [pageTemplates]
	html  string // %s is the fact
}

// spots are the ways in which pages show a fact.
var spots = []spot{
	{"price box", "before after out", `<div class="buy-box"><div class="price">%s</div></div>`},
	{"price in a span", "before in after", `<span class="price">%s</span>`},
	{"stock line", "before after", `<p class="availability stock">%s</p>`},
	{"row of a fee table", "before in after out", `<table><tr><th>No</th><th>Fee</th></tr><tr><td>7</td><td>%s</td></tr>
		<tr><td>8</td><td>as above</td></tr></table>`},
	{"caption of a table", "in after", `<table><caption>%s</caption><tr><th>No</th><th>Berth</th></tr>
		<tr><td>1</td><td>North</td></tr></table>`},
	{"foot of a table", "in after", `<table><thead><tr><th>No</th><th>Fee</th></tr></thead><tfoot><tr><td>All</td>
		<td>%s</td></tr></tfoot><tbody><tr><td>1</td><td>free</td></tr></tbody></table>`},
	{"variants of a product", "before after", `<table class="variants"><tr><th>Size</th><th>Colour</th><th></th></tr>
		<tr><td>S</td><td>blue</td><td>%s</td></tr><tr><td>M</td><td>red</td><td>-</td></tr></table>`},
	{"choice of a variant", "before after", `<form action="/cart"><label><input type="radio" name="v" value="1"> Small</label>
		<label><input type="radio" name="v" value="2"> %s</label><button>Add to cart</button></form>`},
	{"notice in an aside", "before in after out", `<aside class="notice"><p>%s</p></aside>`},
	{"aside", "after out", `<aside><h2>Service</h2><p>%s</p></aside>`},
	{"role of an aside", "after out", `<div role="complementary"><p>%s</p></div>`},
	{"note", "before in", `<div role="note" class="admonition">%s</div>`},
	{"alert", "before", `<div class="alert alert-warning" role="alert">%s</div>`},
	{"status", "before after", `<div role="status" aria-live="polite">%s</div>`},
	{"sticky notice", "before out", `<div class="sticky-notice" style="position:sticky;top:0"><strong>%s</strong></div>`},
	{"banner above the content", "before out", `<div class="banner banner--info"><p>%s</p></div>`},
	{"question on a button", "in after", `<div class="accordion"><h3><button aria-expanded="false" aria-controls="q1">%s
		</button></h3><div id="q1" role="region" hidden><p>Ask at the gate.</p></div></div>`},
	{"answer behind a button", "in after", `<div class="faq"><h3><button aria-expanded="false" aria-controls="q2">And now?
		</button></h3><div id="q2" hidden><p>%s</p></div></div>`},
	{"answer behind a button of a script", "after", `<button class="faq-question">How?</button>
		<div class="faq-answer" style="display:none"><p>%s</p></div>`},
	{"question on a label", "in after", `<div><input type="checkbox" id="x1"><label for="x1">%s</label>
		<div class="body"><p>Ask at the gate.</p></div></div>`},
	{"question in microdata", "in after", `<div itemscope itemtype="https://schema.org/FAQPage"><div itemprop="mainEntity"
		itemscope itemtype="https://schema.org/Question"><h3 itemprop="name">%s</h3><div itemprop="acceptedAnswer" itemscope
		itemtype="https://schema.org/Answer"><div itemprop="text">Ask at the gate.</div></div></div></div>`},
	{"closed details", "in after out", `<details><summary>More</summary><p>%s</p></details>`},
	{"summary", "in after", `<details><summary>%s</summary><p>Ask at the gate.</p></details>`},
	{"tab pane", "in after", `<ul class="nav-tabs"><li><a href="#t1" data-toggle="tab">Text</a></li>
		<li><a href="#t2" data-toggle="tab">Fees</a></li></ul><div class="tab-content"><div class="tab-pane active" id="t1">
		<p>The quay.</p></div><div class="tab-pane" id="t2" style="display:none"><p>%s</p></div></div>`},
	{"panel of a tab", "in after", `<div role="tablist"><button role="tab" aria-controls="p2">Fees</button></div>
		<div role="tabpanel" id="p2" hidden><p>%s</p></div>`},
	{"panel found by search", "after", `<div hidden="until-found"><p>%s</p></div>`},
	{"popover", "after", `<button popovertarget="po">Delivery</button><div id="po" popover><p>%s</p></div>`},
	{"description in a list", "before in after out", `<dl><dt>Deadline</dt><dd>%s</dd><dt>Pier</dt><dd>North</dd></dl>`},
	{"term in a list", "in after", `<dl><dt>%s</dt><dd>As agreed.</dd></dl>`},
	{"item of a list", "before in after out", `<ul><li>In hall 3</li><li>%s</li></ul>`},
	{"section with an id", "in after", `<section id="comments"><h2>Remarks</h2><p>%s</p></section>`},
	{"heading with an id", "in after", `<h2 id="related">%s</h2><p>Ask at the gate.</p>`},
	{"list of documents", "in after", `<h2>Documents</h2><ul><li><a href="/d/1.pdf">Minutes 1</a></li>
		<li><a href="/d/2.pdf">Minutes 2</a></li><li><a href="/d/3.pdf">Minutes 3</a></li>
		<li><a href="/d/4.pdf">%s</a></li></ul>`},
	{"table of documents", "in after", `<h2>Forms</h2><table><tr><td><a href="/f/1.pdf">Form A</a></td></tr>
		<tr><td><a href="/f/2.pdf">Form B</a></td></tr><tr><td><a href="/f/3.pdf">Form C</a></td></tr>
		<tr><td><a href="/f/4.pdf">%s</a></td></tr></table>`},
	{"documents in a line", "after", `<h2>Forms</h2><p><a href="/f/1.doc">Form A</a>, <a href="/f/2.doc">Form B</a>,
		<a href="/f/3.doc">Form C</a>, <a href="/f/4.doc">%s</a></p>`},
	{"list of contacts", "after out", `<h2>Contact</h2><ul><li><a href="tel:1">Gate</a></li>
		<li><a href="mailto:a@a.example">Office</a></li><li><a href="tel:2">%s</a></li></ul>`},
	{"box with opening hours", "out", `<div class="sidebar"><div class="widget"><h3>Hours</h3><p>%s</p></div></div>`},
	{"column beside the content", "out", `<div class="col-4"><p>%s</p></div>`},
	{"heading above the content", "out", `<h1>%s</h1>`},
	{"heading in the header", "heading", `<h1>%s</h1>`},
	{"line below the heading", "before", `<p class="lead kicker standfirst">%s</p>`},
	{"header of the content", "before", `<header class="entry-header"><p>%s</p></header>`},
	{"header of a section", "after", `<section><header><h2>%s</h2></header><p>Ask at the gate.</p></section>`},
	{"footer of a section", "after", `<section><h2>Fees</h2><p>Ask at the gate.</p><footer>%s</footer></section>`},
	{"footer of an article", "after out", `<article><h2>Fees</h2><p>Ask at the gate.</p><footer><p>%s</p></footer></article>`},
	{"group of headings", "before", `<hgroup><h2>The quay</h2><p>%s</p></hgroup>`},
	{"caption of a figure", "in after", `<figure><img src="/pier.jpg" alt=""><figcaption>%s</figcaption></figure>`},
	{"picture in place of text", "after", `<table><tr><td>North pier</td><td><img src="/s.png" alt="%s"></td></tr></table>`},
	{"address", "in after out", `<address>%s</address>`},
	{"contact card", "after out", `<div class="vcard"><span class="fn">Port</span> <a href="tel:1">%s</a></div>`},
	{"card of a grid", "after out", `<div class="cards"><div class="card"><h3>One</h3><p>The old quay.</p>
		<a href="/1">Read more</a></div><div class="card"><h3>Two</h3><p>%s</p><a href="/2">Read more</a></div>
		<div class="card"><h3>Three</h3><p>The crane.</p><a href="/3">Read more</a></div></div>`},
	{"legend of a form", "in after", `<form><fieldset><legend>%s</legend><input name="a"></fieldset></form>`},
	{"label of a form", "after", `<form><label for="i1">%s</label><input id="i1" name="n"></form>`},
	{"hint of a form", "after", `<form><label for="i2">Name</label><input id="i2"><small class="form-text">%s</small></form>`},
	{"output of a form", "after", `<form><label>Berths <input name="b"></label><output>%s</output></form>`},
	{"button that cannot be used", "before after", `<button disabled>%s</button>`},
	{"open dialog of the page", "before after", `<dialog open><h2>Notice</h2><p>%s</p></dialog>`},
	{"frame with its page", "in after", `<iframe srcdoc="&lt;p&gt;%s&lt;/p&gt;"></iframe>`},
	{"shadow root", "in after", `<x-box><template shadowrootmode="open"><p>%s</p></template></x-box>`},
	{"slot of a shadow root", "in after", `<x-card><template shadowrootmode="open"><div><slot name="p"></slot></div></template>
		<span slot="p">%s</span></x-card>`},
	{"noscript", "in after", `<noscript><p>%s</p></noscript>`},
	{"menu of prices", "in after", `<div class="menu"><h2>Soups</h2><p>Fish soup</p><p>%s</p></div>`},
	{"menu element", "in after", `<menu><li>Fish soup</li><li>%s</li></menu>`},
	{"steps", "in after", `<ol class="steps"><li>Open the valve</li><li>%s</li><li>Close it</li></ol>`},
	{"steps in blocks", "after", `<div class="step"><div class="step-number">1</div><div class="step-text">%s</div></div>`},
	{"quotation", "in after", `<blockquote><p>%s</p></blockquote>`},
	{"source of a quotation", "in", `<blockquote><p>It is so.</p><footer>%s</footer></blockquote>`},
	{"code", "in after", "<pre>fee:\n  %s\n</pre>"},
	{"timeline", "in after out", `<ol class="timeline"><li><time>8:00</time> <span>Gates open</span></li>
		<li><time>9:00</time> <span>%s</span></li></ol>`},
	{"time element", "before", `<time class="date" datetime="2027-01-01">%s</time>`},
	{"badge beside the path", "before", `<nav class="breadcrumbs"><a href="/">Home</a> <a href="/a">Quays</a></nav>
		<span class="badge">%s</span>`},
	{"correction", "in after", `<p class="updated">%s</p>`},
	{"footnote", "after", `<section class="footnotes"><ol><li id="fn1">%s</li></ol></section>`},
	{"line for printing", "after", `<p class="no-print">%s</p>`},
	{"class of furniture", "in after", `<div class="related-concepts newsletter-archive"><h2>Fees</h2><p>%s</p></div>`},
	{"class of sponsors", "after", `<div class="sponsor-levels promotion"><h3>Gold</h3><p>%s</p></div>`},
	{"summary in a box", "before", `<div class="infobox"><table><tr><th>Fee</th><td>%s</td></tr></table></div>`},
	{"text on its own", "before after out", `%s`},
	{"lines with breaks", "in after", `<p>North pier<br>%s<br>South pier</p>`},
	{"inserted text", "in", `<p><ins>%s</ins></p>`},
	{"cell of a layout", "out", `<table width="100%%"><tr><td width="20%%">%s</td></tr></table>`},
	{"centred text", "in after", `<center><font size="4">%s</font></center>`},
	{"aside with links", "after out", `<aside><p>%s</p><ul><li><a href="/1">Old cranes and new cranes</a></li>
		<li><a href="/2">The ships of the bay</a></li><li><a href="/3">Salt and slate</a></li></ul></aside>`},
	{"sidebar with links", "out", `<div class="sidebar related"><h3>Hours</h3><p>%s</p><h3>More</h3><ul>
		<li><a href="/1">Old cranes and new cranes</a></li><li><a href="/2">The ships of the bay</a></li>
		<li><a href="/3">Salt and slate</a></li></ul></div>`},
	{"section about consent", "in after", `<section class="gdpr cookie-notice"><h2>Privacy</h2><p>%s</p></section>`},
	{"classes of a grid", "after", `<div class="row gutter skip"><div>%s</div></div>`},
	{"link of its own", "before after", `<p><a href="/offer">%s</a></p>`},
	{"cells by their roles", "in after", `<div role="table"><div role="row"><span role="cell">Fee</span>
		<span role="cell">%s</span></div></div>`},
	{"region", "after out", `<div role="region" aria-label="Hours"><p>%s</p></div>`},
	{"text to copy", "after", `<textarea readonly>%s</textarea>`},
	{"element of its own", "before in after", `<price-box><b>%s</b></price-box>`},
	{"dialog by its role", "after", `<div role="dialog" aria-label="Notice"><p>%s</p></div>`},
	{"closed panel of a list", "after", `<div class="acc-head">One</div><div class="acc-body" style="display:none"><p>First</p></div>
		<div class="acc-head">Two</div><div class="acc-body" style="display:none"><p>%s</p></div>`},
	{"hidden from assistive devices", "in after", `<div aria-hidden="true"><p>%s</p></div>`},
	{"advertised offer", "before after", `<div class="ad promo sponsored"><p>%s</p></div>`},
	{"share of a group", "after", `<div class="share-classes social-security"><h3>Class B</h3><p>%s</p></div>`},
	{"button with the offer", "before", `<button class="buy"><span>Buy now</span> <b>%s</b></button>`},
}

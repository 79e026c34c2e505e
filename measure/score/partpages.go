package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// tongue is a language of made pages.
type tongue struct {
	code, dir  string
	names      []string // of things, people and places: keys
	heads      []string // of columns, labels and headings
	states     []string // values that are no number
	words      []string // of prose
	room, more string
}

var tongues = []tongue{
	{"en", "ltr", list("Great Hall|North Pier|Planning committee|Storm lamp|Ann Ray|Budget review|Harbour master|Tide " +
		"watch|Salt store|River walk|Night bus|Chess club|Book fair|Old crane|Slate roof|Ferry to Brest|Warden|Deck hand|" +
		"Oak table|Rope ladder|Town library|Rowing class|Fish market|Boat shed"),
		list("Date|Place|Price|Status|Fees|Opening hours|Contact|Weight|Material|Capacity|Delivery|Deadline"),
		list("Open|Closed|In stock|Sold out|Room 4|Upper deck|on request|Mrs Hill|free of charge|from May"),
		strings.Fields("the old quay was built of granite and for many years ships unloaded salt there while people from " +
			"town came to watch how cranes lifted barrels over walls today it belongs to council which looks after path"),
		"Room", "Read more"},
	{"de", "ltr", list("Großer Saal|Nordmole|Bauausschuss|Sturmlampe|Anna Reh|Haushaltsberatung|Hafenmeister|" +
		"Gezeitenuhr|Salzspeicher|Uferweg|Nachtbus|Schachverein|Buchmesse|Alter Kran|Schieferdach|Fähre nach Brest|" +
		"Wärter|Matrose|Eichentisch|Strickleiter|Stadtbücherei|Ruderkurs"),
		list("Termin|Ort|Preis|Stand|Gebühren|Öffnungszeiten|Kontakt|Gewicht|Werkstoff|Plätze|Lieferung|Frist"),
		list("Geöffnet|Geschlossen|Auf Lager|Ausverkauft|Zimmer 4|Oberdeck|auf Anfrage|Frau Berg|kostenlos|ab Mai"),
		strings.Fields("der alte Kai wurde aus Granit gebaut und viele Jahre luden Schiffe dort Salz während Leute aus der " +
			"Stadt zusahen wie Kräne Fässer über Mauern hoben heute gehört er der Gemeinde die den Weg pflegt"),
		"Raum", "Weiterlesen"},
	{"ar", "rtl", list("القاعة الكبرى|الرصيف الشمالي|لجنة التخطيط|مصباح العاصفة|سلمى حداد|مراجعة الميزانية|مدير الميناء|" +
		"ساعة المد|مخزن الملح|ممشى النهر|حافلة الليل|نادي الشطرنج|معرض الكتاب|الرافعة القديمة|سوق السمك|مكتبة المدينة"),
		list("التاريخ|المكان|السعر|الحالة|الرسوم|ساعات العمل|اتصال|الوزن|المادة|السعة"),
		list("مفتوح|مغلق|متوفر|نفد|عند الطلب|مجانا|من مايو"),
		strings.Fields("بني الرصيف القديم من الجرانيت ولسنوات عديدة كانت السفن تفرغ الملح هناك بينما كان الناس يأتون من " +
			"المدينة لمشاهدة الرافعات وهي ترفع البراميل فوق الجدران واليوم يعتني المجلس بالطريق"),
		"غرفة", "اقرأ المزيد"},
	{"he", "rtl", list("האולם הגדול|הרציף הצפוני|ועדת התכנון|מנורת סערה|רות כהן|דיון תקציב|מנהל הנמל|שעון הגאות|" +
		"מחסן המלח|שביל הנהר|אוטובוס לילה|מועדון שחמט|יריד הספרים|העגורן הישן|שוק הדגים|ספריית העיר"),
		list("תאריך|מקום|מחיר|מצב|אגרות|שעות פתיחה|יצירת קשר|משקל|חומר|קיבולת"),
		list("פתוח|סגור|במלאי|אזל|לפי בקשה|חינם|ממאי"),
		strings.Fields("הרציף הישן נבנה מגרניט ובמשך שנים רבות פרקו שם אניות מלח בזמן שאנשים מן העיר באו לראות איך עגורנים " +
			"מרימים חביות מעל החומות והיום הוא שייך למועצה שמטפלת בשביל"),
		"חדר", "קרא עוד"},
	{"ja", "ltr", list("大ホール|北桟橋|企画委員会|嵐のランプ|山田花子|予算審議|港長|潮時計|塩倉庫|川の散歩道|夜行バス|将棋クラブ|本の市|古いクレーン|魚市場|町立図書館"),
		list("日付|場所|価格|状態|料金|営業時間|連絡先|重さ|素材|定員"),
		list("営業中|休業|在庫あり|売り切れ|要問合せ|無料|五月から"),
		strings.Fields("古い岸壁は 花崗岩で 造られ 長い間 船が そこで 塩を 降ろし 町の 人々は クレーンが 樽を 壁の 上に 持ち上げる のを 見に 来た 今は 町が 管理している"),
		"部屋", "続きを読む"},
}

func list(s string) []string { return strings.Split(s, "|") }

// madePage is a page that is being made.
type madePage struct {
	rng   *rand.Rand
	t     tongue
	names []string // that the page has not used yet
	heads []string
}

// makePage makes a page of some blocks of several kinds, with furniture around them.
func makePage(rng *rand.Rand) string {
	m := &madePage{rng: rng, t: tongues[rng.IntN(len(tongues))]}
	if rng.IntN(3) == 0 {
		m.t = tongues[0]
	}
	m.names, m.heads = shuffled(rng, m.t.names), shuffled(rng, m.t.heads)
	var blocks []string
	kinds := shuffled(rng, []func() string{m.tableWithHeads, m.tableWithoutHeads, m.countedTable, m.cards, m.moduleCards,
		m.articles, m.definitions, m.labels, m.labelRows, m.sections, m.plainList, m.linkedList, m.namesakeRows,
		m.namesakeCards, m.namesakeSections, m.numberedKeys, m.prose})
	for _, k := range kinds[:1+rng.IntN(3)] {
		blocks = append(blocks, k())
	}
	return m.page(strings.Join(blocks, "\n"))
}

func shuffled[T any](rng *rand.Rand, all []T) []T {
	out := append([]T(nil), all...)
	rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

func one[T any](rng *rand.Rand, all []T) T { return all[rng.IntN(len(all))] }

// page puts a navigation, a footer and the elements of a layout around blocks.
func (m *madePage) page(content string) string {
	main := one(m.rng, []string{"<main><h1>%s</h1>%s</main>", `<div id="content"><h1>%s</h1>%s</div>`,
		`<div class="container"><div class="row"><div class="col-8"><h1>%s</h1>%s</div></div></div>`,
		`<div id="__next"><div class="Layout_main__pQ3ed"><h1>%s</h1>%s</div></div>`})
	side := one(m.rng, []string{"", `<aside class="sidebar"><h3>` + m.head() + `</h3><ul><li><a href="/1">` + m.words(3) +
		`</a></li><li><a href="/2">` + m.words(3) + `</a></li><li><a href="/3">` + m.words(2) + `</a></li></ul></aside>`})
	return fmt.Sprintf(`<!DOCTYPE html><html lang="%s" dir="%s"><head><meta charset="utf-8"><title>%s</title></head>`+
		`<body>`+
		`<header><a href="/">%s</a><nav><ul><li><a href="/a">%s</a></li><li><a href="/b">%s</a></li><li><a href="/c">%s</a>`+
		`</li></ul></nav></header>%s%s<footer><p>%s</p></footer></body></html>`, m.t.code, m.t.dir, m.words(3), m.words(1),
		m.words(1), m.words(1), m.words(2), fmt.Sprintf(main, m.words(2), content), side, m.words(4))
}

// name returns a name that the page does not have yet.
func (m *madePage) name() string {
	if len(m.names) == 0 {
		return one(m.rng, m.t.names) + " " + m.words(2)
	}
	s := m.names[0]
	m.names = m.names[1:]
	return s
}

func (m *madePage) head() string {
	if len(m.heads) == 0 {
		return m.words(2)
	}
	s := m.heads[0]
	m.heads = m.heads[1:]
	return s
}

func (m *madePage) words(n int) string {
	var all []string
	for range n {
		all = append(all, one(m.rng, m.t.words))
	}
	return strings.Join(all, " ")
}

func (m *madePage) sentence() string { return m.words(8+m.rng.IntN(14)) + "." }

// value returns a short text that changes: a number, a price, a date, a time or a state.
func (m *madePage) value() string {
	switch n := m.rng.IntN(200); m.rng.IntN(6) {
	case 0:
		return fmt.Sprint(n)
	case 1:
		return fmt.Sprintf("€ %d.%02d", n, n%100)
	case 2:
		return fmt.Sprintf("2027-%02d-%02d", 1+n%12, 1+n%28)
	case 3:
		return fmt.Sprintf("%d:%02d", 7+n%14, n%60)
	case 4:
		return fmt.Sprintf("%d kg", n)
	}
	return one(m.rng, m.t.states)
}

// repeated makes some units.
func (m *madePage) repeated(least int, unit func(i int) string) string {
	var b strings.Builder
	for i := range least + m.rng.IntN(9) {
		b.WriteString(unit(i) + "\n")
	}
	return b.String()
}

func (m *madePage) tableWithHeads() string {
	class := one(m.rng, []string{"", ` class="table table-striped"`, ` id="meetings"`})
	scope := one(m.rng, []string{"<th scope=row>%s</th>", "<td>%s</td>", "<td><strong>%s</strong></td>",
		`<td><a href="/x">%s</a></td>`})
	return fmt.Sprintf("<table%s><thead><tr><th>%s</th><th>%s</th><th>%s</th></tr></thead><tbody>%s</tbody></table>",
		class, m.head(), m.head(), m.head(), m.repeated(4, func(int) string {
			return "<tr>" + fmt.Sprintf(scope, m.name()) + "<td>" + m.value() + "</td><td>" + m.value() + "</td></tr>"
		}))
}

func (m *madePage) tableWithoutHeads() string {
	odd := one(m.rng, [][2]string{{"", ""}, {` class="odd"`, ` class="even"`}})
	return "<table>" + m.repeated(4, func(i int) string {
		return "<tr" + odd[i%2] + "><td>" + m.name() + "</td><td>" + m.value() + "</td></tr>"
	}) + "</table>"
}

// countedTable is a table whose ids and first cells count its rows.
func (m *madePage) countedTable() string {
	return "<table class=ranking>" + m.repeated(5, func(i int) string {
		return fmt.Sprintf(`<tr id="row-%d" data-index="%d"><td>%d.</td><td class="name">%s</td><td>%s</td><td>%s</td></tr>`,
			i+1, i, i+1, m.name(), m.value(), m.value())
	}) + "</table>"
}

func (m *madePage) cards() string {
	return `<div class="cards">` + m.repeated(3, func(i int) string {
		n := m.rng.IntN(9000)
		return fmt.Sprintf(`<div class="card"><img src="/i/%d.jpg" alt=""><h3><a href="/p/%d">%s</a></h3>`+
			`<p class="text">%s</p><span class="price">%s</span> <a class="more" href="/p/%d">%s</a></div>`, n, n, m.name(),
			m.words(5), m.value(), n, m.t.more)
	}) + `</div>`
}

// moduleCards are cards whose classes a program made.
func (m *madePage) moduleCards() string {
	return `<div class="Grid_root__b7Qe2">` + m.repeated(3, func(int) string {
		return fmt.Sprintf(`<div class="Card_root__k9Zp1"><div class="Card_title__x7Yz_">%s</div>`+
			`<div class="Card_meta__u2Wq8"><span class="Card_value__Pq31a">%s</span><span>%s</span></div></div>`, m.name(),
			m.value(), m.value())
	}) + `</div>`
}

func (m *madePage) articles() string {
	return m.repeated(3, func(int) string {
		n := 1000 + m.rng.IntN(9000)
		return fmt.Sprintf(`<article id="post-%d" class="post-%d post"><h2><a href="/%d">%s</a></h2><time>%s</time>`+
			`<p>%s</p></article>`, n, n, n, m.name(), m.value(), m.sentence())
	})
}

func (m *madePage) definitions() string {
	pair := one(m.rng, []string{"<dt>%s</dt><dd>%s</dd>", "<div><dt>%s</dt><dd>%s</dd></div>",
		`<dt class="k">%s:</dt><dd class="v">%s</dd>`})
	return "<dl>" + m.repeated(4, func(int) string { return fmt.Sprintf(pair, m.name(), m.value()) }) + "</dl>"
}

func (m *madePage) labels() string {
	form := one(m.rng, []string{"<p>%s: %s</p>", "<p><b>%s:</b> %s</p>", "<div><strong>%s</strong>: %s</div>",
		"<li>%s: %s</li>"})
	all := m.repeated(3, func(int) string { return fmt.Sprintf(form, m.head(), m.value()) })
	if strings.HasPrefix(form, "<li>") {
		return "<ul>" + all + "</ul>"
	}
	return one(m.rng, []string{all, `<div class="details">` + all + "</div>"})
}

func (m *madePage) labelRows() string {
	form := one(m.rng, []string{
		`<div class="row"><span class="label">%s</span><span class="value">%s</span></div>`,
		`<p><span>%s:</span> <span>%s</span></p>`,
		`<div class="Spec_row__aZ81k"><div class="Spec_name__bb3Qs">%s</div><div class="Spec_val__c0Ltt">%s</div></div>`})
	all := m.repeated(3, func(int) string { return fmt.Sprintf(form, m.head(), m.value()) })
	return `<div class="facts">` + all + "</div>"
}

func (m *madePage) sections() string {
	return m.repeated(3, func(i int) string {
		id := one(m.rng, []string{"", fmt.Sprintf(` id="section-%d"`, i+1)})
		return fmt.Sprintf("<h2%s>%s</h2><p>%s</p>", id, m.head(), m.sentence()) +
			one(m.rng, []string{"", "<p>" + m.sentence() + "</p>"})
	})
}

func (m *madePage) plainList() string {
	return "<ul>" + m.repeated(4, func(int) string { return "<li>" + m.name() + " " + m.words(2) + "</li>" }) + "</ul>"
}

func (m *madePage) linkedList() string {
	form := one(m.rng, []string{`<li><a href="/n/%d">%s</a> – %s</li>`,
		`<li id="n%d"><a href="#">%s</a> <small>%s</small></li>`,
		`<li class="item"><a href="/job/%d">%s</a><br>%s</li>`})
	return `<ul class="list">` + m.repeated(4, func(int) string {
		return fmt.Sprintf(form, 100+m.rng.IntN(900), m.name(), m.value())
	}) + "</ul>"
}

// repeatedNames returns names of which some come twice.
func (m *madePage) repeatedNames() func() string {
	all := []string{m.name(), m.name(), m.name()}
	return func() string {
		if m.rng.IntN(3) == 0 {
			return m.name()
		}
		return one(m.rng, all)
	}
}

func (m *madePage) namesakeRows() string {
	name := m.repeatedNames()
	return "<table><tr><th>" + m.head() + "</th><th>" + m.head() + "</th><th>" + m.head() + "</th></tr>" +
		m.repeated(5, func(int) string {
			return "<tr><td>" + name() + "</td><td>" + m.value() + "</td><td>" + m.value() + "</td></tr>"
		}) + "</table>"
}

func (m *madePage) namesakeCards() string {
	name := m.repeatedNames()
	return `<div class="results">` + m.repeated(5, func(int) string {
		return fmt.Sprintf(`<div class="result"><h4>%s</h4><p>%s</p><p class="when">%s</p></div>`, name(), m.words(4),
			m.value())
	}) + `</div>`
}

func (m *madePage) namesakeSections() string {
	name := m.repeatedNames()
	return m.repeated(4, func(int) string { return "<h3>" + name() + "</h3><p>" + m.sentence() + "</p>" })
}

// numberedKeys is a table or list whose names differ by their numbers alone.
func (m *madePage) numberedKeys() string {
	first, table := 1+m.rng.IntN(20), m.rng.IntN(2) == 0
	all := m.repeated(5, func(i int) string {
		key := fmt.Sprintf("%s %d", m.t.room, first+i)
		if table {
			return "<tr><td>" + key + "</td><td>" + m.value() + "</td><td>" + m.value() + "</td></tr>"
		}
		return "<li><b>" + key + "</b> " + m.value() + "</li>"
	})
	if table {
		return "<table>" + all + "</table>"
	}
	return "<ul>" + all + "</ul>"
}

func (m *madePage) prose() string {
	return m.repeated(4, func(int) string {
		return "<p>" + m.sentence() + " " + m.sentence() + " " + m.sentence() + "</p>"
	})
}

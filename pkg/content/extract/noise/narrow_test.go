package noise

import (
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

// moving has pairs of a line at two times. The line moves by itself, and its own words say so.
var moving = [][2]string{
	// counters
	{"阅读 1234", "阅读 1300"}, {"浏览 1,234 次", "浏览 1,301 次"}, {"閲覧数：1234", "閲覧数：1299"}, {"조회수 1,234회", "조회수 1,301회"},
	{"1.2万次播放", "1.3万次播放"}, {"已有 1234 人浏览", "已有 1240 人浏览"}, {"12 条评论", "13 条评论"}, {"コメント(12)", "コメント(13)"},
	{"댓글 12개", "댓글 13개"}, {"12件のコメント", "13件のコメント"}, {"viewed 1,234 times", "viewed 1,235 times"},
	{"Viewed by 12 people", "Viewed by 13 people"}, {"1,234 total views", "1,235 total views"},
	{"vu 1 234 fois", "vu 1 235 fois"}, {"1.234 Mal angesehen", "1.235 Mal angesehen"},
	{"Visto 1.234 veces", "Visto 1.235 veces"},
	{"Visualizzato 12 volte", "Visualizzato 13 volte"}, {"Просмотрено 12 раз", "Просмотрено 15 раз"},
	{"Lượt xem: 1.234", "Lượt xem: 1.235"}, {"1.2k views", "1.3k views"}, {"12,345 followers", "12,346 followers"},
	{"12 people found this helpful", "13 people found this helpful"}, {"12 Aufrufe", "13 Aufrufe"},
	// readers at this moment, and sales of late
	{"17 people are viewing this", "12 people are viewing this"}, {"12 users online", "14 users online"},
	{"3 people are looking at this right now", "5 people are looking at this right now"},
	{"17 Personen sehen sich das gerade an", "12 Personen sehen sich das gerade an"},
	{"12 guests and 3 members online", "11 guests and 5 members online"},
	{"12 people have this in their cart", "9 people have this in their cart"},
	{"17 personnes regardent ce produit", "12 personnes regardent ce produit"},
	{"17 personas están viendo esto", "12 personas están viendo esto"},
	{"17人が閲覧中", "18人が閲覧中"}, {"17人正在浏览", "18人正在浏览"}, {"17명이 보고 있습니다", "18명이 보고 있습니다"},
	{"57 sold in last 24 hours", "61 sold in last 24 hours"},
	{"1K+ bought in past month", "2K+ bought in past month"},
	{"57 in den letzten 24 Stunden verkauft", "58 in den letzten 24 Stunden verkauft"},
	{"57 vendidos en las últimas 24 horas", "61 vendidos en las últimas 24 horas"},
	{"4.6 out of 5 stars (1,204)", "4.7 out of 5 stars (1,209)"}, {"4.6 (1,204 reviews)", "4.6 (1,210 reviews)"},
	// clocks
	{"The time now is 03:45 PM.", "The time now is 03:46 PM."},
	{"Today is Wednesday, 25 November 2026", "Today is Thursday, 26 November 2026"},
	{"Current time: 15:45:12", "Current time: 15:46:01"},
	{"Heute ist Mittwoch, der 25. November 2026", "Heute ist Donnerstag, der 26. November 2026"},
	{"Aujourd'hui, mercredi 25 novembre 2026", "Aujourd'hui, jeudi 26 novembre 2026"},
	{"Hoy es miércoles, 25 de noviembre de 2026", "Hoy es jueves, 26 de noviembre de 2026"},
	{"今天是2026年11月25日 星期三", "今天是2026年11月26日 星期四"}, {"Server time: 15:45", "Server time: 15:46"},
	{"現在時刻 15:45:12", "現在時刻 15:45:13"}, {"Aktuelle Uhrzeit: 15:45 Uhr", "Aktuelle Uhrzeit: 15:46 Uhr"},
	// load times
	{"Page generated in 0.123 seconds.", "Page generated in 0.101 seconds."},
	{"Rendered in 12 ms", "Rendered in 9 ms"},
	{"Processed in 0.0123 second(s), 12 queries", "Processed in 0.0200 second(s), 13 queries"},
	{"Seite in 0,12 Sekunden erstellt", "Seite in 0,13 Sekunden erstellt"},
	{"Page générée en 0,12 secondes", "Page générée en 0,13 secondes"},
	{"页面执行时间: 0.12 秒", "页面执行时间: 0.13 秒"}, {"ページ生成時間：0.12秒", "ページ生成時間：0.13秒"},
	// countdowns
	{"Sale ends in 03:12:44", "Sale ends in 03:12:43"}, {"Offer expires in 12:34", "Offer expires in 12:33"},
	{"Time left: 2 h 12 min", "Time left: 2 h 11 min"}, {"Hurry! Only 01:12:44 left", "Hurry! Only 01:12:40 left"},
	{"Angebot endet in 03:12:44", "Angebot endet in 03:12:41"}, {"Termina en 03:12:44", "Termina en 03:12:41"},
	{"距结束 03:12:44 剩余", "距结束 03:12:40 剩余"}, {"残り 03:12:44", "残り 03:12:40"}, {"남은 시간 03:12:44", "남은 시간 03:12:43"},
	// numbers of requests and visitors
	{"Request ID: 8f3a77b1c2", "Request ID: 77c1f30a9e"}, {"Ray ID: 8f3a77b1c2d3e4f5", "Ray ID: 8f3a77b1c2d3aaaa"},
	{"Request Id: 0HMVD9DNQ8LF5:00000001", "Request Id: 0HMVD9DNQ8LF7:00000012"},
	{"请求ID：8f3a77b1c2", "请求ID：aa3a77b1c2"},
	{"You are visitor number 12345", "You are visitor number 12346"}, {"您是第 12345 位访客", "您是第 12346 位访客"},
}

func TestH12Moving(t *testing.T) {
	for _, pair := range moving {
		if a, b := steady(pair[0]), steady(pair[1]); a != b {
			t.Errorf("%q and %q are hashed as %q and %q", pair[0], pair[1], a, b)
		}
	}
}

// TestH12NumbersOfThePage checks that lines that move by themselves elsewhere are content in a table, in a list of
// definitions, below a heading that names them, and where somebody selected them.
func TestH12NumbersOfThePage(t *testing.T) {
	counts := moving[:22]
	for _, pair := range append(counts, [][2]string{{"5 downloads", "3 downloads"}, {"12,001 votes", "13,001 votes"},
		{"Updated 3 days ago", "Updated 4 days ago"}, {"Updated 11/3/2025", "Updated 3/11/2025"},
		{"Closed today", "Closed this week"}, {"© 2024 Example", "© 2025 Example"}}...) {
		for place, add := range map[string]func(*Filter, string){
			"a table":            func(s *Filter, line string) { s.Table("| Plan | " + line + " |") },
			"a row of cells":     func(s *Filter, line string) { s.Table("Plan | " + line) },
			"a definition":       func(s *Filter, line string) { s.List("Plan\n: " + line) },
			"what somebody took": func(s *Filter, line string) { s.Exact = true; s.Block(line) },
		} {
			if a, b := in(add, pair[0]), in(add, pair[1]); a == b {
				t.Errorf("%s: %q and %q are both hashed as %q", place, pair[0], pair[1], a)
			}
		}
	}
	for _, row := range []struct{ heading, a, b string }{
		{"Downloads of each plan", "5 downloads", "3 downloads"}, {"Voting results", "12,001 votes", "13,001 votes"},
		{"Ergebnis der Wahl", "12.001 Antworten", "13.001 Antworten"},
		{"Kommentare im Jahr", "12 Kommentare", "13 Kommentare"}, {"评论数量", "12 条评论", "13 条评论"},
		{"Limits", "10 reads", "20 reads"}, {"How ratings changed", "4.6 (12 ratings)", "2.1 (12 ratings)"},
	} {
		under := func(s *Filter, line string) { s.Heading(2, row.heading); s.Block(line) }
		if a, b := in(under, row.a), in(under, row.b); a == b {
			t.Errorf("below %q: %q and %q are both hashed as %q", row.heading, row.a, row.b, a)
		}
		after := func(s *Filter, line string) { s.Heading(2, row.heading); s.Heading(2, "About us"); s.Block(line) }
		if a, b := in(after, "12 views"), in(after, "13 views"); a != b {
			t.Errorf("after the section %q: %q and %q", row.heading, a, b)
		}
	}
	list := func(s *Filter, line string) { s.List("- Mail\n- " + line) }
	if a, b := in(list, "10 reads"), in(list, "20 reads"); a == b {
		t.Errorf("a list of a plan: both are hashed as %q", a)
	}
	beside := func(s *Filter, line string) { s.List("- By Anna\n- 3 days ago\n- " + line) }
	if a, b := in(beside, "10 reads"), in(beside, "20 reads"); a != b {
		t.Errorf("a list beside an article: %q and %q", a, b)
	}
}

func in(place func(*Filter, string), line string) string {
	var s Filter
	place(&s, line)
	return string(s.Out)
}

// TestH12Facts has pairs of lines that differ by an editor's change, near to what is folded.
func TestH12Facts(t *testing.T) {
	for _, pair := range [][2]string{
		// dates with the name of a month, or with the year first
		{"Deadline: 11 March 2027", "Deadline: 3 November 2027"}, {"May 6, 2027", "June 5, 2027"},
		{"May 6", "June 5"},
		{"2027-03-11", "2027-11-03"}, {"2026年3月11日", "2026年11月3日"}, {"Stichtag: 03.11.2027", "Stichtag: 11.03.2027"},
		{"5 марта 2027", "3 мая 2027"}, {"5 de marzo de 2027", "3 de mayo de 2027"}, {"2026년 3월 11일", "2026년 11월 3일"},
		// versions
		{"Latest version: 2024.1.2", "Latest version: 2024.2.1"}, {"2024.10.11", "2024.11.10"},
		// answers and averages
		{"Answer: 42", "Answer: 43"}, {"Rating: 4.5", "Rating: 2.1"}, {"4.5 out of 5 stars", "2.1 out of 5 stars"},
		{"Bewertung: 4,5", "Bewertung: 2,1"},
		{"3 helpful tips for 12 people in town", "4 helpful tips for 12 people in town"},
		// what is today is not when it was written
		{"Closed today", "Closed this week"}, {"Open now", "Open yesterday"},
		{"Heute geschlossen", "Gestern geschlossen"},
		{"Closed · today", "Closed · this week"}, {"Fermé aujourd’hui", "Fermé hier"}, {"今天休息", "昨天休息"},
		{"本日休業", "昨日休業"},
		{"Today 10:00 - 18:00", "Today 10:00 - 16:00"}, {"Today, Wednesday 10 – 18", "Today, Wednesday 10 – 16"},
		// "3 days before" in languages that say "3 days ago" alike
		{"キャンセルは3日前まで無料", "キャンセルは7日前まで無料"}, {"出发3天前可退款", "出发7天前可退款"},
		{"Kalkıştan 3 gün önce iptal", "Kalkıştan 7 gün önce iptal"},
		{"الإلغاء قبل 3 أيام من السفر", "الإلغاء قبل 7 أيام من السفر"}, {"출발 3일 전까지 취소", "출발 7일 전까지 취소"},
		{"Hủy trước 3 ngày", "Hủy trước 7 ngày"},
		// copyright as a topic
		{"Copyright protection ends in 2034", "Copyright protection ends in 2054"},
		{"Copyright Act 1968", "Copyright Act 1976"},
		{"The copyright act of 1968", "The copyright act of 1976"},
		{"Directive on copyright, 2019", "Directive on copyright, 2021"},
		// numbers beside words that only resemble those of counters
		{"Up to 10 downloads", "Up to 20 downloads"}, {"10 downloads per day", "20 downloads per day"},
		{"10 downloads for $5", "20 downloads for $5"},
		{"Room for 12 people", "Room for 14 people"}, {"12 people", "14 people"},
		{"Seen by 12 people.", "Seen by 14 people."},
		{"Purchased within 30 days", "Purchased within 60 days"},
		{"Sale ends in 3 days", "Sale ends in 5 days"}, {"Sale ends 30 November", "Sale ends 5 December"},
		{"Offer ends 23:59", "Offer ends 18:00"},
		{"Meeting time is now 12:30", "Meeting time is now 13:30"}, {"Start time: 12:30", "Start time: 13:30"},
		{"Local time: 19:00", "Local time: 20:00"},
		{"Response time: 5 seconds", "Response time: 8 seconds"}, {"Charged in 30 seconds", "Charged in 40 seconds"},
		{"Request ID: 20240001", "Request ID: 20240002"}, {"Duration 2 h 12 min", "Duration 2 h 15 min"},
		{"Depth 12 m", "Depth 14 m"}, {"12 of 15 seats", "13 of 15 seats"}, {"限额 10 次", "限额 20 次"},
	} {
		if a, b := steady(pair[0]), steady(pair[1]); a == b {
			t.Errorf("%q and %q are both hashed as %q", pair[0], pair[1], a)
		}
	}
	if a, b := steady("Apply by 11/3/2027"), steady("Apply by 3/11/2027"); a == b {
		t.Errorf("no order is known: both are hashed as %q", a)
	}
	first := func(s *Filter, line string) { s.DayFirst = true; s.Block(line) }
	if a, b := in(first, "Stand: 3/11/2025"), in(first, "Stand: 11/3/2025"); a == b {
		t.Errorf("day first: both are hashed as %q", a)
	}
}

// TestQ2EitherOrder has pairs of pages whose dates are numbers alone. They are the same dates if other dates of both
// pages show in which order the day and the month stand (Q2).
func TestQ2EitherOrder(t *testing.T) {
	form := func(page string) string {
		var s Filter
		for line := range strings.SplitSeq(page, "; ") {
			s.Block(line)
		}
		s.OrderDates()
		return string(s.Out)
	}
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"Apply by 11/03/2027", "Apply by 03/11/2027", false},
		{"Apply by 11-03-2027", "Apply by 03-11-2027", false},
		{"Apply by 11/03/2027; from 20/04/2027", "Apply by 03/11/2027; from 04/20/2027", true},
		{"from 20/04/2027; Apply by 11/03/2027", "from 04/20/2027; Apply by 03/11/2027", true},
		{"Apply by 11/03/2027; from 20/04/2027", "Apply by 03/11/2027; from 20/04/2027", false},
		{"Apply by 11/03/2027; from 20/04/2027", "Apply by 11 March 2027; from 20 April 2027", true},
		{"Apply by 11/03/2027; from 04/20/2027", "Apply by November 3, 2027; from April 20, 2027", true},
		{"Apply by 11/03/2027", "Apply by 11 March 2027", false},
		{"11/03/2027; 20/04/2027; 04/21/2027", "03/11/2027; 20/04/2027; 04/21/2027", false},
		{"Apply by 3/3/2027", "Apply by 3 March 2027", true},
	} {
		if a, b := form(c.a), form(c.b); (a == b) != c.same {
			t.Errorf("%q and %q are hashed as %q and %q", c.a, c.b, a, b)
		}
	}
}

// TestH12Typography has pairs of lines that readers see alike.
func TestH12Typography(t *testing.T) {
	for _, pair := range [][2]string{
		{"972", "\u202a972\u202c"}, {"a \u2066b\u2069 c", "a b c"}, {"⚠ Danger", "⚠\ufe0f Danger"},
		{"Cafe\u0301 noir", "Café noir"},
		{"har\u00adbour", "harbour"}, {"12\u00a0EUR", "12 EUR"}, {"1\u202f234 EUR", "1 234 EUR"},
		{"„Hafen“", "\"Hafen\""}, {"l’été", "l'été"},
		{"10–18", "10-18"}, {"« Hafen »", "\"Hafen\""}, {"«\u00a0Hafen\u00a0»", "«Hafen»"}, {"葛\U000e0100城", "葛城"},
		{"wait…", "wait..."},
		{"\ufeffx\u200b y", "x y"}, {"각", "\u1100\u1161\u11a8"}, {"a  b", "a b"}, {"\u061cשלום", "שלום"},
	} {
		if a, b := steady(pair[0]), steady(pair[1]); a != b {
			t.Errorf("%q and %q are hashed as %q and %q", pair[0], pair[1], a, b)
		}
	}
	for _, pair := range [][2]string{{"می‌روم", "میروم"}, {"10-18", "10 18"}, {"é", "e"}, {"²", "2"}, {"x", "х"}} {
		if a, b := steady(pair[0]), steady(pair[1]); a == b {
			t.Errorf("%q and %q are both hashed as %q", pair[0], pair[1], a)
		}
	}
}

// TestH12FoldedIsNamed checks that the folded lines can be asked for, with the reason.
func TestH12FoldedIsNamed(t *testing.T) {
	for line, want := range map[string]string{
		"12 views": "count", "Updated 3 days ago": "relative time", "Sale ends in 03:12:44": "countdown",
		"© 2025 Example": "copyright year", "Price: 12 euros": "",
		"Updated 3/11/2025":      "",
		"Request ID: 8f3a77b1c2": "request id", "12 users online": "people now", "Deadline: 3 March 2027": "",
	} {
		have := ""
		s := Filter{Folded: func(l, rule string) { have = rule }}
		if s.Block(line); have != want {
			t.Errorf("%q: folded by %q, want %q", line, have, want)
		}
	}
}

// pieces are what lines are made of, for properties.
var pieces = []string{"12", "1,234", "3/11/2025",
	"2025-11-03", "3 November 2025", "views", "comments", "ago", "3 days ago", "today", "Updated",
	"©", "2025", "Copyright", "·", "|", "Café", "«", "»", "\u00a0", "\ufe0f", "⚠",
	"(", ")", ":", "浏览", "次", "3日前", "Sale ends in", "03:12:44",
	"4.6", "out of 5 stars", "Request ID:", "8f3a77b1c2", "각",
	"-", "/", ".", "k", "…", "min", "left", "is", "now", "time", "\u0301", "2024.1.2"}

func lines() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 8).Draw(t, "pieces"),
			rapid.SampledFrom([]string{" ", ""}).Draw(t, "between"))
	})
}

// TestH12FoldingTwiceIsFoldingOnce also checks that composed and decomposed letters are alike.
func TestH12FoldingTwiceIsFoldingOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkFolding(t, lines().Draw(t, "line")) })
}

type failer interface{ Errorf(string, ...any) }

func checkFolding(t failer, line string) {
	once := steady(line)
	if twice := steady(once); twice != once {
		t.Errorf("%q is hashed as %q, and that as %q", line, once, twice)
	}
	if a, b := steady(norm.NFC.String(line)), steady(norm.NFD.String(line)); a != b {
		t.Errorf("%q composed and decomposed: %q and %q", line, a, b)
	}
	if utf8.ValidString(line) && !utf8.ValidString(once) {
		t.Errorf("%q is hashed as %q", line, once)
	}
}

func FuzzFolding(f *testing.F) {
	for _, pair := range moving {
		f.Add(pair[0])
	}
	for _, p := range pieces {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if utf8.ValidString(line) && !strings.ContainsAny(line, placeholders) {
			checkFolding(t, line)
		}
		for _, add := range []func(*Filter, string){(*Filter).Table, (*Filter).List, (*Filter).Code} {
			in(add, line)
		}
	})
}

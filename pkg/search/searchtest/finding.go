package searchtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/search"
)

func (s *suite) words() {
	s.put(
		page("harbour", "North basin", "The harbour master closed the north basin."),
		page("master", "Tickets", "A master key opens the lock of the basin harbour."),
		page("price", "Prices", "Cod costs 4.20 a pound; read the e-mail of Mr. O'Brien."),
	)
	for _, tc := range []struct {
		name, query string
		want        []string
	}{
		{"one word", "tickets", []string{"master"}},
		{"case is ignored", "TICKETS", []string{"master"}},
		{"all words", "closed master", []string{"harbour"}},
		{"all words, one in the title", "tickets key", []string{"master"}},
		{"any word when no chunk has all", "closed pound", []string{"harbour", "price"}},
		{"nothing", "lighthouse", nil},
		{"phrase", `"harbour master"`, []string{"harbour"}},
		{"phrase in order", `"master harbour"`, nil},
		{"phrase and word", `"the north" closed`, []string{"harbour"}},
		{"typographic quotes", "“harbour master”", []string{"harbour"}},
		{"unclosed quote is no phrase", `"harbour key`, []string{"master"}},
		{"prefix", "tick*", []string{"master"}},
		{"no prefix without star", "tick", nil},
		{"punctuation around words", "(tickets)?!", []string{"master"}},
		{"punctuation within a word", "o'brien e-mail", []string{"price"}},
		{"number", "4.20", []string{"price"}},
		{"no words", "?! - *", nil},
		{"empty", "", nil},
		{"blank", " \t\n", nil},
	} {
		s.Run(tc.name, func(t *testing.T) {
			sub := &suite{T: t, ix: s.ix}
			sub.expectAnyOrder(text(tc.query), tc.want...)
		})
	}
}

func (s *suite) filters() {
	other := page("b", "Basin", "basin")
	other.Host, other.Language, other.Type = "sea.example", "de", "entry"
	s.put(page("a", "Basin", "basin"), other)
	for _, tc := range []struct {
		query search.Query
		want  []string
	}{
		{search.Query{Host: "port.example"}, []string{"a"}},
		{search.Query{Host: "sea.example"}, []string{"b"}},
		{search.Query{Host: "port"}, nil},
		{search.Query{Type: "entry"}, []string{"b"}},
		{search.Query{Language: "en"}, []string{"a"}},
		{search.Query{Host: "sea.example", Type: "entry", Language: "de"}, []string{"b"}},
		{search.Query{Host: "sea.example", Language: "en"}, nil},
		{search.Query{Host: "' OR 1=1 --"}, nil},
		{search.Query{Host: "sea.example' or host ne '"}, nil},
	} {
		tc.query.Text = "basin"
		s.expect(tc.query, tc.want...)
	}
	s.expect(search.Query{Text: "basin lighthouse", Host: "port.example"}, "a") // a search for any word, with a filter
}

// publishedAfter checks that pages are found by their publication date, and that pages without a date are not found.
func (s *suite) publishedAfter() {
	day := func(n int) time.Time { return time.Date(2024, 2, n, 0, 0, 0, 0, time.UTC) }
	old, recent, undated := page("a", "Basin", "basin"), page("b", "Basin", "basin"), page("c", "Basin", "basin")
	old.PublishedAt, recent.PublishedAt = day(10), day(20)
	s.put(old, recent, undated)
	after := func(at time.Time) search.Query { return search.Query{Text: "basin", PublishedAfter: at} }
	s.expectAnyOrder(text("basin"), "a", "b", "c")
	s.expectAnyOrder(after(day(10)), "a", "b")
	s.expect(after(day(10).Add(time.Second)), "b")
	s.expect(after(day(20).In(time.FixedZone("", 3600))), "b")
	s.expect(after(day(21)))
	if r := s.search(after(day(11))).Results; len(r) != 1 || !r[0].PublishedAt.Equal(day(20)) {
		s.Errorf("published: %+v", r)
	}
	if r := s.search(text("basin")).Results; !slices.ContainsFunc(r, func(r search.Result) bool {
		return r.PublishedAt.IsZero()
	}) {
		s.Errorf("one does not say when: %+v", r)
	}
	s.expectAnyOrder(after(time.Unix(-1, 0)), "a", "b")
	s.expect(search.Query{Text: "basin", PublishedAfter: day(1), Host: "sea.example"})
	moved, gone := old, recent
	moved.PublishedAt, moved.Known = day(25), old.Contents() // the new date requires known chunks to be written again
	gone.PublishedAt, gone.Known = time.Time{}, recent.Contents()
	s.put(moved, gone)
	s.expect(after(day(10)), "a")
}

// ranking checks that a word in the title counts more than in a heading, and in a heading more than in the text.
func (s *suite) ranking() {
	filler := "the quay and the crane and the ferry"
	body := withChunk(page("c", "Notice one"), "Notices › Hours", "lighthouse "+filler)
	heading := withChunk(page("b", "Notice two"), "Lighthouse › Hours", "something "+filler)
	title := withChunk(page("a", "Lighthouse"), "Notices › Hours", "something "+filler)
	s.put(body, heading, title)
	for i := range 12 {
		s.put(withChunk(page(fmt.Sprintf("x%d", i), "Other"), "Notices › Hours", filler))
	}
	s.expect(text("lighthouse"), "a", "b", "c")
}

func (s *suite) passages() {
	p := withChunk(page("a", "Ferries", "The ferry leaves at nine.", "No boats here."), "Routes › South",
		"A ferry, a second ferry.")
	s.put(withChunk(withChunk(p, "", "Ferry tickets."), "", "Ferry food."))
	res := s.search(text("ferry"))
	if len(res.Results) != 1 {
		s.Fatalf("have %+v", res)
	}
	passages := res.Results[0].Passages
	if len(passages) < 1 || len(passages) > 3 {
		s.Errorf("have %d passages, want 1 to 3", len(passages))
	}
	for _, p := range passages {
		if len(p.Highlights) == 0 || p.ChunkUID == uid("a", 1) {
			s.Errorf("passage shows nothing: %+v", p)
		}
		for _, h := range p.Highlights {
			if !strings.EqualFold(p.Text[h.From:h.To], "ferry") {
				s.Errorf("highlight of %q", p.Text[h.From:h.To])
			}
		}
	}
	res = s.search(text("routes south"))
	if len(res.Results) != 1 || len(res.Results[0].Passages) == 0 ||
		res.Results[0].Passages[0].Heading != "Routes › South" {
		s.Errorf("heading: have %+v", res.Results)
	}
}

// longPassages checks that a passage is cut around the match, and between words if the text has separate words.
func (s *suite) longPassages() {
	for _, tc := range []struct{ id, filler string }{
		{"words", "água mole em pedra dura "}, {"run", strings.Repeat("ä", 50)}, {"lines", "x := 1\n"},
	} {
		filler := strings.Repeat(tc.filler, 200)
		s.put(page(tc.id, "Long", filler+" the beacon of "+tc.id+" "+filler))
		res := s.search(text("beacon " + tc.id))
		if len(res.Results) != 1 || len(res.Results[0].Passages) != 1 {
			s.Fatalf("%s: have %d results", tc.id, len(res.Results))
		}
		p := res.Results[0].Passages[0]
		if n := utf8.RuneCountInString(p.Text); n > 500 || !strings.Contains(p.Text, "beacon of "+tc.id) ||
			len(p.Highlights) < 2 {
			s.Errorf("%s: passage of %d characters, highlights %v: %q", tc.id, n, p.Highlights, p.Text)
		}
		whole := text("beacon " + tc.id)
		whole.Whole = true
		if res := s.search(whole); strings.Count(res.Results[0].Passages[0].Text, tc.filler) < 400-1 {
			s.Errorf("%s: the passage is not whole", tc.id)
		}
	}
}

// scripts checks words with diacritics, other alphabets, and scripts without spaces.
func (s *suite) scripts() {
	s.put(
		page("fr", "Été", "La marée haute arrive à midi, l’horloge de Brest."),
		page("ru", "Порт", "Северный бассейн закрыт до понедельника."),
		page("el", "Λιμάνι", "Ο φάρος είναι κλειστός."),
		page("ar", "ميناء", "الميناء مغلق اليوم."),
		page("zh", "港口通知", "北港池关闭至另行通知。"),
		page("ja", "お知らせ", "Go言語で書かれた港の案内です。"),
		page("th", "ท่าเรือ", "ท่าเรือเหนือปิดซ่อมแซม"),
		page("ko", "항구", "북쪽 항구가 폐쇄되었습니다."),
		page("emoji", "Fish 🐟", "Fresh 🐟 daily"),
	)
	for query, want := range map[string]string{
		"marée": "fr", "maree": "fr", "mare\u0301e": "fr", "horloge": "fr", "été": "fr",
		"БАССЕЙН": "ru", "северный закрыт": "ru", "ΦΆΡΟΣ": "el", "مغلق": "ar",
		"北港池": "zh", "港池关闭": "zh", "通知。": "zh", "口通": "zh",
		"案内": "ja", "言語": "ja", "go言語": "ja", "ซ่อมแซม": "th", "เหนือ": "th", "항구가": "ko", "북쪽": "ko", "항구*": "ko",
	} {
		s.Run(query, func(t *testing.T) {
			sub := &suite{T: t, ix: s.ix}
			sub.expect(text(query), want)
		})
	}
	s.expect(text("池港"))
	res := s.search(text("港池关闭"))
	if len(res.Results) == 1 && len(res.Results[0].Passages) == 1 {
		p := res.Results[0].Passages[0]
		if p.Text != "北港池关闭至另行通知。" || len(p.Highlights) == 0 || p.Text[p.Highlights[0].From:][:3] != "港" {
			s.Errorf("have %+v", p)
		}
	}
}

// spellings checks that what is written is found in other spellings (T4).
func (s *suite) spellings() {
	for id, texts := range map[string]string{
		"utf":     "Files in UTF-8 here|Text in utf8 there|Characters of UTF 8",
		"rfc":     "The standard RFC 9110|See rfc9110|By RFC-9110",
		"size":    "A disk of 10 GB|A disk of 10GB",
		"version": "Release 1.24.3 is out|Release v1.24.3 is out",
		"number":  "Paid 1234567 crowns|Paid 1,234,567 crowns|Paid 1.234.567 crowns|Paid 1 234 567 crowns",
		"iban":    "To DE89370400440532013000|To DE89 3704 0044 0532 0130 00",
		"acronym": "Made in the USA by hand|Made in the U.S.A. by hand",
		"yo":      "Зелёная ёлка растёт|Зеленая елка растет",
		"lodz":    "Pociąg do Łódź Fabryczna|Pociag do Lodz Fabryczna",
		"oeuvre":  "Une œuvre tardive|Une oeuvre tardive",
		"isik":    "Parlak ışık burada|Parlak isik burada",
		"narrow":  "ﾃﾞｰﾀの保存|データの保存",
		"wide":    "The ＡＢＣ of it|The ABC of it",
		"co2":     "Emissions of CO₂ fall|Emissions of CO2 fall",
		"final":   "The ﬁnal call|The final call",
		"niqqud":  "אמר שָׁלוֹם לכולם|אמר שלום לכולם",
		"hamza":   "قال أحمد اليوم|قال احمد اليوم",
	} {
		for i, text := range strings.Split(texts, "|") {
			s.put(page(fmt.Sprintf("%s%d", id, i), "T", text))
		}
	}
	s.put(page("c", "One", "Programming in C is old."), page("cpp", "Two", "Programming in C++ is long."),
		page("csharp", "Three", "Programming in C# is young."), page("ko", "한국", "서버에서 오류가 났다. 개인정보처리방침을 읽다."))
	for query, want := range map[string]string{
		"utf8": "utf0 utf1 utf2", "UTF-8": "utf0 utf1 utf2", "utf 8": "utf0 utf1 utf2",
		"rfc9110": "rfc0 rfc1 rfc2", "RFC 9110": "rfc0 rfc1 rfc2", "10GB": "size0 size1", "10 gb": "size0 size1",
		"1.24.3": "version0 version1", "v1.24.3": "version0 version1",
		"1234567": "number0 number1 number2 number3", "1,234,567": "number0 number1 number2 number3",
		"1 234 567":              "number0 number1 number2 number3",
		"DE89370400440532013000": "iban0 iban1", "DE89 3704 0044 0532 0130 00": "iban0 iban1",
		"USA": "acronym0 acronym1", "U.S.A.": "acronym0 acronym1",
		"елка": "yo0 yo1", "ёлка": "yo0 yo1", "Łódź": "lodz0 lodz1", "lodz": "lodz0 lodz1",
		"oeuvre": "oeuvre0 oeuvre1", "œuvre": "oeuvre0 oeuvre1", "isik": "isik0 isik1", "ışık": "isik0 isik1",
		"データ": "narrow0 narrow1", "ﾃﾞｰﾀ": "narrow0 narrow1", "abc": "wide0 wide1", "ＡＢＣ": "wide0 wide1",
		"co2": "co20 co21", "CO₂": "co20 co21", "final": "final0 final1",
		"שלום": "niqqud0 niqqud1", "שָׁלוֹם": "niqqud0 niqqud1", "احمد": "hamza0 hamza1",
		"C": "c", "c++": "cpp", "C#": "csharp", `"C++"`: "cpp", "programming c++": "cpp",
		"서버": "ko", "오류": "ko", "개인정보": "ko", "개인 정보": "ko", "서버는": "ko",
	} {
		s.Run(query, func(t *testing.T) {
			sub := &suite{T: t, ix: s.ix}
			sub.expectAnyOrder(text(query), strings.Fields(want)...)
		})
	}
}

// paging checks that pages of results join into one list without gaps, also among equal results.
func (s *suite) paging() {
	const n = 25
	for i := range n {
		s.put(page(fmt.Sprintf("p%02d", (i*7)%n), "Same", "the same words", "more of the same"))
	}
	all := s.search(search.Query{Text: "same", Top: 100})
	if all.Count != n || len(all.Results) != n || !slices.IsSorted(ids(all)) {
		s.Fatalf("count %d, have %v; equals rank by id", all.Count, ids(all))
	}
	var joined []string
	for skip := 0; skip < n; skip += 10 {
		res := s.search(search.Query{Text: "same", Top: 10, Skip: skip})
		if res.Count != n {
			s.Errorf("skip %d: count %d", skip, res.Count)
		}
		joined = append(joined, ids(res)...)
	}
	if diff := cmp.Diff(ids(all), joined); diff != "" {
		s.Errorf("-at once +paged\n%s", diff)
	}
	if res := s.search(search.Query{Text: "same", Top: 10, Skip: 1000}); res.Count != n || len(res.Results) != 0 {
		s.Errorf("beyond the end: count %d, %d results", res.Count, len(res.Results))
	}
}

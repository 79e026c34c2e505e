// Package searchtest is the contract of package search as tests. An adapter is correct when
//
//	searchtest.Index(t, open)
//
// passes, where open gives a fresh, empty index that is closed by the test's cleanup.
//
// The suite asks for what every engine can promise: which pages are found, in which order where
// the port says so, and that passages are well formed. It does not compare scores.
package searchtest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/fault"
	"github.com/tidemark/tidemark/pkg/search"
)

// Index runs the suite. An engine whose writes become visible late must wait in its Put.
func Index(t *testing.T, open func(t *testing.T) search.Index) {
	for _, tc := range []struct {
		name string
		test func(*suite)
	}{
		{"lifecycle", (*suite).lifecycle},
		{"replace", (*suite).replace},
		{"remove", (*suite).remove},
		{"words", (*suite).words},
		{"filters", (*suite).filters},
		{"ranking", (*suite).ranking},
		{"passages", (*suite).passages},
		{"long passages", (*suite).longPassages},
		{"scripts", (*suite).scripts},
		{"paging", (*suite).paging},
		{"refused queries", (*suite).refusedQueries},
		{"refused pages", (*suite).refusedPages},
		{"hostile queries", (*suite).hostileQueries},
		{"hostile texts", (*suite).hostileTexts},
		{"readers and a writer", (*suite).readersAndWriter},
		{"cancelled", (*suite).cancelled},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := &suite{T: t, ix: open(t)}
			if err := s.ix.Create(t.Context()); err != nil {
				t.Fatal(err)
			}
			tc.test(s)
		})
	}
}

// suite is one test with its index.
type suite struct {
	*testing.T
	ix search.Index
}

// indexedAt is when all pages of the suite were indexed.
var indexedAt = time.Date(2026, 11, 3, 9, 30, 0, 0, time.UTC)

// page makes a page of one host whose chunks have these texts.
func page(id, title string, texts ...string) search.Page {
	p := search.Page{
		ID: id, URL: "https://port.example/" + id, Host: "port.example", Type: "page",
		Title: title, Language: "en", MimeType: "text/html", IndexedAt: indexedAt,
	}
	for i, text := range texts {
		p.Chunks = append(p.Chunks, search.Chunk{UID: fmt.Sprintf("%s-%d", id, i), Text: text, Ordinal: i})
	}
	return p
}

func (s *suite) put(pages ...search.Page) {
	s.Helper()
	for _, p := range pages {
		if err := s.ix.Put(s.Context(), p); err != nil {
			s.Fatal(err)
		}
	}
}

// search answers a query and checks what is true of every answer.
func (s *suite) search(q search.Query) search.Results {
	s.Helper()
	if q.Top == 0 {
		q.Top = 10
	}
	res, err := s.ix.Search(s.Context(), q)
	if err != nil {
		s.Fatalf("search %+v: %v", q, err)
	}
	CheckResults(s.T, q, res)
	return res
}

// CheckResults reports what in an answer can be right for no query: too many results, a count
// below their number, rising scores, a page twice, or a malformed passage.
func CheckResults(t testing.TB, q search.Query, res search.Results) {
	t.Helper()
	if len(res.Results) > q.Top || res.Count < len(res.Results) || res.Count > 0 && q.Skip == 0 && len(res.Results) == 0 {
		t.Errorf("%q: count %d, top %d, %d results", q.Text, res.Count, q.Top, len(res.Results))
	}
	seen := map[string]bool{}
	for i, r := range res.Results {
		if seen[r.ID] || i > 0 && r.Score > res.Results[i-1].Score {
			t.Errorf("%q: result %d (%s, score %g) comes twice or above its rank", q.Text, i, r.ID, r.Score)
		}
		seen[r.ID] = true
		for _, p := range r.Passages {
			checkPassage(t, q, p)
		}
	}
}

func checkPassage(t testing.TB, q search.Query, p search.Passage) {
	t.Helper()
	if p.ChunkUID == "" || !utf8.ValidString(p.Text) || !utf8.ValidString(p.Heading) {
		t.Errorf("%q: passage %+v", q.Text, p)
	}
	last := 0
	for _, h := range p.Highlights {
		if h.From < last || h.From >= h.To || h.To > len(p.Text) {
			t.Errorf("%q: highlights %v of %d bytes", q.Text, p.Highlights, len(p.Text))
			return
		}
		if !utf8.ValidString(p.Text[h.From:h.To]) {
			t.Errorf("%q: highlight %v cuts a character of %q", q.Text, h, p.Text)
		}
		last = h.To
	}
}

// expect checks which pages a query finds, in order.
func (s *suite) expect(q search.Query, want ...string) {
	s.Helper()
	res := s.search(q)
	if diff := cmp.Diff(want, ids(res), cmp.Transformer("nil", func(x []string) []string { return append([]string{}, x...) })); diff != "" {
		s.Errorf("%+v: -want +have\n%s", q, diff)
	}
	if res.Count != len(want) {
		s.Errorf("%+v: have count %d, want %d", q, res.Count, len(want))
	}
}

// expectAnyOrder is expect where the order is the engine's to choose.
func (s *suite) expectAnyOrder(q search.Query, want ...string) {
	s.Helper()
	have := ids(s.search(q))
	slices.Sort(have)
	if !slices.Equal(have, want) {
		s.Errorf("%+v: have %v, want %v", q, have, want)
	}
}

func ids(res search.Results) []string {
	var ids []string
	for _, r := range res.Results {
		ids = append(ids, r.ID)
	}
	return ids
}

func (s *suite) expectCount(want int) {
	s.Helper()
	if have, err := s.ix.Count(s.Context()); err != nil || have != want {
		s.Errorf("count: have %d (%v), want %d", have, err, want)
	}
}

func text(words string) search.Query { return search.Query{Text: words} }

func (s *suite) lifecycle() {
	s.expectCount(0)
	s.expect(text("anything"))
	s.put(page("a", "Tides", "High water at noon."))
	if err := s.ix.Create(s.Context()); err != nil {
		s.Errorf("create again: %v", err)
	}
	s.expectCount(1)
	res := s.search(text("noon"))
	if len(res.Results) != 1 {
		s.Fatalf("have %+v", res)
	}
	r := res.Results[0]
	r.Score = 0
	want := search.Result{ID: "a", URL: "https://port.example/a", Title: "Tides", Language: "en",
		Passages: []search.Passage{{ChunkUID: "a-0", Text: "High water at noon.", Highlights: []search.Range{{From: 14, To: 18}}}}}
	if diff := cmp.Diff(want, r); diff != "" {
		s.Errorf("-want +have\n%s", diff)
	}
}

// replace is about Put: afterwards the index holds exactly the page that was given.
func (s *suite) replace() {
	s.put(page("a", "Tides", "alpha", "beta", "gamma"), page("b", "Other", "delta"))
	s.put(page("a", "Tides", "alpha", "beta", "gamma")) // idempotent
	s.expectCount(2)
	s.expect(text("beta"), "a")

	changed := page("a", "Currents", "alpha", "epsilon")
	changed.Chunks = append(changed.Chunks, search.Chunk{UID: "a-2", Heading: "Zeta", Text: "gamma", Ordinal: 2})
	s.put(changed)
	s.expectCount(2)
	for query, want := range map[string][]string{
		"beta": nil, "tides": nil, "alpha": {"a"}, "epsilon": {"a"}, "gamma": {"a"}, "zeta": {"a"}, "currents": {"a"}, "delta": {"b"},
	} {
		s.expect(text(query), want...)
	}
	s.put(page("a", "Currents"))
	s.expect(text("alpha"))
	s.expectCount(2)

	moved := page("b", "Other", "delta")
	moved.URL, moved.Language = "https://port.example/new", "de"
	s.put(moved)
	res := s.search(search.Query{Text: "delta", Language: "de"})
	if len(res.Results) != 1 || res.Results[0].URL != moved.URL {
		s.Errorf("page data not replaced: %+v", res)
	}
	s.reorder()
}

// reorder puts the same chunks in another order.
func (s *suite) reorder() {
	p := page("r", "Order", "first stone", "second stone", "third stone")
	s.put(p)
	slices.Reverse(p.Chunks)
	for i := range p.Chunks {
		p.Chunks[i].Ordinal = i
	}
	s.put(p)
	s.expect(text("second stone"), "r")
}

func (s *suite) remove() {
	s.put(page("a", "Tides", "alpha"), page("b", "Other", "alpha"))
	for range 2 { // the second time it is not there
		if err := s.ix.Remove(s.Context(), "a"); err != nil {
			s.Fatal(err)
		}
		s.expect(text("alpha"), "b")
		s.expectCount(1)
	}
	if err := s.ix.Remove(s.Context(), "never"); err != nil {
		s.Error(err)
	}
	s.put(page("a", "Tides", "alpha again"))
	s.expect(text("again"), "a")
}

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
	s.expect(search.Query{Text: "basin lighthouse", Host: "port.example"}, "a") // any word, filtered
}

// ranking: a word in the title says more than one in a heading, and that more than one in the text.
func (s *suite) ranking() {
	filler := "the quay and the crane and the ferry"
	body := page("c", "Notice one", "lighthouse "+filler)
	heading := page("b", "Notice two", "something "+filler)
	heading.Chunks[0].Heading = "Lighthouse › Hours"
	title := page("a", "Lighthouse", "something "+filler)
	s.put(body, heading, title)
	for i := range 12 {
		s.put(page(fmt.Sprintf("x%d", i), "Other", filler))
	}
	s.expect(text("lighthouse"), "a", "b", "c")
}

func (s *suite) passages() {
	p := page("a", "Ferries", "The ferry leaves at nine.", "No boats here.", "A ferry, a second ferry.", "Ferry tickets.", "Ferry food.")
	p.Chunks[2].Heading = "Routes › South"
	s.put(p)
	res := s.search(text("ferry"))
	if len(res.Results) != 1 {
		s.Fatalf("have %+v", res)
	}
	passages := res.Results[0].Passages
	if len(passages) < 1 || len(passages) > 3 {
		s.Errorf("have %d passages, want 1 to 3", len(passages))
	}
	for _, p := range passages {
		if len(p.Highlights) == 0 || p.ChunkUID == "a-1" {
			s.Errorf("passage shows nothing: %+v", p)
		}
		for _, h := range p.Highlights {
			if !strings.EqualFold(p.Text[h.From:h.To], "ferry") {
				s.Errorf("highlight of %q", p.Text[h.From:h.To])
			}
		}
	}
	res = s.search(text("routes south"))
	if len(res.Results) != 1 || len(res.Results[0].Passages) == 0 || res.Results[0].Passages[0].Heading != "Routes › South" {
		s.Errorf("heading: have %+v", res.Results)
	}
}

// longPassages: a passage is cut around what was found, between words where there are any.
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
		if n := utf8.RuneCountInString(p.Text); n > 500 || !strings.Contains(p.Text, "beacon of "+tc.id) || len(p.Highlights) < 2 {
			s.Errorf("%s: passage of %d characters, highlights %v: %q", tc.id, n, p.Highlights, p.Text)
		}
	}
}

// scripts: words with diacritics, other alphabets, and scripts without spaces.
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

// paging: pages of results join to one list without gaps, also among equals.
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

func (s *suite) refusedQueries() {
	long := strings.Repeat("ä", search.MaxQueryRunes)
	s.search(text(long)) // just within
	s.search(search.Query{Text: "x", Top: search.MaxTop, Skip: search.MaxSkip})
	for name, q := range map[string]search.Query{
		"top zero":      {Text: "x"},
		"top negative":  {Text: "x", Top: -1},
		"top too large": {Text: "x", Top: search.MaxTop + 1},
		"skip negative": {Text: "x", Top: 1, Skip: -1},
		"skip too far":  {Text: "x", Top: 1, Skip: search.MaxSkip + 1},
		"too long":      {Text: long + "x", Top: 1},
	} {
		if _, err := s.ix.Search(s.Context(), q); !fault.Is(err, fault.Invalid) || fault.FieldOf(err) == "" {
			s.Errorf("%s: have %v, want Invalid with a field", name, err)
		}
	}
}

func (s *suite) refusedPages() {
	doubled := page("a", "T", "one", "two")
	doubled.Chunks[1].UID = doubled.Chunks[0].UID
	unnamed := page("a", "T", "one")
	unnamed.Chunks[0].UID = ""
	for name, p := range map[string]search.Page{
		"no id":                  page("", "T", "one"),
		"id with a slash":        page("a/b", "T", "one"),
		"id that begins with _":  page("_a", "T", "one"),
		"id that is too long":    page(strings.Repeat("a", 1025), "T", "one"),
		"two chunks of one name": doubled,
		"chunk without name":     unnamed,
	} {
		if err := s.ix.Put(s.Context(), p); !fault.Is(err, fault.Invalid) {
			s.Errorf("%s: have %v, want Invalid", name, err)
		}
	}
	s.expectCount(0)
}

// hostileQueries asks everything of [HostileQueries] and checks that the index is still there.
func (s *suite) hostileQueries() {
	s.put(page("a", "Tides", "High water at noon and midnight near the title body heading."))
	for _, q := range HostileQueries {
		s.search(text(q))
	}
	s.expect(text("noon"), "a")
	s.expectCount(1)
}

// hostileTexts: whatever a page holds, it can be put, found and taken out again.
func (s *suite) hostileTexts() {
	for i, q := range append(slices.Clone(HostileQueries), strings.Repeat("word ", 50_000), strings.Repeat("x", 200_000)) {
		id := fmt.Sprintf("h%d", i)
		p := page(id, q, q+" needle", q+"needle"+q, "")
		p.Chunks[0].Heading = q
		s.put(p, p)
		s.search(text("needle"))
		s.search(text(`"needle"`))
		if found := s.search(search.Query{Text: "needle", Top: 100}); found.Count != 1 {
			s.Errorf("%.40q: found %d", q, found.Count)
		}
		if err := s.ix.Remove(s.Context(), id); err != nil {
			s.Fatal(err)
		}
	}
	s.expectCount(0)
	s.expect(text("needle"))
}

// readersAndWriter: readers see each page as it was before or after a Put, never between.
func (s *suite) readersAndWriter() {
	version := func(n int) search.Page {
		word := fmt.Sprintf("version%d", n)
		return page("a", word, "shared "+word, "shared other "+word)
	}
	s.put(version(0))
	ctx, stop := context.WithCancel(s.Context())
	defer stop()
	errs := make(chan error, 3)
	for range 3 {
		go func() { errs <- readWhole(ctx, s.ix) }()
	}
	for n := range 40 {
		s.put(version(n + 1))
	}
	stop()
	for range 3 {
		if err := <-errs; err != nil {
			s.Error(err)
		}
	}
	s.expect(text("version40"), "a")
}

// readWhole searches until ctx ends and compares titles with texts.
func readWhole(ctx context.Context, ix search.Index) error {
	for ctx.Err() == nil {
		res, err := ix.Search(ctx, search.Query{Text: "shared", Top: 10})
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		if res.Count != 1 || len(res.Results) != 1 {
			return fmt.Errorf("page is gone for a moment: %+v", res)
		}
		for _, p := range res.Results[0].Passages {
			if !strings.HasSuffix(p.Text, res.Results[0].Title) {
				return fmt.Errorf("title %q beside text %q", res.Results[0].Title, p.Text)
			}
		}
	}
	return nil
}

func (s *suite) cancelled() {
	ctx, cancel := context.WithCancel(s.Context())
	cancel()
	if err := s.ix.Put(ctx, page("a", "T", "one")); err == nil {
		s.Error("put under a cancelled context succeeded")
	}
	if _, err := s.ix.Search(ctx, search.Query{Text: "one", Top: 1}); err == nil {
		s.Error("search under a cancelled context succeeded")
	}
	s.expectCount(0)
}

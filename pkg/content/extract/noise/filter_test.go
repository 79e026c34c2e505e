package noise

import (
	"strings"
	"testing"
)

// steady returns a line as the content hash covers it.
func steady(line string) string {
	var s Filter
	s.Block(line)
	return string(s.Out)
}

// TestH12SameContent has pairs of lines with the same content at two times, or in two regions.
func TestH12SameContent(t *testing.T) {
	for _, pair := range [][2]string{
		{"Updated 3 days ago", "Updated yesterday"},
		{"Updated over a week ago", "Updated this week"},
		{"Updated over 2 weeks ago", "Updated over a month ago"},
		{"Last updated about 3 hours ago.", "Last updated a few seconds ago."},
		{"Posted 1d ago", "Posted 2mo ago"},
		{"By Anna · 1,234 views · 3 days ago", "By Anna · 1.3k views · 4 days ago"},
		{"Vor über einer Woche aktualisiert", "Vor 3 Monaten aktualisiert"},
		{"Aktualisiert gestern", "Aktualisiert vor 2 Tagen"},
		{"Mis à jour il y a plus d’une semaine", "Mis à jour il y a 3 semaines"},
		{"Actualizado hace más de una semana", "Actualizado hace 5 días"},
		{"Aggiornato 3 giorni fa", "Aggiornato più di un mese fa"},
		{"Atualizado há mais de uma semana", "Atualizado há 2 meses"},
		{"Обновлено 3 дня назад", "Обновлено 5 дней назад"},
		{"Zaktualizowano 2 dni temu", "Zaktualizowano wczoraj"},
		{"最終更新：3日前", "最終更新：12 日前"},
		{"3天前更新", "昨天更新"},
		{"3일 전 업데이트", "10일 전 업데이트"},
		{"อัปเดต 3 วันที่ผ่านมา", "อัปเดต 4 วันที่ผ่านมา"},
		{"تم التحديث قبل 3 أيام", "تم التحديث قبل 11 يومًا"},
		{"עודכן לפני 3 ימים", "עודכן לפני יומיים"},
		{"12 comments", "1 comment"},
		{"Comments (12)", "Comments (13)"},
		{"12 out of 15 found this helpful", "13 out of 17 found this helpful"},
		{"12 von 15 fanden dies hilfreich", "13 von 15 fanden dies hilfreich"},
		{"© 2019–2024 Example Inc.", "© 2019–2025 Example Inc."},
		{"Copyright 2024 Example Inc. All rights reserved.", "Copyright 2025 Example Inc. All rights reserved."},
		{"Effective November 3, 2025 for all", "Effective 3 November 2025 for all"},
		{"Stand: 3. November 2025", "Stand: 03.11.2025"},
		{"Am 3.11.2025 gilt", "Am 2025-11-03 gilt"},
		{"El 3 de noviembre de 2025", "El 3 noviembre 2025"},
		{"Nov 3rd, 2025", "3 Nov. 2025"},
		{"“Services” mean what’s offered – all of it…", `"Services" mean what's offered - all of it...`},
		{"Les « Services » sont", `Les "Services" sont`},
		{"Name | 3 days ago | 12 views", "Name | 2 weeks ago | 15 views"},
	} {
		if a, b := steady(pair[0]), steady(pair[1]); a != b {
			t.Errorf("%q and %q are hashed as %q and %q", pair[0], pair[1], a, b)
		}
	}
}

// TestH12OtherContent has pairs of lines that differ by an editor's change.
func TestH12OtherContent(t *testing.T) {
	prose := strings.Repeat("Whoever has bought something of us knows what it is for. ", 2)
	for _, pair := range [][2]string{
		{"Cancel within 30 days", "Cancel within 60 days"},
		{"We answer in 3 days", "We answer in 5 days"},
		{"Keep it for 3 months", "Keep it for 6 months"},
		{prose + "It may not be longer than 14 days ago.", prose + "It may not be longer than 30 days ago."},
		{prose + "Yesterday it rained.", prose + "Today it rained."},
		{"Effective date: December 15, 2022", "Effective date: October 10, 2023"},
		{"Last updated: 2025-11-03", "Last updated: 2025-11-04"},
		{"Price: 12 euros", "Price: 13 euros"},
		{"Up to 10 users", "Up to 20 users"},
		{"10,000 views per month", "20,000 views per month"},
		{"The act of 1976", "The act of 1978"},
		{"In 2024 we had 12 ships", "In 2025 we had 12 ships"},
		{"Section 3.1.2", "Section 3.1.3"},
		{`See "the Statement."`, "See the Statement."},
		{"x3d ago", "x4d ago"},
		{"version 1.2", "version 1.3"},
		{"we don't", "we dont"},
		{"a b", "ab"},
	} {
		if a, b := steady(pair[0]), steady(pair[1]); a == b {
			t.Errorf("%q and %q are both hashed as %q", pair[0], pair[1], a)
		}
	}
}

// TestS1FoldingTakesLinearWork checks that a line with many possible readings takes few steps per word.
func TestS1FoldingTakesLinearWork(t *testing.T) {
	const most = 12 // readings begun per token
	for _, piece := range []string{
		"a ", "1 ", "over 3 days ", "il y a ", "about over almost ", "1.", "a few ", "日", "vor 3 ",
	} {
		line := strings.Repeat(piece, shortLine/len(piece))
		var s Filter
		s.add(line)
		if s.times.steps > most*len(s.tokens) {
			t.Errorf("%q: %d steps for %d tokens", piece, s.times.steps, len(s.tokens))
		}
	}
}

package web

import (
	"strings"
	"testing"

	"golang.org/x/net/html/charset"

	"github.com/tidemark/tidemark/pkg/content/extract"
)

// notices are paragraphs of one notice, by language.
var notices = map[string]string{
	"ar": "أغلق رئيس الميناء الحوض الشمالي حتى إشعار آخر بعد أن وجد المسح أن جدار الرصيف يتحرك. ستكلف الإصلاحات نحو " +
		"مليوني يورو.",
	"cs": "Správce přístavu uzavřel severní přístavní bazén až do odvolání poté, co průzkum zjistil, že se nábřežní " +
		"zeď pohybuje. Opravy budou stát asi dva miliony eur.",
	"de": "Der Hafenmeister hat das Nordbecken bis auf Weiteres gesperrt, nachdem eine Vermessung ergeben hatte, dass " +
		"sich die Kaimauer bewegt. Größere Schiffe müssen an den Liegeplatz sieben ausweichen.",
	"el": "Ο λιμενάρχης έκλεισε τη βόρεια λεκάνη μέχρι νεωτέρας, αφού μια έρευνα διαπίστωσε ότι ο τοίχος της προβλήτας " +
		"μετακινείται.",
	"en": "The harbour master has closed the north basin until further notice after a survey found the quay wall " +
		"moving. Repairs will cost about two million euros.",
	"fr": "Le capitaine du port a fermé le bassin nord jusqu'à nouvel ordre après qu'un relevé a montré que le mur du " +
		"quai bougeait. Les réparations coûteront environ deux millions d'euros.",
	"ja": "港長は、岸壁が動いていることが調査で分かったため、追って通知があるまで北の泊地を閉鎖しました。修理には約二百万ユーロかかる見込みです。",
	"ko": "항만장은 조사 결과 안벽이 움직이는 것으로 나타나자 추후 공지가 있을 때까지 북쪽 정박지를 폐쇄했다. 수리에는 약 이백만 유로가 들 것이다.",
	"pl": "Kapitan portu zamknął basen północny do odwołania, ponieważ pomiary wykazały, że ściana nabrzeża się " +
		"przesuwa. Naprawy będą kosztować około dwóch milionów euro.",
	"ru": "Капитан порта закрыл северный бассейн до дальнейшего уведомления, после того как обследование показало, что " +
		"стена причала движется. Ремонт будет стоить около двух миллионов евро, а большие суда теперь должны становиться " +
		"у седьмого причала.",
	"zh": "在一次勘测发现码头墙正在移动之后，港务长已关闭北港池，直至另行通知。维修费用约为两百万欧元，较大的船只必须改停七号泊位，渡轮从四号泊位出发。",
}

func TestLanguages(t *testing.T) {
	for want, text := range notices {
		doc := extract.Document{Blocks: []extract.Block{{Kind: extract.Paragraph, Text: text}}}
		if doc.DetectLanguage(); doc.Language != want {
			t.Errorf("%s: have %q", want, doc.Language)
		}
	}
}

// TestLanguageOfAPage checks that a declared language counts, and that none is invented.
func TestLanguageOfAPage(t *testing.T) {
	for _, tc := range []struct {
		name, page, language string
		detected             bool
	}{
		{"declared", `<html lang=en><p>` + notices["en"], "en", false},
		{"declared, and the text is too short", `<html lang=en><p>Der Hafen ist zu.`, "en", false},
		{"H4: the default of a program", `<html lang=en><p>` + notices["de"], "de", true},
		{"H4: a language that cannot be detected", `<html lang=gl><p>` + notices["fr"], "gl", false},
		{"H4: a code of three letters", `<html lang=deu><p>x`, "de", false},
		{"H4: a code of three letters for libraries", `<html lang=ger-AT><p>x`, "de", false},
		{"H4: a name", `<html lang=english><p>x`, "en", false},
		{"H4: Chinese", `<html lang=cmn-Hans><p>x`, "zh", false},
		{"H4: a former code", `<html lang=iw><p>x`, "he", false},
		{"detected", `<p>` + notices["de"], "de", true},
		{"too short", `<p>Der Hafen ist zu.`, "", false},
		{"code says nothing", `<pre>` + notices["en"] + `</pre>`, "", false},
		{"no language at all", `<p>` + strings.Repeat("xq7 zk9 ", 50), "", false},
		{"names in many languages", `<p>` + strings.Repeat("Marsh und Söhne, Nørregade, Hansen y Hijos, Dupont et Fils, "+
			"Rossi e Figli, Jansen en Zonen. ", 2), "", false},
		{"Chinese characters with kana are not called Chinese", `<p>` + notices["zh"] + "の", "", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			doc := extractString(t, tc.page)
			if doc.Language != tc.language || doc.LanguageDetected != tc.detected {
				t.Errorf("have %q detected=%v, want %q %v", doc.Language, doc.LanguageDetected, tc.language, tc.detected)
			}
		})
	}
	if doc := extractAs(t, "text/plain", notices["fr"]); doc.Language != "fr" || !doc.LanguageDetected {
		t.Errorf("plain text: have %q detected=%v", doc.Language, doc.LanguageDetected)
	}
}

// TestUndeclaredCharsets checks notices that are encoded without a declaration.
func TestUndeclaredCharsets(t *testing.T) {
	for _, tc := range []struct{ language, charset string }{
		{"de", "windows-1252"}, {"fr", "windows-1252"}, {"cs", "iso-8859-2"}, {"pl", "iso-8859-2"}, {"ru", "windows-1251"},
		{"ru", "koi8-r"},
		{"el", "iso-8859-7"}, {"ar", "windows-1256"}, {"ja", "shift_jis"}, {"ja", "euc-jp"}, {"ko", "euc-kr"},
		{"zh", "gb18030"}, {"de", "utf-8"}, {"ru", "utf-8"},
	} {
		t.Run(tc.language+" in "+tc.charset, func(t *testing.T) {
			text := notices[tc.language]
			enc, _ := charset.Lookup(tc.charset)
			body, err := enc.NewEncoder().String("<html><body><p>" + text + "</p><p>" + text + "</p></body></html>")
			if err != nil {
				t.Fatal(err)
			}
			for _, mimeType := range []string{"text/html", "text/plain"} {
				for range 5 { // the detector's own order differs from run to run
					doc := extractAs(t, mimeType, body)
					if !strings.Contains(doc.Text, text) {
						t.Fatalf("%s: read as %s: %.200s", mimeType, doc.Charset, doc.Text)
					}
				}
			}
		})
	}
}

func FuzzCharsets(f *testing.F) {
	for _, name := range []string{"shift_jis", "euc-jp", "gb18030", "big5", "windows-1251", "iso-8859-2", "utf-16le",
		"iso-2022-jp"} {
		enc, _ := charset.Lookup(name)
		for _, text := range notices {
			if body, err := enc.NewEncoder().Bytes([]byte(text)); err == nil {
				f.Add(body)
			}
		}
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		_, name := byFrequency(body, nil, "none")
		for range 3 {
			if _, other := byFrequency(body, nil, "none"); other != name {
				t.Fatalf("%s, then %s", name, other)
			}
		}
	})
}

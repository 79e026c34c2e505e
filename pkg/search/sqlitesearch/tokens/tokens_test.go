package tokens

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"github.com/tidemark/tidemark/pkg/search"
)

// TestT4Words checks the words of texts (T4).
func TestT4Words(t *testing.T) {
	for text, want := range map[string]string{
		"Ёлка ещё ёжик за́мок йод їжак":              "елка еще ежик замок йод їжак",
		"Łódź œuvre Ħal ışık Þing Größe Øre Ærø":     "lodz oeuvre hal isik thing grosse ore aero",
		"ＡＢＣ ﾃﾞｰﾀ データ CO₂ km² ﬁnal ① Ⅷ ½":            "abc デ ー タ デ ー タ co2 km2 final 1 viii ½",
		"שָׁלוֹם أحمد مُحَمَّد کتاب ٢٠٢٤ محـــمد":    "שלום احمد محمد كتاب 2024 محمد",
		"Ελλάς ΆΝΘΡΩΠΟΣ":                             "ελλασ ανθρωποσ",
		"서버에서":                                       "서 버 에 서",
		"C, C++ and C#; F♯, g++, Ｃ＋＋, C/C++":         "c c++ and c# f# g++ c++ c c++",
		"i++ page.c#top a#b C+++ vc++ ++c":           "i page c top a b c vc c",
		"U.S.A. U.K., N.A.T.O (J.R.R.) e.g. A.B A.b": "usa uk nato jrr e g a b a b",
		"U.S.Army Р.Ф. A. B. C.":                     "u s army рф a b c",
		"ʼ ـ don't Hawaiʻi":                          "don t hawaii",
		"ไทย ❤ 🐟":                                    "ไ ท ย",
	} {
		if have := strings.Join(Of(Separate(text)), " "); have != want {
			t.Errorf("%s: have %q, want %q", text, have, want)
		}
	}
}

// TestT4Fold draws words and checks that folding is stable, and that the normalization form does not matter.
func TestT4Fold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringOf(rapid.OneOf(rapid.Rune(), rapid.RuneFrom([]rune("ẽёйßﾃﾞｰשّأﬁ½Ⅷ０ʼ가각ſİ𝐀")))).Draw(t, "word")
		word = strings.Join(strings.FieldsFunc(word, func(r rune) bool { return !search.IsWordRune(r) }), "")
		folded := Fold(word)
		if again := Fold(folded); again != folded {
			t.Fatalf("%q: %q, folded again %q", word, folded, again)
		}
		if other := Fold(norm.NFD.String(word)); other != Fold(norm.NFC.String(word)) {
			t.Fatalf("%q: NFD %q, NFC %q", word, other, folded)
		}
	})
}

// FuzzT4Words checks that words are inside of the text, in order, and never empty.
func FuzzT4Words(f *testing.F) {
	for _, text := range []string{"C++ C# U.S.A.", "ﾃﾞｰﾀ", "ʼـ", "C.\xff+", "A.B.", "서버에서", "½"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		Each(Separate(Plain(text)), func(token Token) bool {
			if token.From < end || token.To <= token.From || len(token.Word) == 0 || !utf8.Valid(token.Word) {
				t.Errorf("%q at %d to %d after %d", token.Word, token.From, token.To, end)
			}
			if strings.IndexFunc(string(token.Word), search.IsWordRune) < 0 {
				t.Errorf("%q has no letter", token.Word)
			}
			end = token.To
			return true
		})
	})
}

// TestT4SpacelessCharacters checks all characters: the quick answer for those that are frequent is the right one, and
// letters of ASCII are letters.
func TestT4SpacelessCharacters(t *testing.T) {
	for r := rune(-1); r <= unicode.MaxRune; r++ {
		want := r >= 0x0e00 && (r == 'ー' || r == 'ｰ' || isVoicing(r) || unicode.In(r, unicode.Han, unicode.Hiragana,
			unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Yi, unicode.Bopomofo,
			unicode.Hangul))
		if isSpaceless(r) != want {
			t.Fatalf("%U: %v, want %v", r, !want, want)
		}
		if word := unicode.In(r, unicode.L, unicode.N, unicode.M, unicode.Co); search.IsWordRune(r) != word {
			t.Fatalf("%U is part of words: %v, want %v", r, !word, word)
		}
	}
}

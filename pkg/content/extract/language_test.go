package extract

import (
	"strings"
	"testing"
)

func TestPrimaryLanguage(t *testing.T) {
	for tag, want := range map[string]string{
		"en": "en", "EN-us": "en", " zh_Hant ": "zh", "de, en": "de", "gsw": "gsw", "und": "", "": "", "e": "", "e1": "",
		"english language": "en", "deu": "de", "iw": "he", "gsw-CH": "gsw",
	} {
		if have := PrimaryLanguage(tag); have != want {
			t.Errorf("%q: have %q, want %q", tag, have, want)
		}
	}
}

func TestSampleIsBounded(t *testing.T) {
	long := strings.Repeat("ä", mostSample)
	for _, blocks := range [][]Block{{{Text: long}}, {{Text: "a"}, {Text: long}},
		{{Text: long[:mostSample-1]}, {Text: "ä"}}} {
		if n := len(sample(blocks)); n > mostSample {
			t.Errorf("%d bytes", n)
		}
	}
}

// TestCommonWords holds that a text is only found to be in a language without detection if it is in that language, and
// that detection agrees.
func TestCommonWords(t *testing.T) {
	texts := map[string]string{
		"en": "The harbour office is open from nine to five, and the ferry will be at the pier when the tide is high. " +
			"If the wind has turned, it can not leave.",
		"de": "Das Hafenamt ist von neun bis fünf geöffnet, und die Fähre wird nicht mit dem Wind, sondern auf dem Strom " +
			"gezogen, auch bei Ebbe oder Flut.",
		"fr": "Le bureau du port est ouvert dans la matinée et les bateaux ne sont pas à quai avec la marée basse, ce qui " +
			"pour nous est une chance de plus.",
		"es": "La oficina del puerto no abre por la tarde, pero los barcos esperan en el muelle para las mareas, y es una " +
			"suerte más con este viento.",
		"it": "L'ufficio del porto non è aperto di sera, il traghetto parte con la marea e gli uomini sono nel molo, che " +
			"anche per questo è una fortuna della città.",
		"nl": "Het kantoor van de haven is niet open voor een bezoek, maar het veer vaart ook bij eb naar de overkant, " +
			"door het water dat op zijn hoogst is.",
		"pt": "O escritório do porto não abre à tarde, mas os barcos esperam no cais para as marés, e com este vento é uma " +
			"sorte a mais para todos nós.",
		"sv": "Hamnkontoret är öppet från nio till fem, och färjan ligger vid kajen när det är högvatten, men om vinden " +
			"har vänt kan den inte gå.",
		"da": "Havnekontoret er åbent fra ni til fem, og færgen ligger ved kajen når det er højvande, men hvis vinden har " +
			"vendt kan den ikke sejle.",
	}
	for of, text := range texts {
		for language := range commonWords {
			if have := usesWordsOf(text, language); have != (of == language) {
				t.Errorf("a text in %s: common words of %s: %v", of, language, have)
			}
		}
	}
	if usesWordsOf(strings.Repeat("des les ", 10), "fr") {
		t.Error("two words decide")
	}
}

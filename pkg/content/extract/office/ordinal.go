package office

import (
	"strconv"
	"strings"
)

// ordinal writes a number in one of the formats of lists (part 1 §17.18.59). Formats that it does not know become
// decimal numbers.
func ordinal(n int, format string) string {
	if n > 0 {
		switch format {
		case "lowerLetter":
			return letters(n, "abcdefghijklmnopqrstuvwxyz")
		case "upperLetter":
			return letters(n, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
		case "russianLower":
			return letters(n, "абвгдежзиклмнопрстуфхцчшщэюя")
		case "russianUpper":
			return letters(n, "АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЭЮЯ")
		case "lowerRoman":
			return strings.ToLower(roman(n))
		case "upperRoman":
			return roman(n)
		case "ideographTraditional":
			return letters(n, "甲乙丙丁戊己庚辛壬癸")
		case "chineseCounting", "chineseCountingThousand", "taiwaneseCounting", "taiwaneseCountingThousand",
			"japaneseCounting", "ideographDigital", "koreanCounting":
			return chinese(n)
		}
	}
	switch format {
	case "decimalZero":
		if n >= 0 && n < 10 {
			return "0" + strconv.Itoa(n)
		}
	case "none":
		return ""
	}
	return strconv.Itoa(n)
}

// letters writes a number as Word does: after z comes aa, after zz comes aaa.
func letters(n int, alphabet string) string {
	all := []rune(alphabet)
	const most = 20
	return strings.Repeat(string(all[(n-1)%len(all)]), min((n-1)/len(all)+1, most))
}

func roman(n int) string {
	const most = 4_000
	if n >= most {
		return strconv.Itoa(n)
	}
	var out strings.Builder
	values := []int{1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1}
	for i, name := range []string{"M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"} {
		for n >= values[i] {
			out.WriteString(name)
			n -= values[i]
		}
	}
	return out.String()
}

// chinese writes a number below 100 in Chinese characters.
func chinese(n int) string {
	digits := []rune("〇一二三四五六七八九")
	if n >= 100 {
		return strconv.Itoa(n)
	}
	out := ""
	if tens := n / 10; tens > 1 {
		out = string(digits[tens]) + "十"
	} else if tens == 1 {
		out = "十"
	}
	if n%10 > 0 {
		out += string(digits[n%10])
	}
	return out
}

package noise

import (
	_ "embed"
	"iter"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// timewords are the words of CLDR for times, written by measure/timewords.
//
//go:embed timewords.txt
var timewords string

// phrases holds the phrases with which pages write times: words in lower case, joined by spaces, with "#" for a
// number.
type phrases struct {
	whole  map[string]phraseKind
	begins map[string]bool // beginnings of phrases, up to the end of a word
	words  map[string]role
	months map[string]int
}

type phraseKind uint8

const (
	ago    phraseKind = iota + 1 // "# days ago"
	before                       // "# days ago", in languages that write "# days before" in the same way
	near                         // "yesterday", "this week"
)

// timePhrases are parsed on first use.
var timePhrases = sync.OnceValue(func() phrases {
	const shortest = 3 // in runes; a shorter phrase could be part of another word
	p := phrases{map[string]phraseKind{}, map[string]bool{}, map[string]role{}, map[string]int{}}
	for line := range strings.Lines(timewords + "near\ta moment ago\tmoments ago\tjust now\n") {
		kind, words, _ := strings.Cut(strings.TrimSpace(line), "\t")
		for phrase := range strings.SplitSeq(words, "\t") {
			switch {
			case kind == "past":
				p.learn(agoOrBefore(phrase), phrase)
			case number(kind) > 0:
				p.months[phrase] = number(kind)
			case kind != "near":
			case utf8.RuneCountInString(phrase) >= shortest || unspaced([]rune(phrase)[0]) && len(phrase) > shortest:
				p.learn(near, phrase)
			}
		}
	}
	for w := range strings.FieldsSeq(vagueWords) {
		p.words[w] |= isVague
	}
	for w := range strings.FieldsSeq(oneWords) {
		p.words[w] |= isOne
	}
	return p
})

func (p phrases) learn(kind phraseKind, phrase string) {
	key := ""
	for _, t := range tokens(nil, phrase) {
		if t.kind == sign && phrase[t.start] != '#' {
			continue
		}
		if key != "" {
			p.begins[key] = true
			key += " "
		}
		key += strings.ToLower(phrase[t.start:t.end])
	}
	p.whole[key] = kind
	first, _, _ := strings.Cut(key, " ")
	p.words[first] |= opens
}

// bothWays are words that mean "ago" as well as "before". In "3 gün önce", such a word may also be part of a
// deadline.
const bothWays = `önce öncə öň oldin бұрын мурун өмнө قبل پیش پہلے पहले पूर्वी अघि আগে முன் முன்பு മുമ്പ് પહેલાં
ਪਹਿਲਾਂ לפני
	trước 前 전 មុន ກ່ອນ πριν преди пре prije před pred пред prieš pirms წინ առաջ`

func agoOrBefore(phrase string) phraseKind {
	for w := range strings.FieldsSeq(bothWays) {
		if strings.Contains(phrase, w) {
			return before
		}
	}
	return ago
}

// written are words that show that the time in a line is the time of writing. Without such a word, "today" may be the
// day on which a shop is closed.
var written = strings.Fields(`updated edited modified posted published changed revised reviewed created asked answered
	commented replied uploaded submitted joined seen added committed released refreshed synced
	aktualisier geändert bearbeitet veröffentlicht erstellt geschrieben hinzugefügt
	jour actualisé modifié publié ajouté créé posté actualizad editad publicad modificad cread escrito añadid
	aggiornat pubblicat modificat creat aggiunt atualizad criad adicionad
	bijgewerkt gewijzigd geplaatst gepubliceerd toegevoegd uppdatera publicera ändrad opdatere oppdatert publisert
	endret
	ændret päivitetty julkaistu muokattu
	zaktualizowa aktualizow opublikowa dodano edytowan aktualizová upraven publikov zveřejněn přidán aktualizovan
	zverejnen pridan
	обновл опубликов измен добавл отредактиров оновл опубліков додан обновен публикуван актуализ ажурир објављ ažurir
	objavlj posodoblj atnaujin paskelb atjaunin publicēt
	güncelle yayınla düzenle eklendi yenilən ενημερ δημοσι τροποπ frissítve frissült módosít közzétéve actualizat
	publicat
	تحديث نشر تعديل روزرسانی منتشر ویرایش שעודכן עודכן פורסם נערך अपडेट प्रकाशित अद्यतन আপডেট প্রকাশিত
	nhật đăng diperbarui diposting dibuat diedit
	更新 发布 發布 發佈 发表 發表 编辑 編輯 修改 回复 上传 投稿 公開 編集 作成 掲載 업데이트 수정 작성 게시 등록 업로드
	อัปเดต อัพเดต เผยแพร่ แก้ไข โพสต์`)

// isWritten reports whether a line contains one of the words that the variable written lists.
func isWritten(line string) bool {
	line = strings.ToLower(line)
	return slices.ContainsFunc(written, func(w string) bool { return strings.Contains(line, w) })
}

// byline matches a word before an author's name, such as "by".
var byline = regexp.MustCompile(`(?i)(?:^|[|·•∙●] ?)(?:by|von|par|por|di|door|av|af|от|przez|od|文|作者|著者|글)[ :：]`)

// isDateline reports whether a line with several parts says when something was written, or by whom.
func isDateline(line string) bool { return isWritten(line) || byline.MatchString(line) }

// vagueWords may precede the number of a time, as "about" does. oneWords may replace the number.
const (
	vagueWords = `
	about over almost more than less around nearly approximately approx roughly
	über etwa ungefähr fast mehr als weniger knapp rund
	environ presque plus moins de d más mas menos alrededor casi unos unas oltre quasi più meno circa di
	mais cerca quase meer dan ongeveer bijna minder över omkring nästan mer än mindre cirka næsten mere end`
	oneWords = `a an one few several couple ein eine einem einen einer un une una uno um uma een ett en et`
)

// timeReader finds times among the tokens of a line.
type timeReader struct {
	phrases
	tokens []token
	roles  []role // the roles of each token
	line   string
	dated  bool   // the line is part of a longer line that says when something was written
	label  bool   // the line is so short that it may consist of "yesterday" alone
	key    []byte // the part of a phrase that was read so far
	best   int
	steps  int // number of steps in this line, for tests
}

// role is the set of roles that a token may have in a time.
type role uint8

const (
	opens   role = 1 << iota // the token begins a phrase
	isCount                  // the token consists of digits
	isVague                  // the token is a word that may precede the number of a time
	isOne                    // the token is a word for one or a few, in place of a number
)

// begin prepares the reader for a line and its tokens. Only short lines can contain times.
func (r *timeReader) begin(line string, tokens []token, short, dated bool) {
	r.line, r.tokens, r.dated, r.roles, r.steps = line, tokens, dated, r.roles[:0], 0
	if !short {
		return
	}
	r.label = utf8.RuneCountInString(line) <= shortLabel
	if r.whole == nil {
		r.phrases = timePhrases()
	}
	for _, t := range tokens {
		what := role(0)
		switch t.kind {
		case digits:
			what = opens | isCount
		case word:
			what = r.words[t.word]
		}
		r.roles = append(r.roles, what)
	}
}

// at returns the number of tokens of the longest time that begins at i, or 0.
func (r *timeReader) at(i int) int {
	if i >= len(r.roles) || r.roles[i] == 0 {
		return 0
	}
	r.best, r.key = i, r.key[:0]
	r.read(i, i, false)
	return r.best - i
}

// read continues a phrase with the tokens from index i on. The other index is that of the phrase's first token. If
// counted is true, the number of the phrase was already read. The key is always the beginning of some phrase, so
// there are few branches.
func (r *timeReader) read(from, i int, counted bool) {
	if len(r.key) > 0 {
		if kind := r.whole[string(r.key)]; i > r.best && kind > 0 && r.counts(kind, from, i) {
			r.best = i
		}
		if !r.begins[string(r.key)] {
			return
		}
		for i < len(r.tokens) && r.tokens[i].kind == sign && r.tokens[i].end-r.tokens[i-1].end <= 2 {
			i++ // the token is a period after an abbreviation, a hyphen, or a bracket in languages that use one
		}
	}
	if i == len(r.tokens) {
		return
	}
	switch t := r.tokens[i]; {
	case t.kind == digits:
		r.step("#", from, i+numberSize(r.tokens[i:]), true)
	case t.kind == word:
		if i > from || r.roles[i]&opens != 0 {
			r.step(t.word, from, i+1, counted)
		}
		if n := r.vague(i); n > 0 && !counted {
			r.step("#", from, i+n, true)
		}
	}
}

// counts reports whether the phrase between the two tokens is the time at which something was written.
func (r *timeReader) counts(kind phraseKind, from, i int) bool {
	switch kind {
	case ago:
		return true
	case before:
		return r.alone(from, i) || r.dated || isWritten(r.line)
	}
	return r.label && (r.dated || isWritten(r.line))
}

// alone reports whether the line has no words or numbers besides those of the phrase between the two tokens.
func (r *timeReader) alone(from, i int) bool {
	other := func(t token) bool { return t.kind != sign }
	return !slices.ContainsFunc(r.tokens[:from], other) && !slices.ContainsFunc(r.tokens[i:], other)
}

// step reads one more word of the phrase.
func (r *timeReader) step(next string, from, i int, counted bool) {
	r.steps++
	before := len(r.key)
	if before > 0 {
		r.key = append(r.key, ' ')
	}
	r.key = append(r.key, next...)
	r.read(from, i, counted)
	r.key = r.key[:before]
}

// vague returns the number of tokens at index i that express a number vaguely or in words, such as "more than a" and
// "about 3". It returns 0 if there are none.
func (r *timeReader) vague(i int) (n int) {
	const most = 4
	for ; n < most && i+n < len(r.tokens); n++ {
		t, what := r.tokens[i+n], r.roles[i+n]
		switch {
		case t.kind == digits:
			return n + numberSize(r.tokens[i+n:])
		case what&isOne != 0:
			if i+n+1 < len(r.tokens) && r.roles[i+n+1]&isOne != 0 { // "a few"
				n++
			}
			return n + 1
		case what&isVague == 0 && (n == 0 || t.kind != sign || t.start != r.tokens[i+n-1].end): // t is no apostrophe
			return 0
		}
	}
	return 0
}

// numberSize returns the number of tokens that form one number. For example, 1,234.5 has five tokens.
func numberSize(rest []token) int {
	n := 1
	for n+1 < len(rest) && rest[n].kind == sign && rest[n+1].kind == digits &&
		rest[n].start == rest[n-1].end && rest[n].end == rest[n+1].start {
		n += 2
	}
	return n
}

// Month returns the number of the month that a word names in any of the languages of CLDR; 0 for other words. The word
// is in lower case, without a full stop.
func Month(word string) int { return timePhrases().months[word] }

// Months returns the names of months for which [Month] has a number.
func Months() iter.Seq[string] { return maps.Keys(timePhrases().months) }

package field

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// Why an availability is not read.
const (
	noStockWords  = "the words for this availability are not known"
	stockDepends  = "the text says that it depends, or asks"
	stockDiffers  = "the text says that it is available, and that it is not"
	stockOfOthers = "the text does not say that the product itself is available"
)

// readStock reads an availability, as it is declared or as shops write it. What is to come, or is announced by a
// message, is OutOfStock, so that its return is a change.
func readStock(text string) (v Value, why string, ok bool) {
	if text = dom.Fold(text); text == "" {
		return v, "", false
	}
	if name := stockNamed(text); name != "" {
		return Value{Type: Availability, Text: name}, "", true
	}
	if len(text) > maxText {
		return v, "the text is too long for an availability", false
	}
	name, why := stockOf(text)
	if name == "" {
		return v, why, false
	}
	return Value{Type: Availability, Text: name}, "", true
}

// stockStatement is what a statement says: an availability, or why it says none.
type stockStatement struct {
	name  string
	why   string
	weak  bool // it gives way to others
	local bool // it is about a shop or the web alone
	order bool // it says that orders are taken
	book  bool // it says that something can be reserved
}

// stockOf returns the availability that the statements of a text have in common, or why there is none.
func stockOf(text string) (name, why string) {
	all, asked := statementsOf(text)
	notified := slices.ContainsFunc(all, func(s []stockWord) bool { return statement(s).has(isNotify) })
	var said []stockStatement
	why = noStockWords
	for i, s := range all {
		st := statement(s).read(asked[i], notified)
		st.order, st.book = statement(s).has(isOrder), statement(s).has(isBook)
		if st.name != "" || st.order || st.book {
			said = append(said, st)
		}
		why = cmp.Or(st.why, why)
	}
	return commonStock(said, why)
}

// The availabilities in the order in which they prevail over others: orders that are taken, denials, and stock.
var (
	ordersTaken = []string{"PreOrder", "MadeToOrder", "BackOrder"}
	stockDenied = []string{"Discontinued", "SoldOut", "OutOfStock"}
	hasStock    = []string{"LimitedAvailability", "InStoreOnly", "OnlineOnly", "InStock"}
)

// firstOf returns the first of some availabilities that a statement says.
func firstOf(order []string, said []stockStatement, when func(stockStatement) bool) (name string) {
	for _, name := range order {
		if slices.ContainsFunc(said, func(s stockStatement) bool { return s.name == name && when(s) }) {
			return name
		}
	}
	return ""
}

// commonStock returns the availability that several statements make together. What is denied for a shop or the web
// alone does not count beside what is in stock.
func commonStock(said []stockStatement, why string) (name, reason string) {
	strong := func(s stockStatement) bool { return !s.weak }
	always := func(stockStatement) bool { return true }
	orders, has := firstOf(ordersTaken, said, strong), firstOf(hasStock, said, strong)
	denied := firstOf(stockDenied, said, func(s stockStatement) bool { return !s.weak && !s.local })
	anyDenied := firstOf(stockDenied, said, always)
	taken := slices.ContainsFunc(said, func(s stockStatement) bool { return s.order })
	booked := slices.ContainsFunc(said, func(s stockStatement) bool { return s.book })
	switch {
	case has != "" && denied != "" && slices.ContainsFunc(said, func(s stockStatement) bool {
		return s.name == has && s.local
	}):
		return has, ""
	case has != "" && denied != "", has != "" && orders != "" && orders != "BackOrder":
		return "", stockDiffers
	case has != "":
		return has, ""
	case orders != "":
		return orders, ""
	case anyDenied == "OutOfStock" && booked:
		return "PreOrder", ""
	case anyDenied != "" && anyDenied != "Discontinued" && taken:
		return "BackOrder", ""
	case denied != "":
		return denied, ""
	case anyDenied != "":
		return anyDenied, ""
	case taken || firstOf(hasStock, said, always) != "":
		return "InStock", ""
	}
	return "", why
}

// statement is a list of phrases.
type statement []stockWord

func (s statement) has(roles ...role) bool { return s.at(roles...) >= 0 }

// at returns the position of the first phrase with one of some roles; -1 if there is none.
func (s statement) at(roles ...role) int {
	return slices.IndexFunc(s, func(w stockWord) bool { return slices.Contains(roles, w.role) })
}

// unknown counts the words that are not known. Two letters of a script without spaces count as one word.
func (s statement) unknown() (n int) {
	letters := 0
	for _, w := range s {
		if w.role != isUnknown {
			continue
		}
		if r := []rune(w.text); len(r) == 1 && (words.IsSpaceless(r[0]) || unicode.Is(unicode.Hangul, r[0])) {
			letters++
			continue
		}
		n++
	}
	return n + (letters+1)/2
}

// timed returns the statement with each number before a word for hours, days or weeks taken as a time, and a day and a
// month in digits behind a word such as "from" taken as a date. Words for times without a number say nothing.
func (s statement) timed() (out statement) {
	times := []role{ofHours, ofDays, ofWeeks}
	for i, w := range s {
		switch {
		case w.role == isNumber && i+1 < len(s) && slices.Contains(times, s[i+1].role):
			continue
		case w.role == isNumber && i > 0 && s[i-1].role == beforeDate && dayAndMonth.MatchString(w.text):
			w.role = isDate
		case w.role == ofWeeks && i+1 < len(s) && s[i+1].role == isNumber: // week 20
			w.role = isDate
		case slices.Contains(times, w.role) && (i == 0 || s[i-1].role != isNumber):
			w.role = isFiller
		}
		out = append(out, w)
	}
	return out
}

// count returns the number of pieces that a statement names, if it names one.
func (s statement) count() (n int, ok bool) {
	for _, w := range s {
		if w.role == isNumber {
			d, fits := smallInt(w.text)
			return d, fits || w.text != ""
		}
	}
	return 0, false
}

const (
	// maxBeside limits the words that are not known in a statement.
	maxBeside = 8
	// maxDenied limits the words between a denial and what it denies.
	maxDenied = 4
)

// read returns what a statement says. notified is whether a message is offered anywhere in the text.
func (s statement) read(asked, notified bool) (st stockStatement) {
	s = s.timed()
	switch {
	case s.has(isBuy):
		return stockStatement{name: "InStock", weak: true}
	case s.unknown() > maxBeside:
		return stockStatement{why: noStockWords}
	case asked:
		return stockStatement{why: stockDepends}
	}
	if name := s.ordered(); name != "" {
		return stockStatement{name: name}
	}
	st, said := s.denied()
	if !said {
		st, said = s.later(notified)
	}
	if !said {
		st = s.present()
	}
	st.local = s.has(inShop, onWeb)
	return st
}

// ordered returns the availability of a statement that takes orders for what is not in stock.
func (s statement) ordered() string {
	at := s.at(isPre, isMade, isBack, onAsk)
	switch {
	case s.has(isContact) && s.has(isNoun, isAble, isStock) && !s.has(isOut, isSold, isGone):
		return "BackOrder"
	case at < 0 || s.negated(at) || s.has(isIf, isEnded):
		return ""
	case s.has(isPre):
		return "PreOrder"
	case s.has(isMade):
		return "MadeToOrder"
	case s.has(isNotify) || s.has(isStock):
		return ""
	}
	return "BackOrder"
}

// negated reports whether a phrase is denied: a word before it, with few words between, or one at the end.
func (s statement) negated(at int) bool {
	for i := at - 1; i >= max(0, at-maxDenied); i-- {
		if w := s[i].role; w == isNot || w == isNoLonger || w == isNone {
			return true
		}
	}
	end := s[len(s)-1].role
	return at < len(s)-1 && (end == isNot || end == isNone || s[at+1].role == isNot)
}

// denied reads a statement that says that there is none.
func (s statement) denied() (st stockStatement, said bool) {
	if at := s.at(isGone, isSold, isOut); at >= 0 {
		return s.deniedAt(at), true
	}
	none := stockStatement{name: "OutOfStock"}
	n, counted := s.count()
	switch zero := counted && n == 0 || s.has(isNone); {
	case zero && s.has(isStock, isAble, isShip, isLeft, isPiece, isNoun), s.has(isEnded) && s.has(isNoun, ofOther, isPre):
		return none, true
	}
	at := s.at(isStock, isAble, isShip)
	if at < 0 {
		at = s.at(isNoun, isPiece)
	}
	if at < 0 || !s.negated(at) {
		return st, false
	}
	before := s[:at]
	switch {
	case before.has(ofOther, isSend):
		return stockStatement{why: stockOfOthers}, true
	case s.has(isMaybe, isIf):
		return stockStatement{why: stockDepends}, true
	case before.has(isNoLonger):
		return stockStatement{name: "Discontinued"}, true
	}
	return none, true
}

// deniedAt reads a statement with a word that denies, such as sold out.
func (s statement) deniedAt(at int) stockStatement {
	const near = 2 // words
	switch before := s[max(0, at-near):at]; {
	case before.has(isAlmost), before.has(isSoon):
		return stockStatement{name: "LimitedAvailability"}
	case before.has(isNot), s.has(isMaybe, isIf, isPast) && !s.has(isNow):
		return stockStatement{why: stockDepends}
	case s[:at].has(ofOther, isSend):
		return stockStatement{why: stockOfOthers}
	}
	name := map[role]string{isGone: "Discontinued", isSold: "SoldOut", isOut: "OutOfStock"}[s[at].role]
	return stockStatement{name: name}
}

// later reads a statement about a time to come, or about what holds only on a condition.
func (s statement) later(notified bool) (st stockStatement, said bool) {
	has := s.at(isStock, isAble, isShip, isNoun)
	late := stockStatement{name: "OutOfStock", weak: has < 0}
	soon := s.at(isSoon, isWhen)
	switch {
	case s.has(isNotify) && s.has(ofOther, isMaybe) && has < 0:
		return stockStatement{why: stockOfOthers}, true
	case s.has(isNotify):
		return late, true
	case s.has(isWhen) && (has >= 0 || s.has(isSoon)):
		return late, true
	case has >= 0 && s.has(isIf, isUntil):
		if notified {
			return late, true
		}
		return stockStatement{why: stockDepends}, true
	case soon >= 0 && s.has(isSend) && soon > has: // the time is of the delivery
	case s.has(isSoon) && (has >= 0 || s.unknown() <= maxDenied && !s.has(ofOther, isSend)):
		return late, true
	case has < 0 || s.has(isSend):
	case s[:has].has(ofOther):
		return stockStatement{why: stockOfOthers}, true
	case s.dated(has):
		return late, true
	case s.has(ofDays):
		return stockStatement{why: stockDepends}, true
	}
	return st, false
}

// dated reports whether a date or a long time stands in a statement with a word of availability.
func (s statement) dated(has int) bool {
	if s[has].role == isShip && !s.has(isDate) {
		return s.has(ofWeeks)
	}
	return s.has(isDate, ofWeeks)
}

// present reads a statement about the present.
func (s statement) present() stockStatement {
	const beside = 2 // words that are not known
	n, counted := s.count()
	some, few := counted && n > 0, stockStatement{name: "LimitedAvailability"}
	isStated := s.unknown() == 0 && !s.has(isMaybe, ofOther)
	switch {
	case s.has(isPast):
		return stockStatement{why: stockDepends}
	case s.has(isFew):
		return few
	case (some || s.has(isOnly)) && s.has(isLeft) && s.unknown() <= beside && !s.has(ofHours, ofDays, ofWeeks):
		return few
	case some && s.has(isOnly) && s.has(isStock, isAble, isShip, isPiece):
		return few
	case some && isStated && s.has(isNoun), isStated && s.has(isNoun) && s.has(isYes, isNow):
		return stockStatement{name: "InStock"}
	}
	return s.available()
}

// available reads a statement whose words say that there is something.
func (s statement) available() stockStatement {
	at := s.at(isStock)
	if at < 0 {
		at = s.at(isAble, isShip)
	}
	switch {
	case at < 0 && !s.has(isMaybe):
		return stockStatement{}
	case at < 0, s.has(isMaybe):
		return stockStatement{why: stockDepends}
	case s.has(isOnly) && s.has(inShop):
		return stockStatement{name: "InStoreOnly"}
	case s.has(isOnly) && s.has(onWeb):
		return stockStatement{name: "OnlineOnly"}
	case s.has(isOnly), s[:at].has(ofOther):
		return stockStatement{why: stockOfOthers}
	case s[at].role != isStock && (s.unknown() > 0 || s[:at].has(isSend) || s.has(ofOther)):
		return stockStatement{why: stockOfOthers}
	}
	return stockStatement{name: "InStock"}
}

// stockInWords returns the name of an availability as words: OutOfStock is out of stock.
func stockInWords(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// stocks maps availabilities, in lower case and without spaces and signs, to their names at schema.org.
var stocks = func() map[string]string {
	all := map[string]string{"oos": "OutOfStock", "instoreonly": "InStoreOnly", "available": "InStock",
		"availablefororder": "BackOrder", "unavailable": "OutOfStock", "notavailable": "OutOfStock", "true": "InStock",
		"false": "OutOfStock", "outstock": "OutOfStock"}
	for name := range strings.FieldsSeq(`InStock OutOfStock PreOrder PreSale BackOrder Discontinued InStoreOnly OnlineOnly
		LimitedAvailability SoldOut MadeToOrder Reserved`) {
		all[strings.ToLower(name)] = name
	}
	return all
}()

// stockNamed returns the name at schema.org of an availability that is declared for programs; "" if there is none.
func stockNamed(text string) string {
	name := strings.TrimRight(text, "/")
	if !strings.Contains(text, " ") { // an address, or a name with a prefix
		name = name[strings.LastIndexAny(name, "/:#")+1:]
	}
	plain := strings.Map(func(r rune) rune {
		if strings.ContainsRune(" _-", r) {
			return -1
		}
		return r
	}, strings.ToLower(name))
	return stocks[plain]
}

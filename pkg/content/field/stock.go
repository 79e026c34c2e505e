package field

import (
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

// stockStatement is what a statement says: an availability, or why it says none. A weak one gives way to others.
type stockStatement struct {
	name string
	why  string
	weak bool
}

// stockOf returns the availability that the statements of a text have in common, or why there is none.
func stockOf(text string) (name, why string) {
	var said, weak []string
	why = noStockWords
	all, asked := statementsOf(text)
	notified := slices.ContainsFunc(all, func(s []stockWord) bool { return statement(s).has(isNotify) })
	for i, s := range all {
		st := statement(s).read(asked[i], notified)
		switch {
		case st.name == "":
			if st.why != "" {
				why = st.why
			}
		case st.weak:
			weak = append(weak, st.name)
		default:
			said = append(said, st.name)
		}
	}
	if len(said) == 0 {
		said = weak
	}
	return commonStock(said, why)
}

// The availabilities in the order in which they prevail over others: orders that are taken, denials, and stock.
var (
	takesOrders = []string{"PreOrder", "MadeToOrder", "BackOrder"}
	deniesStock = []string{"Discontinued", "SoldOut", "OutOfStock"}
	hasStock    = []string{"LimitedAvailability", "InStoreOnly", "OnlineOnly", "InStock"}
)

// commonStock returns the availability that several statements make together.
func commonStock(said []string, why string) (name, reason string) {
	if len(said) == 0 {
		return "", why
	}
	first := func(order []string) string {
		for _, name := range order {
			if slices.Contains(said, name) {
				return name
			}
		}
		return ""
	}
	orders, denied, has := first(takesOrders), first(deniesStock), first(hasStock)
	switch {
	case has != "" && orders != "", has != "" && denied != "" && has != "InStoreOnly":
		return "", stockDiffers
	case orders != "":
		return orders, ""
	case has != "":
		return has, ""
	}
	return denied, ""
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

// timed returns the statement with each number before a word for hours, days or weeks taken as a time.
func (s statement) timed() (out statement) {
	for i, w := range s {
		if w.role == isNumber && i+1 < len(s) && slices.Contains([]role{ofHours, ofDays, ofWeeks}, s[i+1].role) {
			continue
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
func (s statement) read(asked, notified bool) stockStatement {
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
	if st, said := s.denied(); said {
		return st
	}
	if st, said := s.later(notified); said {
		return st
	}
	return s.present()
}

// ordered returns the availability of a statement that takes orders for what is not in stock.
func (s statement) ordered() string {
	at := s.at(isPre, isMade, isBack, onAsk)
	switch {
	case at < 0 || s.negated(at) || s.has(isIf):
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
	out := func(name string) (stockStatement, bool) { return stockStatement{name: name}, true }
	if at := s.at(isGone, isSold, isOut); at >= 0 {
		w := s[at].role
		switch {
		case at > 0 && (s[at-1].role == isAlmost || s[at-1].role == isSoon):
			return out("LimitedAvailability")
		case at > 0 && s[at-1].role == isNot, s.has(isMaybe, isIf, isPast) && !s.has(isNow):
			return stockStatement{why: stockDepends}, true
		case s.has(ofOther) && s.at(ofOther) < at:
			return stockStatement{why: stockOfOthers}, true
		}
		return out(map[role]string{isGone: "Discontinued", isSold: "SoldOut", isOut: "OutOfStock"}[w])
	}
	n, counted := s.count()
	if zero := counted && n == 0 || s.has(isNone); zero && s.has(isStock, isAble, isShip, isLeft, isPiece, isNoun) {
		return out("OutOfStock")
	}
	at := s.at(isStock, isAble, isShip)
	if at < 0 {
		at = s.at(isNoun)
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
		return out("Discontinued")
	}
	return out("OutOfStock")
}

// later reads a statement about a time to come, or about what holds only on a condition.
func (s statement) later(notified bool) (st stockStatement, said bool) {
	has := s.at(isStock, isAble, isShip, isNoun)
	switch {
	case s.has(isNotify):
		if s.has(ofOther) && has < 0 {
			return stockStatement{why: stockOfOthers}, true
		}
		return stockStatement{name: "OutOfStock", weak: has < 0}, true
	case s.has(isWhen) && (has >= 0 || s.has(isSoon)):
		return stockStatement{name: "OutOfStock", weak: has < 0}, true
	case has >= 0 && s.has(isIf):
		if notified {
			return stockStatement{name: "OutOfStock"}, true
		}
		return stockStatement{why: stockDepends}, true
	case s.has(isSoon):
		if s.has(ofOther) && has < 0 || s.has(isSend) && has < 0 {
			return st, false
		}
		return stockStatement{name: "OutOfStock", weak: has < 0}, true
	case has < 0 || s.has(isSend):
		return st, false
	case s.dated(has):
		return stockStatement{name: "OutOfStock"}, true
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
	n, counted := s.count()
	switch {
	case s.has(isPast):
		return stockStatement{why: stockDepends}
	case s.has(isFew):
		return stockStatement{name: "LimitedAvailability"}
	case counted && n > 0 && s.has(isLeft) && s.unknown() <= 2,
		s.has(isLeft) && s.has(isOnly) && s.unknown() <= 2:
		return stockStatement{name: "LimitedAvailability"}
	case counted && n > 0 && s.has(isOnly) && s.has(isStock, isAble, isShip, isPiece):
		return stockStatement{name: "LimitedAvailability"}
	case counted && n > 0 && s.has(isNoun) && s.unknown() == 0 && !s.has(isMaybe, ofOther):
		return stockStatement{name: "InStock"}
	case s.has(isNoun) && s.has(isYes, isNow) && s.unknown() == 0 && !s.has(isMaybe, ofOther):
		return stockStatement{name: "InStock"}
	case s.has(isSend) && s.has(ofHours, isNow) && s.unknown() == 0 && !s.has(isMaybe, ofOther, isOnly):
		return stockStatement{name: "InStock", weak: true}
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
	case at < 0:
		if s.has(isMaybe) {
			return stockStatement{why: stockDepends}
		}
		return stockStatement{}
	case s.has(isMaybe):
		return stockStatement{why: stockDepends}
	case s.has(isOnly) && s.has(inShop):
		return stockStatement{name: "InStoreOnly"}
	case s.has(isOnly) && s.has(onWeb):
		return stockStatement{name: "OnlineOnly"}
	case s.has(isOnly), s.has(ofOther), s[at].role != isStock && (s.unknown() > 0 || s[:at].has(isSend)):
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

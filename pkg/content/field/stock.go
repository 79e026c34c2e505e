package field

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// Why an availability is not read.
const (
	noStockWords  = "its words do not say whether it is in stock"
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
		return v, "the text is too long to say whether it is in stock", false
	}
	name, why := stockOf(text)
	if name == "" {
		return v, why, false
	}
	return Value{Type: Availability, Text: name}, "", true
}

// stockStatement is what a statement says: an availability, or why it says none.
type stockStatement struct {
	name    string
	why     string
	weak    bool // it gives way to others
	local   bool // it is about a shop, the web or a way of delivery alone
	order   bool // it says that orders are taken
	book    bool // it says that something can be reserved
	part    bool // it denies a way of delivery
	partly  bool // something else is available, or it speaks of orders, and what it says is not known
	denying bool // it denies something that is not known
	ifNone  bool // it says what holds if there is none
}

// stockOf returns the availability that the statements of a text have in common, or why there is none.
func stockOf(text string) (name, why string) {
	all, asked := statementsOf(text)
	anyHas := func(r role) bool {
		return slices.ContainsFunc(all, func(s []stockWord) bool { return statement(s).has(r) })
	}
	notified, released := anyHas(isNotify), anyHas(isRelease)
	said, parts := make([]stockStatement, len(all)), 0
	why = noStockWords
	for i, s := range all {
		said[i] = statement(s).state(asked[i], notified, released)
		why = cmp.Or(said[i].why, why)
		if said[i].part {
			parts++
		}
	}
	name, why = commonStock(said, why)
	either := func(is func(stockStatement) bool) bool { return slices.ContainsFunc(said, is) }
	switch {
	case name == "" && parts > 1: // no way is left
		return "OutOfStock", ""
	case slices.Contains(stockDenied, name) && either(func(s stockStatement) bool { return s.partly }),
		slices.Contains(hasStock, name) && either(func(s stockStatement) bool { return s.denying }):
		return "", stockDiffers
	}
	return name, why
}

// state returns all that a statement says. notified and released are whether a message is offered, and a release is to
// come, anywhere in the text.
func (s statement) state(asked, notified, released bool) stockStatement {
	st := s.read(asked, notified)
	if asked {
		return st
	}
	st.order = s.affirms(isOrder) || s.has(isCan) && s.affirms(isBuying)
	st.book = s.affirms(isBook)
	if released && (st.order || st.book) && st.name != "OutOfStock" {
		st.name, st.book = "PreOrder", true
	}
	if st.name == "" && !st.order {
		st.partly = s.has(isBuying) || st.why == stockOfOthers && s.affirms(isStock)
		st.ifNone = s.has(isIf, isWhen) && s.has(isOut, isSold, isNot, isNo)
		st.denying = s.has(isNot, isNo, isNoLonger, isNone) && s.unknown() > 0 && !s.has(ofOther, isSend, isPickup)
	}
	return st
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
	case orders == "PreOrder" && firstOf(ordersTaken[1:], said, strong) != "" && !booked:
		return "", stockDiffers
	case orders != "":
		return orders, ""
	case anyDenied == "OutOfStock" && booked:
		return "PreOrder", ""
	case anyDenied != "" && anyDenied != "Discontinued" && taken:
		return "BackOrder", ""
	case denied != "":
		return denied, ""
	case anyDenied != "" && slices.ContainsFunc(said, func(s stockStatement) bool { return s.ifNone }):
		return "", stockDepends
	case anyDenied != "":
		return anyDenied, ""
	case firstOf(hasStock, said, always) != "":
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

// affirms reports whether the statement has a phrase with a role, and does not deny it.
func (s statement) affirms(r role) bool { return s.has(r) && s.negatedOf(r) < 0 }

// unknown counts the words that are not known. Two letters of a script without spaces count as one word.
func (s statement) unknown() (n int) {
	letters := 0
	for _, w := range s {
		if w.role != isUnknown && w.role != isBuying {
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
		case w.role == isDate && s.isPart(i):
			w.role = isNumber
		case w.role == ofRange && s.countsFew():
			if w.text != "" {
				out = append(out, stockWord{role: isNumber, text: w.text})
			}
			w.role = isPiece
		case w.role == isNumber && i > 0 && s[i-1].role == beforeDate && dayAndMonth.MatchString(w.text):
			w.role = isDate
		case w.role == ofWeeks && i+1 < len(s) && s[i+1].role == isNumber: // week 20
			w.role = isDate
		case w.role == isCan && !s.has(isBuying):
			w.role = isMaybe
		case slices.Contains(times, w.role) && (i == 0 || s[i-1].role != isNumber):
			w.role = isFiller
		case slices.Contains(times, w.role):
			w.text = s[i-1].text
		}
		out = append(out, w)
	}
	return out
}

// isPart reports whether what may be a date in digits is a part of all places, as in "3/20 left".
func (s statement) isPart(i int) bool {
	beside := func(i int) bool {
		return i >= 0 && i < len(s) && slices.Contains([]role{isLeft, isPiece, isAble}, s[i].role)
	}
	return strings.Count(s[i].text, "/") == 1 && (beside(i-1) || beside(i+1))
}

// countsFew reports whether a statement counts pieces of one product, as in "5 items", and not of a shop.
func (s statement) countsFew() bool {
	for i, w := range s {
		isTime := i+1 < len(s) && slices.Contains([]role{ofHours, ofDays, ofWeeks}, s[i+1].role)
		if (w.role == isNumber && !isTime || w.role == ofRange && w.text != "") && !isThousands.MatchString(w.text) {
			return true
		}
	}
	return s.has(isFew, isLeft)
}

// isThousands matches numbers from 1000.
var isThousands = regexp.MustCompile(`^(\d{4,}|\d{1,3}([.,' ]\d{3})+)$`)

// count reports whether a statement names a number of pieces that is not 0, and whether it names 0. Of "2 of 10" or
// "2/10" the first counts.
func (s statement) count() (some, zero bool) {
	for _, w := range s {
		if w.role == isNumber {
			first, _, _ := strings.Cut(w.text, "/")
			isZero := strings.Trim(first, "0") == ""
			some, zero = some || !isZero, zero || isZero
		}
	}
	return some && !zero, zero
}

const (
	// maxBeside limits the words that are not known in a statement.
	maxBeside = 4
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
	case s.has(ofRange) && !s.has(isGone):
		return stockStatement{why: stockOfOthers}
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
	st.local = s.has(inShop, onWeb, isPickup) || slices.Contains(stockDenied, st.name) && s.has(isSend)
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
	case s[:at].has(ofOther) && !s.has(isNoun, isAble, isStock):
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

// negated reports whether a phrase is denied: by a word before it, with few words between of which at most one is not
// known, or by one behind it.
func (s statement) negated(at int) bool {
	unknown := 0
	for i := at - 1; i >= max(0, at-maxDenied) && unknown < 2; i-- {
		switch s[i].role {
		case isNot, isNo, isNoLonger, isNone:
			return true
		case isUnknown:
			unknown++
		}
	}
	if at == len(s)-1 {
		return false
	}
	end := s[len(s)-1].role
	return end == isNot || end == isNo || end == isNone || s[at+1].role == isNot || s[at+1].role == isNoLonger
}

// negatedOf returns the position of the first phrase with one of some roles if it is denied; -1 otherwise.
func (s statement) negatedOf(roles ...role) int {
	if at := s.at(roles...); at >= 0 && s.negated(at) {
		return at
	}
	return -1
}

// denied reads a statement that says that there is none.
func (s statement) denied() (st stockStatement, said bool) {
	if at := s.at(isGone, isSold, isOut); at >= 0 {
		return s.deniedAt(at), true
	}
	if at := s.at(isSell); at >= 0 && s.unknown() < maxDenied && !s.has(isNumber, isNot, isNo, isStock, isAble) {
		return s.deniedAt(at), true
	}
	none := stockStatement{name: "OutOfStock"}
	some, zero := s.count()
	switch {
	case (zero || s.has(isNone)) && s.has(isStock, isAble, isShip, isLeft, isPiece, isNoun),
		s.has(isEnded) && s.has(isNoun, ofOther, isPre):
		return none, true
	}
	at := s.negatedOf(isStock, isAble, isShip)
	if at < 0 {
		at = s.negatedOf(isNoun, isPiece, isOrder, isBack, isBuying)
	}
	if at < 0 && !some {
		at = s.negatedOf(isLeft)
	}
	if at < 0 {
		return st, false
	}
	before := s[:at]
	switch {
	case before.has(ofOther, isSend, isPickup):
		return stockStatement{why: stockOfOthers, part: !before.has(ofOther)}, true
	case s.has(isMaybe, isIf):
		return stockStatement{why: stockDepends}, true
	case before.has(isNoLonger), at+1 < len(s) && s[at+1].role == isNoLonger:
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
	case before.has(isNot, isNo), s[:at].has(isWhen), s.has(isMaybe, isIf, isPast) && !s.has(isNow):
		return stockStatement{why: stockDepends}
	case s[:at].has(ofOther, isSend, isPickup):
		return stockStatement{why: stockOfOthers, part: !s[:at].has(ofOther)}
	}
	return stockStatement{name: map[role]string{isGone: "Discontinued", isSold: "SoldOut", isSell: "SoldOut",
		isOut: "OutOfStock"}[s[at].role]}
}

// later reads a statement about a time to come, or about what holds only on a condition.
func (s statement) later(notified bool) (st stockStatement, said bool) {
	has := s.at(isStock, isAble, isShip, isNoun)
	late := stockStatement{name: "OutOfStock", weak: has < 0}
	soon := s.at(isSoon, isWhen, isRelease)
	switch {
	case s.has(isNotify) && s.has(ofOther, isMaybe) && has < 0:
		return stockStatement{why: stockOfOthers}, true
	case s.has(isNotify):
		return late, true
	case s.has(isWhen) && s[:s.at(isWhen)].promises(): // what holds for each delivery
		return stockStatement{why: stockDepends}, true
	case s.has(isWhen) && (has >= 0 || s.has(isSoon, isRelease)):
		return late, true
	case has < 0 && s.has(isRelease) && s.hasYear(): // it may have passed
		return stockStatement{why: stockDepends}, true
	case has >= 0 && s.has(isIf, isUntil):
		if notified {
			return late, true
		}
		return stockStatement{why: stockDepends}, true
	case soon >= 0 && s.has(isSend) && soon > has: // the time is of the delivery
	case s.has(isSoon, isRelease) && (has >= 0 || s.unknown() <= 1 && !s.has(ofOther, isSend)):
		return late, true
	case has < 0 || s.has(isSend):
	case s[:has].has(ofOther):
		return stockStatement{why: stockOfOthers}, true
	case s.dated(has):
		return late, true
	case s.has(ofDays) && !(s[has].role == isShip && fewDays.MatchString(s[s.at(ofDays)].text)):
		return stockStatement{why: stockDepends}, true
	}
	return st, false
}

// promises reports whether a part of a statement says that there is something, or how fast it is sent.
func (s statement) promises() bool {
	return s.has(isStock) || s.has(isSend) && s.has(isNow, ofHours, ofDays)
}

// fewDays matches up to a week, in which a shop sends what it has.
var fewDays = regexp.MustCompile(`^([1-7]\D+)?[1-7]$`)

// hasYear reports whether a statement names a year.
func (s statement) hasYear() bool {
	return slices.ContainsFunc(s, func(w stockWord) bool { return namesYear.MatchString(w.text) })
}

var namesYear = regexp.MustCompile(`\b(19|20)\d\d\b`)

// dated reports whether a date or a long time stands in a statement with a word of availability.
func (s statement) dated(has int) bool {
	if s.has(isPickup) && !s.has(beforeDate, isNumber) { // the name of a place
		return false
	}
	if s[has].role == isShip && !s.has(isDate) {
		return s.has(ofWeeks)
	}
	return s.has(isDate, ofWeeks)
}

// present reads a statement about the present.
func (s statement) present() stockStatement {
	const beside = 2 // words that are not known
	some, _ := s.count()
	few := stockStatement{name: "LimitedAvailability"}
	isStated := s.unknown() == 0 && !s.has(isMaybe, ofOther)
	switch {
	case s.has(isPast, isSell):
		return stockStatement{why: stockDepends}
	case s.has(isPickup) && s.has(isNow, ofHours, isAble) && !s.has(isNot, isNo, isSoon) &&
		s.unknown() <= beside:
		return stockStatement{name: "InStock"}
	case s.has(isFew) && s.has(isMaybe):
		return stockStatement{why: stockDepends}
	case s.has(isFew):
		return few
	case (some || s.has(isOnly)) && s.has(isLeft) && s.unknown() <= beside && !s.has(ofHours, ofDays, ofWeeks):
		return few
	case some && s.has(isOnly) && s.has(isStock, isAble, isShip, isPiece):
		return few
	case some && s.counted(isAble) && !s.has(isMaybe, ofOther, isSend, isOnly, isNot, isNo, ofHours, ofDays, ofWeeks):
		return stockStatement{name: "InStock"}
	case some && isStated && s.has(isNoun), isStated && s.has(isNoun) && s.has(isYes, isNow),
		s.unknown() < beside && s.has(isYes) && s.has(inShop, onWeb) && !s.has(isMaybe, ofOther):
		return stockStatement{name: "InStock"}
	}
	return s.available()
}

// counted reports whether a number counts what a phrase with a role is said of: "6 available", "available: 6".
func (s statement) counted(r role) bool {
	at := s.at(r)
	if at < 0 {
		return false
	}
	near := s[max(0, at-1):min(len(s), at+2)]
	return near.has(isNumber) || at > 1 && s[at-1].role == isPiece && s[at-2].role == isNumber
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
	case s.has(isOnly), s[:at].has(ofOther), s[:at].namesOther() && !s.has(inShop):
		return stockStatement{why: stockOfOthers}
	case s.has(isNot, isNo, isNoLonger) && s.unknown() > 0:
		return stockStatement{why: stockDiffers}
	case s[at].role != isStock && ((s.unknown() > 0 && !s.has(inShop)) || s[:at].has(isSend) || s.has(ofOther)):
		return stockStatement{why: stockOfOthers}
	}
	return stockStatement{name: "InStock"}
}

// namesOther reports whether words that are not known say of what there is something: all but one beside a count. In
// scripts without spaces they are not told from others.
func (s statement) namesOther() bool {
	unknown := 0
	for _, w := range s {
		if w.role == isUnknown && utf8.RuneCountInString(w.text) > 1 {
			unknown++
		}
	}
	some, _ := s.count()
	return unknown > 1 || unknown == 1 && !(some && s.countsFew())
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

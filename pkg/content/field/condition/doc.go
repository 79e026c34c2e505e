// Package condition decides whether a change of a field is one that a rule wants: the price is below 80 EUR, lower than
// ever, has changed by 10 %, or the product is available again.
//
// # Once
//
// A condition fires when a check finds that it holds, and the check before did not. So it fires once, and is armed
// again when it holds no longer. Whether it fires follows from a [field.Change] alone, which has both moments; nothing
// is kept of a condition. That holds for differences from the previous value, too: of two that come at two checks in a
// row, the first fires. At the first check of a field a condition fires only if it asks for that.
//
// # What holds
//
// A value is compared with a constant, or with what earlier checks found: the previous, first, lowest or highest
// value. A comparison does not hold if there is no value, nothing to compare with, or if the two cannot be compared:
//
//   - Numbers and amounts are compared exactly. Amounts have to be of one currency, and for one unit such as a month. A
//     constant that names no currency is compared with amounts of every currency, and one that names no unit with
//     amounts for every unit.
//   - Of a range of prices, and of "from 9.90", the lowest price is compared, because that is the price a reader asks
//     about.
//   - Dates are ordered, and compared as precisely as the constant is: 2026-11-27 equals each time on that day.
//   - Texts and availabilities are equal or not; no other comparison holds for them. Availabilities may be given in
//     words.
//   - Only numbers and amounts have a difference. Any other value differs from zero by every percentage.
//
// "Went from … to …" is about the last value that was seen, so an interval without a value does not matter to it. With
// neither of the two it is any change: it fires at each value that differs from the last one that was seen.
package condition

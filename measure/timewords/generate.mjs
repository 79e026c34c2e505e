// Writes pkg/content/extract/noise/timewords.txt: how languages say relative times and name months, by the Unicode
// CLDR data in Node.js:
//
//	node measure/timewords/generate.mjs > pkg/content/extract/noise/timewords.txt
//
// Each line is one list for all languages: phrases for a time some units ago, with # for the number; phrases for days,
// weeks, months and years near today; words for today alone; the names of weekdays; and the names of each month.

const codes = `af am ar as az be bg bn bs ca cs cy da de el en es et eu fa fi fil fr ga gl gu he hi hr hu hy id is it
  ja ka kk km kn ko ky lo lt lv mk ml mn mr ms my nb ne nl or pa pl ps pt ro ru sd si sk sl so sq sr sr-Latn sv sw ta
  te th tk tr uk ur uz vi yue zh zh-Hant zu`.split(/\s+/);
const locales = Intl.RelativeTimeFormat.supportedLocalesOf(codes);
const units = ["second", "minute", "hour", "day", "week", "month", "year"];
// Numbers with a separate plural form in some language.
const numbers = [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 20, 21, 22, 31, 100, 101, 102];

// plain is a phrase in lower case, with # for its number.
const plain = (s) => s.toLowerCase().normalize("NFC").replace(/\p{Nd}+/gu, "#").replace(/\u200f|\u200e/g, "").trim();

const past = new Set(), near = new Set(), today = new Set(), weekdays = new Set();
const months = Array.from({ length: 12 }, () => new Set());
for (const locale of locales) {
  for (const style of ["long", "short", "narrow"]) {
    const counted = new Intl.RelativeTimeFormat(locale, { style, numeric: "always" });
    const named = new Intl.RelativeTimeFormat(locale, { style, numeric: "auto" });
    for (const unit of units) {
      for (const n of numbers) {
        // Hebrew repeats the number after its word for two.
        const phrase = plain(counted.format(-n, unit)).replace(/ \(#\)$/, "");
        // Some narrow styles express the past only by a sign, as in "-3 d".
        if (!/[-−‒–]\s?#/.test(phrase)) past.add(phrase);
      }
      for (const n of unit === "hour" || unit === "minute" ? [] : [0, -1, -2]) {
        const phrase = plain(named.format(n, unit));
        if (!phrase.includes("#")) near.add(phrase);
      }
    }
  }
  today.add(plain(new Intl.RelativeTimeFormat(locale, { numeric: "auto" }).format(0, "day")));
  for (const weekday of ["long", "short"]) {
    const named = new Intl.DateTimeFormat(locale, { weekday, timeZone: "UTC" });
    for (let d = 1; d <= 7; d++) weekdays.add(plain(named.format(new Date(Date.UTC(2025, 5, d)))).replace(/\.$/, ""));
  }
  for (const month of ["long", "short"]) {
    for (let m = 0; m < 12; m++) {
      const day = new Date(Date.UTC(2025, m, 3));
      for (const shape of [{ month }, { month, day: "numeric", year: "numeric" }]) {
        const parts = new Intl.DateTimeFormat(locale, { ...shape, timeZone: "UTC", calendar: "gregory" }).formatToParts(day);
        const name = plain(parts.find((p) => p.type === "month")?.value ?? "").replace(/\.$/, "");
        if (/^\p{L}[\p{L}\p{M}]+$/u.test(name)) months[m].add(name);
      }
    }
  }
}
// A name that languages use for different months, such as "listopad" in Croatian and Czech, is left out.
const often = {};
for (const names of months) for (const name of names) often[name] = (often[name] ?? 0) + 1;

const line = (kind, words) => console.log(kind + "\t" + [...words].sort().join("\t"));
line("past", past);
line("near", [...near].filter((w) => !past.has(w)));
line("today", today);
line("weekday", weekdays);
months.forEach((names, m) => line(String(m + 1), [...names].filter((name) => often[name] === 1)));

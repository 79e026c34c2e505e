package searchtest

import "strings"

// HostileQueries are texts that break careless parsers: query syntax of several engines, quotes, control characters,
// private characters and long runs. They are used as queries, as texts of pages, and as seeds for fuzzing. Each is
// within the bounds of the port.
var HostileQueries = []string{
	`"`, `""`, `"""`, `" "`, `"*`, `*`, `**`, `* *`, `-`, `+`, `^`, `(`, `)`, `()`, `((((`, `{`, `}`, `:`, `;`, `'`, `''`,
	`\`, `\"`,
	`AND`, `OR`, `NOT`, `NEAR`, `NOT noon`, `noon NOT`, `noon AND`, `OR OR OR`, `NEAR(noon midnight, 5)`,
	`noon NEAR/2 midnight`,
	`title:noon`, `title : noon`, `{title body} : noon`, `-title:noon`, `- {title} : noon`, `^noon`, `noon + midnight`,
	`noon^5`, `noon~2`,
	`body:*`, `*:*`, `/no.n/`, `no?n`, `noon && midnight || !x`, `a"b"c`, `"a" "b`, `"noon"midnight`, `"noon*"`, `noon**`,
	`'; DROP TABLE pages; --`, `") OR 1=1 --`, `fts`, `rank`, `rowid:1`, `integrity-check`, `$filter`,
	`search.ismatch('x')`,
	"\x00", "noon\x00midnight", "\x1a", "\r\n\t", "\xff\xfe", "a\xc3", "\ufeffnoon", "\ufffd", "noo\u00adn",
	"\u200b", "no\u200bon", "\u200d", "\ufdd0", "\ufdd1noon\ufdd0", "\ufdd0\ufdd0\ufdd1", "\ue000noon\ue001", "\U000f0000",
	"\u0301", "\u0301\u0301*", "e\u0301*",
	"港", "港*", `"港池"*`, "港\u200b池", "ก็", "\U0001F1E9\U0001F1EA", "𝔑𝔬𝔬𝔫", "Ǆ", "ﬁ", "ß", "İ", "\u1e9e", "ΣΑΣ",
	"<b>noon</b>", "&lt;", "<script>alert(1)</script>", "%s%n", "${jndi:ldap://x}", "{{7*7}}",
	strings.Repeat("(", 999), strings.Repeat(`"`, 999), strings.Repeat(`" `, 499), strings.Repeat("a ", 499),
	strings.Repeat("NOT ", 249),
	strings.Repeat("港", 999), strings.Repeat("a*", 499), strings.Repeat("a-", 499), strings.Repeat("\u0301", 999),
	strings.Repeat("x", 999),
}

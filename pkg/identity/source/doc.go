// Package source gives every web address one identity: however a URL is written, it becomes one
// normalized text, one id and one partition, and nothing secret is left in any of them.
//
// It implements A1, A2, A4 and A5 of the requirements and spec 003 §3. It knows no context, no
// clock and no network, and it is what the "url" in lineage.Current stands for: golden files fail
// when its output changes and that number does not.
//
// # Rules, in order
//
//  1. Read as browsers do (WHATWG URL standard): surrounding blanks, tabs and line ends vanish,
//     scheme and host become lower-case, IDNA becomes ASCII, numbers become IPv4 addresses, the
//     scheme's own port vanishes, "\" is "/", dot segments are resolved. Bytes that are not UTF-8
//     are escaped first. Beyond the standard, the one dot that may end a host is taken off, from url_v2 on.
//  2. Refuse what is not http or https, has no host, or has a host that net/http cannot request.
//  3. Fragment and userinfo are dropped.
//  4. Percent-encoding becomes canonical (RFC 3986 §6.2.2): upper-case hex, unreserved characters
//     decoded, reserved ones never. What has no place in a URL is escaped: a stray % as %25, and
//     " < > [ ] \ ^ ` { | }. So "a[]=1" and "a%5B%5D=1" are one.
//  5. Trailing slashes of the path go, all of them, except that the root is "/". Slashes within
//     the path stay: "/a//b" is not "/a/b".
//  6. Of the query, empty pieces, secrets and trackers go; the rest is sorted by name, byte by
//     byte, and repeated names keep their order. "a" is not "a=", and "+" is not "%20": some
//     servers tell them apart. A query without pieces goes with its "?".
//  7. What is longer than [MaxNormalized] is refused.
//
// Rule 5 may join pages that a server tells apart. That is what the requirement asks, so the
// identity is never what is requested: [FetchForm] keeps slash and order as given.
//
// # Secrets
//
// A secret that stays is a leak into rows, logs and search results. A parameter that goes without
// being a secret merges pages that are different. So a parameter is dropped only when it cannot
// choose a page:
//
//   - Fields of a signed address, together with their signature: an Azure SAS (sig and its
//     fields), and Signature with the signer's name (S3, Cloud Storage, CloudFront, OSS). Without
//     signature, "se=3" or "Expires=…" are ordinary. A lone sig is dropped on *.core.windows.net.
//   - Names that only signatures use: X-Amz-*, X-Goog-*, X-Oss-*.
//   - Names that mean a credential or session everywhere: access_token, api_key, password,
//     phpsessid and their like.
//   - JSON Web Tokens under any name, and code on *.azurewebsites.net when it is as long as a
//     function key.
//
// Kept are key, code, token, auth, secret, session, sid and a lone sig. On ordinary sites these
// name a product, a language, a conference or a forum, and dropping them would make all of them
// one item. A private source is given by the name of a credential instead (A24).
//
// # Alternatives considered
//
// Profiles of the parser's canonicalizer read bücher.de as Latin-1. net/url reads less than half
// of what browsers read. A deny list of every name that may hold a secret, key and code
// included, was rejected for merging pages. Path parameters such as ";jsessionid=" are kept, as
// the requirement does not name them.
package source

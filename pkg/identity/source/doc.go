// Package source gives every web address one identity: all spellings of a URL become one normalized text, one id and
// one partition, and none of these contains a secret.
//
// The package implements A1, A2, A4 and A5 of the requirements and spec 003 §3. It uses no context, no clock and no
// network. The component "url" of lineage.Current is the version of these rules: the golden-file tests fail if the
// output of the rules changes and the number of that component does not.
//
// # Rules, in order
//
//  1. Read as browsers do (WHATWG URL standard): remove surrounding blanks, tabs and line ends, write scheme and
//     host in lower case, convert IDNA to ASCII and numbers to IPv4 addresses, remove the scheme's own port, read
//     "\" as "/", and resolve dot segments. Escape bytes that are not UTF-8 first. From url_v2 on, also
//     remove the one dot that may end a host, which the standard keeps.
//  2. Refuse URLs that are not http or https, that have no host, or whose host net/http cannot request.
//  3. Drop fragment and userinfo.
//  4. Make percent-encoding canonical (RFC 3986 §6.2.2): write hex in upper case, decode unreserved characters, and
//     never decode reserved ones. Escape characters that a URL cannot contain: a stray % as %25, and
//     " < > [ ] \ ^ ` { | }. So "a[]=1" and "a%5B%5D=1" are the same.
//  5. Remove all slashes at the end of the path, except that the root is "/". Slashes within the path stay:
//     "/a//b" is not "/a/b".
//  6. Remove empty pieces, secrets and trackers from the query, and sort the remaining pieces by name, byte by
//     byte. Repeated names keep their order. "a" is not "a=", and "+" is not "%20", because some servers
//     distinguish them. Remove the "?" of a query without pieces.
//  7. Refuse results longer than [MaxNormalized].
//
// Rules 4 to 6 may join pages that a server distinguishes, but the requirement demands it. Therefore requests use the
// [Form] that was given first, and the normalized text only where that fails.
//
// # Secrets
//
// A secret that is kept leaks into rows, logs and search results. Dropping a parameter that is not a secret merges
// different pages. So a parameter is dropped only if it cannot select a page:
//
//   - Fields of a signed address, together with their signature: an Azure SAS (sig and its
//     fields), and Signature with the signer's name (S3, Cloud Storage, CloudFront, OSS). Without
//     a signature, "se=3" or "Expires=…" are ordinary. A lone sig is dropped on *.core.windows.net.
//   - Names that only signatures use: X-Amz-*, X-Goog-*, X-Oss-*.
//   - Names that mean a credential or session everywhere: access_token, api_key, password,
//     phpsessid and similar ones.
//   - JSON Web Tokens under any name. On *.azurewebsites.net also "code", if its value is as
//     long as a function key.
//
// Parameters with the names "key", "code", "token", "auth", "secret", "session" and "sid" are kept, and so is a lone
// "sig". On ordinary sites they select a product, a language, a conference or a forum, and dropping them would merge
// all of these pages into one item. A private source is registered with the name of a credential instead (A24).
//
// # Alternatives considered
//
// The canonicalization profiles that come with the parser read bücher.de as Latin-1. net/url reads less than half of
// the URLs that browsers read. A deny list of every name that may contain a secret, including "key" and "code", would
// merge pages. Path parameters such as ";jsessionid=" are kept, because the requirement does not mention them.
package source

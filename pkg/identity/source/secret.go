package source

import (
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/percent"
)

// Each of these signatures grants access to one address. Their fields have ordinary names ("se", "sp", "Expires"), so
// a field is dropped only if its signature is present.
var (
	// azureSAS lists the fields of an Azure shared access signature, for services and for Logic Apps.
	azureSAS = []string{
		"sv", "se", "st", "sp", "sr", "si", "ss", "srt", "sip", "spr", "sdd", "ses", "scid",
		"skoid", "sktid", "skt", "ske", "sks", "skv", "saoid", "suoid", "sduoid", "skdutid",
		"tn", "spk", "srk", "epk", "erk", "rscc", "rscd", "rsce", "rscl", "rsct",
	}
	// signers lists the parameters that identify the signer in S3 version 2, Cloud Storage version 2, CloudFront and
	// OSS. In these schemes, the signature is the parameter "Signature". The variable signed lists that parameter and
	// the other fields.
	signers = []string{"awsaccesskeyid", "googleaccessid", "key-pair-id", "ossaccesskeyid"}
	signed  = []string{"signature", "expires", "policy", "security-token"}
)

// credentials lists names that mean a credential or a session everywhere and never select a page.
var credentials = []string{
	"access_token", "refresh_token", "id_token", "auth_token", "client_secret",
	"api_key", "api-key", "apikey", "subscription-key", "ocp-apim-subscription-key",
	"password", "passwd", "pwd", "jsessionid", "phpsessid", "aspxauth", "asp.net_sessionid",
}

// vendorSigned lists the prefixes of names that only signatures use: S3 version 4, Cloud Storage version 4, OSS.
var vendorSigned = []string{"x-amz-", "x-goog-", "x-oss-"}

// minFunctionKey is the length from which a value counts as a key of Azure Functions. Every such key is longer (56
// characters). Codes that select a page are shorter.
const minFunctionKey = 40

// withoutSecrets returns the params of a URL without those that grant access. The argument host is the host of the
// URL, without the port.
func withoutSecrets(host string, ps []param) []param {
	sas := hasSAS(host, ps)
	vendor := has(ps, "signature") && slices.ContainsFunc(signers, func(name string) bool { return has(ps, name) })
	return slices.DeleteFunc(ps, func(p param) bool {
		return sas && (p.name == "sig" || slices.Contains(azureSAS, p.name)) ||
			vendor && (slices.Contains(signed, p.name) || slices.Contains(signers, p.name)) ||
			isCredential(host, p)
	})
}

// hasSAS reports whether the parameter "sig" is the signature of a SAS. On Azure Storage it always is. Elsewhere it
// is only if a field of a SAS is present, because a lone "sig" may mean anything.
func hasSAS(host string, ps []param) bool {
	if !has(ps, "sig") {
		return false
	}
	return strings.HasSuffix(host, ".core.windows.net") ||
		slices.ContainsFunc(ps, func(p param) bool { return slices.Contains(azureSAS, p.name) })
}

func has(ps []param, name string) bool {
	return slices.ContainsFunc(ps, func(p param) bool { return p.name == name })
}

// isCredential reports whether a param is a secret by itself, without a signature beside it.
func isCredential(host string, p param) bool {
	return slices.Contains(credentials, p.name) || isJWT(p.value) ||
		p.name == "code" && len(p.value) >= minFunctionKey && strings.HasSuffix(host, ".azurewebsites.net") ||
		slices.ContainsFunc(vendorSigned, func(prefix string) bool { return strings.HasPrefix(p.name, prefix) })
}

// isJWT reports whether a value is a JSON Web Token (RFC 7519): three base64url parts, the first of which is a JSON
// object. Such a token is a credential under any name.
func isJWT(value string) bool {
	parts := strings.Split(value, ".")
	if len(parts) != 3 || !strings.HasPrefix(parts[0], "eyJ") || !strings.HasPrefix(parts[1], "eyJ") {
		return false
	}
	return strings.Trim(value, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.") == ""
}

// param is one piece of a query between two "&".
type param struct {
	text  string // the piece as written: "name", "name=" or "name=value"
	name  string // the name, decoded and in lower case; the rules examine this form
	value string // the value, decoded
}

// params splits a query into its pieces. It omits empty pieces ("a&&b"), which have no meaning.
func params(query string) []param {
	var ps []param
	for text := range strings.SplitSeq(query, "&") {
		if text != "" {
			name, value, _ := strings.Cut(text, "=")
			ps = append(ps, param{text, lower(percent.Decode(name)), percent.Decode(value)})
		}
	}
	return ps
}

// join is the inverse of [params].
func join(ps []param) string {
	var b strings.Builder
	for i, p := range ps {
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(p.text)
	}
	return b.String()
}

// byName sorts params by their names as written, case-sensitively. The sort must be stable: on many sites, a repeated
// name is a list whose order has a meaning.
func byName(ps []param) {
	slices.SortStableFunc(ps, func(a, b param) int {
		nameA, _, _ := strings.Cut(a.text, "=")
		nameB, _, _ := strings.Cut(b.text, "=")
		return strings.Compare(nameA, nameB)
	})
}

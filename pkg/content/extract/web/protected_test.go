package web

import (
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/content/extract"
)

// protect returns the code that the proxy writes for an address.
func protect(key byte, address string) string {
	const digits = "0123456789abcdef"
	code := []byte{digits[key>>4], digits[key&15]}
	for _, c := range []byte(address) {
		code = append(code, digits[(c^key)>>4], digits[(c^key)&15])
	}
	return `<a href="/cdn-cgi/l/email-protection"><span class="__cf_email__" data-cfemail="` + string(code) +
		`">[email&#160;protected]</span></a>`
}

// TestH12ProtectedAddresses checks that a page has the same content whether it shows its addresses or hides them,
// with any key, and that other addresses are other content. The text keeps what the page shows.
func TestH12ProtectedAddresses(t *testing.T) {
	page := func(nav, first, second string) extract.Document {
		return extractString(t, `<title>T</title><nav>`+nav+`</nav><main><h1>T</h1><p>`+
			strings.Repeat("We keep what you tell us. ", 20)+`Write to `+first+`.</p><ul><li>or to `+second+
			`, and wait</li></ul></main>`)
	}
	shown := page("", "dpo@site.example", "help@site.example")
	hidden := page(protect(9, "x@site.example"), protect(0x42, "dpo@site.example"), protect(7, "help@site.example"))
	again := page("", protect(0x17, "dpo@site.example"), protect(0x99, "help@site.example"))
	if !strings.Contains(hidden.Text, "Write to [email protected].") {
		t.Errorf("the text is %q", hidden.Text)
	}
	if a, b, c := shown.ContentHash(), hidden.ContentHash(), again.ContentHash(); a != b || b != c {
		t.Errorf("hashes are %s, %s, %s", a, b, c)
	}
	body := shown.Hashes().Body
	if same := hidden.Hashes().Body; body != same {
		t.Error("hashes of the body differ")
	}
	aside := func(address string) extract.Document {
		return extractString(t, `<title>T</title><main><h1>T</h1><p>`+strings.Repeat("We keep what you tell us. ", 20)+
			`</p></main><aside><p>The harbour office answers on all days of the week. Write to: `+address+`</p></aside>`)
	}
	beside := aside(protect(7, "dpo@site.example"))
	if beside.ContentHash() != aside(protect(9, "dpo@site.example")).ContentHash() ||
		beside.ContentHash() != aside("dpo@site.example").ContentHash() ||
		beside.ContentHash() == aside(protect(7, "legal@site.example")).ContentHash() {
		t.Error("an address beside the content counts for another, or changes with its key")
	}
	if other := page("", protect(7, "dpo@site.example"), protect(7, "legal@site.example")); other.ContentHash() ==
		hidden.ContentHash() {
		t.Error("another address is the same content")
	}
}

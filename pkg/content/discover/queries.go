package discover

import (
	"fmt"
	"mime"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
)

// queryEncoding returns the encoding in which browsers write the queries of a page's links, which is that of the page
// (URL standard, "query state"): a search of a site in windows-1251 finds nothing for words in UTF-8. It returns nil
// for UTF-8, and where the page declares no encoding.
func queryEncoding(root *html.Node, contentType string) encoding.Encoding {
	_, params, _ := mime.ParseMediaType(contentType)
	label := params["charset"]
	if label == "" && root != nil {
		label = declaredIn(root)
	}
	switch enc, name := charset.Lookup(label); name {
	case "", "utf-8", "utf-16le", "utf-16be", "replacement", "x-user-defined":
		return nil
	default:
		return enc
	}
}

// declaredIn returns the encoding that the meta elements of a page declare; "" for none.
func declaredIn(root *html.Node) string {
	for _, m := range goquery.NewDocumentFromNode(root).FindMatcher(charsetMeta).EachIter() {
		if label := m.AttrOr("charset", ""); label != "" {
			return label
		}
		if strings.EqualFold(m.AttrOr("http-equiv", ""), "content-type") {
			_, params, _ := mime.ParseMediaType(m.AttrOr("content", ""))
			return params["charset"]
		}
	}
	return ""
}

var charsetMeta = matcher(func(n *html.Node) bool {
	return n.Data == "meta" && (has(n, "charset") || has(n, "http-equiv"))
})

// encodeQuery writes the letters of a link's query that are not ASCII in an encoding, as browsers do. A letter that the
// encoding lacks becomes a reference to it (package charset).
func encodeQuery(ref string, enc encoding.Encoding) string {
	address, query, asked := strings.Cut(ref, "?")
	if !asked || enc == nil {
		return ref
	}
	query, fragment, _ := strings.Cut(query, "#")
	var b strings.Builder
	b.WriteString(address + "?")
	encoder := enc.NewEncoder()
	for _, c := range query {
		written, err := encoder.String(string(c))
		if err != nil {
			written = string(c)
		}
		for _, one := range []byte(written) {
			if isNameByte(one) && one < 0x80 || one >= '0' && one <= '9' || c < 0x80 {
				b.WriteByte(one)
			} else {
				fmt.Fprintf(&b, "%%%02X", one)
			}
		}
	}
	if fragment != "" {
		b.WriteString("#" + fragment)
	}
	return b.String()
}

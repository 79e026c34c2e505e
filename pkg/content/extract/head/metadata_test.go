package head

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/jsonld"
)

func metadataOf(t *testing.T, page string) string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	address := &url.URL{Scheme: "https", Host: "port.example", Path: "/2019/05/06/a"}
	m := ReadMetadata(root, jsonld.Of(root).Objects, address)
	day := func(at time.Time) string {
		if at.IsZero() {
			return ""
		}
		return strings.TrimSuffix(at.Format(time.RFC3339), "T00:00:00Z")
	}
	return strings.Join([]string{day(m.Published), day(m.Modified), m.Author, m.SiteName}, "|")
}

func ld(json string) string { return `<script type="application/ld+json">` + json + `</script>` }

// H4: TestH4WherePagesSayIt checks the metadata from each source, the best source first.
func TestH4WherePagesSayIt(t *testing.T) {
	for _, tc := range []struct{ name, page, want string }{
		{"nothing but the address", "<p>x", "2019-05-06|||"},
		{"JSON-LD", ld(`{"@context":"https://schema.org","@type":"NewsArticle","datePublished":"2024-03-01T08:30:00+01:00",
			"dateModified":"2024-03-02","author":[{"name":"Ada &amp; Co"},{"name":"Bo"},"Cy"],"publisher":{"name":"The Quay"}}`),
			"2024-03-01T08:30:00+01:00|2024-03-02|Ada & Co, Bo, Cy|The Quay"},
		{"JSON-LD by reference", ld(`{"@graph":[{"@type":"WebPage","datePublished":"2020-01-01"},
			{"@type":["Article"],"datePublished":"2021-01-01","author":{"@id":"#p"}},{"@type":"Person","@id":"#p","name":"Ada"},
			{"@type":"WebSite","name":"Quay"}]}`), "2021-01-01||Ada|Quay"},
		{"JSON-LD of comments and of another work", ld(`{"@type":"Product","review":[{"@type":"Review",
			"datePublished":"2021-01-01","author":"Ada"}],"hasPart":{"@type":"Article","datePublished":"2021-01-01"}}`),
			"2019-05-06|||"},
		{"JSON-LD with line ends in its texts",
			ld("{\"@type\":\"Article\",\"description\":\"a\nb\",\"datePublished\":\"2021-01-01\"};"),
			"2021-01-01|||"},
		{"JSON-LD with a comma too many", ld(`{"@type":"Article",/* x */"author":["Ada",],"datePublished":"2021-01-01",}`),
			"2021-01-01||Ada|"},
		{"JSON-LD in comments", ld("<!--\n{\"@type\":\"Article\",\"datePublished\":\"2021-01-01\"}\n-->"), "2021-01-01|||"},
		{"JSON-LD in CDATA", ld("//<![CDATA[\n{\"@type\":\"Article\",\"datePublished\":\"2021-01-01\"}\n//]]>"),
			"2021-01-01|||"},
		{"JSON-LD behind a byte order mark", ld("\ufeff" + `{"@type":"Article","datePublished":"2021-01-01"}`),
			"2021-01-01|||"},
		{"JSON-LD with an unknown escape", ld(`{"@type":"Article","headline":"it\'s // so, ]","datePublished":"2021-01-01"}`),
			"2021-01-01|||"},
		{"JSON-LD of two objects", ld(`{"@type":"Thing"} {"@type":"Article","datePublished":"2021-01-01"}`), "2021-01-01|||"},
		{"OpenGraph", `<meta property="article:published_time" content="2024-03-01T08:30:00Z">
			<meta property="article:modified_time" content="2024-03-02T08:30:00Z"><meta property="og:site_name" content="Quay">
			<meta property="article:author" content="https://social.example/ada"><meta name="author" content="By Ada">`,
			"2024-03-01T08:30:00Z|2024-03-02T08:30:00Z|Ada|Quay"},
		{"the older names", `<meta name=DC.date content=2024-03-01><meta name=citation_author content="Ada">
			<meta name=citation_author content="Bo">`, "2024-03-01||Ada, Bo|"},
		{"microdata", `<p itemprop=author itemscope><span itemprop=name>Ada</span> of the quay</p>
			<time itemprop=datePublished datetime=2024-03-01>yesterday</time><i itemprop=dateModified content=2024-03-02>`,
			"2024-03-01|2024-03-02|Ada|"},
		{"names of classes", `<div class="post-meta"><span class="byline">Written by <a>Ada</a></span>
			<span class="post-date">1. März 2024</span> <span class=last-updated>2 Mar 2024</span></div>`,
			"2024-03-01|2024-03-02|Ada|"},
		{"a name with a date behind it", `<p class=byline>By Ada, <time datetime=2024-03-01>1 March 2024</time>`,
			"2024-03-01||Ada|"},
		{"comments", `<a class=author>Ada</a><p>x<div class=comment><a class=author>Bo</a></div>`, "2019-05-06||Ada|"},
		{"below the heading", "<h1>Tides</h1><p>Ada | March 1, 2024<p>Last updated: 2 March 2024<p>x",
			"2024-03-01|2024-03-02||"},
		{"above the heading, and far below",
			"<p>March 1, 2024<h1>Tides</h1>" + strings.Repeat("<p>x", 40) + "<p>March 2, 2024",
			"2019-05-06|||"},
		{"the best place", `<meta name=date content=2024-03-02><span class=date>2024-03-03</span>` +
			ld(`{"@type":"Article","datePublished":"2024-03-01"}`), "2024-03-01|||"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, metadataOf(t, tc.page)); diff != "" {
				t.Errorf("-want +have\n%s", diff)
			}
		})
	}
}

func TestH4Dates(t *testing.T) {
	for text, want := range map[string]string{
		"2024-03-01": "2024-03-01T00:00:00Z", "20240301": "2024-03-01T00:00:00Z", "2024-03-01 08:30": "2024-03-01T08:30:00Z",
		"2024-03-01T08:30:15.5Z": "2024-03-01T08:30:15Z", "2024-03-01T08:30:00-0530": "2024-03-01T08:30:00-05:30",
		"Fri, 01 Mar 2024 08:30:00 GMT": "2024-03-01T08:30:00Z", "Published: March 1st, 2024 at noon": "2024-03-01T00:00:00Z",
		"1 de março de 2024": "2024-03-01T00:00:00Z",
		"1er mars 2024":      "2024-03-01T00:00:00Z", "1.3.2024": "2024-03-01T00:00:00Z",
		"2024/3/1": "2024-03-01T00:00:00Z", "3/14/2024": "2024-03-14T00:00:00Z", "14/3/2024": "2024-03-14T00:00:00Z",
		"juillet 14, 2024": "2024-07-14T00:00:00Z", "14 juin 2024": "2024-06-14T00:00:00Z",
		"4/3/2024": "", "2024-02-30": "", "2024-13-01": "", "March 2024": "", "Berth 12, 2024": "", "yesterday": "", "": "",
		strings.Repeat(" x", 100) + "2024-03-01": "",
	} {
		have := parseDate(text)
		if (want == "") != have.IsZero() || want != "" && have.Format(time.RFC3339) != want {
			t.Errorf("%q: have %v, want %q", text, have, want)
		}
	}
}

// H4: TestH4DatesInAllLanguages checks dates with the names of months in other languages, and other forms of a date.
func TestH4DatesInAllLanguages(t *testing.T) {
	for _, text := range []string{"2024年3月5日", "2024년 3월 5일", "5 марта 2024", "5 березня 2024 р.", "5 Μαρτίου 2024",
		"5. března 2024", "5 marca 2024", "5 mars 2024", "5. mars 2024", "5. marts 2024", "5. maaliskuuta 2024",
		"5 مارس 2024",
		"٥ مارس ٢٠٢٤", "5 मार्च 2024", "2024. március 5.", "5 mrt 2024", "5 Mart 2024", "2024. gada 5. marts",
		"2024 m. kovo 5 d.", "Ngày 5 tháng 3 năm 2024", "5 มีนาคม 2567", "5 de març de 2024", "5 d’març de 2024",
		"5 martie 2024",
		"5. märts 2024", "5 mac 2024", "5 Maret 2024", "5. ožujka 2024.", "5. mars 2024", "2024. 3. 5.", "2024.03.05",
		"5 Márta 2024", "Mar 5, 2024", "March 5th, 2024", "5 במרץ 2024", "5 mäRZ 2024"} {
		if have := parseDate(text); have.Format(time.DateOnly) != "2024-03-05" {
			t.Errorf("%q: have %v", text, have)
		}
	}
	for _, text := range []string{"2024.1.2", "Section 2001.2.3", "1.2024.5.6", "10.1.2024.5", "Marina 12, 2024",
		"Sect 5, 2024"} {
		if have := parseDate(text); !have.IsZero() {
			t.Errorf("%q: have %v", text, have)
		}
	}
}

// H4: TestH4DateOfThePageOrNone checks which dates below a heading are those of the page.
func TestH4DateOfThePageOrNone(t *testing.T) {
	for _, text := range []string{"<p>5 March 2024", "<p>Published on 5 March 2024", "<p>By Ada Berg, 5 March 2024",
		"<p>Ada Berg | March 5, 2024 | 5 min read", "<p>Bergen, 5 March 2024", "<p>Tuesday, March 5, 2024",
		"<p>By Ada <span>5 March 2024</span>", "<p>March 5, 2024 at 10:00 AM", "<p>Veröffentlicht am 5. März 2024",
		"<p>公開日：2024年3月5日", "<p>Publié le 5 mars 2024 à 10h", "<table><tr><td>Date<td>5 March 2024</table>",
		"<p>5 March 2024 by Ada", "<p>Опубликовано 5 марта 2024", "<p>2024-03-05", "<p><time>5 March 2024</time>"} {
		if have := metadataOf(t, "<h1>Tides</h1>"+text); !strings.HasPrefix(have, "2024-03-05") {
			t.Errorf("%s: have %s", text, have)
		}
	}
	for _, text := range []string{"<p>Founded on 5 March 1998", "<p>Born 12 May 2001 in Bergen",
		"<p>Latest version: 2024.1.2",
		"<p>Section 2001.2.3", "<p>2024.1.2", "<p>Born <b>12 May 2001</b>", "<dl><dt>Born<dd>12 May 2001</dl>",
		"<table><tr><th>Opened<td>12 May 2001</table>", "<p>Deadline: 5 March 2027", "<p>Geboren am 5. März 1998",
		"<p>The harbour was built. On 5 March 1998 it opened", "<p>The storm of 5 March 1998",
		"<p>Founded <time>5 March 1998</time>",
		"<p>5 March 1998 was a cold day", "<p>Meeting: 5 March 2024"} {
		if have := metadataOf(t, "<h1>Tides</h1>"+text); have != "2019-05-06|||" {
			t.Errorf("%s: have %s", text, have)
		}
	}
	for text, want := range map[string]string{"Von Anna Reh": "Anna Reh", "Par Anne Raie": "Anne Raie",
		"Por Ana Raya": "Ana Raya",
		"文：山田太郎":       "山田太郎", "By Ada": "Ada", "von Arnim": "von Arnim", "Автор: Анна": "Анна", "作者：李明": "李明"} {
		if have := cleanName(text); have != want {
			t.Errorf("%s: have %q", text, have)
		}
	}
}

// H4: TestH4MetadataIsBounded checks that every text is one short line, and that excess statements are ignored.
func TestH4MetadataIsBounded(t *testing.T) {
	long := strings.Repeat("Ada\n<b>&lt;i&gt; ", 5000)
	deep := strings.Repeat(`{"mainEntity":`, 5000) + `{"@type":"Article","author":"Ada"}` + strings.Repeat("}", 5000)
	for name, page := range map[string]string{
		"long meta":        fmt.Sprintf(`<meta name=author content="%s">`, long),
		"long JSON-LD":     ld(`{"@type":"Article","author":"` + strings.Repeat("Ada ", 1<<17) + `"}`),
		"deep JSON-LD":     ld(deep),
		"markup for names": ld(`{"@type":"Article","author":"<script>x</script>","publisher":"a{b}"}`),
		"nested names":     strings.Repeat("<div itemprop=author class=byline>", 400) + strings.Repeat("x ", 1000),
	} {
		if have := metadataOf(t, page); have != "2019-05-06|||" {
			t.Errorf("%s: have %.300q", name, have)
		}
	}
	many := strings.Repeat(`"`+strings.Repeat("ä", 60)+`%d",`, 9)
	page := ld(`{"@type":"Article","author":[` + fmt.Sprintf(many, 1, 2, 3, 4, 5, 6, 7, 8, 9) + `"z"]}`)
	author := strings.Split(metadataOf(t, page), "|")[2]
	if len(author) == 0 || len(author) > extract.MaxName || strings.ContainsRune(author, '\ufffd') {
		t.Errorf("%d bytes: %q", len(author), author)
	}
}

package web

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/content/extract"
)

const at = "https://port.example/news/"

// TestA18Images checks where images are found, and the texts about them.
func TestA18Images(t *testing.T) {
	for _, tc := range []struct {
		name, page string
		want       []extract.Image
	}{
		{"img with its texts", `<img src="a.jpg#x" alt=" A  crane " title=Crane>`,
			[]extract.Image{{URL: at + "a.jpg", Alt: "A crane", Title: "Crane"}}},
		{"srcset by width", `<img src=a.jpg srcset="s.jpg 400w, l.jpg 1200w, m.jpg 800w">`, []extract.Image{{URL: at + "l.jpg"}}},
		{"srcset by density", `<img src=a.jpg srcset="one.jpg, two.jpg 2x">`, []extract.Image{{URL: at + "two.jpg"}}},
		{"srcset with commas in addresses", `<img srcset="w_1,h_2/a.jpg 1x, w_2,h_4/a.jpg 2x">`,
			[]extract.Image{{URL: at + "w_2,h_4/a.jpg"}}},
		{"srcset of data addresses falls back", `<img src=a.jpg srcset="data:image/gif;base64,AA 2000w">`,
			[]extract.Image{{URL: at + "a.jpg"}}},
		{"picture", `<picture><source type=image/avif srcset="a.avif 900w"><source type=image/webp srcset="s.webp 400w, ` +
			`l.webp 900w"><img src=a.jpg alt=Quay></picture>`,
			[]extract.Image{{URL: at + "l.webp", Alt: "Quay"}}},
		{"picture, img knows better", `<picture><source srcset="b.webp"><img srcset="a.jpg 2x"></picture>`,
			[]extract.Image{{URL: at + "a.jpg"}}},
		{"picture without img shows nothing", `<picture><source srcset="b.webp"></picture>`, nil},
		{"lazy source before its placeholder", `<img src=/img/grey.gif data-src=a.jpg>`, []extract.Image{{URL: at + "a.jpg"}}},
		{"lazy srcset", `<img src="data:image/gif;base64,AA" data-srcset="s.jpg 1w, l.jpg 2w">`,
			[]extract.Image{{URL: at + "l.jpg"}}},
		{"figure", `<figure><a href=/x><img src=a.jpg></a><figcaption>The <b>north</b> basin<br>at dawn</figcaption>` +
			`</figure>`,
			[]extract.Image{{URL: at + "a.jpg", Caption: "The north basin at dawn"}}},
		{"figure in a figure", `<figure><figure><img src=a.jpg></figure><figure><img src=b.jpg><figcaption>B</figcaption>` +
			`</figure><figcaption>Both</figcaption></figure>`,
			[]extract.Image{{URL: at + "a.jpg", Caption: "Both"}, {URL: at + "b.jpg", Caption: "B"}}},
		{"og:image apart", `<meta property=og:image content=/og.jpg><meta property="og:image:alt" content="The port"><img ` +
			`src=a.jpg>`,
			[]extract.Image{{URL: at + "a.jpg"}, {URL: "https://port.example/og.jpg", Alt: "The port", Preview: true}}},
		{"og:image that the content shows", `<meta property=og:image content=/news/a.jpg><img src=a.jpg alt=A>`,
			[]extract.Image{{URL: at + "a.jpg", Alt: "A", Preview: true}}},
		{"the same address twice keeps what either says",
			`<img src=a.jpg alt=A><figure><img src=a.jpg alt=B><figcaption>C</figcaption></figure>`,
			[]extract.Image{{URL: at + "a.jpg", Alt: "A", Caption: "C"}}},
		{"against base", `<base href="https://img.example/"><img src=a.jpg>`, []extract.Image{{URL: "https://img.example/a.jpg"}}},
		{"no images of the web", `<img src="data:image/png;base64,AA"><img src=""><img><img src="javascript:x"><img ` +
			`src="ftp://h/a.jpg">`, nil},
		{"tracking pixels and icons", `<img src=t.gif width=1 height=1><img src=e.png height="16px"><img src=s.gif ` +
			`style="width: 1px"><img src=/i/Spacer.gif><img hidden src=h.jpg>`, nil},
		{"large by its attributes", `<img src=a.jpg width="100%" height=auto style="max-width:1px0">`,
			[]extract.Image{{URL: at + "a.jpg"}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			page := tc.page
			if !strings.HasPrefix(page, "<meta") && !strings.HasPrefix(page, "<base") {
				page = "<body>" + page
			}
			if diff := cmp.Diff(tc.want, extractString(t, page).Images); diff != "" {
				t.Errorf("-want +have\n%s", diff)
			}
		})
	}
}

// TestA18ImagesOfTheContent checks that pictures around the content do not count, even where there is no text beside
// them.
func TestA18ImagesOfTheContent(t *testing.T) {
	doc := extractString(t, `<nav><img src=logo.png></nav><main><div class=ad-slot><a href=/buy><img src=ad.jpg></a></div>
		<p>The quay wall moves.</p><img src=quay.jpg><aside><img src=related.jpg></aside><noscript><img src=no.jpg>
		</noscript></main><footer><img src=badge.png></footer>`)
	if diff := cmp.Diff([]extract.Image{{URL: at + "quay.jpg"}}, doc.Images); diff != "" {
		t.Errorf("-want +have\n%s", diff)
	}
}

func TestImagesAreBounded(t *testing.T) {
	long := strings.Repeat("ä", extract.MaxImageText)
	page := `<img src=a.jpg alt="` + long + `"><img src=b.jpg><img src=a.jpg>` + `<img src="` + strings.Repeat("x", 5000) +
		`">`
	doc, err := Extract([]byte(page), "text/html; charset=utf-8", goldenBase, extract.Limits{MaxImages: 1})
	if err != nil {
		t.Fatal(err)
	}
	if why := doc.CutWhy(); !strings.Contains(why, "only the first 1 image are kept") { // N6
		t.Errorf("says %q", why)
	}
	if len(doc.Images) != 1 || !doc.Truncated || len(doc.Images[0].Alt) > extract.MaxImageText {
		t.Errorf("truncated=%v, %d images, alt of %d bytes", doc.Truncated, len(doc.Images), len(doc.Images[0].Alt))
	}
}

// FuzzLargest checks that the address found in a srcset is one of its words.
func FuzzLargest(f *testing.F) {
	for _, seed := range []string{"", "a", "a 1x, b 2x", "a,b 3w", ",,a,, ,b 1e9w", "a (x, y) 2x", "a NaNw, b -1x",
		"a 1w 2h,b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, srcset string) {
		have := largest(srcset)
		if !strings.Contains(srcset, have) || strings.ContainsAny(have, " \t\n\f\r") || strings.HasSuffix(have, ",") {
			t.Errorf("%q of %q", have, srcset)
		}
		if have == "" && strings.Trim(srcset, " \t\n\f\r,") != "" {
			t.Errorf("nothing of %q", srcset)
		}
	})
}

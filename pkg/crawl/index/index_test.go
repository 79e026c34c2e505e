package index

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/content/chunk"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/searchtest"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func oneItem() *registry.Item {
	return &registry.Item{
		Identity: registry.Identity{
			ID: "url_aaaa", DisplaySource: "https://port.example/quay", SourceHost: "port.example",
		},
		Seen: registry.Seen{Language: "en"},
	}
}

func paragraph(text string) extract.Block { return extract.Block{Kind: extract.Paragraph, Text: text} }

func entryOf(doc extract.Document) Prepared {
	return Prepare(oneItem(), chunk.Name{}, doc, Images(oneItem().ID, doc, source.DefaultRules()), noon)
}

// pageOf prepares the page of a document.
func pageOf(doc extract.Document) search.Page {
	return entryOf(doc).Page
}

func texts(p search.Page) (lines []string) {
	for _, c := range p.Chunks {
		lines = append(lines, c.Heading+"|"+c.Text)
	}
	return lines
}

// TestPage checks that the page has its item's id and its document's words.
func TestPage(t *testing.T) {
	doc := extract.Document{
		Title: "The quay", Language: "fr", MimeType: "text/html",
		Blocks: []extract.Block{{Kind: extract.Heading, Level: 1, Text: "Walls"}, paragraph("The wall moves.")},
	}
	have := pageOf(doc)
	want := search.Page{
		ID: "url_aaaa", URL: "https://port.example/quay", Host: "port.example", Type: TypePage, Title: "The quay",
		Language: "en", MimeType: "text/html", IndexedAt: noon, Chunks: have.Chunks,
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("-want +have\n%s", diff)
	}
	if diff := cmp.Diff([]string{"Walls|The wall moves."}, texts(have)); diff != "" {
		t.Errorf("-want +have\n%s", diff)
	}
}

// TestC3PathOfAFile checks that a file's chunks are named by its path, and have keys of the item.
func TestC3PathOfAFile(t *testing.T) {
	doc := extract.Document{Title: "T", Blocks: []extract.Block{paragraph("text")}}
	name := chunk.Name{Namespace: "blob:acct:docs", Path: "docs/a b.md"}
	page, file := pageOf(doc).Chunks[0], Prepare(oneItem(), name, doc, nil, noon).Page.Chunks[0]
	if !strings.HasPrefix(page.UID, "ck64:v1:repo:url_aaaa:") ||
		!strings.HasPrefix(file.UID, "ck64:v1:blob:acct:docs:docs/a b.md:") || page.Key != file.Key {
		t.Errorf("page %+v, file %+v", page, file)
	}
}

// TestPageWithoutTitle checks that a page without a title gets its address as the title.
func TestPageWithoutTitle(t *testing.T) {
	p := pageOf(extract.Document{})
	if p.Title != "https://port.example/quay" || len(p.Chunks) != 1 || p.Chunks[0].Text != p.Title {
		t.Errorf("have %+v", p)
	}
}

// TestA18WordsOfImages checks that the texts of images can be found, and change no other chunk.
func TestA18WordsOfImages(t *testing.T) {
	doc := extract.Document{Title: "T", Blocks: []extract.Block{{Kind: extract.Heading, Level: 1, Text: "H"},
		paragraph("text")}}
	plain := pageOf(doc)
	doc.Images = []extract.Image{
		{URL: "https://port.example/a.jpg", Alt: "A crane", Title: "Crane no. 4", Caption: "stands in the text"},
		{URL: "https://port.example/b.jpg", Alt: "A crane"},
		{URL: "https://port.example/c.jpg"},
	}
	p := pageOf(doc)
	if diff := cmp.Diff([]string{"H|text", "|A crane\n\nCrane no. 4"}, texts(p)); diff != "" {
		t.Errorf("-want +have\n%s", diff)
	}
	if !cmp.Equal(p.Chunks[0], plain.Chunks[0]) || p.Chunks[1].Key == p.Chunks[0].Key {
		t.Errorf("chunks %+v, without images %+v", p.Chunks, plain.Chunks)
	}
}

// TestA18Images checks that each image is indexed once, by an address without secrets, under a stable name.
func TestA18Images(t *testing.T) {
	of := func(urls ...string) []search.Image {
		var doc extract.Document
		for _, u := range urls {
			doc.Images = append(doc.Images, extract.Image{URL: u})
		}
		return Images("url_aaaa", doc, source.DefaultRules())
	}
	for _, tc := range []struct {
		name string
		urls []string
		want []string // addresses
	}{
		{"page order", []string{"https://port.example/b.jpg", "https://port.example/a.jpg"},
			[]string{"https://port.example/b.jpg", "https://port.example/a.jpg"}},
		{"one image in two spellings", []string{"https://port.example/a.jpg?utm_source=x", "https://PORT.example:443/a.jpg"},
			[]string{"https://port.example/a.jpg?utm_source=x"}},
		{"secrets stay out", []string{"https://user:pass@port.example/a.jpg?sv=2024&sig=abc%2F&se=2026&sp=r"},
			[]string{"https://port.example/a.jpg"}},
		{"no address", []string{"https://", "ftp://port.example/a.jpg", "https://port.example/" + strings.Repeat("x",
			search.MaxImageSrc)}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var have []string
			for _, img := range of(tc.urls...) {
				have = append(have, img.Src)
			}
			if diff := cmp.Diff(tc.want, have); diff != "" {
				t.Errorf("-want +have\n%s", diff)
			}
		})
	}
	const id = "img_" // followed by 26 characters
	one, again := of("https://port.example/a.jpg")[0].ID, of("https://port.example/b.jpg",
		"https://port.example/a.jpg?utm_source=x")[1].ID
	if one != again || len(one) != len(id)+26 || !strings.HasPrefix(one, id) {
		t.Errorf("names %s and %s", one, again)
	}
	other := Images("url_bbbb", extract.Document{Images: []extract.Image{{URL: "https://port.example/a.jpg"}}},
		source.DefaultRules())
	if other[0].ID == one {
		t.Error("two pages share a name for an image")
	}
}

func TestA18ImagesAreBounded(t *testing.T) {
	var doc extract.Document
	long := strings.Repeat("x", search.MaxImageText-1) + "ä"
	for i := range search.MaxImages + 1 {
		doc.Images = append(doc.Images, extract.Image{URL: fmt.Sprintf("https://port.example/%d.jpg", i), Alt: long,
			Title: long, Caption: long})
	}
	images := Images("url_aaaa", doc, source.DefaultRules())
	if len(images) != search.MaxImages {
		t.Errorf("%d images", len(images))
	}
	for _, text := range []string{images[0].Alt, images[0].Title, images[0].Caption} {
		if len(text) > search.MaxImageText || !utf8.ValidString(text) {
			t.Errorf("text of %d bytes", len(text))
		}
	}
}

// TestA18HashImages checks that the hash depends on what a reader would see of the images.
func TestA18HashImages(t *testing.T) {
	base := []extract.Image{{URL: "https://port.example/a.jpg", Alt: "A"},
		{URL: "https://port.example/b.jpg", Title: "B",
			Caption: "b"}}
	hash := func(edit func([]extract.Image) []extract.Image) string {
		images := edit(append([]extract.Image{}, base...))
		return HashImages(Images("url_aaaa", extract.Document{Images: images}, source.DefaultRules()),
			source.DefaultRules())
	}
	same := func(i []extract.Image) []extract.Image { return i }
	for _, tc := range []struct {
		name string
		edit func([]extract.Image) []extract.Image
		same bool
	}{
		{"nothing", same, true},
		{"a tracker", func(i []extract.Image) []extract.Image { i[0].URL += "?utm_source=mail"; return i }, true},
		{"a signature",
			func(i []extract.Image) []extract.Image { i[0].URL += "?sv=2024&sig=new&se=2027&sp=r"; return i }, true},
		{"one less", func(i []extract.Image) []extract.Image { return i[:1] }, false},
		{"another order", func(i []extract.Image) []extract.Image { return []extract.Image{i[1], i[0]} }, false},
		{"another address", func(i []extract.Image) []extract.Image { i[0].URL += "?page=2"; return i }, false},
		{"alt", func(i []extract.Image) []extract.Image { i[0].Alt = "AA"; return i }, false},
		{"title", func(i []extract.Image) []extract.Image { i[1].Title = ""; return i }, false},
		{"a text in another place",
			func(i []extract.Image) []extract.Image { i[1].Title, i[1].Caption = "b", "B"; return i }, false},
	} {
		if have := hash(tc.edit) == hash(same); have != tc.same {
			t.Errorf("%s: the same %v, want %v", tc.name, have, tc.same)
		}
	}
	if HashImages(nil, source.DefaultRules()) != "" {
		t.Error("no images have a hash")
	}
}

// TestH12SamePicture checks which addresses are those of one picture.
func TestH12SamePicture(t *testing.T) {
	for _, row := range []struct {
		a, b string
		same bool
	}{
		{"https://port.example/a.png?v=1", "https://port.example/a.png?v=2", true},
		{"https://port.example/a.png?ver=1.2&w=300", "https://port.example/a.png?ver=1.3&w=300", true},
		{"https://port.example/a.png", "https://port.example/a.png?v=2", true},
		{"https://port.example/a.png?1699999999", "https://port.example/a.png?1700000000", true},
		{"https://port.example/a.png?t=1699999999", "https://port.example/a.png?t=1700000000", true},
		{"https://port.example/a.png?8f3a77b1", "https://port.example/a.png?99aa77b1", true},
		{"https://c1.cdn.example/a.png", "https://c2.cdn.example/a.png", true},
		{"https://i0.wp.example/a.png", "https://i3.wp.example/a.png", true},
		{"https://2.bp.example/a.png", "https://4.bp.example/a.png", true},
		{"https://port.example/a.png?Expires=1&Signature=x", "https://port.example/a.png?Expires=2&Signature=y", true},
		{"https://port.example/a.png?X-Amz-Date=1", "https://port.example/a.png?X-Amz-Date=2", true},
		{"https://port.example/a.png?sv=2024&sig=x&st=1&sp=r", "https://port.example/a.png?sv=2024&sig=y&st=2&sp=r", true},
		{"https://port.example/a.png?st=north", "https://port.example/a.png?st=south", false},
		{"https://port.example/a.png?sp=1", "https://port.example/a.png?sp=2", false},
		{"http://port.example/a.png", "https://port.example/a.png", true},
		{"https://port.example/a.png", "https://port.example/b.png", false},
		{"https://port.example/img?id=1", "https://port.example/img?id=2", false},
		{"https://port.example/img.php?123456", "https://port.example/img.php?123457", false},
		{"https://port.example/a.png?page=1", "https://port.example/a.png?page=2", false},
		{"https://10.0.0.1/a.png", "https://10.0.0.2/a.png", false},
		{"https://harbour.example/a.png", "https://port.example/a.png", false},
		{"https://port.example/a1.png", "https://port.example/a2.png", false},
		{"https://harbour1999.example/a.png", "https://harbour2000.example/a.png", false},
	} {
		if a, b := pictureOf(row.a), pictureOf(row.b); (a == b) != row.same {
			t.Errorf("%s is %s, and %s is %s", row.a, a, row.b, b)
		}
	}
}

// TestHostileDocuments checks that the index accepts the page of any document.
func TestHostileDocuments(t *testing.T) {
	for _, text := range searchtest.HostileQueries {
		doc := extract.Document{Title: text, Images: []extract.Image{{URL: text, Alt: text},
			{URL: "https://port.example/" + text, Alt: text, Title: text, Caption: text}}}
		for _, img := range pageOf(doc).Images {
			if len(img.Src) > search.MaxImageSrc ||
				strings.ContainsFunc(img.Src, func(r rune) bool { return r < '!' || r > '~' }) {
				t.Errorf("address %q of %q", img.Src, text)
			}
		}
	}
}

// TestN6SearchSaysWhatIsCut checks that a search finds in a document that is cut that it is, and what to do, and that
// its other chunks are those of a document that is not.
func TestN6SearchSaysWhatIsCut(t *testing.T) {
	doc := extract.Document{Title: "Berths", Blocks: []extract.Block{paragraph("The wall moves.")}}
	whole := entryOf(doc)
	doc.Cut, doc.KeptLinks = extract.Only(20_000, "row"), 5000
	cut := entryOf(doc)
	want := append(texts(whole.Page), "|[Cut: "+doc.CutWhy()+".]")
	if diff := cmp.Diff(want, texts(cut.Page)); diff != "" || cut.Page.Chunks[0].Key != whole.Page.Chunks[0].Key {
		t.Error(diff)
	}
	doc.Blocks = nil
	for i := range MaxChunks + 3 {
		doc.Blocks = append(doc.Blocks, extract.Block{Kind: extract.Heading, Level: 1, Text: fmt.Sprint("part ", i)},
			paragraph(fmt.Sprint("text ", i)))
	}
	all := texts(entryOf(doc).Page)
	if last := all[len(all)-1]; !strings.Contains(last, "Also, the last 3 passages cannot be searched") {
		t.Errorf("the last chunk is %s", last)
	}
}

// TestS2ChunksAreBounded checks S2: a bounded part of an endless page is indexed, and the entry states how much is
// left out.
func TestS2ChunksAreBounded(t *testing.T) {
	e := entryOf(extract.Document{Blocks: []extract.Block{paragraph(strings.Repeat("x ", 150*MaxChunks))}})
	if len(e.Page.Chunks) != MaxChunks+1 || len(e.Records) != MaxChunks+1 || e.LeftOut == 0 {
		t.Errorf("%d chunks, %d records, %d left out", len(e.Page.Chunks), len(e.Records), e.LeftOut)
	}
}

// TestJ4Anchors checks that the index gets the anchors of a page but not those of a file, and that the manifest has
// them.
func TestJ4Anchors(t *testing.T) {
	doc := extract.Document{Title: "T", Blocks: []extract.Block{
		{Kind: extract.Heading, Level: 1, Text: "Walls", Anchor: "walls"}, paragraph("The wall moves."),
		{Kind: extract.Heading, Level: 1, Text: "Cranes"}, paragraph("The crane moves."),
	}}
	m := NewManifests(mem.New(time.Now))
	must(t, m.Create(t.Context()))
	for path, want := range map[string][2]string{"": {"walls", ""}, "docs/a.html": {"", ""}} {
		var name chunk.Name
		if path != "" {
			name = chunk.Name{Namespace: chunk.Namespace, Path: path}
		}
		e := Prepare(oneItem(), name, doc, nil, noon)
		chunks := e.Page.Chunks
		if have := [2]string{chunks[0].Anchor, chunks[1].Anchor}; have != want {
			t.Errorf("path %q: %q, want %q", path, have, want)
		}
		digest, err := m.Save(t.Context(), e)
		must(t, err)
		known, err := m.Contents(t.Context(), e.Page, digest)
		if diff := cmp.Diff(e.Page.Contents(), known); diff != "" || err != nil {
			t.Errorf("path %q: %v, -want +have\n%s", path, err, diff)
		}
	}
}

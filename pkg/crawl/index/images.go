package index

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/search"
)

// Images returns a document's images as the index shows them under the page with this id (A18). Each image appears
// once. Images are identified by their normalized addresses, without secrets, and stay within the bounds of package
// search.
func Images(page source.ID, doc extract.Document, rules source.Rules) []search.Image {
	var images []search.Image
	known := map[string]bool{}
	for _, img := range doc.Images {
		src, err := rules.ParseURL(img.URL)
		if err != nil {
			continue // no reader could open this address
		}
		form, err := source.FetchForm(img.URL)
		id := imageID(page, src)
		if err != nil || len(form) > search.MaxImageSrc || known[id] || len(images) == search.MaxImages {
			continue
		}
		known[id] = true
		images = append(images, search.Image{
			ID: id, Src: form, Alt: bounded(img.Alt), Title: bounded(img.Title), Caption: bounded(img.Caption),
		})
	}
	return images
}

var encoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// imageID returns the id of an image of a page, made from the image's address: 130 bits, like the id of a source.
func imageID(page source.ID, src source.Source) string {
	sum := sha256.Sum256([]byte(string(page) + "\n" + src.Normalized))
	return "img_" + encoding.EncodeToString(sum[:])[:26]
}

// bounded cuts a text to the length that the index accepts, at a rune boundary.
func bounded(text string) string {
	if len(text) > search.MaxImageText {
		text = strings.ToValidUTF8(text[:search.MaxImageText], "")
	}
	return text
}

// HashImages returns a hash of a page's images, their order and their texts; "" for no images. It hashes the images'
// ids, which are made from normalized addresses. So the hash does not change when only a tracking parameter or a
// signature in an address is new.
func HashImages(images []search.Image) string {
	if len(images) == 0 {
		return ""
	}
	h := sha256.New()
	enc := json.NewEncoder(h)
	for _, img := range images {
		_ = enc.Encode([]string{img.ID, img.Alt, img.Title, img.Caption}) // encoding strings cannot fail
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// imageTexts returns the texts about images that the page's text does not contain. Captions are part of the page's
// text and are left out.
func imageTexts(images []search.Image) []extract.Block {
	var blocks []extract.Block
	said := map[string]bool{}
	for _, img := range images {
		for _, text := range []string{img.Alt, img.Title} {
			if text != "" && !said[text] {
				said[text] = true
				blocks = append(blocks, extract.Block{Kind: extract.Paragraph, Text: text})
			}
		}
	}
	return blocks
}

package index

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"net/netip"
	"net/url"
	"regexp"
	"strings"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/search"
)

// Images returns a document's images as the index shows them for the page with the given id (A18).
// Images are identified by their normalized addresses, which contain no secrets. Each image appears
// once. The numbers and lengths stay within the bounds of package search.
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

// HashImages returns a hash of a page's images, their order and their texts; "" for no images.
// Parts of an address that do not determine the picture do not affect the hash: a version, a
// tracking parameter, a signature, or the number of one of several servers with the same images.
func HashImages(images []search.Image, rules source.Rules) string {
	if len(images) == 0 {
		return ""
	}
	h := sha256.New()
	enc := json.NewEncoder(h)
	for _, img := range images {
		src := img.Src
		if one, err := rules.ParseURL(src); err == nil {
			src = one.Normalized
		}
		_ = enc.Encode([]string{pictureOf(src), img.Alt, img.Title, img.Caption}) // encoding strings cannot fail
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// versionParameters matches the query parameters that do not determine the picture. Sites use some
// of them to make caches fetch a file again, and image servers use others to check that a link was
// made by them.
var versionParameters = regexp.MustCompile(`(?i)^(?:v|ver|version|rev|revision|_|ts|timestamp|mtime|modified|updated|` +
	`lastmod|cb|cache|cachebust(?:er)?|bust|nocache|rnd|rand|random|hash|md5|etag|` +
	`sig|sign|signature|hmac|token|auth|auth_key|expires?|policy|key-pair-id|` +
	`x-(?:amz|goog|oss|cos|ms)-.*|awsaccesskeyid|googleaccessid|ossaccesskeyid|_nc_.*|ixlib|ixid)$`)

// signedParameters are the parameters of a link to a file in Azure storage that has a signature. In
// other addresses they may say which picture it is.
var signedParameters = regexp.MustCompile(`(?i)^(?:se|sp|sr|st|sv|spr|sks|skt|ske|skv|sktid|skoid)$`)

var (
	// versionAlone matches a query that is nothing but the version of an image file.
	versionAlone = regexp.MustCompile(`(?i)^(?:t=)?[0-9a-f]{6,}$`)
	imageFile    = regexp.MustCompile(`(?i)\.(?:avif|bmp|gif|ico|jpe?g|png|svg|tiff?|webp)$`)
	// shard matches a server name with a number, such as "c1.cdn.example": one of several servers with
	// the same files.
	shard = regexp.MustCompile(`^([a-z-]*)[0-9]{1,2}\.`)
)

// pictureOf returns the part of an address that determines the picture, without versions and
// signatures. The number of a server is replaced by "#": "c1.cdn.example/a.png?v=2" becomes
// "c#.cdn.example/a.png".
func pictureOf(src string) string {
	u, err := url.Parse(src)
	if err != nil || u.Host == "" {
		return src
	}
	host := strings.ToLower(u.Host)
	if _, err := netip.ParseAddr(u.Hostname()); err != nil {
		host = shard.ReplaceAllString(host, "$1#.")
	}
	if imageFile.MatchString(u.Path) && versionAlone.MatchString(u.RawQuery) {
		u.RawQuery = ""
	}
	var query []string
	values := u.Query()
	signed := values.Get("sig") != "" && values.Get("sv") != ""
	for part := range strings.SplitSeq(u.RawQuery, "&") {
		name, _, _ := strings.Cut(part, "=")
		if part != "" && !versionParameters.MatchString(name) && !(signed && signedParameters.MatchString(name)) {
			query = append(query, part)
		}
	}
	return host + u.EscapedPath() + "?" + strings.Join(query, "&")
}

// imageTexts returns those texts about images that are not part of the page's text. Captions are
// part of it and are left out.
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

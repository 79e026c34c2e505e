package extract

// Image is a picture in the content (requirement A18). Its texts are as a reader sees them, with whitespace folded.
type Image struct {
	URL     string // absolute, http or https, without fragment, not normalized otherwise
	Alt     string // the alt attribute, at most [MaxImageText] bytes
	Title   string // the title attribute, bounded likewise
	Caption string // the figcaption around it, bounded likewise
	Preview bool   // named by og:image; may be missing from the content itself
}

// MaxImageText bounds each text of an image, in bytes.
const MaxImageText = 1000

package extract

// Image is a picture that the content shows (requirement A18). What the page says about it is
// text as a reader sees it, whitespace folded.
type Image struct {
	URL     string // absolute, http or https, without fragment, not normalized otherwise
	Alt     string // the alt attribute, at most [MaxImageText] bytes
	Title   string // the title attribute, bounded likewise
	Caption string // the figcaption around it, bounded likewise
	Preview bool   // named by og:image; the content itself need not show it
}

// MaxImageText bounds each text of an image, in bytes.
const MaxImageText = 1000

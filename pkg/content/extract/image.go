package extract

// Image is a picture in the content (requirement A18). Its texts are as a reader sees them, with whitespace folded.
type Image struct {
	URL     string // absolute, http or https, without fragment, otherwise not normalized
	Alt     string // the alt attribute, at most [MaxImageText] bytes
	Title   string // the title attribute, at most [MaxImageText] bytes
	Caption string // the figcaption of the figure around the image, at most [MaxImageText] bytes
	Preview bool   // the image is from og:image; the content may not contain it
}

// MaxImageText bounds each text of an image, in bytes.
const MaxImageText = 1000

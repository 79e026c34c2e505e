package walk

import (
	"cmp"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/discover"
)

// maxWhy limits the reason why a page could not be read, in bytes.
const maxWhy = 200

// unread records that a page cannot be read. Of a start, each poll says so: from there, it finds nothing.
func unread(v *walking, p at, page *linked, why string) {
	why = words.Ellipsis(cmp.Or(why, "nothing of it is stored"), maxWhy)
	if page.Depth == 0 {
		v.Report.Unread(page.URL, "no links are followed from here: "+why)
	}
	if page.isUnread() {
		return
	}
	v.done(p, page, linkRead, nil)
	page.Body = ""
	if v.walk.Unread++; v.walk.UnreadAt == "" {
		v.walk.UnreadAt, v.walk.UnreadWhy = page.URL, why
	}
}

// isUnread reports whether a page is counted as one that could not be read.
func (l *linked) isUnread() bool { return l.State == linkRead && l.Body == "" }

// nowRead records that a page can be read, or is read again.
func (w *Walk) nowRead(page *linked) {
	if !page.isUnread() {
		return
	}
	w.Unread--
	if w.UnreadAt == page.URL {
		w.UnreadAt, w.UnreadWhy = "", ""
	}
}

// leadsOn tells a report why no links are followed from a start: it is no web page, or has none. It may be thin for the
// reason given.
func leadsOn(to Report, page *linked, got *discover.Page, contentType, thin string) {
	switch {
	case page.Depth > 0 || page.State != linkRegistered || page.Again:
	case got == nil && !discover.IsPage(contentType):
		to.Unread(page.URL, "no links are followed from here: it is "+words.Ellipsis(contentType, maxWhy)+
			", not a web page")
	case got != nil && len(got.Links) == 0 && !got.NoFollow && thin != "":
		to.Unread(page.URL, "no links are followed from here, because it has none: "+words.Ellipsis(thin, maxWhy))
	case got != nil && len(got.Links) == 0 && !got.NoFollow:
		to.Unread(page.URL, "no links are followed from here, because it has none")
	}
}

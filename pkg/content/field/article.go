package field

import (
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/words"
)

// articleTypes are the types of items that have a text, a date and an author.
var articleTypes = []string{"Article", "NewsArticle", "BlogPosting", "TechArticle", "ScholarlyArticle", "Report",
	"AnalysisNewsArticle", "OpinionNewsArticle", "ReportageNewsArticle", "LiveBlogPosting", "SocialMediaPosting",
	"DiscussionForumPosting", "CreativeWork", "Recipe", "HowTo", "Question", "VideoObject", "SoftwareSourceCode",
	"SoftwareApplication", "WebApplication", "MobileApplication", "Dataset", "LearningResource", "Review"}

// pageTypes are the types of the item that is the page itself.
var pageTypes = []string{"WebPage", "ItemPage", "AboutPage", "FAQPage", "ProfilePage"}

// fact is a field of an article, and where it is declared.
type fact struct {
	name  string
	of    Type
	props []string
	metas []string
}

// facts are the fields of an article.
var facts = []fact{
	{published, Date, []string{"datePublished", "dateCreated", "uploadDate"},
		[]string{"article:published_time", "og:article:published_time", "datepublished", "dcterms.issued",
			"dcterms.created", "dc.date.issued", "citation_publication_date", "date", "dc.date"}},
	{modified, Date, []string{"dateModified"},
		[]string{"article:modified_time", "og:article:modified_time", "og:updated_time", "dcterms.modified",
			"datemodified", "last-modified"}},
	{Author, Text, []string{"author", "creator"}, []string{"author", "dc.creator", "citation_author"}},
	{Version, Text, []string{"softwareVersion", "version"}, nil},
}

// Article returns what a page declares about its text: published, modified, author and version. Only fields that are
// declared are in the result. Items of articles count before items of pages, and these before meta elements.
func (p *Page) Article() []Result { return slices.Clone(p.article()) }

func (p *Page) readArticle() (out []Result) {
	for _, f := range facts {
		var all []Result
		for _, source := range []Source{JSONLD, Microdata, RDFa} {
			if r, found := p.fact(source, f.name, f.of, f.props); found {
				all = append(all, r)
				break
			}
		}
		for _, name := range f.metas {
			if content, _, _ := p.meta(name); content != "" {
				all = append(all, p.parsed(Spec{Name: f.name, Type: f.of, Source: OpenGraph, At: name}, true, content))
			}
		}
		if len(all) > 0 {
			out = append(out, all[max(0, slices.IndexFunc(all, isPrecise))])
		}
	}
	return out
}

// isPrecise reports whether a result is not a date, or one with its day, before which a month or a year must give way.
func isPrecise(r Result) bool {
	return r.State == Found && (r.Value.Type != Date || len(r.Value.Text) >= len(dayForm))
}

// fact reads a field of the article of a page, or of the page itself.
func (p *Page) fact(source Source, name string, of Type, props []string) (r Result, found bool) {
	for _, types := range [][]string{articleTypes, pageTypes} {
		it, _ := p.theItem(p.sets[source], types)
		if it == nil {
			continue
		}
		for _, prop := range props {
			values := it.all(prop)
			if len(values) == 0 {
				continue
			}
			text := textOf(values)
			if text == "" {
				continue
			}
			s := Spec{Name: name, Type: of, Source: source, At: typeOf(it) + "." + prop}
			return p.parsed(s, !values[0].People, text), true
		}
	}
	return r, false
}

// textOf joins the texts of values, and the names of items, each once.
func textOf(values []PropValue) string {
	var all []string
	for _, v := range values {
		text := v.Text
		if v.Item != nil {
			text = v.Item.First("name").Text
		}
		if text != "" && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return words.Clip(strings.Join(all, ", "), MaxText)
}

package web

import (
	"regexp"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/extract"
)

// sectionNames are headings that name a section of a page, not the page.
var sectionNames = words.Set(`overview | introduction | summary | description | contents | table of contents | syntax |
usage | synopsis | name | background | abstract | preface | purpose | scope | getting started | quick start |
übersicht | einleitung | einführung | zusammenfassung | beschreibung | inhalt | inhaltsverzeichnis | überblick |
aperçu | présentation | résumé | sommaire | table des matières | descripción | introducción | resumen | contenido |
índice | introduzione | descrizione | indice | introdução | descrição | обзор | введение | описание | 概要 | 简介 | 概述`)

// numbered is the number of a section, before its name.
var numbered = regexp.MustCompile(`^(?:\d+(?:\.\d+)+[.)]?|\d+[.)]|[IVX]+\.)\s+`)

// titleOf returns the title of a page: its first heading, which is the title of the page alone. But where that names a
// section ("Overview", or "1. Storage" on a page that does not call itself so), it is what the page calls itself:
// og:title, or the title element.
func titleOf(heading, og, title, elsewhere string) string {
	name := strings.TrimRight(strings.TrimPrefix(heading, numbered.FindString(heading)), " ¶🔗:")
	own := extract.Title(og, title)
	section := sectionNames[strings.ToLower(name)] || name != strings.TrimRight(heading, " ¶🔗:") &&
		!strings.Contains(strings.ToLower(own), strings.ToLower(name))
	if section && own != "" {
		return own
	}
	return extract.Title(heading, og, title, elsewhere)
}

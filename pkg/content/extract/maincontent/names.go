package maincontent

import (
	"strings"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"golang.org/x/net/html"
)

// kinds are the kinds of elements that a class attribute is usual for.
type kinds uint16

const (
	ofChrome kinds = 1 << iota
	ofFurniture
	ofCounter
	ofMenu
	ofConsent
	ofRelated
	ofNotice
	ofDismiss
	ofPost
	ofBody
	ofBeside
	ofComment
)

// kindsOf returns what the classes of an element are usual for. Pages have few different class attributes, and fewer
// different names in them, so each is read once.
func (s *Survey) kindsOf(n *html.Node) kinds {
	if len(n.Attr) == 0 {
		return 0
	}
	class := dom.Attr(n, "class")
	if class == "" {
		return 0
	}
	all, known := s.classes[class]
	if !known {
		for name := range strings.FieldsSeq(class) {
			all |= s.kindsOfName(name)
		}
		s.classes[class] = all
	}
	return all
}

func (s *Survey) kindsOfName(name string) kinds {
	all, known := s.names[name]
	if !known {
		dom.AnyName(name, func(name string) bool {
			all = kindsOf(name)
			return true
		})
		s.names[name] = all
	}
	return all
}

// kindsOf returns what a name in lower case, with "-" for "_", is usual for.
func kindsOf(name string) (all kinds) {
	add := func(kind kinds, is bool) {
		if is {
			all |= kind
		}
	}
	add(ofChrome, chromeNames[name] || beginsWith(name, chromePrefixes))
	add(ofFurniture, furnitureNames[name] || beginsWith(name, furniturePrefixes))
	add(ofCounter, counterNames[name])
	add(ofConsent, isConsent(name))
	add(ofDismiss, name == "close" || strings.Contains(name, "dismiss") || strings.HasSuffix(name, "-close") ||
		strings.HasPrefix(name, "close-"))
	add(ofPost, postNames[name])
	add(ofBody, bodyNames[name])
	add(ofBeside, besideNames[name])
	before, last := "", ""
	for word := range strings.SplitSeq(name, "-") {
		add(ofChrome, chromeWords[word])
		add(ofMenu, menuWords[word])
		add(ofComment, strings.HasPrefix(word, "comment") || strings.HasPrefix(word, "kommentar") || word == "respond")
		add(ofRelated, relatedWords[word])
		before, last = last, word
	}
	add(ofNotice, noticeWords[before] && (last == "bar" || last == "banner"))
	return all
}

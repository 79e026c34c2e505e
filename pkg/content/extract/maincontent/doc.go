// Package maincontent finds the main content of a page: the elements that hold it, and the elements in them that are
// not part of it, such as navigation, advertisements and comments.
//
// One walk over the page, [SurveyPage], measures the text of every element and notes why an element may not be
// content: its element type or role says so, its class or id is one that sites give to such elements, or it is mostly
// links. Then [Survey.MainContent] makes attempts from strict to lax, and uses the first that does not lose too much
// text. Articles and discussions have rules of their own.
package maincontent

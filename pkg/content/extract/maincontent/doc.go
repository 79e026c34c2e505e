// Package maincontent finds what a page is about: the elements that hold it, and what in them is not part of it, such
// as navigation, advertisements and comments.
//
// One walk over the page, [SurveyPage], measures the text of every element and notes why it may not be content: its
// element or role says so, its class or id is one of the names that sites use, or it is mostly links. Then
// [Survey.MainContent] tries readings from strict to lax, and takes the first that does not lose too much text.
// Articles and discussions have rules of their own.
package maincontent

// Package maincontent finds the main content of a page: the elements that hold the content, and the elements inside
// these that are not part of it, such as navigation, advertisements and comments.
//
// The function [SurveyPage] walks over the page once. It measures the text of every element and records why an
// element may not be content: its element type or role excludes it, its class or id is one that sites give to such
// elements, or it is mostly links. Then mainContent makes attempts from strict to lax, and uses the first
// that does not lose too much text. Articles and discussions have rules of their own.
package maincontent

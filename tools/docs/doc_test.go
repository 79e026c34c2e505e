// Package docs checks that the documents are true of the sources, and the sources of what the documents say of them:
// links, names, requirements and their tests, words, layers. It parses sources and runs none of the product, so that
// it answers in seconds.
package docs

package fetch

import "strings"

// refusals are what net/http refuses in an answer, by a part of its error. Nothing that this program does would help.
var refusals = []struct{ text, what string }{
	{"transfer encoding", "the header Transfer-Encoding is wrong"},
	{"Content-Length", "the header Content-Length is wrong"},
	{"malformed MIME header", "a line of the header is malformed"},
	{"malformed HTTP status code", "the status line is malformed"},
	{"malformed HTTP version", "the status line is malformed"},
	{"malformed HTTP response", "the status line is malformed"},
	{"invalid header", "a header has characters that are not allowed"},
	{"malformed chunked encoding", "the chunks of the body are malformed"},
	{"invalid byte in chunk length", "the chunks of the body are malformed"},
}

// refusal returns what the site has to fix, if that is the cause of an error of net/http.
func refusal(err error) string {
	for _, r := range refusals {
		if strings.Contains(err.Error(), r.text) {
			return r.what
		}
	}
	return ""
}

package main

import (
	"strings"
	"testing"
)

func TestSites(t *testing.T) {
	const (
		all = `{"sites":[
{"slug":"port","domain":"port.example","watched":true,"nextLookAt":"2126-03-02T06:00:00Z","newToday":3,"last":{"id":"look-1","kind":"full","found":1200,"new":3,"later":2,"errors":1,"problems":[{"message":"HTTP 404"}]},"lastmod":{"right":19,"wrong":1,"unannounced":0,"truthful":true}},
{"slug":"town","domain":"town.example","watched":false,"newToday":0,"lastmod":{"right":1,"wrong":4,"unannounced":0,"truthful":false}},
{"slug":"quay","domain":"quay.example","watched":true,"newToday":0,"look":{"id":"look-2","kind":"feeds"},"lastmod":{"right":0,"wrong":0,"unannounced":0,"truthful":false}}]}`
		one  = `{"slug":"port","domain":"port.example","watched":true,"newToday":3,"lastmod":{"right":0,"wrong":0,"unannounced":0,"truthful":false}}`
		asks = `{"slug":"port","domain":"port.example","watched":true,"question":{"text":"Which?","url":"https://port.example/","tried":[],"advice":[],"choices":[
{"kind":"feed","url":"https://port.example/f","pages":1,"send":{"url":"https://port.example/"}},
{"kind":"follow","url":"https://port.example/","pages":2,"send":{"url":"https://port.example/"}}]}}`
	)
	performAll(t, []script{
		{name: "none", args: []string{"sites"}, answers: []answered{{200, `{"sites":[]}`}},
			out:   "no sites: `tidemark sites add ADDRESS` adds one, see also BACKFILL_SITES_FILE\n",
			asked: []string{"GET /api/sites"}},
		{name: "all", args: []string{"sites"}, answers: []answered{{200, all}}, out: `
SITE  POLLED  NEXT          FOUND  NEW  LATER  ERRORS  LASTMOD
port  never   in 100 years  1,200  3    2      1       truthful, 19 of 20  (HTTP 404)
town  never   not polled    0      0    0      0       1 of 5
quay  never   now           0      0    0      0       -
`},
		{name: "json", args: []string{"sites", "--json"}, answers: []answered{{200, one}}, out: one + "\n"},
		{name: "look", args: []string{"sites", "look", "port"}, answers: []answered{{202, one}},
			out:   "a poll of port has begun; `tidemark sites` tells what it found\n",
			asked: []string{"POST /api/sites/port/look"}},
		{name: "U6 add", args: []string{"sites", "add", "port.example"}, answers: []answered{{200, one}},
			out:   "port: 0 pages found, 0 new, 0 known\n",
			asked: []string{`POST /api/sites {"url":"port.example","guessScheme":true}`}},
		{name: "A1 a route is left out", args: []string{"sites", "add", "port.example/#/x"},
			answers: []answered{{200, strings.Replace(one, `"newToday"`, `"warning":"#/x is not part","newToday"`, 1)}},
			out:     "port: #/x is not part\nport: 0 pages found, 0 new, 0 known\n"},
		{name: "U6 asked of the site file", args: []string{"sites", "show", "port"}, answers: []answered{{200, asks}}, out: `
Which?
  a feed: 1 page, 0 left out:
    feeds: ["https://port.example/f"]
  the first page, and all pages to which links lead from there: 2 pages, 0 left out:
    follow: {}
Tried:
What else works:
`},
		{name: "V2 set", args: []string{"sites", "set", "port", "--depth", "4", "--feed", "https://port.example/f", "--clear",
			"exclude"}, answers: []answered{{200, strings.Replace(one, `"newToday"`,
			`"set":{"feeds":["https://port.example/f"],"follow":{"depth":4,"pages":5000,"hosts":["a.example"]}},"newToday"`, 1)}},
			out: "port reads: feeds https://port.example/f; follow links yes; links from the first page, at most 4; " +
				"pages, at most 5,000; other hosts a.example\n",
			asked: []string{
				`PATCH /api/sites/port {"exclude":null,"feeds":["https://port.example/f"],"follow":{"depth":4}}`}},
		{name: "V2 set nothing", args: []string{"sites", "set", "port"}, code: 2,
			err: "tidemark: give what changes, such as --depth 5, or --clear NAME\nsee `tidemark sites set --help`\n"},
		{name: "V2 follow no more", args: []string{"sites", "set", "port", "--follow=false"}, answers: []answered{{200, one}},
			out: "port reads: nothing\n", asked: []string{`PATCH /api/sites/port {"follow":null}`}},
		{name: "E16 add and follow", args: []string{"sites", "add", "port.example", "--wait=false", "--depth", "4",
			"--follow", "--dry-run"}, answers: []answered{{200, strings.Replace(one, `"newToday"`, `"look":{"id":"l"},"newToday"`, 1)}},
			out:   "port is being read; `tidemark sites show port` shows what was found\n",
			asked: []string{`POST /api/sites {"url":"port.example","guessScheme":true,"follow":{"depth":4},"dryRun":true}`}},
		{name: "E16 too deep", args: []string{"sites", "add", "port.example", "--depth", "21"}, code: 2,
			err: "tidemark: --depth must be from 1 to 20, not 21\nsee `tidemark sites add --help`\n"},
		{name: "U6 remove", args: []string{"sites", "remove", "port"}, answers: []answered{{200, one}},
			out:   "port is removed; its pages stay, `tidemark items --host port.example` lists them\n",
			asked: []string{"DELETE /api/sites/port"}},
		{name: "no site", args: []string{"sites", "look"}, code: 2,
			err: "tidemark: accepts 1 arg(s), received 0\nsee `tidemark sites look --help`\n"},
		{name: "unknown", args: []string{"sites", "look", "x"}, code: 1, answers: []answered{{404,
			`{"title":"Not Found","detail":"the site file has no site \"x\""}`}},
			err: "tidemark: the site file has no site \"x\"\n"},
	})
}

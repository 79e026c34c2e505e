package render

import (
	"encoding/json"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// plain is a snapshot of a page with a closed shadow root, a frame, noscript, and texts that need escapes.
const plain = `{"strings":["html","HTML","BODY","DIV","#text","a < b & c","SLOT","light","IFRAME","in the frame","NOSCRIPT",
"no scripts","A","href","on.html","https://frame.example/deep/","SCRIPT","if (a < b) {}","title","a \"quoted\" title","BR","CANVAS"],
"documents":[{"baseURL":-1,"nodes":{
"parentIndex":[-1,0,0,2,3,4,5,6,3,3,3,10,3,12,3,3],
"nodeType":   [9,10,1,1,1,3,1,3,1,1,1,3,1,3,1,1],
"nodeName":   [-1,0,1,2,3,4,6,4,20,8,10,4,16,4,21,20],
"nodeValue":  [-1,-1,-1,-1,-1,5,-1,7,-1,-1,-1,11,-1,17,-1,-1],
"backendNodeId":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16],
"attributes":[[],[],[],[],[18,19],[],[],[],[],[],[],[],[],[],[],[]],
"contentDocumentIndex":{"index":[9],"value":[1]}},
"layout":{"nodeIndex":[5,14],"bounds":[[0,0,10,10],[0,0,400,300]],"text":[5,-1]}},
{"baseURL":15,"nodes":{"parentIndex":[-1,0,1,2,3],"nodeType":[9,1,1,1,3],"nodeName":[-1,1,2,12,4],"nodeValue":[-1,-1,-1,-1,9],
"backendNodeId":[1,2,3,4,5],"attributes":[[],[],[],[13,14],[]],"contentDocumentIndex":{"index":[],"value":[]}},
"layout":{"nodeIndex":[],"bounds":[],"text":[]}}]}`

// TestR4Write checks that shadow roots and frames stand in their place, that noscript is left out, and what is escaped.
func TestR4Write(t *testing.T) {
	var s Snapshot
	if err := json.Unmarshal([]byte(plain), &s); err != nil {
		t.Fatal(err)
	}
	// A slot after a text that is its sibling: node 6 is a child of node 4.
	s.Documents[0].Nodes.Parent[6] = 4
	have := writeSnapshot(&s, 10000, "")
	want := `<!doctype html>` + "\n" + `<html><body><div title="a &#34;quoted&#34; title">a &lt; b &amp; clight</div><br>` +
		`<div data-iframe><a href="https://frame.example/deep/on.html">in the frame</a></div>` +
		`<script>if (a < b) {}</script><canvas></canvas><br></body></html>`
	if string(have.HTML) != want || have.Cut || !have.PictureOnly {
		t.Errorf("have %s\nwant %s\n%v %v", have.HTML, want, have.Cut, have.PictureOnly)
	}
	if cut := writeSnapshot(&s, 100, ""); !cut.Cut {
		t.Errorf("a page above the bound is not cut: %d bytes", len(cut.HTML))
	}
}

// FuzzR4Write checks that no snapshot, however broken, is written as anything that is not parsed, and that the writer
// ends within its bound.
func FuzzR4Write(f *testing.F) {
	f.Add([]byte(plain))
	f.Add([]byte(strings.ReplaceAll(plain, `"value":[1]`, `"value":[0]`))) // a frame that shows itself
	f.Fuzz(func(t *testing.T, raw []byte) {
		var s Snapshot
		if json.Unmarshal(raw, &s) != nil {
			return
		}
		const most = 100_000
		page := writeSnapshot(&s, most, "")
		if len(page.HTML) > most+len(raw)+1000 {
			t.Errorf("%d bytes", len(page.HTML))
		}
		if _, err := html.Parse(strings.NewReader(string(page.HTML))); err != nil {
			t.Error(err)
		}
	})
}

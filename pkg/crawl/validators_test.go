package crawl

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/registry"
)

// answering is a check of a page, with the request that it makes and what it finds.
type answering struct {
	serve page
	asked string
	holds string // the title in the index
	trust string // what the item says about the validators, up to the first ";" or ":"
}

const (
	unseen = "ETag and Last-Modified have not been seen to change yet"
	proven = "ETag and Last-Modified change together with the content"
	blind  = "ETag and Last-Modified stayed the same while the text changed, first on 2026-03-"
	lied   = "ETag and Last-Modified stayed the same while the bytes changed, first on 2026-03-"
)

// deaf is a page of a server that ignores conditions.
func deaf(version string) page { return text(version).with(func(p *page) { p.ignores = true }) }

func (p page) dated() page { return p.set("Last-Modified", "Mon, 02 Jan 2023 00:00:00 GMT") }

func (p page) nonce(n int) page {
	p.body += fmt.Sprintf("<!-- %03d -->", n)
	return p
}

// mute is a page whose HEAD requests get a status.
func (p page) mute(status int) page { return p.with(func(p *page) { p.noHead = status }) }

var validatorCases = []struct {
	name   string
	checks []answering
}{
	{"a constant ETag", []answering{
		{deaf("v1").etag("c"), "GET /p", "v1", unseen},
		{deaf("v1").etag("c"), "GET /p if c", "v1", unseen},
		{deaf("v1").etag("c"), "GET /p if c", "v1", unseen},
		{deaf("v2").etag("c"), "GET /p if c", "v2", blind},
		{deaf("v2").etag("c"), "GET /p", "v2", blind},
		{deaf("v3").etag("c"), "GET /p", "v3", blind},
	}},
	{"a constant date", []answering{
		{deaf("v1").dated(), "GET /p", "v1", unseen},
		{deaf("v1").dated(), "GET /p if since", "v1", unseen},
		{deaf("v2").dated(), "GET /p if since", "v2", blind},
		{deaf("v3").dated(), "GET /p", "v3", blind},
	}},
	{"a date that only its server spells so", []answering{
		{text("v1").set("Last-Modified", "Monday, 02-Jan-23 00:00:00 GMT"), "GET /p", "v1", unseen},
		{text("v1").set("Last-Modified", "Monday, 02-Jan-23 00:00:00 GMT"), "GET /p if since", "v1", unseen},
		{text("v1").set("Last-Modified", "2 January 2023"), "GET /p if since", "v1", unseen},
		{text("v1").set("Last-Modified", "2 January 2023"), "GET /p if since", "v1", unseen},
	}},
	{"a date says nothing about noise", []answering{
		{deaf("v1").dated(), "GET /p", "v1", unseen},
		{deaf("v1").dated().nonce(1), "GET /p if since", "v1", unseen},
		{deaf("v1").dated().nonce(2), "GET /p if since", "v1", unseen},
	}},
	{"a weak ETag neither", []answering{
		{deaf("v1").set("ETag", `W/"1"`), "GET /p", "v1", unseen},
		{deaf("v1").set("ETag", `W/"1"`).nonce(1), "GET /p if W/\"1", "v1", unseen},
		{deaf("v2").set("ETag", `W/"1"`), "GET /p if W/\"1", "v2", blind},
	}},
	{"a strong ETag is one of the bytes", []answering{
		{deaf("v1").etag("c"), "GET /p", "v1", unseen},
		{deaf("v1").etag("c").nonce(1), "GET /p if c", "v1", lied},
		{deaf("v1").etag("c").nonce(2), "GET /p if c", "v1", lied},
		{deaf("v2").etag("c").nonce(3), "GET /p if c", "v2", blind},
	}},
	{"an ETag that moves, and then no longer", []answering{
		{deaf("v1").etag("1"), "GET /p", "v1", unseen},
		{deaf("v2").etag("2"), "GET /p if 1", "v2", proven},
		{deaf("v2").etag("2"), "GET /p if 2", "v2", proven},
		{deaf("v2").etag("2"), "HEAD /p if 2", "v2", proven},
		{deaf("longer").etag("2"), "HEAD /p if 2; GET /p if 2", "longer", blind},
		{deaf("longer").etag("2"), "GET /p", "longer", blind},
	}},
	{"an ETag that comes with an error page proves nothing", []answering{
		{deaf("v1").dated(), "GET /p", "v1", unseen},
		{deaf("v2").etag("1"), "GET /p if since", "v2", unseen},
		{deaf("v2").etag("1"), "GET /p if 1", "v2", unseen},
		{deaf("v2").etag("1"), "GET /p if 1", "v2", unseen},
	}},
	{"HEAD is refused once", []answering{
		{deaf("v1").etag("1").mute(405), "GET /p", "v1", unseen},
		{deaf("v2").etag("2").mute(405), "GET /p if 1", "v2", proven},
		{deaf("v2").etag("2").mute(405), "GET /p if 2", "v2", proven},
		{deaf("v2").etag("2").mute(405), "HEAD /p if 2; GET /p if 2", "v2", proven},
		{deaf("v2").etag("2").mute(405), "GET /p if 2", "v2", proven},
		{deaf("v3").etag("3").mute(405), "GET /p if 2", "v3", proven},
		{deaf("v3").etag("3").mute(405), "GET /p if 3", "v3", proven},
		{deaf("v3").etag("3").mute(405), "GET /p if 3", "v3", proven},
	}},
	{"a body of unknown length", []answering{
		{deaf("v1").etag("1").set("Transfer-Encoding", "chunked"), "GET /p", "v1", unseen},
		{deaf("v2").etag("2").set("Transfer-Encoding", "chunked"), "GET /p if 1", "v2", proven},
		{deaf("v2").etag("2").set("Transfer-Encoding", "chunked"), "GET /p if 2", "v2", proven},
		{deaf("v2").etag("2").set("Transfer-Encoding", "chunked"), "GET /p if 2", "v2", proven},
	}},
}

// TestX1Validators checks that validators that were seen to stay the same while the content changed are not believed,
// and that a HEAD request is sent only where its answer may show that the page is unchanged.
func TestX1Validators(t *testing.T) {
	for _, tt := range validatorCases {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			for i, want := range tt.checks {
				r.site.put("/p", want.serve)
				it := r.look("/p")
				have := answering{want.serve, strings.Join(r.site.asked(), "; "), r.index.holds(it), it.Validators.Why()}
				if have.asked != want.asked || have.holds != want.holds || !strings.HasPrefix(have.trust, want.trust) {
					t.Errorf("check %d: asked %q, holds %q, %q; want %+v", i+1, have.asked, have.holds, have.trust, want)
				}
				lies := 0
				if it.Validators.Lied() {
					lies = 1
				}
				if view, err := r.reg.Hosts.View(t.Context(), it.SourceHost); err != nil || len(view.Notices) != lies {
					t.Errorf("check %d: the host says %q, %v", i+1, view.Notices, err)
				}
			}
		})
	}
}

// TestX1FullChecks checks that a server which says for ever that nothing has changed is found out, by the number of
// checks or by the time; and that after that it is not believed.
func TestX1FullChecks(t *testing.T) {
	r := newRig(t)
	eternal := func(version string) page { // 304 to every condition
		return text(version).etag("c")
	}
	r.site.put("/p", eternal("v1"))
	r.first("/p")
	r.site.put("/p", eternal("v2"))
	r.site.asked()
	for i := range 20 {
		if it := r.look("/p"); r.index.holds(it) != "v1" || it.Validators.Checks != i+1 {
			t.Fatalf("check %d: %+v", i+1, it.Validators)
		}
	}
	if asked := strings.Join(r.site.asked(), "; "); strings.Count(asked, " if c") != 20 {
		t.Errorf("asked %s", asked)
	}
	it := r.look("/p")
	asked := strings.Join(r.site.asked(), "; ")
	if r.index.holds(it) != "v2" || !it.Validators.Blind || asked != "GET /p" {
		t.Errorf("the full check asked %s: %+v", asked, it.Validators)
	}
	r.site.put("/p", eternal("v3"))
	if it = r.look("/p"); r.index.holds(it) != "v3" {
		t.Error("what has lied is believed again")
	}
	// By the time: the check after thirty days.
	r.site.put("/q", eternal("v1"))
	r.first("/q")
	r.site.put("/q", eternal("v2"))
	r.clock.pass(29 * 24 * time.Hour)
	if it = r.look("/q"); r.index.holds(it) != "v1" {
		t.Error("a full check came early")
	}
	r.clock.pass(24 * time.Hour)
	if it = r.look("/q"); r.index.holds(it) != "v2" {
		t.Error("no full check after thirty days")
	}
}

// TestX1ProvenFullChecks checks that validators which change with the content are trusted for longer: until both the
// number of checks and the time are over. A full check that fails comes again.
func TestX1ProvenFullChecks(t *testing.T) {
	r := newRig(t)
	r.site.put("/p", text("v1").etag("1"))
	r.first("/p")
	r.site.put("/p", text("v2").etag("2"))
	if it := r.look("/p"); !it.Validators.Proven {
		t.Fatalf("%+v", it.Validators)
	}
	conditional := func(want bool) registry.Item {
		t.Helper()
		r.site.asked()
		it := r.look("/p")
		if asked := strings.Join(r.site.asked(), "; "); strings.HasSuffix(asked, " if 2") != want {
			t.Errorf("after %d checks since %s asked %q", it.Validators.Checks, it.Validators.WholeAt, asked)
		}
		return it
	}
	for range 25 {
		conditional(true)
	}
	r.clock.pass(30 * 24 * time.Hour)
	r.site.put("/p", status(http.StatusInternalServerError))
	conditional(false)
	r.site.put("/p", text("v2").etag("2"))
	if it := conditional(false); it.Validators.Checks != 0 || it.Validators.Lied() {
		t.Errorf("after the full check: %+v", it.Validators)
	}
	conditional(true)
}

// TestX1UnchangedCostsOneRequest checks that ten unchanged checks send at most one request more than their number, to
// servers of every kind: only a HEAD request that fails may be in addition, and only once.
func TestX1UnchangedCostsOneRequest(t *testing.T) {
	for name, tt := range map[string]struct {
		before, page page // before is what the page was at its first check
		extra        int
	}{
		"304":                        {text("v0").etag("0"), text("v1").etag("1"), 0},
		"304 for a date":             {text("v0"), text("v1").dated(), 0},
		"conditions are ignored":     {deaf("v0").etag("0"), deaf("v1").etag("1"), 0},
		"a constant ETag":            {deaf("v0").etag("c"), deaf("v1").etag("c"), 0},
		"a constant date":            {deaf("v0").dated(), deaf("v1").dated(), 0},
		"no validators":              {text("v0"), text("v1"), 0},
		"a weak ETag":                {deaf("v0").set("ETag", `W/"0"`), deaf("v1").set("ETag", `W/"1"`), 0},
		"HEAD is refused":            {deaf("v0").etag("0"), deaf("v1").etag("1").mute(405), 1},
		"HEAD is not found":          {deaf("v0").etag("0"), deaf("v1").etag("1").mute(404), 1},
		"HEAD fails":                 {deaf("v0").etag("0"), deaf("v1").etag("1").mute(500), 1},
		"the length is not declared": {deaf("v0").etag("0"), deaf("v1").etag("1").set("Transfer-Encoding", "chunked"), 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.site.put("/p", tt.before)
			r.first("/p")
			r.site.put("/p", tt.page)
			r.look("/p")
			r.site.asked()
			for range 10 {
				if it := r.look("/p"); it.Status != indexed || r.index.holds(it) != "v1" {
					t.Fatalf("%s, holds %q", it.Status, r.index.holds(it))
				}
			}
			if asked := r.site.asked(); len(asked) > 10+tt.extra {
				t.Errorf("%d requests: %s", len(asked), strings.Join(asked, "; "))
			}
		})
	}
}

package handlers

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/run/backfill"
	"github.com/tidemark/tidemark/pkg/run/sitepoll"
)

// TestA1RouteIsWarnedOf checks that each way to add an address with a route after # says that it is no part of the
// address, and that another route of the page is the same item (A1).
func TestA1RouteIsWarnedOf(t *testing.T) {
	r, _ := newSitesRig(t)
	const warning = "#/a is not part of the address: the page is read without it, and any other route of the page is " +
		"the same item"
	var one, other api.Item
	decode := func(method, path, body string, to any) {
		t.Helper()
		must(t, json.Unmarshal(do(t, r, method, path, body).Body.Bytes(), to))
	}
	decode("POST", "/api/AddUrlDocument", `{"url":"https://port.example/#/a"}`, &one)
	decode("POST", "/api/AddUrlDocument", `{"url":"port.example/#!/b","guessScheme":true}`, &other)
	if one.Warning != warning || !strings.HasPrefix(other.Warning, "#!/b is not") || one.ID != other.ID {
		t.Errorf("%q, %q of %s and %s", one.Warning, other.Warning, one.ID, other.ID)
	}
	var batch api.AddURLBatch
	decode("POST", "/api/AddUrlDocument",
		`{"urls":["ftp://b","https://port.example/ok","https://port.example/#/a"]}`, &batch)
	if batch.Items[1].Item.Warning != "" || batch.Items[2].Item.Warning != warning {
		t.Errorf("%+v", batch.Items)
	}
	var known api.Item
	decode("GET", "/api/items/"+one.ID, "", &known)
	if known.ID != one.ID || known.Warning != "" {
		t.Errorf("the item itself has the warning %q", known.Warning)
	}
	list, err := json.Marshal(api.ListImportRequest{Format: "csv",
		Content: "https://port.example/#/a\nhttps://port.example/#/b\nhttps://port.example/ok\n"})
	must(t, err)
	var im api.ListImport
	decode("POST", "/api/import", string(list), &im)
	decode("GET", "/api/import/list/"+im.ID, "", &im)
	if im.Warning != warning+"; this holds for 2 addresses of the list" {
		t.Errorf("the import of a list: %q", im.Warning)
	}
	shows(t, r, "/api/ui/import/"+im.ID, im.Warning)
	if text, failed := use(t, connect(t, r, ""), "add_page", `{"url":"https://port.example/#/a"}`); failed ||
		!strings.Contains(text, warning) {
		t.Errorf("add_page: %s", text)
	}
}

// TestA1RouteOfASite checks that the same is said of the addresses of a site, and on the dashboard (A1).
func TestA1RouteOfASite(t *testing.T) {
	r, q := newSitesRig(t)
	for _, body := range []string{`{"url":"https://quay.example/#/docs"}`,
		`{"url":"pier.example","listings":["https://pier.example/#/docs"]}`} {
		var one api.Site
		must(t, json.Unmarshal(do(t, r, "POST", "/api/sites", body).Body.Bytes(), &one))
		if !strings.HasPrefix(one.Warning, "#/docs is not part of the address") {
			t.Errorf("%s: %+v", body, one)
		}
	}
	to := send(t, r, "/api/ui/sites", url.Values{"url": {"https://weir.example/#/docs"}})
	if !strings.HasSuffix(to, "?done=site-route") {
		t.Errorf("a site of the dashboard leads to %s", to)
	}
	file, err := site.Parse("sites.yaml", []byte("sites:\n- {slug: mole, domain: mole.example, listings: "+
		"[{url: 'https://mole.example/#/docs'}]}\n- {slug: jetty, domain: jetty.example, start: "+
		"['https://jetty.example/#docs']}"))
	must(t, err)
	r.v.Polls = sitepoll.New(r.v.Store, r.v.Registry, q, sitepoll.Options{Sites: file.All(), Rules: source.DefaultRules()})
	r.v.Backfill = backfill.New(r.v.Store, r.v.Registry, q, r.v.Files, backfill.Options{Sites: file.All()})
	if one := file.All()[1]; one.Warning != "" {
		t.Errorf("a place on a page is warned of: %q", one.Warning)
	}
	shows(t, r, "/api/ui/hosts/mole.example", "#/docs is not part of the address")
	to = send(t, r, "/api/ui/add", url.Values{"urls": {"https://port.example/#/a"}})
	shows(t, r, to, "Registered without the part of the address after #.")
	w := post(t, r, "/api/ui/add", "same-origin",
		url.Values{"urls": {"https://port.example/#/a\nhttps://port.example/ok"}})
	if n := strings.Count(w.Body.String(), "#/a is not part of the address"); n != 1 {
		t.Errorf("%d warnings: %s", n, w.Body)
	}
}

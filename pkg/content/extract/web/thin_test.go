package web

import (
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/content/extract"
)

// thinOf extracts a page and returns the reason why it is thin.
func thinOf(t *testing.T, body string) string {
	t.Helper()
	doc, err := Extract([]byte(body), "text/html; charset=utf-8", "https://app.example/", extract.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return doc.Thin
}

// TestS13ThinPages checks that pages served by frameworks before their scripts run are thin (S13).
func TestS13ThinPages(t *testing.T) {
	const root, asks, said, empty, wait = "application root", "asks for JavaScript", "is a request for JavaScript",
		"nothing can be read", "placeholder"
	for name, tt := range map[string]struct{ body, want string }{
		"create-react-app": {`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>React App</title>
			<script defer="defer" src="/static/js/main.3f1c.js"></script></head>
			<body><noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div></body></html>`, root},
		"vite": {`<!doctype html><html><head><title>Vite + React</title><script type="module" crossorigin ` +
			`src="/assets/index-4sK2.js"></script></head><body><div id="root"></div></body></html>`, root},
		"vue": {`<html><head><title>shop</title></head><body><noscript><strong>We're sorry but shop doesn't ` +
			`work properly without JavaScript enabled. Please enable it to continue.</strong></noscript><div id="app"></div>` +
			`<script src="/js/app.js"></script></body></html>`, root},
		"next, client": {`<html><head><title>App</title></head><body><div id="__next"></div><script id="__NEXT_DATA__" ` +
			`type="application/json">{"props":{}}</script><script src="/_next/static/chunks/main.js" defer></script></body>` +
			`</html>`, root},
		"nuxt, spinner": {`<html><body><div id="__nuxt"><div class="spinner">Loading...</div></div>` +
			`<script>window.__NUXT__={}</script><script type="module" src="/_nuxt/entry.js"></script></body></html>`, root},
		"angular": {`<html><head><base href="/"><title>Console</title></head><body><app-root></app-root><script ` +
			`src="runtime.js" type="module"></script><script src="main.js" type="module"></script></body></html>`, root},
		"gatsby, bare": {`<html><body><div id="___gatsby"></div><script src="/app-1.js"></script></body></html>`, root},
		"blazor": {`<html><head><title>Orders</title></head><body><div id="app">Loading...</div>
			<div id="blazor-error-ui">An unhandled error has occurred. <a href="" class="reload">Reload</a></div>
			<script src="_framework/blazor.webassembly.js"></script></body></html>`, root},
		"a shell with navigation": {`<html><head><title>Bank</title></head><body><header><nav><ul>
			<li><a href="/a">Accounts</a><li><a href="/b">Loans</a><li><a href="/c">Contact</a></ul>
			</nav></header><div id="root"></div>
			<footer>© 2026 The Bank of the Harbour, registered in the harbour, authorised by the harbour master. ` +
			strings.Repeat("Terms and conditions apply. ", 10) + `</footer><script src="a.js"></script></body></html>`, root},
		"sveltekit": {`<html><head><title>App</title></head><body data-sveltekit-preload-data="hover"><div ` +
			`style="display: contents"><script>{ __sveltekit = {} }</script></div></body></html>`, empty},
		"flutter": {`<html><head><title>game</title><script src="flutter_bootstrap.js" async></script>` +
			`</head><body></body></html>`, empty},
		"swagger ui": {`<html><head><title>API</title></head><body><div id="swagger-ui"></div><script ` +
			`src="swagger-ui-bundle.js"></script></body></html>`, empty},
		"all of it hidden": {`<html><body style="display:none"><p>Text that a script uncovers.</p><script ` +
			`src="cloak.js"></script></body></html>`, empty},
		"docsify": {`<html><head><title>Docs</title></head><body><div id="main-docs">Please wait...</div>` +
			`<script src="//cdn.example/docsify.js"></script></body></html>`, wait},
		"noscript with a header": {`<html><body><h1>Tide charts</h1><noscript>This page needs JavaScript.</noscript>` +
			`<script src="charts.js"></script></body></html>`, asks},
		"challenge": {`<html><head><title>Just a moment...</title></head><body><h2>Checking your browser</h2>` +
			`<p>Enable JavaScript and cookies to continue</p><script>window._cf_chl_opt={}</script></body></html>`, said},
		"twitter, of old": {`<html><body><div class="errorContainer"><p>JavaScript is not available. We've ` +
			`detected that JavaScript is disabled in this browser. Please enable JavaScript or switch to a supported ` +
			`browser.</p></div><script src="x.js"></script></body></html>`, said},
	} {
		if why := thinOf(t, tt.body); !strings.Contains(why, tt.want) {
			t.Errorf("%s: %q, want %q", name, why, tt.want)
		}
	}
}

// TestS13ShortPagesAreNotThin checks that short but complete pages are not thin, whatever scripts they load (S13).
func TestS13ShortPagesAreNotThin(t *testing.T) {
	long := strings.Repeat("The gauge is read every six minutes, and the mean of the reading is kept. ", 6)
	for name, body := range map[string]string{
		"a note": `<html><body><h1>It works!</h1></body></html>`,
		"a note with analytics": `<html><head><script async src="https://analytics.example/gtag.js"></script>` +
			`<script>window.dataLayer=[]</script></head><body><p>The office is closed on Friday.</p></body></html>`,
		"nothing, and no scripts":   `<html><body></body></html>`,
		"an empty root, no scripts": `<html><body><div id="root"></div></body></html>`,
		"only data in scripts": `<html><head><script type="application/ld+json">{"@type":"Thing"}</script></head>` +
			`<body><div id="app"></div></body></html>`,
		"next, rendered": `<html><body><div id="__next"><main><h1>Opening hours</h1><p>Monday to Friday, 9 to ` +
			`17.</p></main></div><script id="__NEXT_DATA__" type="application/json">{}</script><script src="/_next/main.js">` +
			`</script></body></html>`,
		"react, rendered, and asks": `<html><body><noscript>You need to enable JavaScript to run this app.</noscript>` +
			`<div id="root"><article><h1>Tides</h1><p>` + long +
			`</p></article></div><script src="a.js"></script></body></html>`,
		"a widget beside an article": `<html><body><article><h1>Tides</h1><p>` + long +
			`</p></article><div id="app"></div><script src="comments.js"></script></body></html>`,
		"pictures": `<html><body><img src="a.jpg"><img src="b.jpg"><script src="gallery.js"></script>` +
			`</body></html>`,
		"a film": `<html><body><video src="tide.mp4"></video><script src="player.js"></script></body>` +
			`</html>`,
		"a tag manager's noscript": `<html><body><noscript><iframe src="https://tags.example/ns.html"></iframe>` +
			`</noscript><p>Moved to pier 4.</p><script src="gtm.js"></script></body></html>`,
		"a lazy picture's noscript": `<html><body><p>The new crane.</p><noscript><img src="crane.jpg"></noscript><script ` +
			`src="lazy.js"></script></body></html>`,
		"a form": `<html><body><form><label>Name <input name="n"></label><label>Password <input ` +
			`name="p"></label><button>Sign in</button></form><script src="a.js"></script></body></html>`,
		"an article about it": `<html><body><article><h1>How to enable JavaScript</h1><p>Please enable JavaScript ` +
			`in your browser: ` + long + `</p></article><script src="a.js"></script></body></html>`,
		"a course": `<html><body><h1>Course</h1><p>This course requires JavaScript knowledge.</p>` +
			`<script src="a.js"></script></body></html>`,
		"plain text that loads": `<html><body><p>Loading docks are open until six.</p><script src="a.js"></script>` +
			`</body></html>`,
	} {
		if why := thinOf(t, body); why != "" {
			t.Errorf("%s: thin: %s", name, why)
		}
	}
	if doc, err := Extract([]byte("Loading..."), "text/plain", "https://app.example/", extract.Limits{}); err != nil ||
		doc.Thin != "" {
		t.Errorf("a text: %q, %v", doc.Thin, err)
	}
}

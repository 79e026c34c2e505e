package local

import (
	"net/http"
	"strings"
)

// homeText tells a program where everything is.
const homeText = `{"dashboard":"/api/ui","documentation":"/api/docs","openapi":"/api/openapi.json","health":"/api/health"}
`

// home answers "/" on this machine: a browser is led to the dashboard, a program is told what there is. In Azure that
// path is the platform's own.
func home(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Vary", "Accept")
	if strings.Contains(r.Header.Get("Accept"), "text/html") {
		h.Set("Location", "/api/ui")
		w.WriteHeader(http.StatusSeeOther)
		return
	}
	h.Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(homeText)) // the caller has gone: nobody to tell
}

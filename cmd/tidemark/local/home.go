package local

import (
	"net/http"
	"strings"
)

// homeText gives programs the paths of the app.
const homeText = `{"dashboard":"/api/ui","documentation":"/api/docs","openapi":"/api/openapi.json","health":"/api/health"}
`

// home answers "/" on this machine: it redirects a browser to the dashboard, and gives a program the paths of the
// app. In Azure the platform answers requests for "/".
func home(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Vary", "Accept")
	if strings.Contains(r.Header.Get("Accept"), "text/html") {
		h.Set("Location", "/api/ui")
		w.WriteHeader(http.StatusSeeOther)
		return
	}
	h.Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(homeText)) // an error means that the caller has gone
}

package ui

import (
	"net/http"
	"net/url"
	"time"
)

// zoneCookie is the cookie in which the script of the pages keeps the name of the reader's time zone.
const zoneCookie = "tidemark_zone"

// zoneOf returns the time zone of the reader; UTC if the browser has not named one.
func zoneOf(r *http.Request) *time.Location {
	const longest = 100
	c, err := r.Cookie(zoneCookie)
	if err != nil || len(c.Value) > longest {
		return time.UTC
	}
	name, err := url.QueryUnescape(c.Value)
	if err != nil || name == "Local" {
		return time.UTC
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return time.UTC
	}
	return zone
}

package app

import (
	"regexp"
	"strings"
	"testing"
)

// wrongValues are values that no setting of their kind may have, for those that "?\x00" is no wrong value of.
var wrongValues = map[string]string{
	"BACKFILL_SITES_FILE": "/nowhere", "API_KEYS": "a", "API_KEYS_FILE": "/nowhere", "RULES_FILE": "/nowhere",
	"EMAIL_IMPORT_CREDENTIAL": "NOBODY", "EGRESS_PROXY_CREDENTIAL": "NOBODY",
	"CRAWL_ACCEPT_LANGUAGE": "de;q=2", "CRAWL_USER_AGENT": "()", "CRAWL_CONTACT": "(me)",
}

// anyValue are settings that this package takes as they are.
var anyValue = []string{"TIDEMARK_DATA", "ALLOWED_HOSTS", "HTTPS_PROXY", "WEBSITE_SITE_NAME", "AUTH_HEADER"}

// TestA25MessagesAreSentences checks the texts about allowed values, and the error for a wrong value of each setting:
// what follows "allowed is" is what may be there, and no order such as "want".
func TestA25MessagesAreSentences(t *testing.T) {
	allowed := regexp.MustCompile(`^(an?|the|any|at (most|least)|true|text|debug|host|read|embedded|managedidentity|[0-9]+ )\b`)
	known := 0
	for _, s := range Settings {
		if !allowed.MatchString(s.allowed) || strings.Contains(s.allowed, "want") {
			t.Errorf("%s: allowed is %s", s.Name, s.allowed)
		}
		value := "a b?\x7f://"
		if w, given := wrongValues[s.Name]; given {
			value = w
		}
		if s.read == nil || strings.Contains(strings.Join(anyValue, " "), s.Name) {
			continue
		}
		_, err := Load(env(map[string]string{s.Name: value}))
		if err == nil {
			if s.Name != "NO_PROXY" {
				t.Errorf("%s=%q is taken", s.Name, value)
			}
			continue
		}
		known++
		for _, said := range strings.Split(strings.TrimPrefix(err.Error(), "settings: "), "; ") {
			_, what, is := strings.Cut(said, ": allowed is ")
			if !is || !allowed.MatchString(what) || strings.Contains(said, s.Name+"=want") {
				t.Errorf("no sentence: %s", said)
			}
		}
	}
	if known < 60 {
		t.Errorf("only %d settings were tried", known)
	}
}

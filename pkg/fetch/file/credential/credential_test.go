package credential_test

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch/file/credential"
)

const accountKey = "c2VjcmV0LWtleQ=="

func parse(t *testing.T, value string) credential.Credential {
	t.Helper()
	c, err := credential.Parse(value)
	if err != nil {
		t.Fatalf("%q: %v", value, err)
	}
	return c
}

func TestA24WhatEachKindSends(t *testing.T) {
	for name, tc := range map[string]struct {
		value  string
		kind   credential.Kind
		header http.Header
		reveal string
	}{
		"bearer": {"bearer https://e.com tok.en", credential.Bearer,
			http.Header{"Authorization": {"Bearer tok.en"}}, "tok.en"},
		"kind in upper": {"  Bearer  https://E.com:443/  tok ", credential.Bearer,
			http.Header{"Authorization": {"Bearer tok"}}, "tok"},
		"basic": {"basic https://e.com me:pass word:x", credential.Basic,
			http.Header{"Authorization": {"Basic " + base64.StdEncoding.EncodeToString([]byte("me:pass word:x"))}},
			"me:pass word:x"},
		"header": {"header https://e.com x-api-key: abc", credential.Header, http.Header{"X-Api-Key": {"abc"}},
			"x-api-key: abc"},
		"two headers": {"header https://e.com A: 1\nCookie: b=2; c=3\n", credential.Header,
			http.Header{"A": {"1"}, "Cookie": {"b=2; c=3"}}, "A: 1\nCookie: b=2; c=3"},
		"sas": {"sas https://e.com ?sv=1&sig=abc%2F", credential.SAS, nil, "sv=1&sig=abc%2F"},
		"key": {"key https://e.com " + accountKey, credential.Key, nil, accountKey},
		"connection by key": {"connection https://e.com DefaultEndpointsProtocol=https;AccountName=a;AccountKey=" +
			accountKey + ";BlobEndpoint=https://elsewhere.com", credential.Key, nil, accountKey},
		"connection by sas": {"connection https://e.com " +
			"BlobEndpoint=https://a.blob.core.windows.net;SharedAccessSignature=?sv=1&sig=x", credential.SAS, nil, "sv=1&sig=x"},
		"identity": {"identity https://e.com", credential.Identity, nil, ""},
		"chosen identity": {"identity https://e.com 6f9619ff-8b86-d011-b42d-00c04fc964ff", credential.Identity, nil,
			"6f9619ff-8b86-d011-b42d-00c04fc964ff"},
	} {
		t.Run(name, func(t *testing.T) {
			c := parse(t, tc.value)
			if c.Kind() != tc.kind || c.Reveal() != tc.reveal || c.ForStorage() != (tc.header == nil) {
				t.Errorf("have %s %q", c.Kind(), c.Reveal())
			}
			if diff := cmp.Diff(tc.header, c.Header(&url.URL{Scheme: "https", Host: "e.com", Path: "/a"})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestA24RefusedValues(t *testing.T) {
	for name, value := range map[string]string{
		"empty":                  "",
		"no kind":                "https://e.com token",
		"no place":               "bearer token",
		"no secret":              "bearer https://e.com",
		"secret in place":        "bearer https://e.com?token=1 x",
		"userinfo":               "basic https://me:pw@e.com me:pw",
		"other scheme":           "bearer ftp://e.com x",
		"opaque":                 "bearer https:e.com x",
		"path of a page":         "bearer https://e.com/private x",
		"dots":                   "sas https://e.com/a/../b sv=1&sig=1",
		"escaped dots":           "sas https://e.com/a/%2e%2e/b sv=1&sig=1",
		"two tokens":             "bearer https://e.com a b",
		"control in token":       "bearer https://e.com a\x01",
		"basic without password": "basic https://e.com me",
		"header without value":   "header https://e.com X-Key:",
		"header without name":    "header https://e.com : v",
		"host header":            "header https://e.com Host: other",
		"length header":          "header https://e.com A: 1\ncontent-length: 5",
		"nine headers":           "header https://e.com " + strings.Join(strings.Split("abcdefghi", ""), ": 1\n") + ": 1",
		"sas without signature":  "sas https://e.com sv=1",
		"sas of two lines":       "sas https://e.com sv=1&sig=1\nx",
		"key of letters":         "key https://e.com not base64!",
		"connection of nothing":  "connection https://e.com AccountName=a",
		"client id":              "identity https://e.com someone",
		"unresolved reference":   "@Microsoft.KeyVault(SecretUri=https://v.vault.azure.net/secrets/s)",
		"too long":               "bearer https://e.com " + strings.Repeat("a", 17<<10),
	} {
		t.Run(name, func(t *testing.T) {
			if c, err := credential.Parse(value); !fault.Is(err, fault.Invalid) || c.Kind() != "" {
				t.Errorf("have %v, %v; want invalid", c, err)
			}
		})
	}
}

func TestA24WhereASecretMayGo(t *testing.T) {
	for name, tc := range map[string]struct {
		where, url string
		covers     bool
	}{
		"origin":                  {"https://e.com", "https://e.com/any?x=1", true},
		"own port":                {"https://e.com:443", "https://e.com/", true},
		"case of host":            {"https://E.com", "https://e.COM/", true},
		"other port":              {"https://e.com", "https://e.com:8443/", false},
		"other scheme":            {"https://e.com", "http://e.com/", false},
		"same port, other scheme": {"https://e.com", "http://e.com:443/", false},
		"subdomain":               {"https://e.com", "https://a.e.com/", false},
		"longer name":             {"https://e.com", "https://e.com.evil.org/", false},
		"userinfo":                {"https://e.com", "https://e.com@evil.org/", false},
		"container":               {"https://e.com/docs", "https://e.com/docs/a/b", true},
		"container itself":        {"https://e.com/docs/", "https://e.com/docs", true},
		"neighbour":               {"https://e.com/docs", "https://e.com/docs2/a", false},
		"above":                   {"https://e.com/docs/hr", "https://e.com/docs/a", false},
		"dots":                    {"https://e.com/docs", "https://e.com/docs/../keys/a", false},
		"escaped dots":            {"https://e.com/docs", "https://e.com/docs/%2e%2E/keys/a", false},
		"backslash dots":          {"https://e.com/docs", `https://e.com/docs/a\..\..\keys`, false},
		"path style":              {"http://127.0.0.1:10000/acct/docs", "http://127.0.0.1:10000/acct/docs/a", true},
		"other account":           {"http://127.0.0.1:10000/acct", "http://127.0.0.1:10000/acct2/docs/a", false},
	} {
		t.Run(name, func(t *testing.T) {
			u, err := url.Parse(tc.url)
			if err != nil {
				t.Fatal(err)
			}
			if got := parse(t, "sas "+tc.where+" sv=1&sig=1").Covers(u); got != tc.covers {
				t.Errorf("have %v", got)
			}
		})
	}
	if (credential.Credential{}).Covers(&url.URL{}) {
		t.Error("the zero credential reaches something")
	}
}

func TestA24HeadersStayWithTheirOrigin(t *testing.T) {
	c := parse(t, "bearer https://e.com token")
	for _, elsewhere := range []string{"https://evil.org/", "http://e.com/", "https://e.com:8080/"} {
		u, _ := url.Parse(elsewhere)
		if h := c.Header(u); h != nil {
			t.Errorf("%s is sent %v", elsewhere, h)
		}
	}
}

func TestA24FoundByName(t *testing.T) {
	settings := map[string]string{"CREDENTIAL_WIKI": "bearer https://e.com tok", "CREDENTIAL_BAD": "bearer tok"}
	get := func(name string) string { return settings[name] }
	for name, kind := range map[string]fault.Kind{
		"WIKI": "", "wiki": "", "credential_wiki": "",
		"OTHER": fault.Blocked, "BAD": fault.Invalid, "": fault.Invalid, "A B": fault.Invalid, "A-B": fault.Invalid,
		strings.Repeat("A", 65): fault.Invalid,
	} {
		if _, err := credential.Find(get, name); fault.KindOf(err) != kind {
			t.Errorf("%q: have %v, want kind %q", name, err, kind)
		}
	}
	if _, err := credential.Find(get, "BAD"); strings.Contains(err.Error(), "tok") ||
		!strings.Contains(err.Error(), "CREDENTIAL_BAD") {
		t.Errorf("have %v", err)
	}
}

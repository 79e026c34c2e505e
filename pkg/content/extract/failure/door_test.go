package failure

import (
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/content/extract"
)

// TestX9Cookies checks which short texts are demands for cookies (X9).
func TestX9Cookies(t *testing.T) {
	for text, want := range map[string]bool{
		"Please enable cookies.":                                        true,
		"Please enable cookies in your browser to continue":             true,
		"You need to enable your browser's cookies":                     true,
		"Cookies are required to view this site.":                       true,
		"Your browser does not accept cookies":                          true,
		"Enable JavaScript and cookies to continue":                     true,
		"Bitte aktivieren Sie Cookies":                                  true,
		"Bitte erlauben Sie die Verwendung von Cookies":                 true,
		"Veuillez activer les cookies":                                  true,
		"This page uses cookies. Accept cookies":                        false,
		"We use cookies. Please accept all cookies":                     false,
		"Cookies with chocolate are in the oven":                        false,
		"To enable cookies, open the settings":                          false,
		"Please enable cookies. " + strings.Repeat("A long text. ", 40): false,
	} {
		s := signs{doc: &extract.Document{Text: text}}
		if have := s.cookies() != ""; have != want {
			t.Errorf("%.60q: %v", text, have)
		}
	}
}

// TestX9DoorAddress checks which addresses are those of pages for login or consent by their name (X9).
func TestX9DoorAddress(t *testing.T) {
	for address, want := range map[string]bool{
		"https://a.example/login":                 true,
		"https://a.example/users/sign_in?next=/p": true,
		"https://a.example/oauth2/authorize":      true,
		"https://login.a.example/x":               true,
		"https://a.example/Account/Login.aspx":    true,
		"https://a.example/consent/":              true,
		"https://a.example/blog/login-with-a-key": false,
		"https://a.example/authors/":              false,
		"https://a.example/p?next=/login":         false,
		"https://id":                              false,
		"https://a.example/#/login":               true,
		"https://a.example/x#!/auth/login?next=p": true,
		"https://a.example/x#login":               false,
		"https://a.example/x#/case?login":         false,
		"https://a.example/case":                  false,
		"::":                                      false,
	} {
		if have := DoorAddress(address); have != want {
			t.Errorf("%s: %v", address, have)
		}
	}
}

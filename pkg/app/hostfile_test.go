package app

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAZ5HostFile checks what the log says at the start of how the host passes on requests.
func TestAZ5HostFile(t *testing.T) {
	shipped, err := os.ReadFile(filepath.Join("..", "..", "host.json"))
	if err != nil {
		t.Fatal(err)
	}
	const overrule = "AzureFunctionsJobHost__customHandler__"
	shout := strings.ToUpper(overrule + "enableProxyingHttpRequest")
	for _, tt := range []struct {
		name, file string
		env        []string
		level      string // of the line; "" for none
	}{
		{"as shipped", string(shipped), nil, ""},
		{"both", `{"customHandler":{"enableProxyingHttpRequest":true,"enableForwardingHttpRequest":true}}`, nil, ""},
		{"forwarding", `{"customHandler":{"enableForwardingHttpRequest":true}}`, nil, "WARN"},
		{"neither", `{"version":"2.0","customHandler":{"description":{}}}`, nil, "ERROR"},
		{"turned on", `{}`, []string{overrule + "enableProxyingHttpRequest=True"}, ""},
		{"turned off", string(shipped), []string{shout + "=false"}, "ERROR"},
		{"forwarding instead", string(shipped), []string{
			"AzureFunctionsJobHost:customHandler:enableProxyingHttpRequest=false",
			overrule + "enableForwardingHttpRequest=true", overrule + "enableProxyingHttpRequest=maybe"}, "WARN"},
	} {
		p, err := passingOf([]byte(tt.file), tt.env)
		var log bytes.Buffer
		p.explain(slog.New(slog.NewTextHandler(&log, nil)), []string{"t.azurewebsites.net"})
		said := log.String()
		if err != nil || (tt.level == "") != (said == "") || !strings.Contains(said, tt.level) ||
			tt.level != "" && !strings.Contains(said, "enableProxyingHttpRequest") ||
			tt.level == "WARN" && !strings.Contains(said, "t.azurewebsites.net") {
			t.Errorf("%s: %v, %q", tt.name, err, said)
		}
	}
	if _, err := passingOf([]byte("no JSON"), nil); err == nil {
		t.Error("no JSON is read")
	}
}

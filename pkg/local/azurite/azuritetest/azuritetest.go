// Package azuritetest provides one Azurite in memory for all tests of a process. If Azurite cannot be started, tests
// that need it fail; they are never skipped.
package azuritetest

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/treetest"
	"github.com/tidemark/tidemark/pkg/local/azurite"
)

// startTimeout includes the download on a fresh machine.
const startTimeout = 5 * time.Minute

var server struct {
	sync.Mutex
	running *azurite.Server
	main    bool // set by Main, which stops the server
}

// Main runs a package's tests and stops the server they used:
//
//	func TestMain(m *testing.M) { azuritetest.Main(m) }
func Main(m *testing.M) {
	server.main = true
	code := m.Run()
	if server.running != nil {
		server.running.Stop()
	}
	os.Exit(code)
}

// Start returns the server of the process, and starts it on the first call. All tests of the process share its data,
// so each uses its own names. The package's TestMain must call [Main].
func Start(t testing.TB) *azurite.Server {
	t.Helper()
	server.Lock()
	defer server.Unlock()
	if !server.main {
		t.Fatal("azuritetest: TestMain does not call azuritetest.Main")
	}
	if server.running == nil {
		s, err := start(treetest.Tools(t))
		if err != nil {
			t.Fatal(err)
		}
		server.running = s
	}
	return server.running
}

func start(tools string) (*azurite.Server, error) {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	return azurite.Start(ctx, azurite.Options{ToolDir: tools})
}

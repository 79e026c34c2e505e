package export

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/app"
)

// asHandler in the environment makes the test's executable the handler with export.
const asHandler = "TIDEMARK_TEST_AS_HANDLER"

func TestMain(m *testing.M) {
	if os.Getenv(asHandler) != "" {
		app.Serve(Start)
		return
	}
	os.Exit(m.Run())
}

// A process that is told to stop sends what it has not sent yet.
func TestStopSendsTheRest(t *testing.T) {
	c := newCollector(t)
	free, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	_, port, _ := net.SplitHostPort(free.Addr().String())
	must(t, free.Close())
	self, err := os.Executable()
	must(t, err)
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = []string{
		asHandler + "=1", "STORAGE=embedded", "TIDEMARK_DATA=" + t.TempDir(), "FUNCTIONS_CUSTOMHANDLER_PORT=" + port,
		"OTEL_EXPORTER_OTLP_ENDPOINT=" + c.URL, "OTEL_BSP_SCHEDULE_DELAY=600000", "OTEL_SERVICE_NAME=renamed",
	}
	must(t, cmd.Start())
	asked := false
	for range 300 {
		if resp, err := http.Get(fmt.Sprintf("http://127.0.0.1:%s/api/items", port)); err == nil {
			asked = true
			_ = resp.Body.Close()
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	must(t, cmd.Process.Signal(syscall.SIGTERM))
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 200 || !asked {
		t.Fatalf("asked: %t; it ended with code %d", asked, code)
	}
	c.span("GET items")
	if c.service["service.name"] != "renamed" || c.metrics["tidemark_invocations_total"] == nil {
		t.Errorf("%v, %d metrics", c.service, len(c.metrics))
	}
}

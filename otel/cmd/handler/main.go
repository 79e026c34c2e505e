// Handler is the executable that the Azure Functions host starts. It does what the handler of the main module does,
// and also exports traces and metrics by OpenTelemetry.
package main

import (
	"github.com/tidemark/tidemark/otel/export"
	"github.com/tidemark/tidemark/pkg/app"
)

func main() { app.Serve(export.Start) }

// Handler is the executable that the Azure Functions host starts, with export by OpenTelemetry:
// otherwise it is the one of the main module.
package main

import (
	"github.com/tidemark/tidemark/otel/export"
	"github.com/tidemark/tidemark/pkg/app/serve"
)

func main() { serve.Main(export.Start) }

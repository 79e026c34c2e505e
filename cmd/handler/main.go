// Handler is the executable that the Azure Functions host starts: it listens where the host says
// and answers invocations.
package main

import "github.com/tidemark/tidemark/pkg/app/serve"

func main() { serve.Main(serve.None) }

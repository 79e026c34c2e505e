package azure_test

import (
	"testing"

	"github.com/tidemark/tidemark/pkg/local/azurite/azuritetest"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/azure"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

func TestMain(m *testing.M) { azuritetest.Main(m) }

// settings returns a function that reads settings from a map.
func settings(m map[string]string) func(string) string {
	return func(name string) string { return m[name] }
}

// open opens the test's Azurite.
func open(t *testing.T, o azure.Options) storage.Store {
	t.Helper()
	s, err := azure.Open(settings(map[string]string{"AzureWebJobsStorage": azuritetest.Start(t).ConnectionString()}), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestConformance(t *testing.T) {
	storagetest.Store(t, func(t *testing.T) storage.Store { return open(t, azure.Options{}) })
}

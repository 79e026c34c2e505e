package form

import (
	_ "embed"
	"encoding/json"
	"sync"
)

//go:generate go test ../api/openapi/describe -run TestHelpIsCurrent -update

// help is made of the comments of package api, by the name of the type and of the field in JSON.
//
//go:embed help.json
var help []byte

var helpTexts = sync.OnceValue(func() (all map[string]string) {
	if err := json.Unmarshal(help, &all); err != nil {
		panic(err) // unreachable: a test reads it
	}
	return all
})

func helpOf(typeName, field string) string { return helpTexts()[typeName+"."+field] }

package api

import "time"

// GenerationState is what a generation of the index is for.
type GenerationState string

// The states of a generation.
const (
	GenerationBuilding GenerationState = "building" // lacks pages that the current one has
	GenerationWhole    GenerationState = "whole"    // holds the same as the current one, and waits for a person
	GenerationCurrent  GenerationState = "current"  // answers searches
	GenerationPrevious GenerationState = "previous" // answered before, and is kept right for a day
)

// Generation is a form of the index: all that is indexed, with the vectors of one model. A second one is built beside
// the one that answers searches.
type Generation struct {
	ID    string          `json:"id"`
	State GenerationState `json:"state"`
	Why   string          `json:"why"`             // why it was begun
	Model string          `json:"model,omitempty"` // the model of its vectors; left out if it has none
	Begun time.Time       `json:"begun,omitzero"`
	// By is who began it: settings, after which it takes over by itself when it is whole, or person, after which it waits
	// for a switch.
	By string `json:"by"`
	// Switched is when it came to answer searches, or ceased to.
	Switched time.Time `json:"switched,omitzero"`
	// KeptUntil is when a previous generation is removed, after which nothing can be rolled back.
	KeptUntil time.Time `json:"keptUntil,omitzero"`
	Done      int       `json:"done"` // how many of the writes of the current generation it has
	Of        int       `json:"of"`
	// Forecast is left out of a generation that is not being built.
	Forecast *GenerationForecast `json:"forecast,omitempty"`
	// Trouble says why the building does not go on. It is left out while it does.
	Trouble string `json:"trouble,omitempty"`
}

// GenerationForecast says what it will take to build a generation.
type GenerationForecast struct {
	Until  time.Time `json:"until,omitzero"` // left out while it is not known
	Tokens int64     `json:"tokens"`         // for which the model will be asked
	Bytes  int64     `json:"bytes"`          // on disk
}

// Generations lists the generations of the index, the current one first.
type Generations struct {
	Generations []Generation `json:"generations"`
}

// GenerationID identifies a generation.
type GenerationID struct {
	ID string `json:"-" path:"id"` // The generation.
}

// GenerationRequest begins a generation.
type GenerationRequest struct {
	// the model of its vectors, or "" for none; by default what the settings say now
	Model *string `json:"model,omitempty"`
}

// MaxCompared is the largest number of questions in a [CompareRequest].
const MaxCompared = 50

// CompareRequest asks the current generation and another one the same questions.
type CompareRequest struct {
	ID      string   `json:"-" path:"id"` // The generation that is compared with the current one.
	Queries []string `json:"queries"`     // 1 to 50 questions
	// how many pages of each answer are listed
	Top int `json:"top,omitempty" default:"10" min:"1" max:"100"`
}

// Comparison is what two generations answer to the same questions.
type Comparison struct {
	Queries []ComparedQuery `json:"queries"` // in the order of the request
}

// ComparedQuery names the items and entries that two generations find for a question, the best first.
type ComparedQuery struct {
	Q       string   `json:"q"`
	Current []string `json:"current"`
	This    []string `json:"this"`
}

// IndexGenerations says which generation answers searches, and how far the next one is.
type IndexGenerations struct {
	Current  string              `json:"current"`
	Building *GenerationProgress `json:"building,omitempty"` // left out while none is being built
}

// GenerationProgress is how far a generation is that is being built.
type GenerationProgress struct {
	ID    string    `json:"id"`
	Done  int       `json:"done"`
	Of    int       `json:"of"`
	Until time.Time `json:"until,omitzero"` // left out while it is not known
}

package generations

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// firstFile is the file of the first generation.
const firstFile = "index.db"

// stateFile is the name of the file that lists the generations. Without it, there is one in [firstFile].
const stateFile = "index-generations.json"

// firstWords is the analysis of words in an index of which no file says another.
const firstWords = 1

// stored is what the file holds.
type stored struct {
	Last int `json:"last"` // number of the generation that was begun last
	// Decided is the model that the settings named when a person switched last: as long as they name it, what the person
	// chose stays. It is nil if the settings were followed last.
	Decided     *string      `json:"decided,omitempty"`
	DecidedFor  int          `json:"decidedFor,omitempty"` // [sqlitesearch.Words] of the program at that time
	Generations []Generation `json:"generations"`
}

// File returns the path of the index that answers in a data folder.
func File(folder string) string {
	s, err := load(folder)
	if err != nil {
		return filepath.Join(folder, firstFile)
	}
	return filepath.Join(folder, s.Generations[0].File)
}

// load reads the generations of a folder. The current one is the first.
func load(folder string) (s stored, err error) {
	text, err := os.ReadFile(filepath.Join(folder, stateFile))
	if errors.Is(err, fs.ErrNotExist) {
		return stored{Last: 1, Generations: []Generation{{ID: "g1", File: firstFile, State: Current, By: BySettings,
			Words: firstWords}}}, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	for i, g := range s.Generations {
		s.Generations[i].Words = cmp.Or(g.Words, firstWords)
	}
	s.DecidedFor = cmp.Or(s.DecidedFor, firstWords)
	if err == nil && (len(s.Generations) == 0 || s.Generations[0].State != Current) {
		err = errors.New("it names no current generation")
	}
	if err != nil {
		return s, fault.New(fault.Invalid, "%s: %w: remove the file, and the index in %s answers",
			filepath.Join(folder, stateFile), err, firstFile)
	}
	return s, nil
}

// save writes the generations of a folder. A crash leaves the former file or the new one.
func (s stored) save(folder string) error {
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(folder, stateFile)
	f, err := os.CreateTemp(folder, stateFile+"-")
	if err != nil {
		return fault.New(fault.Unavailable, "%w", err)
	}
	_, err = f.Write(append(text, '\n'))
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return fault.New(fault.Unavailable, "%w", err)
	}
	return nil
}

// Files returns the paths in a folder that belong to generations, the list of them last.
func Files(folder string) []string {
	found, _ := filepath.Glob(filepath.Join(folder, "index*.db")) // the pattern is right
	var files []string
	for _, path := range found {
		for _, suffix := range suffixes {
			files = append(files, path+suffix)
		}
	}
	return append(files, filepath.Join(folder, stateFile))
}

// removeOthers removes files of generations that are not in the list, which a crash has left.
func removeOthers(folder string, listed []Generation) (all error) {
	found, _ := filepath.Glob(filepath.Join(folder, "index-g*.db"))
	for _, path := range found {
		name := filepath.Base(path)
		if !slices.ContainsFunc(listed, func(g Generation) bool { return g.File == name }) {
			all = errors.Join(all, remove(folder, name))
		}
	}
	return all
}

// suffixes are those of the files that SQLite and package sqlitesearch keep for an index.
var suffixes = []string{"", "-wal", "-shm", ".damaged"}

// remove removes the file of a generation, with its log.
func remove(folder, file string) error {
	var all error
	for _, suffix := range suffixes {
		if err := os.Remove(filepath.Join(folder, file) + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			all = errors.Join(all, err)
		}
	}
	return all
}

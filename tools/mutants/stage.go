package main

import (
	"path"
	"strings"
)

// stage is a run of tests of one package.
type stage struct {
	dir  string
	args string // of the test binary
}

// in names tests of a package that should notice.
func in(dir, tests string) stage {
	if strings.Contains(tests, "-sim.") {
		return stage{dir, "-test.run " + tests}
	}
	return stage{dir, "-test.run ^(" + tests + ")$"}
}

// Tests that take long come after the others of their package: most mutants need not wait for them. The simulation
// comes after the package's own tests, which are quicker and say more.
var (
	registry   = stage{"pkg/registry", "-test.short -test.skip ^TestE3TotalBudget$"}
	total      = in("pkg/registry", "TestE3TotalBudget")
	backfill   = stage{"pkg/run/backfill", "-test.short -test.skip ^TestE11Faults$"}
	e11        = in("pkg/run/backfill", "TestE11Faults")
	simulation = in("pkg/crawl", "^TestSimulation$/^mem$ -sim.runs 80")
	faults     = in("pkg/crawl", "Test.*Faults.*")
	crawl      = stage{"pkg/crawl", "-test.short -test.skip ^Test(Simulation|A9Container|E3Several.*|.*Faults.*)$"}
	several    = in("pkg/crawl", "TestE3Several.*")
)

// stages are the tests that notice a change of a package's code, those that usually do first.
var stages = map[string][]stage{
	"pkg/registry/store":   {all("pkg/registry/store"), registry, total, simulation, faults, crawl},
	"pkg/registry":         {registry, total, simulation, faults, crawl},
	"pkg/registry/item":    {all("pkg/registry/item"), registry, total, simulation, faults, crawl},
	"pkg/policy/host":      {all("pkg/policy/host"), registry, total, simulation, crawl, several},
	"pkg/run":              {all("pkg/run"), all("pkg/run/rebuild"), backfill, e11},
	"pkg/run/backfill":     {backfill, e11},
	"pkg/crawl/index":      {all("pkg/crawl/index"), all("pkg/run/rebuild"), crawl},
	"pkg/crawl/politeness": {crawl, simulation, faults},
	"pkg/crawl":            {crawl, simulation, faults},
}

func all(dir string) stage { return stage{dir, "-test.short"} }

// stages are those that a mutant goes through until one notices.
func (m mutant) stages() (list []stage) {
	if m.by.dir != "" {
		list = append(list, m.by)
	}
	return append(list, stages[path.Dir(m.file.name)]...)
}

// Checks the queries with the analyzer of the Azure portal, against the columns of the tables that they query.
// Azure accepts an alert with a wrong query, but the alert never fires. Run it with `make infra-check`.

import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'

const [home, dir] = process.argv.slice(2)
const require = createRequire(resolve(home, 'package.json'))
require('@kusto/language-service-next/bridge.js') // makes the globals Bridge and Kusto
require('@kusto/language-service-next/Kusto.Language.Bridge.js')
const { KustoCode, GlobalState, Symbols } = Kusto.Language

// The columns in use: https://learn.microsoft.com/azure/azure-monitor/reference/tables/apptraces and
// …/apprequests
const tables = {
  AppTraces: '(TimeGenerated: datetime, Message: string, SeverityLevel: int, Properties: dynamic, ItemCount: int)',
  AppRequests: '(TimeGenerated: datetime, Name: string, Success: bool, ResultCode: string, DurationMs: real, ItemCount: int)',
}

// The constructors, by number of arguments: name, schema as text, and description; or name and members.
const symbols = Object.entries(tables).map(([name, schema]) => new Symbols.TableSymbol.$ctor7(name, schema, null))
const workspace = GlobalState.Default.WithDatabase(new Symbols.DatabaseSymbol.ctor('workspace', symbols))

// An alert measures a column of its query's result, which alerts.bicep names.
const rules = readFileSync(join(dir, '..', 'alerts.bicep'), 'utf8')
const measured = new Map([...rules.matchAll(/queries\/([\w.-]+)'\)\n.*metricMeasureColumn: '(\w+)'/g)].map(m => [m[1], m[2]]))

let bad = 0
const files = readdirSync(dir).filter(name => name.endsWith('.kql'))
for (const name of files) {
  const text = readFileSync(join(dir, name), 'utf8')
  const complain = (at, what) => {
    bad++
    console.error(`${join(dir, name)}:${text.slice(0, at).split('\n').length}: ${what}`)
  }
  const code = KustoCode.ParseAndAnalyze(text, workspace)
  for (const d of Bridge.toArray(code.GetDiagnostics())) complain(d.Start, d.Message)
  const columns = Bridge.toArray(code.ResultType.Columns).map(column => column.Name)
  if (measured.has(name) && !columns.includes(measured.get(name))) complain(0, `there is no column ${measured.get(name)}, which an alert measures`)
}
if (bad || !files.length || !measured.size) process.exit(1)
console.log(`${files.length} queries are right`)

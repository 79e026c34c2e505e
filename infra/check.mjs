// Checks the templates without Azure and without the Bicep compiler: their syntax, that every used name is
// declared and every declared name is used, and that the app reaches the browser, which reaches nothing
// (browser.mjs). `make infra-check` installs its dependencies into .tools. The compiler, in
// .github/workflows/infra.yml, checks types and properties of resources.

import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { browserFaults } from './browser.mjs'

const [home, dir] = process.argv.slice(2)
const require = createRequire(resolve(home, 'package.json'))
const { Parser, Language } = require('web-tree-sitter')

// Namespaces, and the stand-in for a declaration without an initial value.
const builtin = new Set(['az', 'sys', 'any', 'string', 'int', 'bool', 'object', 'array'])
const declarations = ['parameter_declaration', 'variable_declaration', 'resource_declaration', 'module_declaration']

await Parser.init()
const parser = new Parser()
parser.setLanguage(await Language.load(require.resolve('tree-sitter-bicep/tree-sitter-bicep.wasm')))

let bad = 0
let file = ''
function complain(node, what) {
  bad++
  console.error(`${file}:${node.startPosition.row + 1}:${node.startPosition.column + 1}: ${what}`)
}

function* walk(node) {
  yield node
  for (const child of node.children) yield* walk(child)
}

function syntax(root) {
  for (const node of walk(root)) {
    if (node.isError) complain(node, `syntax error at ${JSON.stringify(node.text.slice(0, 40))}`)
    if (node.isMissing) complain(node, `${node.type} is missing`)
  }
}

// The role of an identifier: the name of a declaration, a local name of a loop or lambda, a key, a called
// function or, everywhere else, a use.
function role(node) {
  const { parent } = node
  const first = parent.namedChild(0).equals(node)
  if (declarations.includes(parent.type) && first) return 'declared'
  if (parent.type === 'output_declaration' && first) return 'key'
  if (parent.type === 'object_property' && first) return 'key'
  if (parent.type === 'call_expression' && first) return 'function'
  if (parent.type === 'for_statement' && first) return 'local'
  if (parent.type === 'lambda_expression' && first) return 'local'
  return 'used'
}

function names(root) {
  const found = { declared: [], local: [], used: [], key: [], function: [] }
  for (const node of walk(root)) if (node.type === 'identifier') found[role(node)].push(node)
  const texts = kind => new Set(found[kind].map(node => node.text))
  const [declared, local, used] = [texts('declared'), texts('local'), texts('used')]
  for (const node of found.used) {
    if (!declared.has(node.text) && !local.has(node.text) && !builtin.has(node.text)) complain(node, `${node.text} is not declared`)
  }
  for (const node of found.declared) {
    const inert = ['parameter_declaration', 'variable_declaration'].includes(node.parent.type)
    if (inert && !used.has(node.text)) complain(node, `${node.text} is not used`)
  }
  for (const node of found.local) if (declared.has(node.text)) complain(node, `${node.text} hides a declaration`)
}

// A module must get only parameters that it has, and all of those without a default.
const templates = new Map()
function parameters(name) {
  const root = templates.get(name)
  const all = root.descendantsOfType('parameter_declaration')
  return new Map(all.map(node => [node.namedChild(0).text, node.namedChildCount < 3]))
}

function modules(root) {
  for (const node of root.descendantsOfType('module_declaration')) {
    const wanted = parameters(node.namedChild(1).text.slice(1, -1))
    const body = node.descendantsOfType('object')[0]
    const params = body.namedChildren.find(p => p.type === 'object_property' && p.namedChild(0).text === 'params')
    const given = params.namedChild(1).namedChildren.filter(p => p.type === 'object_property').map(p => p.namedChild(0).text)
    for (const name of given) if (!wanted.has(name)) complain(node, `the module has no parameter ${name}`)
    for (const [name, needed] of wanted) if (needed && !given.includes(name)) complain(node, `the module needs ${name}`)
  }
}

const files = readdirSync(dir).filter(name => name.endsWith('.bicep'))
for (const name of files) templates.set(name, parser.parse(readFileSync(join(dir, name), 'utf8')).rootNode)
for (const check of [syntax, names, modules]) {
  for (const name of files) {
    file = join(dir, name)
    check(templates.get(name))
  }
  if (bad) break // later checks would only echo
}
if (!bad) {
  for (const [name, node, what] of browserFaults(templates, readFileSync(join(dir, 'browser.cjs'), 'utf8'))) {
    file = join(dir, name)
    complain(node, what)
  }
}
if (bad || !files.length) process.exit(1)
console.log(`${files.length} templates: syntax, names and the browser are right`)

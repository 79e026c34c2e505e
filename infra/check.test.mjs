// Breaks the templates in one place at a time, and sees check.mjs complain of it; then runs browser.cjs with a program
// that stands for the browser. `make infra-check` runs it.

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'

const [home, dir] = process.argv.slice(2)

const breaks = [
  ['browser.bicep', 'internal: true', 'internal: false', 'it would have a public address'],
  ['browser.bicep', "publicNetworkAccess: 'Disabled'", "publicNetworkAccess: 'Enabled'", 'it would have a public address'],
  ['browser.bicep', 'external: true', 'external: false', 'outside the environment'],
  ['browser.bicep', "transport: 'tcp'", "transport: 'http'", 'a Host header that Chrome refuses'],
  ['browser.bicep', 'exposedPort: port', 'exposedPort: 9333', 'the endpoint names it'],
  ['browser.bicep', 'minReplicas: 0', 'minReplicas: 1', 'money around the clock'],
  ['browser.bicep', 'maxReplicas: 1', 'maxReplicas: 3', 'the same browser'],
  ['browser.bicep', /rules: \[\{ name: 'renders'.*\n/, '', 'it never starts'],
  ['browser.bicep', /resource link [^]*?\n\}\n/, '', 'virtualNetworkLinks is missing'],
  ['browser.bicep', 'virtualNetwork: { id: network.id }', 'virtualNetwork: { id: environment.id }', 'finds no address'],
  ['browser.bicep', 'environment.properties.staticIp', "'10.0.0.4'", 'TCP ingress listens'],
  ['browser.bicep', 'networkSecurityGroup: { id: wall.id }', '', 'the browser must reach nothing'],
  ['browser.bicep', "to: 'MicrosoftContainerRegistry'", "to: 'Internet'", "could reach 'Internet'"],
  ['browser.bicep', "to: '168.63.129.16', port: '53'", "to: '168.63.129.16', port: '80'", "could reach '168.63.129.16'"],
  ['browser.bicep', "access: 'Deny'", "access: 'Allow'", 'the last rule must refuse everything'],
  ['browser.bicep', 'priority: 4096', 'priority: 105', 'the last rule must refuse everything'],
  ['browser.bicep', "serviceName: 'Microsoft.App/environments'", "serviceName: 'Microsoft.Web/serverFarms'", 'the plan and the environment'],
  ['browser.cjs', 'disable_non_proxied_udp', 'default', 'disable_non_proxied_udp is missing'],
  ['app.bicep', /  RENDER_ENDPOINT: .*\n/, '', 'RENDER_ENDPOINT is missing'],
  ['app.bicep', 'browserSettings, settings', 'settings', 'browserSettings is not used'],
  ['app.bicep', /    virtualNetworkSubnetId: .*\n/, '', 'the app must be in the network'],
  ['app.bicep', "'browser.bicep' = if (createBrowser) {", "'browser.bicep' = {", 'the browser is an option'],
  ['app.bicep', "param browserSku string = 'none'", "param browserSku string = 'consumption'", 'the browser is an option'],
  ['main.bicep', "param browserSku string = 'none'", "param browserSku string = 'consumption'", 'the browser is an option'],
]

function checked(folder) {
  return spawnSync(process.execPath, [join(dir, 'check.mjs'), home, folder], { encoding: 'utf8' })
}

// A copy of the templates, and what becomes of it when the test ends.
function copied(t) {
  const folder = mkdtempSync(join(tmpdir(), 'infra-'))
  t.after(() => rmSync(folder, { recursive: true }))
  cpSync(dir, folder, { recursive: true })
  return folder
}

test('the templates are right', t => assert.equal(checked(copied(t)).status, 0))
for (const [file, from, to, complaint] of breaks) {
  test(`${file} without ${from}`, t => {
    const folder = copied(t)
    const text = readFileSync(join(folder, file), 'utf8')
    const broken = text.replace(from, to)
    assert.notEqual(broken, text, 'nothing was broken')
    writeFileSync(join(folder, file), broken)
    const { status, stderr } = checked(folder)
    assert.equal(status, 1)
    assert.ok(stderr.includes(complaint), stderr)
  })
}

// Stands for the browser: it answers with what it is sent, until it is told to end.
const program = `#!${process.execPath}
require('node:net').createServer(c => c.on('data', d => String(d) === 'end' ? process.exit(3) : c.write(d)))
  .listen(0, '127.0.0.1', function () { console.error('DevTools listening on ws://127.0.0.1:' + this.address().port + '/devtools/browser/1') })
`

async function freePort() {
  const server = createServer().listen(0)
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  return port
}

async function connected(port) {
  for (;;) {
    const c = connect(port, '127.0.0.1')
    const refused = await once(c, 'connect').then(() => null, error => error)
    if (!refused) return c
    await setTimeout(50)
  }
}

test('browser.cjs passes connections on, and ends with the browser', { timeout: 30_000 }, async t => {
  const folder = copied(t)
  const place = join(folder, 'pw/chromium-1/chrome-linux64')
  mkdirSync(place, { recursive: true })
  writeFileSync(join(place, 'chrome'), program, { mode: 0o755 })
  spawnSync('chmod', ['-R', 'a+rX', folder])
  const port = await freePort()
  const env = { ...process.env, PLAYWRIGHT_BROWSERS_PATH: join(folder, 'pw'), PORT: String(port) }
  const started = spawn(process.execPath, ['-e', readFileSync(join(dir, 'browser.cjs'), 'utf8')], { env, stdio: 'ignore' })
  t.after(() => started.kill())
  const ended = once(started, 'exit')
  const c = await connected(port)
  c.write('GET /json/version')
  assert.equal(String((await once(c, 'data'))[0]), 'GET /json/version')
  c.write('end')
  assert.equal((await ended)[0], 1)
})

// Starts the browser in the container of browser.bicep, and passes connections on to it: a Chrome listens for DevTools
// on the loopback address only. If the browser ends, so does this, and the container is started again.
//
// The flags are those with which Tidemark starts a browser of its own (pkg/fetch/render/devtools): it has no proxy that
// answers, looks up no name, and sends no UDP for WebRTC. So it reaches nothing by itself; the network's rules are the
// wall behind that one.
const { spawn } = require('node:child_process')
const { readdirSync } = require('node:fs')
const { connect, createServer } = require('node:net')
const { join } = require('node:path')
const { pipeline } = require('node:stream')

const flags = [
  '--headless', '--remote-debugging-port=0', '--user-data-dir=/tmp/browser', '--no-first-run',
  '--no-default-browser-check', '--disable-search-engine-choice-screen',
  '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-extensions',
  '--disable-default-apps', '--disable-breakpad', '--disable-gpu', '--disable-dev-shm-usage',
  '--disable-client-side-phishing-detection', '--disable-domain-reliability', '--no-pings', '--mute-audio',
  '--hide-scrollbars', '--metrics-recording-only',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--proxy-server=http://127.0.0.1:9', '--proxy-bypass-list=<-loopback>',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  '--no-sandbox', // which Chrome cannot make in a container; it runs as nobody instead
  'about:blank',
]

// The Chrome of a Playwright image, whose folders are named after versions. The headless shell beside it is not used:
// in it, a page that opens a window stands still until its deadline.
const below = (folder, pattern) => {
  const name = readdirSync(folder).find(name => pattern.test(name))
  if (!name) throw new Error(`there is no ${pattern} in ${folder}`)
  return join(folder, name)
}
const program = [/^chromium-\d/, /^chrome-linux/, /^chrome$/]
  .reduce(below, process.env.PLAYWRIGHT_BROWSERS_PATH || '/ms-playwright')

// A process of a page gets 1 GiB, so that a page that wants more ends by itself, and not the container.
const limited = ['-c', 'ulimit -d 1048576; exec "$0" "$@"', program, ...flags]
const nobody = process.getuid() === 0 ? { uid: 65534, gid: 65534 } : {}
const browser = spawn('/bin/sh', limited, {
  ...nobody, cwd: '/tmp', env: { PATH: process.env.PATH, HOME: '/tmp' }, stdio: ['ignore', 'inherit', 'pipe'],
})
const end = why => {
  console.error(`the browser has ended: ${why}`)
  process.exit(1)
}
browser.on('error', error => end(error.message))
browser.on('exit', (code, signal) => end(signal ?? code))
process.on('SIGTERM', () => browser.kill())

let said = ''
browser.stderr.on('data', chunk => {
  process.stderr.write(chunk)
  if (said === null) return
  said += chunk
  const port = /DevTools listening on ws:\/\/127\.0\.0\.1:(\d+)\//.exec(said)?.[1]
  if (!port) return
  said = null
  createServer(outside => {
    outside.setKeepAlive(true, 30_000) // a client that is gone must not keep the replica up
    const inside = connect(Number(port), '127.0.0.1')
    pipeline(outside, inside, outside, () => {}) // closes both with one
  }).listen(Number(process.env.PORT))
})

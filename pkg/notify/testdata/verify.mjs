// Reads webhooks as their receivers do: by the reference verifier of Standard Webhooks, and by the SDK of CloudEvents,
// which holds an event to its JSON schema. Arguments: the folder of the modules, and a file of
// [{"secret", "headers", "body"}]. Prints what each is taken for.
import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'

const [, , home, file] = process.argv
const require = createRequire(home + '/')
const { Webhook } = require('standardwebhooks')
const { HTTP } = require('cloudevents')

const out = []
for (const { secret, headers, body } of JSON.parse(readFileSync(file, 'utf8'))) {
  try {
    new Webhook(secret).verify(body, headers)
    const event = HTTP.toEvent({ headers, body })
    event.validate()
    out.push({ type: event.type, id: event.id })
  } catch (e) {
    out.push({ error: String(e) })
  }
}
console.log(JSON.stringify(out))

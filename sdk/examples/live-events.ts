/**
 * Prints every event of a market as a line of JSON. Stores the id of the last event in a file, so that a restart misses no event.
 *
 *     npx node sdk/examples/live-events.ts /tmp/last-event
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { events } from '@ordbook/sdk'
import { market, readArguments, untilStopped } from './settings.ts'

const [file = ''] = readArguments('FILE')
const since = existsSync(file) ? { since: readFileSync(file, 'utf8') } : {}

for await (const event of events(market, { ...since, signal: untilStopped() })) {
  console.log(JSON.stringify(event))
  // Store the id after printing: after a crash, an event may be printed twice, but none is lost.
  writeFileSync(file, event.id)
}

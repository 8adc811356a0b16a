/**
 * Prints the floor of a collection when it changes by at least PERCENT.
 *
 *   npx node sdk/examples/floor-watcher.ts harbour-lamps 5
 */
import { enter, events } from '@ordbook/sdk'
import { market, ownWallet, readArguments, untilStopped } from './settings.ts'

const [slug = '', percent] = readArguments('SLUG PERCENT')
// Stops only the events, so that a pending call completes.
const signal = untilStopped()
const { client } = await enter(market, ownWallet(), { repeats: 4 })
let lastFloorSats: number | null = null

async function checkFloor(): Promise<void> {
  const { data } = await client.call('listCollectionFloorStats', { query: { slugs: slug } })
  const floorSats = data[0]?.floor ?? null
  const isChanged =
    lastFloorSats === null || floorSats === null
      ? floorSats !== lastFloorSats
      : Math.abs(floorSats / lastFloorSats - 1) * 100 >= Number(percent)
  if (!isChanged) return
  console.log(JSON.stringify({ slug, floorSats, before: lastFloorSats }))
  lastFloorSats = floorSats
}

// The first event is `hello`. After a `reset`, events may be lost, so read the floor again.
for await (const { kind } of events(market, { collections: [slug], signal }))
  if (['hello', 'reset', 'floor'].includes(kind)) await checkFloor()

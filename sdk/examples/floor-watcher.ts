/**
 * Says when the floor of a collection moves by a share or more.
 *
 *   npx node sdk/examples/floor-watcher.ts harbour-lamps 5
 */
import { enter, events } from '@ordbook/sdk'
import { market, ownWallet, readArguments, untilStopped } from './settings.ts'

const [slug = '', percent] = readArguments('SLUG PERCENT')
// Ends the events alone: a call under way when the program is stopped is not cut off.
const signal = untilStopped()
const { client } = await enter(market, ownWallet(), { repeats: 4 })
let told: number | null = null

async function look(): Promise<void> {
  const { data } = await client.call('listCollectionFloorStats', { query: { slugs: slug } })
  const floorSats = data[0]?.floor ?? null
  const moved =
    told === null || floorSats === null
      ? floorSats !== told
      : Math.abs(floorSats / told - 1) * 100 >= Number(percent)
  if (!moved) return
  console.log(JSON.stringify({ slug, floorSats, before: told }))
  told = floorSats
}

// The first event is `hello`. After `reset` events are lost: the look reads everything that counts here.
for await (const { kind } of events(market, { collections: [slug], signal }))
  if (['hello', 'reset', 'floor'].includes(kind)) await look()

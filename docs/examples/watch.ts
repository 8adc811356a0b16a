import { enter } from '@ordbook/sdk'
import { demoWallets } from '@ordbook/sdk/demo-wallets'

/** Prints the cheapest lamp of the demo market, and again after each change of the book: `node --experimental-eventsource docs/examples/watch.ts`. */
const market = process.env.MARKET ?? 'http://127.0.0.1:4000'
const { client } = await enter(market, demoWallets('regtest').first, { repeats: 4 })

async function printCheapest(): Promise<void> {
  const { listings } = await client.call('listListings', {
    query: { collectionSlug: 'harbour-lamps', sort: 'price', limit: 1 },
  })
  const [cheapest] = listings
  console.log(cheapest ? `${cheapest.inscriptionId} for ${cheapest.priceSats} sats` : 'nothing is for sale')
}

const events = new EventSource(`${market}/events?collections=harbour-lamps`)
for (const kind of ['hello', 'reset', 'listing', 'sale'])
  events.addEventListener(kind, () => void printCheapest())

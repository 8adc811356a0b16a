import { ApiError, Client, isRetryable, signIn } from '@ordbook/sdk'
import { demoWallets } from '@ordbook/sdk/demo-wallets'

/** Prints the cheapest lamp of the demo market, and again after each change of the book: `node --experimental-eventsource docs/examples/watch.ts`. */
const market = process.env.MARKET ?? 'http://127.0.0.1:4000'
const client = new Client(`${market}/api/v1`)
await signIn(client, demoWallets('regtest').first, new URL(market).host)

/** Repeats a call that may succeed later, after the seconds that the market names. */
async function retrying<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await call()
    } catch (error) {
      if (attempt === 5 || !isRetryable(error)) throw error
      const seconds = (error instanceof ApiError && error.retryAfterSeconds) || 1
      await new Promise((done) => setTimeout(done, 1000 * seconds))
    }
}

async function printCheapest(): Promise<void> {
  const { listings } = await retrying(() =>
    client.call('listListings', { query: { collectionSlug: 'harbour-lamps', sort: 'price', limit: 1 } }),
  )
  const [cheapest] = listings
  console.log(cheapest ? `${cheapest.inscriptionId} for ${cheapest.priceSats} sats` : 'nothing is for sale')
}

const events = new EventSource(`${market}/events?collections=harbour-lamps`)
for (const kind of ['hello', 'reset', 'listing', 'sale'])
  events.addEventListener(kind, () => void printCheapest())

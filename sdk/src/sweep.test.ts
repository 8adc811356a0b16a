import type { ErrorCode } from '@ordbook/contract/errors.ts'
import { expect, it } from 'vitest'
import { Client } from './client.ts'
import { demoWallets } from './demo-wallets.ts'
import { ApiError, CheckFailed } from './errors.ts'
import { scriptedMarket } from './scripted-market.ts'
import { sweep } from './sweep.ts'

const { first: buyer, second: seller } = demoWallets('regtest')
const txid = 'ab'.repeat(32)
const idOf = (n: number) => `00000000-0000-4000-8000-00000000000${n}`
const listing = (n: number, { sellerAddress = seller.ordinalsAddress, slug = 'lamps' } = {}) => ({
  inscriptionId: `${txid}i${n}`,
  listingId: idOf(n),
  priceSats: 10_000 * (n + 1),
  sellerAddress,
  collection: { slug },
  locationTxid: txid,
  locationVout: n,
  locationSatpoint: `${txid}:${n}:0`,
  locationValueSats: 10_000,
})

const BOOK = [listing(0, { sellerAddress: buyer.ordinalsAddress }), ...[0, 1, 2, 3].map((n) => listing(n))]

/** Sweeps at a market that rejects every purchase with a code. Returns the listings per preflight and the error. */
async function sweepRejectedWith(
  code: ErrorCode,
  wish: { count: number; budgetSats: number; eligibleIds?: ReadonlySet<string> },
  listings = BOOK,
) {
  const { origin, requests } = await scriptedMarket(({ path }) =>
    path.startsWith('/api/v1/listings')
      ? { body: { listings } }
      : { status: 400, body: { error: 'refused', code } },
  )
  const trader = {
    client: new Client(`${origin}/api/v1`),
    wallet: buyer,
    walletBindingId: '00000000-0000-4000-8000-000000000000',
    cosignKey: 'aa'.repeat(32),
    guardianKey: 'bb'.repeat(32),
    marketAddress: seller.ordinalsAddress,
  }
  const limits = { coins: [], maxFeeBps: 100, maxNetworkSats: 1000 }
  const error: unknown = await sweep(trader, 'lamps', { ...wish, ...limits }).catch((problem) => problem)
  const wanted = requests
    .filter(({ path }) => path.endsWith('/purchases/preflight'))
    .map(({ body }) => body.listings.map((each: { listingId: string }) => each.listingId))
  return { wanted, error }
}

it.each(['coins-insufficient', 'coins-fragmented'] as const)(
  'drops the most expensive listing after %s',
  async (code) => {
    const { wanted, error } = await sweepRejectedWith(code, { count: 3, budgetSats: 1_000_000 })
    expect(wanted).toEqual([[idOf(0), idOf(1), idOf(2)], [idOf(0), idOf(1)], [idOf(0)]])
    expect(error).toBeInstanceOf(ApiError)
  },
)

it('does not retry after other errors', async () => {
  for (const code of ['own-order', 'key-mismatch', 'request-invalid'] as const) {
    const { wanted, error } = await sweepRejectedWith(code, { count: 3, budgetSats: 1_000_000 })
    expect(wanted, code).toHaveLength(1)
    expect(error).toMatchObject({ code })
  }
})

it('selects the cheapest listings within the budget', async () => {
  const { wanted } = await sweepRejectedWith('own-order', { count: 20, budgetSats: 59_999 })
  expect(wanted).toEqual([[idOf(0), idOf(1)]])
  const { wanted: none, error } = await sweepRejectedWith('own-order', { count: 20, budgetSats: 9_999 })
  expect(none).toEqual([])
  expect(error).toBeInstanceOf(CheckFailed)
})

it('buys a coin with two listings once', async () => {
  const twin = { ...listing(0), inscriptionId: `${txid}i9`, listingId: idOf(9) }
  const { wanted } = await sweepRejectedWith('own-order', { count: 2, budgetSats: 1_000_000 }, [
    listing(0),
    twin,
    listing(1),
  ])
  expect(wanted).toEqual([[idOf(0), idOf(1)]])
})

it('skips inscriptions of other collections', async () => {
  const unsorted = [listing(3), listing(1), listing(0, { slug: 'other' }), listing(2)]
  const wish = { count: 2, budgetSats: 1_000_000 }
  expect((await sweepRejectedWith('own-order', wish, unsorted)).wanted).toEqual([[idOf(1), idOf(2)]])
  const eligibleIds = new Set([`${txid}i3`, `${txid}i0`])
  expect((await sweepRejectedWith('own-order', { ...wish, eligibleIds }, unsorted)).wanted).toEqual([
    [idOf(3)],
  ])
})

it.each([0, 21, Number.NaN])('rejects a count of %s listings', async (count) => {
  const { error } = await sweepRejectedWith('own-order', { count, budgetSats: 1_000_000 })
  expect(error).toBeInstanceOf(RangeError)
})

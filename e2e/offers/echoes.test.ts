import { randomUUID } from 'node:crypto'
import {
  ApiError,
  bid,
  counter,
  offer,
  prepareAcceptance,
  prepareBid,
  prepareCounter,
  prepareCounterAcceptance,
  prepareFill,
  prepareOffer,
} from '@ordbook/sdk/index.ts'
import type { Body, Input } from '@ordbook/sdk/operations.ts'
import { beforeAll, expect, it } from 'vitest'
import { setUpMarket, setUpTrader, type TestTrader } from '../support/market.ts'
import { coinsOf, countered, offering, selling } from '../support/offers.ts'

const market = setUpMarket({ ANCHOR_POOL: '200' })
const seller = setUpTrader(market)
const buyer = setUpTrader(market, 'p2wpkh', 40_000_000)
const other = setUpTrader(market)
let slug: string
let ids: string[]
beforeAll(async () => {
  ;({ slug, ids } = await market.collection(seller.wallet, 12))
})

type Submit =
  | 'submitCollectionOffer'
  | 'submitOfferAcceptance'
  | 'submitCounterOffer'
  | 'submitCounterOfferAcceptance'
  | 'submitCollectionWideOffer'
  | 'submitCollectionOfferFill'

const TXID = 'cd'.repeat(32)

/** Returns another value for a field, or undefined if the market ignores the field. */
function otherValue(name: string, value: unknown): unknown {
  switch (name) {
    case 'walletBindingId':
      return other.walletBindingId
    case 'ordinalsPublicKey':
      return other.wallet.ordinalsPublicKey
    case 'paymentPublicKey':
      return other.wallet.paymentPublicKey
    case 'inscriptionId':
      return ids.at(-1)
    case 'priceSats':
      return (value as number) + 5000
    case 'validityHours':
      return 12
    case 'kind':
      return undefined
    case 'type':
    case 'preflightToken':
      return `${value}x`
    case 'offerId':
    case 'anchorUtxoId':
    case 'admissionAnchorUtxoId':
      return randomUUID()
    // The market finds signatures by their position in the PSBT.
    case 'signerAddress':
    case 'inputsToSign':
      return undefined
    default:
      if (/txid$/i.test(name)) return TXID
      if (name === 'psbtBase64') return unsignedOf(String(value))
      if (name === 'ladderStepSats') return (value as number) + 5000
      return typeof value === 'number' ? value + 1 : undefined
  }
}

/** Returns a PSBT that differs from the prepared one. */
const unsignedOf = (psbt: string) => psbt.slice(0, 40).replace(/.{4}$/, 'AAAA') + psbt.slice(40)

/** Yields every body with one replaced value, and the path of the value. */
function* substitutions(body: unknown, path = ''): Generator<[string, unknown]> {
  const entries = Array.isArray(body)
    ? body.map((each, i) => [i, each] as const)
    : Object.entries(body as object)
  const replaced = (key: string | number, value: unknown) =>
    Array.isArray(body)
      ? body.map((each, i) => (i === key ? value : each))
      : { ...(body as object), [key]: value }
  for (const [key, value] of entries) {
    const name = String(key)
    const at = `${path}.${name}`
    if (name === 'signerAddress' || name === 'inputsToSign') continue
    if (typeof value === 'object' && value !== null) {
      for (const [place, changed] of substitutions(value, at)) yield [place, replaced(key, changed)]
      continue
    }
    const last = path.split('.').at(-1)!
    const otherOne = otherValue(Array.isArray(body) ? last.replace(/s$/, '') : name, value)
    if (otherOne !== undefined) yield [at, replaced(key, otherOne)]
  }
}

async function snapshot() {
  const rows = await market.sql`
    select 'offer' as what, offer_id::text as id, state from offers
    union all select 'collection offer', offer_id::text, state from collection_offers
    union all select 'listing', listing_id::text, state from listings
    union all select kind, settlement_id::text, state from settlements order by 1, 2`
  return { rows: [...rows], mempool: await market.regtest.call('getrawmempool') }
}

async function attack<Id extends Submit>(
  trader: TestTrader,
  id: Id,
  params: Input<Id>['params'],
  body: Body<Id>,
): Promise<void> {
  const before = await snapshot()
  const send = (changed: unknown) => trader.client.call(id, { params, body: changed } as Input<Id>)
  const places: string[] = []
  for (const [place, changed] of substitutions(body)) {
    places.push(place)
    const error = await send(changed).then(
      () => 'was accepted',
      (refusal: unknown) => refusal,
    )
    expect(error, `${id}${place}`).toBeInstanceOf(ApiError)
    expect([400, 403, 404, 409], `${id}${place}: ${error}`).toContain((error as ApiError).status)
  }
  expect(await snapshot()).toEqual(before)
  const answer = await send(body)
  expect(await send(body)).toEqual(answer)
  await market.mine()
  console.log(`${id}: ${places.length} substitutions rejected`)
  expect(places.length).toBeGreaterThanOrEqual(6)
}

it('rejects every substitution in an offer', async () => {
  const { body } = await prepareOffer(buyer, slug, await offering(market, buyer, ids.slice(0, 2), 50_000), 24)
  await attack(buyer, 'submitCollectionOffer', { slug }, body)
})

it('rejects every substitution in an acceptance', async () => {
  const [id] = ids as [string]
  const created = await offer(buyer, slug, await offering(market, buyer, [id], 60_000))
  const { offerId } = created.items[0]!
  const { body } = await prepareAcceptance(seller, offerId, await selling(market, id, 60_000))
  await attack(seller, 'submitOfferAcceptance', { id, offerId }, body)
})

it('rejects every substitution in a payout transaction', async () => {
  const id = ids[2]!
  const created = await offer(buyer, slug, await offering(market, buyer, [id], 60_000))
  const { offerId } = created.items[0]!
  const { config } = market.server.context
  config.feeRateMinSatVb = 9
  const { body } = await prepareAcceptance(seller, offerId, await selling(market, id, 60_000))
  config.feeRateMinSatVb = 1
  expect(body.expectedPayoutTxid).not.toBeNull()
  await attack(seller, 'submitOfferAcceptance', { id, offerId }, body)
})

it('rejects every substitution in a counter', async () => {
  const id = ids[3]!
  const created = await offer(buyer, slug, await offering(market, buyer, [id], 60_000))
  const { offerId } = created.items[0]!
  const { body } = await prepareCounter(seller, offerId, await selling(market, id, 70_000), 24)
  await attack(seller, 'submitCounterOffer', { id, offerId }, body)
  const second = await counter(seller, offerId, await selling(market, id, 71_000))
  const acceptance = await prepareCounterAcceptance(
    buyer,
    second.offerId,
    await countered(market, buyer, id, 71_000),
  )
  await attack(buyer, 'submitCounterOfferAcceptance', { id, offerId: second.offerId }, acceptance.body)
})

it('rejects every substitution in a collection offer', async () => {
  const id = ids[4]!
  const coins = await coinsOf(market, buyer)
  await market.sql`update collection_items set traits = '[{"type":"Hat","value":"Red"}]' where inscription_id = ${id}`
  const target = { kind: 'traits' as const, traits: [{ type: 'Hat', values: ['Red'] }] }
  const agreement = { target, priceSats: 60_000, offerCount: 1, ladderStepSats: 5000, coins }
  const prepared = await prepareBid(buyer, slug, agreement, 24)
  await attack(buyer, 'submitCollectionWideOffer', { slug }, prepared.body)
  const betterBid = await bid(other, slug, {
    target: { kind: 'all' },
    priceSats: 50_000,
    coins: await coinsOf(market, other),
  })
  const { offerId } = betterBid.offers[0]!
  const { body } = await prepareFill(seller, slug, offerId, {
    ...(await selling(market, id, 50_000, 250)),
    evenBelowTopOffer: true,
  })
  expect(body.belowTopOfferConfirmation).toBeDefined()
  await attack(seller, 'submitCollectionOfferFill', { slug, offerId }, body)
})

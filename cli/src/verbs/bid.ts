import { existsSync, readFileSync } from 'node:fs'
import { type Body, bid as bidAt, cancelBid, cancelOffer, offer, VALIDITY_HOURS } from '@ordbook/sdk'
import { money } from '../amounts.ts'
import type { Desk } from '../desk.ts'
import { Failure, UsageError } from '../failure.ts'
import { spendableCoins } from '../payment-coins.ts'
import {
  type Arguments,
  LIMITS,
  LIMITS_HELP,
  limitsOf,
  type Result,
  SPEND,
  SPEND_HELP,
  type Verb,
} from '../verb.ts'

type Target = Body<'preflightCollectionWideOffer'>['target']

export const bid: Verb = {
  usage: 'ID... --price AMOUNT | --collection SLUG --price AMOUNT [--trait TYPE=VALUE]... | --cancel OFFER',
  summary: 'offers for inscriptions, or for any of a collection or its traits',
  details: `  --price AMOUNT       price of each offer
  --collection SLUG    an offer for any inscription of the collection
  --trait TYPE=VALUE   of these with the trait; the same TYPE again: any of its values
  --count N            a ladder of up to 10 offers
  --step AMOUNT        Price step between offers, a multiple of 5000 sats
  --eligible FILE      the ids that the offer must be for, one a line; default: the market decides
  --hours N            for 6, 12, 24, 168, 720 or 2160 hours
  --cancel OFFER       takes an offer back; with --collection one for any inscription
${SPEND_HELP}
${LIMITS_HELP}`,
  options: {
    price: { type: 'string' },
    collection: { type: 'string' },
    trait: { type: 'string', multiple: true },
    count: { type: 'string' },
    step: { type: 'string' },
    eligible: { type: 'string' },
    hours: { type: 'string' },
    cancel: { type: 'string' },
    ...SPEND,
    ...LIMITS,
  },
  async run(desk, given) {
    if (given.has('cancel')) return cancel(desk, given)
    const collection = given.text('collection')
    return collection === undefined ? onItems(desk, given) : onCollection(desk, given, collection)
  },
}

async function onItems(desk: Desk, given: Arguments): Promise<Result> {
  const priceSats = given.demandedAmount('price')
  const items = await desk.items(given.ids())
  const slug = desk.slugOf(items)
  await desk.checkPrices('bid', slug, [priceSats])
  const trader = await desk.trader()
  const agreement = {
    items,
    priceSats,
    coins: await spendableCoins(desk, trader.walletBindingId, given.spend()),
  }
  const made = await offer(
    trader,
    slug,
    { ...agreement, ...limitsOf(desk, given) },
    given.choice('hours', VALIDITY_HOURS),
  )
  return {
    document: { collection: slug, priceSats, ...made },
    text: made.items
      .map(({ inscriptionId, offerId }) => `offered ${money(priceSats)} for ${inscriptionId}: ${offerId}`)
      .join('\n'),
  }
}

async function onCollection(desk: Desk, given: Arguments, slug: string): Promise<Result> {
  if (given.words.length > 0) throw new UsageError('name inscriptions or --collection, not both')
  const priceSats = given.demandedAmount('price')
  const target = targetOf(given.all('trait'))
  const eligibleFile = given.text('eligible')
  const eligibleIds = eligibleFile === undefined ? undefined : idsIn(given, eligibleFile)
  await desk.checkPrices('bid', slug, [priceSats])
  const trader = await desk.trader()
  const coins = await spendableCoins(desk, trader.walletBindingId, given.spend())
  const offerCount = given.count('count', 1, 10)
  const ladderStepSats = given.amount('step')
  const agreement = {
    target,
    priceSats,
    coins,
    ...(offerCount === undefined ? {} : { offerCount }),
    ...(ladderStepSats === undefined ? {} : { ladderStepSats }),
    ...(eligibleIds === undefined ? {} : { eligibleIds }),
  }
  const made = await bidAt(trader, slug, agreement, given.choice('hours', VALIDITY_HOURS))
  return {
    document: { collection: slug, target, ...made },
    text: made.offers
      .map(({ offerId, ...each }) => `offered ${money(each.priceSats)} for any of ${slug}: ${offerId}`)
      .join('\n'),
  }
}

/** The inscriptions that a file of the user lists. Throws UsageError. */
function idsIn(given: Arguments, file: string): string[] {
  if (!existsSync(file)) throw new UsageError(`--eligible: file not found: ${file}`)
  return given.ids(
    readFileSync(file, 'utf8')
      .split(/\s+/)
      .filter((id) => id !== ''),
  )
}

/** The target of traits `TYPE=VALUE`: groups are joined by AND, values of one type by OR. */
export function targetOf(traits: readonly string[]): Target {
  const groups = new Map<string, string[]>()
  for (const trait of traits) {
    const at = trait.indexOf('=')
    if (at < 1 || at === trait.length - 1)
      throw new UsageError(`--trait: found ${trait}, expected TYPE=VALUE`)
    const type = trait.slice(0, at)
    groups.set(type, [...(groups.get(type) ?? []), trait.slice(at + 1)])
  }
  if (groups.size === 0) return { kind: 'all' }
  return { kind: 'traits', traits: [...groups].map(([type, values]) => ({ type, values })) }
}

async function cancel(desk: Desk, given: Arguments): Promise<Result> {
  const offerId = given.text('cancel')!
  const slug = given.text('collection')
  const trader = await desk.trader()
  const done = (document: unknown) => ({ document, text: `took the offer ${offerId} back` })
  if (slug !== undefined) return done(await cancelBid(trader, slug, offerId))
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = { view: 'sent' as const, ...(cursor ? { cursor } : {}) }
    const answer = await desk.client.call('listMyOffers', { query })
    if (answer.view !== 'sent') break
    const found = answer.rows.find(({ id }) => id === offerId)
    if (found) return done(await cancelOffer(trader, { id: found.inscriptionId, offerId }))
    cursor = answer.nextCursor
  }
  throw new Failure(
    'no-such-offer',
    `this wallet has no offer ${offerId} on an inscription: name --collection for one on a collection`,
  )
}

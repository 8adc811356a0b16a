import { existsSync, readFileSync } from 'node:fs'
import { type Body, bid as bidAt, cancelBid, cancelOffer, offer, VALIDITY_HOURS } from '@ordbook/sdk'
import { money } from '../amounts.ts'
import { Failure, UsageError } from '../failure.ts'
import { readSentOffers } from '../offers.ts'
import { spendableCoins } from '../payment-coins.ts'
import type { TradeSession } from '../trade-session.ts'
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
  summary: 'Make offers for inscriptions, a collection or its traits',
  details: `  --price AMOUNT       Price of each offer
  --collection SLUG    Offer for any inscription of the collection
  --trait TYPE=VALUE   Require this trait; repeat a TYPE to accept several of its values
  --count N            Make a ladder of up to 10 offers
  --step AMOUNT        Price step between offers, a multiple of 5000 sats
  --eligible FILE      File of eligible inscription ids, one per line (default: chosen by the market)
  --hours N            Validity: 6, 12, 24, 168, 720 or 2160 hours
  --cancel OFFER       Cancel an offer for an inscription, a collection or a trait
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
  async run(desk, args) {
    if (args.has('cancel')) return cancel(desk, args)
    const collection = args.text('collection')
    return collection === undefined ? onItems(desk, args) : onCollection(desk, args, collection)
  },
}

async function onItems(desk: TradeSession, args: Arguments): Promise<Result> {
  const priceSats = args.demandedAmount('price')
  const items = await desk.items(args.ids())
  const slug = desk.slugOf(items)
  await desk.checkPrices('bid', slug, [priceSats])
  const trader = await desk.trader()
  const agreement = {
    items,
    priceSats,
    coins: await spendableCoins(desk, trader.walletBindingId, args.spend()),
  }
  const result = await offer(
    trader,
    slug,
    { ...agreement, ...limitsOf(desk, args) },
    args.choice('hours', VALIDITY_HOURS),
  )
  return {
    document: { collection: slug, priceSats, ...result },
    text: result.items.map(
      ({ inscriptionId, offerId }) => `offered ${money(priceSats)} for ${inscriptionId}: ${offerId}`,
    ),
  }
}

async function onCollection(desk: TradeSession, args: Arguments, slug: string): Promise<Result> {
  if (args.words.length > 0) throw new UsageError('pass either inscription ids or --collection')
  const priceSats = args.demandedAmount('price')
  const target = targetOf(args.all('trait'))
  const eligibleFile = args.text('eligible')
  const eligibleIds = eligibleFile === undefined ? undefined : idsIn(args, eligibleFile)
  await desk.checkPrices('bid', slug, [priceSats])
  const trader = await desk.trader()
  const coins = await spendableCoins(desk, trader.walletBindingId, args.spend())
  const offerCount = args.count('count', 1, 10)
  const ladderStepSats = args.amount('step')
  const agreement = {
    target,
    priceSats,
    coins,
    ...(offerCount === undefined ? {} : { offerCount }),
    ...(ladderStepSats === undefined ? {} : { ladderStepSats }),
    ...(eligibleIds === undefined ? {} : { eligibleIds }),
  }
  const result = await bidAt(trader, slug, agreement, args.choice('hours', VALIDITY_HOURS))
  return {
    document: { collection: slug, target, ...result },
    text: result.offers.map(
      (offer) => `offered ${money(offer.priceSats)} for any item of ${slug}: ${offer.offerId}`,
    ),
  }
}

function idsIn(args: Arguments, file: string): string[] {
  if (!existsSync(file)) throw new UsageError(`--eligible: file not found: ${file}`)
  return args.ids(
    readFileSync(file, 'utf8')
      .split(/\s+/)
      .filter((id) => id !== ''),
  )
}

/** Builds a target from traits (`TYPE=VALUE`): types are joined by AND, values of one type by OR. Throws UsageError. */
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

async function cancel(desk: TradeSession, args: Arguments): Promise<Result> {
  const offerId = args.text('cancel')!
  const trader = await desk.trader()
  const { client, flags } = desk
  const offer = (await readSentOffers(desk)).find(({ id }) => id === offerId)
  const { bids } = offer ? { bids: [] } : await client.call('listOwnBids')
  const slug = bids.find(({ id }) => id === offerId)?.collectionSlug
  if (!offer && slug === undefined)
    throw new Failure('no-such-offer', `this wallet has no active offer ${offerId}`)
  if (flags.isDryRun) return { document: { dryRun: true, offerId }, text: `would cancel offer ${offerId}` }
  const cancelled =
    slug === undefined
      ? await cancelOffer(trader, { id: offer!.inscriptionId, offerId })
      : await cancelBid(trader, slug, offerId)
  return { document: cancelled, text: `cancelled offer ${offerId}` }
}

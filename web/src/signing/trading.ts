import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { hexOfTransaction } from '@ordbook/bitcoin/transaction.ts'
import { bid, fill } from '@ordbook/sdk/collection-offers.ts'
import { reclaim, relist } from '@ordbook/sdk/escrows.ts'
import { exitEscrow } from '@ordbook/sdk/exit-escrow.ts'
import { acceptCounter, acceptOffer, counter, offer } from '@ordbook/sdk/offers.ts'
import type { Answer, Body } from '@ordbook/sdk/operations.ts'
import { acceptProposal, propose, settle } from '@ordbook/sdk/swaps.ts'
import { buy, list, type Trader } from '@ordbook/sdk/trade.ts'
import { client, queries } from '../client.ts'
import { btc } from '../format.ts'
import type { Signed } from '../session.tsx'
import type { Market } from '../settings.tsx'
import type { Intent, Known } from './review.tsx'
import { traderOf } from './trader.ts'

/**
 * What can be done on these pages, each as one step: what is agreed to is what the page showed, the SDK holds every PSBT
 * against it, the review shows what is signed. Loaded when the first trade begins.
 */
export interface Trading {
  signed: Signed
  market: Market
}

export type Hours = 6 | 12 | 24 | 168 | 720 | 2160
export type Days = 1 | 7 | 30 | 90 | 180

/** An inscription as the pages know it. */
export interface Item {
  inscriptionId: string
  name: string
  txid: string
  vout: number
  /** Of the coin. */
  valueSats: number
  offset: number
  /** Form of the escrow, if the coin is in escrow; else null. */
  escrowForm: 'published' | 'wallet' | null
}

/** Most that the network may take of one trade; what it is in fact the review shows. */
const MOST_NETWORK_SATS = 200_000

const knownOf = ({
  inscriptionId,
  name,
  txid,
  vout,
  offset,
}: Omit<Item, 'valueSats' | 'escrowForm'>): Known => ({
  inscriptionId,
  name,
  outpoint: formatOutpoint({ txid, vout }),
  offset,
})
const money = (sats: number) => `${btc(sats)} BTC`

function trader({ signed, market }: Trading, intent: Intent): Promise<Trader> {
  return traderOf(signed, market, intent)
}

async function coinsOf({ signed }: Trading): Promise<Answer<'listCoins'>['coins']> {
  return (await client.call('listCoins', { query: { walletBindingId: signed.walletBindingId } })).coins
}

/** The inscription where it is now, with the value of its coin. Throws when it is nowhere. */
export async function itemOf(inscriptionId: string): Promise<Item> {
  const { name, outpoint, satOffset, escrow } = await client.call('getInscription', {
    params: { id: inscriptionId },
  })
  if (!outpoint) throw new Error(`${name} is not in any coin now`)
  return { inscriptionId, name, ...outpoint, offset: satOffset ?? 0, escrowForm: escrow?.escrowForm ?? null }
}

const coinOf = ({ txid, vout, valueSats, offset }: Item) => ({ txid, vout, valueSats, offset })

const escrowOf = (item: Item) => ({ ...coinOf(item), escrowForm: item.escrowForm! })

/** After a change of one's own nobody waits for the events. */
const refresh = () => queries.invalidateQueries()

export async function listItems(
  trading: Trading,
  slug: string,
  wishes: readonly { inscriptionId: string; priceSats: number }[],
  days: Days,
  royaltyBps: number,
): Promise<void> {
  for (let at = 0; at < wishes.length; at += 20) {
    const part = wishes.slice(at, at + 20)
    const items = await Promise.all(part.map((each) => itemOf(each.inscriptionId)))
    const total = part.reduce((sum, each) => sum + each.priceSats, 0)
    const one = await trader(trading, {
      title: part.length === 1 ? `List ${items[0]!.name}` : `List ${part.length} inscriptions`,
      outcome: `${part.length === 1 ? 'It is' : 'They are'} for sale for ${money(total)}${part.length === 1 ? '' : ' together'}. Nothing moves until somebody buys; then you are paid in the same transaction. You can take it back at any time.`,
      known: items.map(knownOf),
    })
    const maxFeeBps = trading.market.fees.sellerFeeBps + royaltyBps
    const agreed = part.map((wish, n) => ({ ...wish, item: items[n]!, maxFeeBps }))
    const [resting, held] = [
      agreed.filter(({ item }) => item.escrowForm),
      agreed.filter(({ item }) => !item.escrowForm),
    ]
    if (held.length > 0)
      await list(
        one,
        slug,
        held.map(({ item, ...wish }) => ({ ...wish, coin: coinOf(item) })),
        days,
      )
    if (resting.length > 0)
      await relist(
        one,
        resting.map(({ item, ...wish }) => ({ ...wish, escrow: escrowOf(item) })),
        days,
      )
  }
  await refresh()
}

export async function delistItems(
  { signed }: Trading,
  slug: string,
  listings: { inscriptionId: string; listingId: string }[],
): Promise<void> {
  const { walletBindingId } = signed
  for (let at = 0; at < listings.length; at += 20)
    await client.call('delistListing', {
      params: { slug },
      body: { walletBindingId, listings: listings.slice(at, at + 20) },
    })
  await refresh()
}

export interface Wanted {
  inscriptionId: string
  listingId: string
  priceSats: number
  name: string
}

/** Buys listings of one collection, at most 20. Gives the transaction. */
export async function buyItems(
  trading: Trading,
  slug: string,
  wanted: readonly Wanted[],
  royaltyBps: number,
): Promise<string> {
  const items = await Promise.all(wanted.map((each) => itemOf(each.inscriptionId)))
  const total = wanted.reduce((sum, each) => sum + each.priceSats, 0)
  const one = await trader(trading, {
    title: wanted.length === 1 ? `Buy ${wanted[0]!.name}` : `Buy ${wanted.length} inscriptions`,
    outcome: `You pay ${money(total)} and the fees, and get ${wanted.length === 1 ? 'it' : 'all of them'} in the same transaction, or nothing happens.`,
    known: items.map(knownOf),
  })
  const { settlementTxid } = await buy(one, slug, {
    items: wanted.map(({ inscriptionId, listingId, priceSats }, n) => ({
      inscriptionId,
      listingId,
      priceSats,
      coin: coinOf(items[n]!),
    })),
    coins: await coinsOf(trading),
    maxFeeBps: trading.market.fees.buyerFeeBps + royaltyBps,
    maxNetworkSats: MOST_NETWORK_SATS,
  })
  await refresh()
  return settlementTxid
}

export async function makeOffer(
  trading: Trading,
  slug: string,
  inscriptionId: string,
  priceSats: number,
  hours: Hours,
  royaltyBps: number,
): Promise<void> {
  const item = await itemOf(inscriptionId)
  const one = await trader(trading, {
    title: `Offer for ${item.name}`,
    outcome: `You offer ${money(priceSats)}. Your coins stay where they are; when its owner accepts, you pay and get the inscription in one transaction. Spending one of these coins, or taking the offer back, ends it.`,
    known: [knownOf(item)],
  })
  await offer(
    one,
    slug,
    {
      items: [{ inscriptionId, coin: coinOf(item) }],
      priceSats,
      coins: await coinsOf(trading),
      maxFeeBps: trading.market.fees.buyerFeeBps + royaltyBps,
      maxNetworkSats: MOST_NETWORK_SATS,
    },
    hours,
  )
  await refresh()
}

export async function acceptOfferOf(
  trading: Trading,
  at: { inscriptionId: string; offerId: string; priceSats: number },
  royaltyBps: number,
): Promise<string> {
  const { inscriptionId, offerId, priceSats } = at
  const item = await itemOf(inscriptionId)
  const one = await trader(trading, {
    title: `Sell ${item.name}`,
    outcome: `You accept ${money(priceSats)}. It settles at once.`,
    known: [knownOf(item)],
  })
  const { settlementTxid } = await acceptOffer(one, offerId, {
    inscriptionId,
    priceSats,
    coin: coinOf(item),
    maxFeeBps: trading.market.fees.sellerFeeBps + royaltyBps,
    maxNetworkSats: MOST_NETWORK_SATS,
  })
  await refresh()
  return settlementTxid
}

export async function counterOffer(
  trading: Trading,
  at: { inscriptionId: string; offerId: string },
  priceSats: number,
  royaltyBps: number,
): Promise<void> {
  const item = await itemOf(at.inscriptionId)
  const one = await trader(trading, {
    title: `Counter for ${item.name}`,
    outcome: `You ask ${money(priceSats)} of this buyer. Nothing moves until they agree; you can take it back at any time.`,
    known: [knownOf(item)],
  })
  await counter(one, at.offerId, {
    inscriptionId: at.inscriptionId,
    priceSats,
    coin: coinOf(item),
    maxFeeBps: trading.market.fees.sellerFeeBps + royaltyBps,
    maxNetworkSats: MOST_NETWORK_SATS,
  })
  await refresh()
}

export async function acceptCounterOf(
  trading: Trading,
  at: { inscriptionId: string; offerId: string; priceSats: number },
  royaltyBps: number,
): Promise<string> {
  const { inscriptionId, offerId, priceSats } = at
  const item = await itemOf(inscriptionId)
  const one = await trader(trading, {
    title: `Buy ${item.name}`,
    outcome: `You accept the counter of ${money(priceSats)}. It settles at once.`,
    known: [knownOf(item)],
  })
  const { settlementTxid } = await acceptCounter(one, offerId, {
    inscriptionId,
    priceSats,
    coin: coinOf(item),
    coins: await coinsOf(trading),
    maxFeeBps: trading.market.fees.buyerFeeBps + royaltyBps,
    maxNetworkSats: MOST_NETWORK_SATS,
  })
  await refresh()
  return settlementTxid
}

/** A bid on any inscription of a collection, or of some of its traits. */
export async function makeBid(
  trading: Trading,
  slug: string,
  wish: {
    target: Body<'preflightCollectionWideOffer'>['target']
    priceSats: number
    hours: Hours
    about: string
  },
): Promise<void> {
  const one = await trader(trading, {
    title: `Offer for ${wish.about}`,
    outcome: `You offer ${money(wish.priceSats)} for any one of ${wish.about}. The coins are set aside by two keys of the market that act only for an eligible inscription; you can take them back at any time.`,
    known: [],
  })
  await bid(
    one,
    slug,
    {
      target: wish.target,
      priceSats: wish.priceSats,
      coins: await coinsOf(trading),
    },
    wish.hours,
  )
  await refresh()
}

export async function fillBid(
  trading: Trading,
  slug: string,
  at: { offerId: string; inscriptionId: string; priceSats: number },
  royaltyBps: number,
): Promise<string> {
  const item = await itemOf(at.inscriptionId)
  const one = await trader(trading, {
    title: `Sell ${item.name}`,
    outcome: `You sell into an offer of ${money(at.priceSats)}. It settles at once.`,
    known: [knownOf(item)],
  })
  const { settlementTxid } = await fill(one, slug, at.offerId, {
    inscriptionId: at.inscriptionId,
    priceSats: at.priceSats,
    coin: coinOf(item),
    maxFeeBps: trading.market.fees.fillFeeBps + royaltyBps,
    maxNetworkSats: MOST_NETWORK_SATS,
    evenBelowTopOffer: true,
  })
  await refresh()
  return settlementTxid
}

export async function proposeTrade(
  trading: Trading,
  proposal: Parameters<typeof propose>[1],
): Promise<Answer<'createProposal'>> {
  const one = await trader(trading, { title: 'Propose a trade', outcome: '', known: [] })
  const coins = proposal.offeredBtcSats > 0 ? await coinsOf(trading) : []
  const made = await propose(one, proposal, coins)
  await refresh()
  return made
}

/** Accepts a proposal with what fills its legs: signed now, settled when its proposer signs too. */
export async function acceptTrade(
  trading: Trading,
  proposal: Answer<'getProposal'>,
  fills: { legId: string; inscriptionId: string }[],
): Promise<Answer<'submitAcceptance'>> {
  const gives = await Promise.all(fills.map((each) => itemOf(each.inscriptionId)))
  const gets = await Promise.all(proposal.offeredItems.map((each) => itemOf(each.inscriptionId)))
  const netSats = proposal.offeredBtcSats - proposal.requestedBtcSats
  const one = await trader(trading, {
    title: 'Accept the trade',
    outcome: `${tradeOf(gives, gets, netSats)} It settles when the other side signs too; until then you can take it back.`,
    known: [...gives, ...gets].map(knownOf),
  })
  const acceptance = await acceptProposal(one, proposal.id, fills, {
    gives: gives.map((item) => ({ inscriptionId: item.inscriptionId, coin: coinOf(item) })),
    gets: gets.map((item) => ({ inscriptionId: item.inscriptionId, coin: coinOf(item) })),
    netSats,
    coins: await coinsOf(trading),
    maxFeesSats: proposal.marketplaceFeeSats + MOST_NETWORK_SATS,
  })
  await refresh()
  return acceptance
}

/** Settles an acceptance of one's own proposal. */
export async function settleTrade(trading: Trading, acceptance: Answer<'submitAcceptance'>): Promise<string> {
  const { proposal } = acceptance
  const of = (from: 'proposer' | 'acceptor') =>
    Promise.all(
      acceptance.items.filter((each) => each.from === from).map((each) => itemOf(each.inscriptionId)),
    )
  const [gives, gets] = await Promise.all([of('proposer'), of('acceptor')])
  const netSats = proposal.requestedBtcSats - proposal.offeredBtcSats
  const one = await trader(trading, {
    title: 'Settle the trade',
    outcome: `${tradeOf(gives, gets, netSats)} It settles at once.`,
    known: [...gives, ...gets].map(knownOf),
  })
  const settled = await settle(one, acceptance.acceptanceId, {
    gives: gives.map((item) => ({ inscriptionId: item.inscriptionId, coin: coinOf(item) })),
    gets: gets.map((item) => ({ inscriptionId: item.inscriptionId, coin: coinOf(item) })),
    netSats,
    // The coins that a proposal pays with were chosen when it was made: they are its wallet's own.
    coins: proposal.offeredBtcSats > 0 ? await coinsOf(trading) : [],
    maxFeesSats: 0,
  })
  await refresh()
  return settled.expectedSettlementTxid
}

function tradeOf(gives: readonly Item[], gets: readonly Item[], netSats: number): string {
  const side = (items: readonly Item[], sats: number) =>
    [...items.map((item) => item.name), ...(sats > 0 ? [money(sats)] : [])].join(', ') || 'nothing'
  return `You give ${side(gives, -netSats)} and get ${side(gets, netSats)}.`
}

/** An inscription in escrow, home with the market, which pays the fee. */
export async function reclaimItem(trading: Trading, inscriptionId: string): Promise<string> {
  const item = await itemOf(inscriptionId)
  if (!item.escrowForm) throw new Error(`${item.name} rests in no escrow`)
  const one = await trader(trading, {
    title: `Take ${item.name} back`,
    outcome:
      'It goes back to your ordinals address, and is for sale no more. The market pays the network fee.',
    known: [knownOf(item)],
  })
  const { txid } = await reclaim(one, [escrowOf(item)])
  await refresh()
  return txid
}

/** An inscription in escrow, home by the owner's own signature: the market is asked to send it and for nothing else. */
export async function leaveEscrow(trading: Trading, inscriptionId: string): Promise<string> {
  const found = await client.call('getInscription', { params: { id: inscriptionId } })
  const { name, outpoint, escrow, satOffset } = found
  if (!outpoint || escrow?.escrowForm !== 'wallet')
    throw new Error(`${name} rests in no escrow that a wallet opens alone`)
  const { walletBindingId } = trading.signed
  const { coins, feeRateSatVb } = await client.call('listCoins', { query: { walletBindingId } })
  const one = await trader(trading, {
    title: `Take ${name} out of escrow`,
    outcome:
      'It goes back to your ordinals address, by your signature alone. You pay the network fee, and it is for sale no more.',
    known: [knownOf({ inscriptionId, name, ...outpoint, offset: satOffset ?? 0 })],
  })
  const { tx } = await exitEscrow(one.wallet, {
    escrows: [{ ...outpoint, form: 'wallet', cosignKey: one.cosignKey! }],
    coins,
    feeRateSatVb,
    leastSats: (satOffset ?? 0) + 1,
  })
  const transaction = hexOfTransaction(tx)
  try {
    const { txid } = await client.call('sendExit', { body: { walletBindingId, transaction } })
    await refresh()
    return txid
  } catch (error) {
    throw new Error(
      `The market did not send it (${(error as Error).message}). It is signed: any node or block explorer takes it. ${transaction}`,
    )
  }
}

import { bytesToHex, equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { unsignedTransactionOf } from '@ordbook/bitcoin/psbt.ts'
import { sumSats } from '@ordbook/bitcoin/sats.ts'
import { type Layout, transactionOf } from '@ordbook/bitcoin/trade/layout.ts'
import { encodeTransaction } from '@ordbook/bitcoin/transaction.ts'
import { type Effects, effectsOf, type Piece } from '@ordbook/sdk/effects.ts'
import type { SigningRequest, Wallet } from '@ordbook/sdk/wallet.ts'
import { money, shortId } from '../format/format.ts'
import type { ShownQuote } from '../ticket/quotes/purchase-quote.ts'
import { type Agreement, itemsOf, type TradedItem } from './agreement.ts'
import { checksOf } from './checks.ts'
import {
  type Flow,
  type FlowTable,
  flowOf,
  flowsOf,
  type Parties,
  type Traced,
  UnknownOutput,
} from './flows.ts'
import { review as words } from './texts.ts'

/** A transaction to sign, with its effects on the wallet. */
export interface ReadTransaction {
  request: SigningRequest
  layout: Layout | null
  effects: Effects
  /** Purposes and recipients of all outputs. Empty if one is not known. */
  purposes: readonly Flow[]
}

/** A coin of the wallet that the transactions spend. */
export interface SpentCoin {
  /** `txid:vout` */
  outpoint: string
  valueSats: number
  address: NonNullable<Piece['own']>
  inscriptionIds: readonly string[]
  /** True if only the market vouches for the coin. */
  isUnproven: boolean
}

/** A listing of the review. */
export interface ListingRow {
  item: TradedItem
  priceSats: number
  floorSats: number | null
  /** Payout without postage. */
  receiveSats: number
}

/** The review of a trade. Everything but `quotes` is derived from the agreement and the verified transactions. */
export interface ReviewModel {
  agreement: Agreement
  transactions: readonly ReadTransaction[]
  /** Where the sats go; several only if the transactions are independent. */
  tables: readonly FlowTable[]
  listings: readonly ListingRow[]
  /** Quotes as shown before the review. */
  quotes: readonly ShownQuote[]
  /** Total of the transactions: paid, or received by the signer. Null for offers that may share coins. */
  totalSats: number | null
  /** The totals, if the quote differs from the transactions. */
  moved: { from: number; to: number } | null
  checks: readonly string[]
  /** Why the trade cannot be signed, or null. */
  blocked: string | null
  /** Payment coins of the signer: number and script. */
  paying: { count: number; script: Uint8Array } | null
  nameOf(id: string): string
}

export interface ReviewInput {
  agreement: Agreement
  quotes: readonly ShownQuote[]
  /** Total per transaction as shown, in sats, for offers that may share coins. */
  offersSats?: readonly number[] | undefined
  /** Floors by inscription, as shown. */
  floors?: ReadonlyMap<string, number | null> | undefined
  wallet: Wallet
  marketScript: Uint8Array
  requests: readonly SigningRequest[]
  /** Wallet windows in which the wallet shows the requests, if known. */
  windows?: number | undefined
}

/** Derives the review from the agreement and the requests. Throws CheckFailed if a PSBT is malformed. */
export function reviewModelOf(input: ReviewInput): ReviewModel {
  const { agreement, quotes, wallet, marketScript } = input
  const { ordinalsScript, paymentScript } = wallet
  const parties = { ordinalsScript, paymentScript, marketScript }
  const transactions = readAll(input)
  const names = new Map(itemsOf(agreement).map(({ inscriptionId, name }) => [inscriptionId, name]))
  const nameOf = (id: string) => names.get(id) ?? shortId(id)
  const { tables, blocked, purposes } = tablesOf(agreement, transactions, parties, quotes)
  const listings = listingsOf(input, transactions)
  const totalSats = totalOf(agreement, tables, listings)
  const paying = transactions
    .flatMap(({ effects }) => effects.inputs)
    .filter(({ own, inscriptionIds, signed }) => own === 'payment' && signed && inscriptionIds.length === 0)
  return {
    agreement,
    transactions: transactions.map((each, n) => ({ ...each, purposes: purposes[n] ?? [] })),
    tables,
    listings,
    quotes,
    totalSats,
    moved: movedOf(input, tables, totalSats),
    checks: checksOf(agreement),
    blocked,
    paying:
      paying.length === 0
        ? null
        : { count: new Set(paying.map(({ outpoint }) => outpoint)).size, script: paymentScript },
    nameOf,
  }
}

function readAll({ agreement, wallet, requests }: ReviewInput): ReadTransaction[] {
  const located = new Map(
    [...Map.groupBy(itemsOf(agreement), ({ outpoint }) => outpoint)].map(([outpoint, all]) => [
      outpoint,
      all.map(({ inscriptionId, offset }) => ({ inscriptionId, offset })),
    ]),
  )
  const effectOf = ({ psbtBase64, inputsToSign }: SigningRequest) =>
    effectsOf(wallet, { psbtBase64, inputsToSign: inputsToSign.map((each) => ({ ...each })) }, located)
  // A transaction can spend a coin that a later request creates.
  for (const request of requests)
    for (const [outpoint, contents] of effectOf(request).located) located.set(outpoint, contents)
  return requests.map((request) => ({
    request,
    layout: layoutOf(request),
    effects: effectOf(request),
    purposes: [],
  }))
}

/** Returns the layout of a request, or null if the PSBT has another transaction. */
function layoutOf({ layout, psbtBase64 }: SigningRequest): Layout | null {
  if (!layout) return null
  const bytesOf = (tx: Parameters<typeof encodeTransaction>[0]) =>
    bytesToHex(
      encodeTransaction({
        ...tx,
        inputs: tx.inputs.map((each) => ({ ...each, scriptSig: new Uint8Array(), witness: [] })),
      }),
    )
  return bytesOf(transactionOf(layout)) === bytesOf(unsignedTransactionOf(psbtBase64)) ? layout : null
}

/** Adds up the transactions of the trade. `blocked`: why an output has no known purpose. */
function tablesOf(
  agreement: Agreement,
  transactions: readonly ReadTransaction[],
  parties: Parties,
  quotes: readonly ShownQuote[],
): { tables: FlowTable[]; blocked: string | null; purposes: Flow[][] } {
  const traced: Traced[] = []
  for (const { layout, effects } of transactions) {
    if (!layout) return { tables: [], blocked: words.unknownTransaction, purposes: [] }
    traced.push({
      layout: rolesOf(agreement, layout, parties, quotes),
      contents: effects.outputs.map(({ inscriptionIds }) => inscriptionIds),
    })
  }
  try {
    // Also outputs that another transaction spends need a purpose.
    const purposes = traced.map(({ layout, contents }) =>
      layout.outputs.map((output, n) => flowOf(agreement, { output, ids: contents[n] ?? [] }, parties)),
    )
    return { tables: together(agreement, traced, parties), blocked: null, purposes }
  } catch (error) {
    if (error instanceof UnknownOutput)
      return { tables: [], blocked: words.unknownOutput(money(error.output.valueSats)), purposes: [] }
    throw error
  }
}

/** Returns a table for all transactions that are sent together. */
function together(agreement: Agreement, traced: readonly Traced[], parties: Parties): FlowTable[] {
  const tableOf = (each: Traced) => flowsOf(agreement, [each], parties)
  switch (agreement.kind) {
    case 'bid':
      return traced.map(tableOf)
    case 'list':
      // Buyers complete the transactions.
      return []
    case 'counter':
      return traced.filter(({ layout }) => layout.outputs.some(({ role }) => role === 'payout')).map(tableOf)
    default:
      return [flowsOf(agreement, traced, parties)]
  }
}

/**
 * Names the outputs that a buyer's offer adds to the seller's payout: the market's fee, the creator's royalty of the bill, and the buyer's
 * change. They are paid by the buyer.
 */
function rolesOf(
  agreement: Agreement,
  layout: Layout,
  { marketScript }: Parties,
  quotes: readonly ShownQuote[],
): Layout {
  if (agreement.kind !== 'accept') return layout
  const royaltySats = Math.abs(
    sumSats(
      quotes
        .flatMap(({ bill }) => bill.filter(({ kind }) => kind === 'creatorRoyalty'))
        .map(({ sats }) => Math.abs(sats)),
    ),
  )
  let isRoyaltyLeft = royaltySats > 0
  return {
    ...layout,
    outputs: layout.outputs.map((output) => {
      if (output.role !== 'change') return output
      if (equalBytes(output.script, marketScript)) return { ...output, role: 'service' }
      if (!isRoyaltyLeft || output.valueSats < royaltySats) return output
      isRoyaltyLeft = false
      return { ...output, role: 'royalty' }
    }),
  }
}

/** Returns what each sale leg pays, in the order of the agreement. */
function listingsOf(
  { agreement, floors }: ReviewInput,
  transactions: readonly ReadTransaction[],
): ListingRow[] {
  if (agreement.kind !== 'list') return []
  const payouts = new Map<string, number>()
  for (const { layout, effects } of transactions)
    for (const [n, { role, valueSats }] of (layout?.outputs ?? []).entries())
      if (role === 'payout')
        for (const id of effects.inputs[n]?.inscriptionIds ?? []) payouts.set(id, valueSats)
  return agreement.listed.map(({ item, priceSats }) => ({
    item,
    priceSats,
    floorSats: floors?.get(item.inscriptionId) ?? null,
    receiveSats: (payouts.get(item.inscriptionId) ?? 0) - item.valueSats,
  }))
}

/** Returns the total that the bill states: the cost of a buyer, or the proceeds of a seller without postage. */
function totalOf(
  agreement: Agreement,
  tables: readonly FlowTable[],
  listings: readonly ListingRow[],
): number | null {
  const [table] = tables
  if (agreement.kind === 'list' && listings.length > 0)
    return listings.reduce((sum, { receiveSats }) => sum + receiveSats, 0)
  if (agreement.kind === 'bid' || !table) return null
  const postage = agreement.kind === 'accept' || agreement.kind === 'counter' ? agreement.item.valueSats : 0
  switch (agreement.kind) {
    case 'accept':
    case 'sell':
    case 'counter':
      return -table.costSats - postage
    case 'swap':
      return -table.costSats
    case 'exit':
    case 'move':
      return table.feeSats
    default:
      return table.costSats
  }
}

function movedOf(
  { quotes, offersSats = [] }: ReviewInput,
  tables: readonly FlowTable[],
  totalSats: number | null,
): ReviewModel['moved'] {
  const quotedSats = quotes.reduce((sum, quote) => sum + quote.totalSats, 0)
  if (totalSats !== null && quotes.length > 0 && quotedSats !== totalSats)
    return { from: Math.abs(quotedSats), to: Math.abs(totalSats) }
  if (offersSats.length !== tables.length) return null
  for (const [n, { costSats }] of tables.entries())
    if (offersSats[n] !== costSats) return { from: offersSats[n]!, to: costSats }
  return null
}

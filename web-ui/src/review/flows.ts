import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { sumSats } from '@ordbook/bitcoin/sats.ts'
import { type Layout, type LayoutOutput, transactionOf } from '@ordbook/bitcoin/trade/layout.ts'
import { txidOf } from '@ordbook/bitcoin/transaction.ts'
import type { Agreement } from './agreement.ts'

/** Scripts of the people in a trade that the signer knows. */
export interface Parties {
  ordinalsScript: Uint8Array
  paymentScript: Uint8Array
  marketScript: Uint8Array
}

export type Recipient =
  | 'you'
  | 'seller'
  | 'buyer'
  | 'creator'
  | 'market'
  | 'trader'
  | 'initiative'
  | 'escrow'
  | 'miners'

export type Purpose =
  | 'item'
  | 'payout'
  | 'fees'
  | 'returned'
  | 'royalty'
  | 'donation'
  | 'change'
  | 'others-change'
  | 'offer'
  | 'escrow'
  | 'home'
  | 'bitcoin'
  | 'runes'
  | 'runestone'
  | 'network'

/** An amount and where it goes. */
export interface Flow {
  purpose: Purpose
  to: Recipient
  sats: number
  /** Null for the network fee. */
  script: Uint8Array | null
  /** Inscriptions in the output. */
  inscriptionIds: readonly string[]
  /** Outputs of which it is the sum. The market's fees and its returned coins share outputs, which count for the fees. */
  outputs: number
}

/** A transaction with the inscriptions in each output, by index. */
export interface Traced {
  layout: Layout
  contents: readonly (readonly string[])[]
}

/** Where the sats of transactions go that are sent together. */
export interface FlowTable {
  flows: Flow[]
  /** Sats of the signer's coins without inscriptions. */
  paidSats: number
  /** Sats of the signer's coins without inscriptions, minus change and proceeds; negative if the signer gains. */
  costSats: number
  /** Sats of other parties' inscription coins. */
  broughtSats: number
  /** Sats of the market's coins. */
  marketSats: number
  feeSats: number
}

/** An output whose purpose does not follow from the agreement. */
export class UnknownOutput extends Error {
  readonly output: LayoutOutput
  constructor(output: LayoutOutput) {
    super(`an output of ${output.valueSats} sats has no known purpose`)
    this.output = output
  }
}

interface Placed {
  output: LayoutOutput
  ids: readonly string[]
}

/**
 * Returns the purpose and recipient of an output, or null if they do not follow from the agreement. Roles come from the verified
 * transaction; each must match the owner of its script.
 */
export function purposeOf(
  agreement: Agreement,
  { output, ids }: Placed,
  parties: Parties,
): { purpose: Purpose; to: Recipient } | null {
  const { role, script } = output
  const isOrdinals = equalBytes(script, parties.ordinalsScript)
  const isOwn = isOrdinals || equalBytes(script, parties.paymentScript)
  const isMarket = equalBytes(script, parties.marketScript)
  switch (role) {
    case 'inscription':
      return itemPurpose(agreement, ids, isOrdinals)
    case 'payout':
      return payoutPurpose(agreement, isOwn)
    case 'service':
    case 'anchor':
    case 'tail':
      return isMarket ? { purpose: 'fees', to: 'market' } : null
    case 'royalty':
      return isSale(agreement) ? { purpose: 'royalty', to: 'creator' } : null
    case 'donation':
      return agreement.kind === 'buy' ? { purpose: 'donation', to: 'initiative' } : null
    case 'change':
      if (isOwn) return { purpose: 'change', to: 'you' }
      if (agreement.kind === 'accept') return { purpose: 'others-change', to: 'buyer' }
      return agreement.kind === 'swap' ? { purpose: 'others-change', to: 'trader' } : null
    case 'funding':
      if (agreement.kind === 'bid') return { purpose: 'offer', to: 'escrow' }
      return agreement.kind === 'accept-counter' && isOwn ? { purpose: 'change', to: 'you' } : null
    case 'escrow':
      return OF_ESCROW.includes(agreement.kind) ? { purpose: 'escrow', to: 'escrow' } : null
    case 'runes':
    case 'runestone':
      return agreement.kind === 'split' && (isOrdinals || output.valueSats === 0)
        ? { purpose: role, to: 'you' }
        : null
    case 'recovery':
      return isOrdinals && [...OF_ESCROW, 'withdraw', 'exit'].includes(agreement.kind)
        ? { purpose: 'home', to: 'you' }
        : null
    default:
      return null
  }
}

/** Returns the flow of an output. Throws UnknownOutput. */
export function flowOf(agreement: Agreement, placed: Placed, parties: Parties): Flow {
  const known = purposeOf(agreement, placed, parties)
  const { output, ids } = placed
  if (!known) throw new UnknownOutput(output)
  return { ...known, sats: output.valueSats, script: output.script, inscriptionIds: ids, outputs: 1 }
}

const OF_ESCROW: readonly Agreement['kind'][] = ['list', 'counter', 'move']
const isSale = ({ kind }: Agreement) =>
  ['buy', 'list', 'offer', 'accept', 'sell', 'counter', 'accept-counter'].includes(kind)

/** An item must go where the agreement says: to the signer if it arrives, to the other side if it leaves. */
function itemPurpose(agreement: Agreement, ids: readonly string[], isOrdinals: boolean) {
  const [arrives, leaves, to] = sidesOf(agreement)
  const isKnown = (among: readonly string[]) => ids.some((id) => among.includes(id))
  if (isOrdinals) return isKnown(arrives) ? ({ purpose: 'item', to: 'you' } as const) : null
  return to !== null && isKnown(leaves) ? { purpose: 'item' as const, to } : null
}

type Sides = [arrives: readonly string[], leaves: readonly string[], to: Recipient | null]

function sidesOf(agreement: Agreement): Sides {
  const idsOf = (all: readonly { inscriptionId: string }[]) => all.map(({ inscriptionId }) => inscriptionId)
  switch (agreement.kind) {
    case 'buy':
      return [idsOf(agreement.bought.map(({ item }) => item)), [], null]
    case 'offer':
    case 'accept-counter':
      return [idsOf([agreement.item]), [], null]
    case 'accept':
    case 'sell':
    case 'counter':
      return [[], idsOf([agreement.item]), 'buyer']
    case 'swap':
      return [idsOf(agreement.gets), idsOf(agreement.gives), 'trader']
    case 'split':
      return [idsOf(agreement.items), [], null]
    default:
      return [[], [], null]
  }
}

function payoutPurpose(agreement: Agreement, isOwn: boolean): { purpose: Purpose; to: Recipient } | null {
  switch (agreement.kind) {
    case 'buy':
    case 'offer':
    case 'accept-counter':
      return { purpose: 'payout', to: 'seller' }
    case 'list':
    case 'accept':
    case 'sell':
    case 'counter':
      return isOwn ? { purpose: 'payout', to: 'you' } : null
    case 'swap':
      return { purpose: 'bitcoin', to: isOwn ? 'you' : 'trader' }
    default:
      return null
  }
}

/**
 * Adds up where the sats of transactions go that are sent together. Outputs spent by another of them are left out. The market's coins are
 * netted: what it puts in comes back, and only the rest is a fee. Throws UnknownOutput.
 */
export function flowsOf(agreement: Agreement, transactions: readonly Traced[], parties: Parties): FlowTable {
  const created = new Map<string, Placed>()
  for (const { layout, contents } of transactions) {
    const txid = txidOf(transactionOf(layout))
    for (const [vout, output] of layout.outputs.entries())
      created.set(formatOutpoint({ txid, vout }), { output, ids: contents[vout] ?? [] })
  }
  const inputs = transactions
    .flatMap(({ layout }) => layout.inputs)
    .filter(({ coin }) => !created.delete(formatOutpoint(coin)))
  const flows: Flow[] = []
  for (const placed of created.values()) addTo(flows, flowOf(agreement, placed, parties))
  const isOwn = ({ script }: { script: Uint8Array }) =>
    equalBytes(script, parties.ordinalsScript) || equalBytes(script, parties.paymentScript)
  const satsOf = (among: typeof inputs) => sumSats(among.map(({ coin }) => coin.valueSats))
  const marketSats = satsOf(inputs.filter(({ signer, role }) => signer === 'market' && role !== 'funding'))
  const feeSats = satsOf(inputs) - sumSats(flows.map(({ sats }) => sats))
  const paid = satsOf(inputs.filter(({ coin, role }) => role === 'payment' && isOwn(coin)))
  const gained = sumSats(
    flows
      .filter(
        ({ to, purpose }) =>
          to === 'you' && (purpose === 'change' || purpose === 'payout' || purpose === 'bitcoin'),
      )
      .map(({ sats }) => sats),
  )
  const broughtSats = satsOf(inputs.filter(({ role, coin }) => isItem(role) && !isOwn(coin)))
  const table = { paidSats: paid, costSats: paid - gained, broughtSats, marketSats, feeSats }
  return { ...table, flows: ordered(netted(flows, marketSats, feeSats)) }
}

const isItem = (role: string) => role === 'inscription' || role === 'escrow'

/** Merges outputs with the same purpose and script, except those with different inscriptions. */
function addTo(flows: Flow[], flow: Flow): void {
  const same = flows.find(
    ({ purpose, script, inscriptionIds }) =>
      purpose === flow.purpose &&
      inscriptionIds.length === 0 &&
      flow.inscriptionIds.length === 0 &&
      equalBytes(script!, flow.script!),
  )
  if (!same) flows.push(flow)
  else {
    same.sats += flow.sats
    same.outputs += flow.outputs
  }
}

/** Splits the market's amount into its own coins and its fees, and adds the network fee. */
function netted(flows: readonly Flow[], marketSats: number, feeSats: number): Flow[] {
  const fees = flows.find(({ purpose }) => purpose === 'fees')
  const returnedSats = Math.min(marketSats, fees?.sats ?? 0)
  const rest = flows.filter((flow) => flow !== fees)
  const hasFees = fees !== undefined && fees.sats > returnedSats
  if (hasFees) rest.push({ ...fees, sats: fees.sats - returnedSats })
  if (fees && returnedSats > 0)
    rest.push({ ...fees, purpose: 'returned', sats: returnedSats, outputs: hasFees ? 0 : fees.outputs })
  if (feeSats > 0)
    rest.push({
      purpose: 'network',
      to: 'miners',
      sats: feeSats,
      script: null,
      inscriptionIds: [],
      outputs: 0,
    })
  return rest
}

const ORDER: readonly Purpose[] = [
  'item',
  'home',
  'escrow',
  'payout',
  'bitcoin',
  'runes',
  'runestone',
  'offer',
  'royalty',
  'donation',
  'fees',
  'returned',
  'others-change',
  'change',
  'network',
]

const ordered = (flows: readonly Flow[]) =>
  flows.toSorted((a, b) => ORDER.indexOf(a.purpose) - ORDER.indexOf(b.purpose))

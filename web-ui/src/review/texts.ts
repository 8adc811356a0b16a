import { ANCHOR_SATS } from '@ordbook/bitcoin/trade/listing.ts'
import { count } from '../format/format.ts'
import { plural } from '../strings/plural.ts'
import { type Agreement, itemsOf } from './agreement.ts'
import type { Flow, Purpose, Recipient } from './flows.ts'

/** Texts of the review. Sentences that depend on the agreement are in `sentence.ts`. */
const UNPROVEN = 'any runes that may be in it'

export const review = {
  youGive: 'You give',
  youReceive: 'You receive',
  youPay: 'You pay',
  mostYouPay: 'Most you pay',
  youList: 'You list',
  youOffer: 'You offer',
  youOfferFor: 'You offer for',
  staysYours: 'Stays yours',
  networkFeeByMarket: 'The market pays the network fee.',
  leavesNow: 'Leaves your wallet now',
  leavesThen: (when: string) => `Leaves ${when}`,
  arrivesThen: (when: string) => `Arrives ${when}`,
  withPostage: (sats: number, address: string) =>
    `With ${count(sats)} sats of postage, at your ordinals address ${address}`,
  whenSold: (after: string) => `when it sells${after}`,
  whenAccepted: (after: string) => `when the buyer accepts${after}`,
  afterFees: 'after all fees',
  runesUnchecked: 'Runes: not checked, because this market has no index of runes.',
  to: (address: string) => `to ${address}`,
  from: (address: string, coins: number) =>
    `From ${address}, ${plural(coins, { one: '# coin', other: '# coins' })}`,
  allFees: 'all fees included',
  /** Fees of one side of a trade. The acceptor, who signs first, pays all. */
  tradeFees: ({ completes, hasFee, pays }: { completes: boolean; hasFee: boolean; pays: boolean }) =>
    completes
      ? 'the other side pays the fees'
      : hasFee
        ? pays
          ? review.allFees
          : review.afterFees
        : `${pays ? 'network fee included' : 'after the network fee'}, no trade fee`,
  bill: 'Bill',
  sameBill: (transactions: number) =>
    `Equal to the amounts of the ${transactions === 1 ? 'transaction' : 'transactions'}.`,
  where: 'Where it goes',
  whereOf: (n: number, of: number) => `Where it goes, offer ${n} of ${of}`,
  columns: { sats: 'BTC', purpose: 'For', recipient: 'To' },
  whenItSells: 'Where it goes when it sells',
  checks: (passed: number) => plural(passed, { one: '# check passed.', other: '# checks passed.' }),
  checksOfAll: (passed: number, of: number) =>
    `${of} of ${of} transactions passed ${plural(passed, { one: '# check', other: '# checks' })}.`,
  byBrowser: (transactions: number) =>
    transactions === 1
      ? "Your browser checked the transaction itself, not the server's description of it."
      : "Your browser checked the transactions themselves, not the server's description of them.",
  /** Outputs of an amount, if it is not one. The market's returned coins can be in the outputs of its fees. */
  outputsOf: (outputs: number, purpose: Purpose) => {
    if (outputs > 1) return `${count(outputs)} outputs`
    return outputs === 0 && purpose === 'returned' ? 'in the same outputs' : ''
  },
  showChecks: 'Show checks',
  transactions: (transactions: number, inputs: number, outputs: number) =>
    transactions === 1
      ? `Transaction: ${plural(inputs, { one: '# input', other: '# inputs' })}, ${plural(outputs, { one: '# output', other: '# outputs' })}, raw PSBT`
      : `${count(transactions)} transactions and raw PSBTs`,
  transactionOf: (n: number, of: number) => `Transaction ${n} of ${of}`,
  onlyWithPayment: 'valid only with the payment to you',
  buyerPaysNetwork: 'The buyer pays the network fee.',
  inputs: 'Inputs',
  outputs: 'Outputs',
  script: 'script',
  yours: 'yours',
  youSign: 'you sign',
  cancel: 'Cancel',
  signIn: (wallet: string | null, listings: number) =>
    `Sign ${listings > 1 ? `${count(listings)} listings ` : ''}in ${wallet ?? 'your wallet'}`,
  blocked: 'Signing is blocked.',
  unknownTransaction:
    "This page does not know the purpose of this transaction. Nothing was signed. Report it to the market's operator.",
  unknownOutput: (sats: string) =>
    `The transaction has an output of ${sats} whose purpose this page does not know. Nothing was signed. Report it to the market's operator.`,
  totalChanged: (from: string, to: string) => `The total went from ${from} to ${to}.`,
  alsoContains: (coins: number) => (coins === 1 ? 'This coin also contains' : 'These coins also contain'),
  ways: { leaves: 'would leave', arrives: 'arrives', stays: 'stays' },
  waysExplained: {
    leaves: (name: string) => `goes with ${name} to the new owner`,
    arrives: (name: string) => `arrives with ${name}`,
    stays: (name: string) => `stays with ${name}`,
  },
  know: {
    leaves: (names: readonly string[]) =>
      `I know that ${listed(names)} ${names.length === 1 ? 'leaves' : 'leave'} with the item.`,
    arrives: (names: readonly string[]) =>
      `I know that ${listed(names)} ${names.length === 1 ? 'arrives' : 'arrive'} in the same coin.`,
  },
  unprovenRunes: UNPROVEN,
  knowUnproven: `I know that ${UNPROVEN} leave with the item.`,
  contentsFailed: 'The market cannot report now what else the coins contain, such as runes.',
  retry: 'Retry',
  knowUnreported: 'I know what my coins contain.',
  wouldLeave: (contents: readonly string[], coins: number) =>
    `${coins === 1 ? 'This coin also contains' : 'These coins also contain'} ${listed(contents)}.`,
  wouldLeaveWhy: (items: readonly string[]) =>
    `The new owner of ${listed(items)} would receive that too. Nothing was signed.`,
  inEscrow: 'Withdraw the item from escrow first. Then separate the coin.',
  separateWhy:
    'One transaction in your wallet puts each of them in a separate coin. Then continue with the item.',
  tickFirst: 'Tick the box to sign',
  confirmCoin: (coins: number) => (coins === 1 ? 'Confirm the coin to sign' : 'Confirm the coins to sign'),
  coins: 'Your coins that are spent',
  fromAddress: { ordinals: 'from your ordinals address', payment: 'from your payment address' },
  fromOnlyAddress: 'from your address',
  unproven: (coins: number) =>
    coins === 1
      ? 'This address also holds your inscriptions, and your wallet did not report the contents of this coin. Check it in your wallet or on an explorer before you sign.'
      : 'This address also holds your inscriptions, and your wallet did not report the contents of these coins. Check them in your wallet or on an explorer before you sign.',
  spendCoin: 'Spend this coin: it holds no inscription',
  holdsInscription: (outpoint: string) =>
    `Your wallet lists an inscription in the coin ${outpoint}, which would have been spent as payment. Nothing was signed.`,
  listing: {
    item: 'Item',
    floor: 'Floor',
    price: 'Price',
    versus: 'vs floor',
    fees: (hasRoyalty: boolean) => (hasRoyalty ? 'Fee and royalty' : 'Fee'),
    receive: 'You receive',
  },
}

/** Recipients by name. `market` is the market's name. */
export function recipientText(to: Recipient, market: string): string {
  const names: Record<Recipient, string> = {
    you: 'you',
    seller: 'seller',
    buyer: 'buyer',
    creator: 'creator',
    market,
    trader: 'other side',
    initiative: 'initiative',
    escrow: 'escrow',
    miners: 'miners',
  }
  return names[to]
}

/** Names what is deducted from a seller's price. Empty if nothing is. */
export function afterText(bill: readonly { kind: string; sats: number }[]): string {
  const isDeducted = (of: string) => bill.some(({ kind, sats }) => kind === of && sats < 0)
  const parts = [
    ...(isDeducted('marketplaceFee') ? ['fees'] : []),
    ...(isDeducted('creatorRoyalty') ? ['royalty'] : []),
  ]
  return parts.length === 0 ? '' : `, after ${listed(parts)}`
}

/** Fees in the bill that explain the market's and the creator's amounts. */
export interface BilledFees {
  /** Fees of the side whose bill it is; 0 for the other side. */
  buyerFeeSats: number
  sellerFeeSats: number
  buyerRoyaltySats: number
  sellerRoyaltySats: number
  royaltyBps: number | null
  feeRateSatVb: number | null
  /** Part of the network fee that speeds up the seller's transfers. */
  cpfpSats: number
}

/** Purpose of an amount in words. */
export function purposeText(
  agreement: Agreement,
  flow: Flow,
  {
    market,
    nameOf,
    fees,
    flows,
  }: {
    market: string
    nameOf: (id: string) => string
    fees: BilledFees
    /** All amounts of the same transactions. */
    flows: readonly Flow[]
  },
): string {
  switch (flow.purpose) {
    case 'item':
      return `${flow.inscriptionIds.map(nameOf).join(', ')} and ${flow.inscriptionIds.length === 1 ? 'its' : 'their'} postage`
    case 'home':
      return `${flow.inscriptionIds.map(nameOf).join(', ') || 'The item'}, back at your address`
    case 'escrow':
      return `${flow.inscriptionIds.map(nameOf).join(', ') || 'The item'}, in escrow and still yours`
    case 'payout':
      return payoutText(agreement, deductionsOf(agreement, flows, fees))
    case 'bitcoin':
      return 'BTC of the trade'
    case 'runes':
      return 'The runes, in a separate coin'
    case 'runestone':
      return 'Instruction that moves the runes to that coin'
    case 'offer':
      return 'Your offer, paid when an owner accepts'
    case 'fees':
      return capitalized(listed(feesIn(agreement, flow.sats, fees)) || 'market fee')
    case 'returned':
      return `Coins that ${market} put in, returned`
    case 'royalty':
      return fees.royaltyBps ? `Creator royalty, ${fees.royaltyBps / 100}%` : 'Creator royalty'
    case 'donation':
      return 'Donation'
    case 'change':
      return 'Change'
    case 'others-change':
      return flow.to === 'buyer' ? "The buyer's change" : "The other side's change"
    case 'network':
      if (agreement.kind === 'withdraw') return `Network fee, paid by ${market}`
      return `Network fee${fees.cpfpSats > 0 ? ' and speeding up the transfers' : ''}${fees.feeRateSatVb ? `, ${fees.feeRateSatVb} sat/vB` : ''}`
  }
}

function payoutText({ kind }: Agreement, deductions: readonly string[]): string {
  const gross = kind === 'sell' ? 'Price' : 'Price and postage'
  return deductions.length > 0 ? `${gross}, less ${listed(deductions)}` : gross
}

/** Returns what was deducted from the seller's price. */
function deductionsOf(agreement: Agreement, flows: readonly Flow[], fees: BilledFees): string[] {
  const satsFor = (of: Flow['purpose']) =>
    flows.reduce((sum, { purpose, sats }) => sum + (purpose === of ? sats : 0), 0)
  const isFee = feesIn(agreement, satsFor('fees'), fees).includes('seller fee')
  const isRoyalty = isSellers(agreement)
    ? fees.sellerRoyaltySats > 0
    : satsFor('royalty') > fees.buyerRoyaltySats
  const isNetwork = agreement.kind === 'sell'
  return [
    ...(isFee ? ['seller fee'] : []),
    ...(isRoyalty ? ['royalty'] : []),
    ...(isNetwork ? ['network fee'] : []),
  ]
}

/** Names the parts of the market's amount. */
function feesIn(agreement: Agreement, sats: number, fees: BilledFees): string[] {
  if (agreement.kind === 'swap') return ['trade fee']
  const hasTransfers = ['buy', 'counter', 'accept-counter'].includes(agreement.kind)
  const transferSats = hasTransfers ? ANCHOR_SATS * itemsOf(agreement).length : 0
  const { buyerFeeSats, sellerFeeSats } = fees
  const restSats = sats - transferSats - buyerFeeSats - sellerFeeSats
  return [
    ...(buyerFeeSats > 0 || (isSellers(agreement) && restSats > 0) ? ['buyer fee'] : []),
    ...(sellerFeeSats > 0 || (!isSellers(agreement) && restSats > 0) ? ['seller fee'] : []),
    ...(transferSats > 0 ? ['seller transfer'] : []),
  ]
}

/** Whether the bill is the seller's. */
const isSellers = ({ kind }: Agreement) => ['list', 'accept', 'sell', 'counter'].includes(kind)

const listed = (parts: readonly string[]) =>
  parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
const capitalized = (text: string) => text.replace(/^./, (letter) => letter.toUpperCase())

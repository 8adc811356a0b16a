import { ANCHOR_SATS } from '@ordbook/bitcoin/trade/listing.ts'
import { count } from '../format/format.ts'
import { plural } from '../strings/plural.ts'
import { type Agreement, itemsOf } from './agreement.ts'
import type { Flow, Recipient } from './flows.ts'

/** Texts of the review. Sentences that depend on the agreement are in `sentence.ts`. */
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
  whenSold: 'when it sells, after fees and royalty',
  whenAccepted: 'when the buyer accepts, after fees and royalty',
  afterFees: 'after all fees',
  runesUnchecked: 'Runes: not checked, because this market has no index of runes.',
  to: (address: string) => `to ${address}`,
  from: (address: string, coins: number) =>
    `From ${address}, ${plural(coins, { one: '# coin', other: '# coins' })}`,
  allFees: 'all fees included',
  bill: 'Bill',
  sameBill: 'Equal to the amounts of the transaction.',
  where: 'Where it goes',
  whereOf: (n: number, of: number) => `Where it goes, offer ${n} of ${of}`,
  columns: { sats: 'BTC', purpose: 'For', recipient: 'To' },
  /** Explains how the rows and the bill agree. */
  reconciled: (
    kind: Agreement['kind'],
    {
      total,
      brought,
      market,
      hasChange,
      postage,
      items,
    }: {
      total: string
      brought: string | null
      market: string | null
      hasChange: boolean
      postage: string | null
      items: number
    },
  ): string => {
    const without = [
      ...(hasChange ? ['your change'] : []),
      ...(market ? [`${market}'s own coins`] : []),
    ].join(' and ')
    if (kind === 'buy' || kind === 'offer' || kind === 'accept-counter')
      return `${without ? `Without ${without}` : 'In total'}${brought ? `, less the ${brought} that ${items === 1 ? "the item's coin brings" : 'the coins of the items bring'} in` : ''}: ${total}, as in the bill.`
    if (kind === 'accept' || kind === 'counter')
      return `The payout to you, less the ${postage} of postage that your coin brings in: ${total}, as in the bill.`
    return kind === 'sell' ? `The payout to you: ${total}, as in the bill.` : ''
  },
  whenItSells: 'Where it goes when it sells',
  checks: (passed: number) => plural(passed, { one: '# check passed.', other: '# checks passed.' }),
  checksOfAll: (passed: number, of: number) =>
    `${of} of ${of} transactions passed ${plural(passed, { one: '# check', other: '# checks' })}.`,
  byBrowser: "Your browser checked the transaction itself, not the server's description of it.",
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
  contentsFailed:
    'The market could not report what else the coins contain, such as runes. Cancel and try again later.',
  knowUnreported: 'I know what my coins contain.',
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
    fees: 'Fee and royalty',
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
    case 'offer':
      return 'Set aside for your offer'
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

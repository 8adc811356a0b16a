import { bytesToHex, equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { previousTransactionsOf, signedTxidOf } from '@ordbook/bitcoin/psbt.ts'
import { bpsOf, sumSats } from '@ordbook/bitcoin/sats.ts'
import { buildPassthrough } from '@ordbook/bitcoin/trade/passthrough.ts'
import { type TxOutput, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { OverBudget } from './errors.ts'
import {
  changeTo,
  demand,
  demandSighash,
  isOwn,
  landsWith,
  open,
  payingInputs,
  publishedSeller,
} from './opened.ts'
import type { Answer } from './operations.ts'
import type { Wallet } from './wallet.ts'

/** What a seller agreed to for one inscription. */
export interface ListingAgreement {
  inscriptionId: string
  priceSats: number
  /** The coin that the inscription is in, from a source that the seller trusts. */
  coin: Outpoint & { valueSats: number }
  /** Most that the market and the creator may take of the price. */
  maxFeeBps: number
}

/** Checks a listing preflight against the agreements, in order. Throws CheckFailed. */
export function checkListing(
  wallet: Wallet,
  agreements: readonly ListingAgreement[],
  answer: Answer<'preflightListing'>,
  market: { cosignKey: Uint8Array },
): void {
  demand(answer.listings.length === agreements.length, 'the market prepared another number of listings')
  const escrow = buildPassthrough(publishedSeller(wallet), market.cosignKey, 'published')
  const escrows: { outpoint: Outpoint; valueSats: number }[] = []
  for (const [i, { inscriptionId, priceSats, coin, maxFeeBps }] of agreements.entries()) {
    const listing = answer.listings[i]!
    demand(listing.inscriptionId === inscriptionId, 'the market prepared another inscription')
    const step = (index: number) => listing.psbts.find((each) => each.stepIndex === index)!
    demand(step(0) !== undefined && step(1) !== undefined, 'a signing step is missing')

    const transfer = open(step(0).psbtBase64)
    const [first, ...others] = transfer.tx.inputs
    demand(
      first !== undefined && formatOutpoint(first) === formatOutpoint(coin),
      'the transfer spends another coin',
    )
    demand(
      transfer.spent[0]!.valueSats === coin.valueSats &&
        equalBytes(transfer.spent[0]!.script, wallet.ordinalsScript),
      'the transfer misstates your coin',
    )
    demand(
      others.every((_, at) => !isOwn(wallet, transfer.spent[at + 1]!.script)),
      'the transfer spends more coins of yours',
    )
    const [output, ...more] = transfer.tx.outputs
    demand(
      output !== undefined &&
        more.length === 0 &&
        output.valueSats === coin.valueSats &&
        equalBytes(output.script, escrow.script),
      'the transfer does not move the whole coin into escrow',
    )
    demandSighash(step(0), 0, 0)
    const outpoint = { txid: txidOf(transfer.tx), vout: 0 }
    escrows.push({ outpoint, valueSats: coin.valueSats })

    const leg = open(step(1).psbtBase64)
    demand(
      leg.tx.inputs.length === 1 && formatOutpoint(leg.tx.inputs[0]!) === formatOutpoint(outpoint),
      'the settlement leg spends another coin',
    )
    const payout = leg.tx.outputs[0]
    const leastSats = priceSats - bpsOf(priceSats, maxFeeBps) + coin.valueSats
    demand(
      leg.tx.outputs.length === 1 && payout !== undefined && equalBytes(payout.script, wallet.paymentScript),
      'the settlement leg does not pay your payment address',
    )
    demand(
      payout.valueSats >= leastSats,
      `the settlement leg pays ${payout.valueSats} sats, agreed were at least ${leastSats}`,
    )
    demandSighash(step(1), 0, 131)
  }

  const recovery = open(answer.recoveryPsbt.psbtBase64)
  for (const [i, { outpoint, valueSats }] of escrows.entries()) {
    const input = recovery.tx.inputs[i]
    const back = recovery.tx.outputs[i]
    demand(
      input !== undefined && formatOutpoint(input) === formatOutpoint(outpoint),
      'the recovery spends another coin',
    )
    demand(
      back !== undefined && back.valueSats === valueSats && equalBytes(back.script, wallet.ordinalsScript),
      'the recovery does not bring the inscription back to you',
    )
    demandSighash(answer.recoveryPsbt, i, 1)
  }
  demand(recovery.tx.outputs.length === escrows.length, 'the recovery pays somebody else')
  demand(
    recovery.spent.slice(escrows.length).every((each) => !isOwn(wallet, each.script)),
    'the recovery spends more coins of yours',
  )
}

/** What a buyer agreed to. */
export interface PurchaseAgreement {
  items: readonly {
    inscriptionId: string
    listingId: string
    priceSats: number
    /** The coin that the inscription is in, from a source that the buyer trusts, and where in it. */
    coin: Outpoint
  }[]
  /** The coins that may be spent. */
  coins: readonly (Outpoint & { valueSats: number })[]
  /** Most that fees on the buyer may be, of the prices. */
  maxFeeBps: number
  /** Most that the network may cost. */
  maxNetworkSats: number
  /** Most that may leave the coins in all, donation and postage included. */
  maxTotalSats?: number
  /** Rounds the cost up to whole thousands, for the market's donation initiative. */
  roundUpDonation?: boolean
}

/** Checks a purchase preflight. Gives what really leaves the buyer's coins, in sats. Throws CheckFailed. */
export function checkPurchase(
  wallet: Wallet,
  agreement: PurchaseAgreement,
  answer: Answer<'preflightPurchase'>,
): number {
  const [step] = answer.steps
  demand(step !== undefined && answer.steps.length === 1, 'a purchase has one signing step')
  const opened = open(step.psbtBase64)
  const { tx, spent } = opened
  const parents = previousTransactionsOf(step.psbtBase64)
  const values = spent.map((output) => output.valueSats)

  const paying = payingInputs(wallet, step, opened, agreement.coins)

  const landed: TxOutput[] = []
  for (const { inscriptionId, coin } of agreement.items) {
    const at = parents.findIndex(
      (parent, i) =>
        parent !== null &&
        txidOf(parent) === tx.inputs[i]!.txid &&
        parent.inputs[0] !== undefined &&
        formatOutpoint(parent.inputs[0]) === formatOutpoint(coin),
    )
    const index =
      at === -1 ? tx.inputs.findIndex((input) => formatOutpoint(input) === formatOutpoint(coin)) : at
    demand(index !== -1 && !paying.includes(index), `nothing in the purchase brings ${inscriptionId}`)
    if (at !== -1) {
      const parent = parents[at]!
      demand(
        parent.outputs.length === 1 &&
          parent.outputs[0]!.valueSats === values[index] &&
          equalBytes(parent.outputs[0]!.script, spent[index]!.script),
        `the transfer of ${inscriptionId} is not what the purchase says`,
      )
    }
    landed.push(landsWith(wallet, opened, index, inscriptionId))
  }

  const postageSats = sumSats(landed.map((output) => output.valueSats))
  const changeSats = changeTo(wallet, tx.outputs, landed)
  const leavingSats = sumSats(paying.map((i) => values[i]!)) - changeSats
  demand(
    leavingSats === answer.totalBuyerCostSats,
    `${leavingSats} sats leave your coins, the market said ${answer.totalBuyerCostSats}`,
  )
  const priceSats = sumSats(agreement.items.map((item) => item.priceSats))
  // A round-up gives 1000 to 1999 sats, and nobody who did not ask gives any.
  const donationSats = agreement.roundUpDonation ? 1999 : 0
  demand(answer.donationSats <= donationSats, 'the market adds a donation that was not asked for')
  if (agreement.roundUpDonation)
    demand(leavingSats % 1000 === 0, 'the round-up does not make the cost a multiple of 1000 sats')
  const mostSats =
    priceSats + bpsOf(priceSats, agreement.maxFeeBps) + postageSats + agreement.maxNetworkSats + donationSats
  if (leavingSats > (agreement.maxTotalSats ?? leavingSats))
    throw new OverBudget(`it costs ${leavingSats} sats, agreed were at most ${agreement.maxTotalSats}`)
  demand(leavingSats <= mostSats, `${leavingSats} sats leave your coins, agreed were at most ${mostSats}`)
  demand(
    signedTxidOf(step.psbtBase64) === answer.expectedSettlementTxid,
    'the settlement is another transaction than announced',
  )
  return leavingSats
}

/** Reads the market's co-sign key from a prepared listing's leaf, for the first meeting with a market. Hex. */
export function cosignKeyOf(leaf: Uint8Array): string {
  demand(
    leaf.length === 70 && leaf[0] === 0x20 && leaf[34] === 0x20,
    'the escrow leaf is not one of two keys',
  )
  return bytesToHex(leaf.slice(35, 67))
}

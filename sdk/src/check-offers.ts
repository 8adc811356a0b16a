import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { previousTransactionsOf, signedTxidOf } from '@ordbook/bitcoin/psbt.ts'
import { bpsOf, sumSats } from '@ordbook/bitcoin/sats.ts'
import { buildPassthrough } from '@ordbook/bitcoin/trade/passthrough.ts'
import { txidOf } from '@ordbook/bitcoin/transaction.ts'
import {
  changeTo,
  demand,
  demandAsked,
  demandClosed,
  demandSighash,
  isOwn,
  type KnownCoin,
  landsWith,
  onlyInscription,
  open,
  paidTo,
  payingInputs,
  publishedSeller,
} from './opened.ts'
import type { Answer } from './operations.ts'
import type { Wallet } from './wallet.ts'

/** What a buyer agreed to for offers on named inscriptions. */
export interface OfferAgreement {
  items: readonly {
    inscriptionId: string
    /** The coin that the inscription is in, from a source that the buyer trusts. */
    coin: Outpoint
  }[]
  /** For each of them. */
  priceSats: number
  /** The coins that may be spent. */
  coins: readonly KnownCoin[]
  /** Most that fees on the buyer may be, of the price. */
  maxFeeBps: number
  /** Most that the network may cost for one. */
  maxNetworkSats: number
}

/** Checks an offer preflight. Gives what would leave the buyer's coins for each item, in sats. Throws CheckFailed. */
export function checkOffers(
  wallet: Wallet,
  agreement: OfferAgreement,
  answer: Answer<'preflightCollectionOffer'>,
): number[] {
  demand(answer.items.length === agreement.items.length, 'the market prepared another number of offers')
  return agreement.items.map(({ inscriptionId, coin }, i) => {
    const item = answer.items[i]!
    demand(item.inscriptionId === inscriptionId, 'the market prepared another inscription')
    const [step] = item.steps
    demand(step !== undefined && item.steps.length === 1, 'an offer has one signing step')
    const opened = open(step.psbtBase64)
    const paying = payingInputs(wallet, step, opened, agreement.coins)
    return checkBuyerCost(wallet, agreement, opened, paying, { inscriptionId, coin })
  })
}

/** Follows the inscription to the buyer and adds up what it costs them. Throws CheckFailed. */
function checkBuyerCost(
  wallet: Wallet,
  agreement: Pick<OfferAgreement, 'priceSats' | 'maxFeeBps' | 'maxNetworkSats'>,
  opened: ReturnType<typeof open>,
  paying: readonly number[],
  { inscriptionId, coin }: OfferAgreement['items'][number],
): number {
  const { tx, spent } = opened
  const index = tx.inputs.findIndex((input) => formatOutpoint(input) === formatOutpoint(coin))
  demand(index !== -1 && !paying.includes(index), `nothing in the transaction brings ${inscriptionId}`)
  const landed = landsWith(wallet, opened, index, inscriptionId)
  const changeSats = changeTo(wallet, tx.outputs, [landed])
  const leavingSats = sumSats(paying.map((i) => spent[i]!.valueSats)) - changeSats
  demandCost(agreement, leavingSats, landed.valueSats)
  return leavingSats
}

function demandCost(
  {
    priceSats,
    maxFeeBps,
    maxNetworkSats,
  }: Pick<OfferAgreement, 'priceSats' | 'maxFeeBps' | 'maxNetworkSats'>,
  leavingSats: number,
  postageSats: number,
): void {
  const mostSats = priceSats + bpsOf(priceSats, maxFeeBps) + postageSats + maxNetworkSats
  demand(leavingSats <= mostSats, `${leavingSats} sats leave your coins, agreed were at most ${mostSats}`)
}

/** What an owner agreed to: to sell at a price. */
export interface SaleAgreement {
  inscriptionId: string
  priceSats: number
  /** The coin that the inscription is in, from a source that the seller trusts. */
  coin: KnownCoin
  /** Most that the market and the creator may take of the price. */
  maxFeeBps: number
  /** Most that the network may take of the payout. */
  maxNetworkSats: number
}

const leastPayout = ({ priceSats, maxFeeBps }: SaleAgreement) => priceSats - bpsOf(priceSats, maxFeeBps)

/** Checks the preflight of an acceptance. Gives what the seller is paid in the end, in sats. Throws CheckFailed. */
export function checkAcceptance(
  wallet: Wallet,
  agreement: SaleAgreement,
  answer: Answer<'preflightOfferAcceptance'>,
): number {
  const [settle, lift] = answer.steps
  demand(settle !== undefined, 'the settlement is missing')
  const settlement = open(settle.psbtBase64)
  const index = onlyInscription(wallet, settle, settlement, agreement.coin)
  demandSighash(settle, index, 0)
  const leastSats = leastPayout(agreement) + agreement.coin.valueSats
  const payoutSats = paidTo(wallet, settlement.tx.outputs)
  demand(
    payoutSats >= leastSats,
    `the settlement pays you ${payoutSats} sats, agreed were at least ${leastSats}`,
  )
  if (!lift) return payoutSats
  const payout = open(lift.psbtBase64)
  const [input, ...others] = payout.tx.inputs
  demand(
    input !== undefined && others.length === 0 && input.txid === signedTxidOf(settle.psbtBase64),
    'the payout spends something else than the settlement’s payout',
  )
  demandAsked(lift, [0])
  demandClosed(lift)
  const keptSats = paidTo(wallet, payout.tx.outputs)
  demand(
    keptSats >= leastSats - agreement.maxNetworkSats,
    `the payout leaves you ${keptSats} sats, agreed were at least ${leastSats - agreement.maxNetworkSats}`,
  )
  return keptSats
}

/** Checks the preflight of a counter: as of a listing, to one buyer. Throws CheckFailed. */
export function checkCounter(
  wallet: Wallet,
  agreement: SaleAgreement,
  answer: Answer<'preflightCounterOffer'>,
  market: { cosignKey: Uint8Array },
): void {
  const [transferStep, legStep, recoveryStep] = answer.steps
  demand(
    transferStep !== undefined && legStep !== undefined && recoveryStep !== undefined,
    'a counter has three signing steps',
  )
  const { coin } = agreement
  const escrow = buildPassthrough(publishedSeller(wallet), market.cosignKey, 'published')
  const transfer = open(transferStep.psbtBase64)
  const index = onlyInscription(wallet, transferStep, transfer, coin)
  demandSighash(transferStep, index, 0)
  const [output, ...more] = transfer.tx.outputs
  demand(
    index === 0 &&
      output !== undefined &&
      more.length === 0 &&
      output.valueSats === coin.valueSats &&
      equalBytes(output.script, escrow.script),
    'the transfer does not move the whole coin into escrow',
  )
  const escrowed = formatOutpoint({ txid: txidOf(transfer.tx), vout: 0 })
  const leg = open(legStep.psbtBase64)
  const recovery = open(recoveryStep.psbtBase64)
  for (const [step, opened, sighash] of [
    [legStep, leg, 129],
    [recoveryStep, recovery, 1],
  ] as const) {
    const [input, ...others] = opened.tx.inputs
    demand(
      input !== undefined &&
        formatOutpoint(input) === escrowed &&
        others.every((_, at) => step === recoveryStep && !isOwn(wallet, opened.spent[at + 1]!.script)),
      'a step spends something else than the escrow',
    )
    demandSighash(step, 0, sighash)
    demandAsked(step, [0])
  }
  const payoutSats = sumSats(
    leg.tx.outputs
      .filter((each) => equalBytes(each.script, wallet.paymentScript))
      .map((each) => each.valueSats),
  )
  const leastSats = leastPayout(agreement) + coin.valueSats
  demand(
    payoutSats >= leastSats,
    `the settlement pays you ${payoutSats} sats, agreed were at least ${leastSats}`,
  )
  const [back, ...rest] = recovery.tx.outputs
  demand(
    back !== undefined &&
      rest.length === 0 &&
      back.valueSats === coin.valueSats &&
      equalBytes(back.script, wallet.ordinalsScript),
    'the recovery does not bring the inscription back to you',
  )
}

/** What a buyer agreed to for a counter. */
export type CounterAgreement = Omit<OfferAgreement, 'items'> & OfferAgreement['items'][number]

/** Checks the preflight of a counter's acceptance. Gives what leaves the buyer's coins, in sats. Throws CheckFailed. */
export function checkCounterAcceptance(
  wallet: Wallet,
  agreement: CounterAgreement,
  answer: Answer<'preflightCounterOfferAcceptance'>,
): number {
  const [fundStep, settleStep] = answer.steps
  demand(fundStep !== undefined && settleStep !== undefined, 'an acceptance has two signing steps')
  const funding = open(fundStep.psbtBase64)
  const paying = payingInputs(wallet, fundStep, funding, agreement.coins)
  demand(paying.length === funding.tx.inputs.length, 'the funding spends somebody else’s coins')
  const settlement = open(settleStep.psbtBase64)
  const fundingTxid = signedTxidOf(fundStep.psbtBase64)
  const at = settlement.tx.inputs.findIndex((input) => input.txid === fundingTxid)
  const spent = at === -1 ? undefined : funding.tx.outputs[settlement.tx.inputs[at]!.vout]
  demand(
    spent !== undefined &&
      settlement.spent[at]!.valueSats === spent.valueSats &&
      equalBytes(settlement.spent[at]!.script, spent.script) &&
      settlement.spent.every((each, i) => i === at || !isOwn(wallet, each.script)),
    'the settlement spends other coins of yours than the funding',
  )
  demandAsked(settleStep, [at])
  demandClosed(settleStep)
  // The escrow is filled by a transfer of the inscription's coin, which the PSBT carries whole.
  const parents = previousTransactionsOf(settleStep.psbtBase64)
  const escrow = parents.findIndex(
    (parent, i) =>
      parent?.inputs[0] !== undefined &&
      txidOf(parent) === settlement.tx.inputs[i]!.txid &&
      formatOutpoint(parent.inputs[0]) === formatOutpoint(agreement.coin) &&
      parent.outputs[0]!.valueSats === settlement.spent[i]!.valueSats,
  )
  demand(escrow !== -1, `nothing in the settlement brings ${agreement.inscriptionId}`)
  const landed = landsWith(wallet, settlement, escrow, agreement.inscriptionId)
  const changeSats = changeTo(wallet, funding.tx.outputs, [spent])
  const backSats = changeTo(wallet, settlement.tx.outputs, [landed])
  const leavingSats = sumSats(paying.map((i) => funding.spent[i]!.valueSats)) - changeSats - backSats
  demandCost(agreement, leavingSats, landed.valueSats)
  return leavingSats
}

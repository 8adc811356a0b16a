import { bytesToHex, equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { BitcoinError } from '@ordbook/bitcoin/errors.ts'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { PreparedPsbt } from '@ordbook/bitcoin/prepared-psbt.ts'
import { type Coin, transactionOf } from '@ordbook/bitcoin/trade/layout.ts'
import {
  buildSwap,
  type Swap,
  type SwapSide,
  type SwapTerms,
  swapInputsOf,
} from '@ordbook/bitcoin/trade/swap.ts'
import { txidOf } from '@ordbook/bitcoin/transaction.ts'
import { preflightAcceptance, preflightSettlement } from '../checks/answers.ts'
import { assertAnswer } from '../checks/assert-answer.ts'
import { CheckFailed } from '../errors.ts'
import type { AcceptancePreflight, SwapPreflight } from '../results.ts'
import {
  assertAmounts,
  assertDestination,
  assertNamed,
  assertNetwork,
  assertOffsetInside,
  type Goes,
} from './answer-checks.ts'
import { assert } from './assert.ts'
import { coinOf, marketOf, openStep, spendOf } from './facts.ts'
import {
  type InscriptionCoin,
  isOwn,
  type MarketKeys,
  type OwnCoin,
  type Owner,
  ordinalsSpendOf,
  paymentSpendOf,
} from './owner.ts'
import { type Plan, planStep, type SwapPlan } from './plan.ts'

export interface SwapAgreement {
  /** Inscriptions to give, with their coins from the user's data. */
  gives: readonly (Goes & { coin: InscriptionCoin })[]
  /** Inscriptions to receive, with their coins from a trusted source. Other inscriptions in these coins arrive too. */
  gets: readonly { inscriptionId: string; coin: InscriptionCoin }[]
  /** Sats to receive; negative if the user pays. */
  netSats: number
  coins: readonly OwnCoin[]
}

/** Terms of an acceptor, who pays the fees. */
export interface AcceptanceAgreement extends SwapAgreement {
  maxMarketSats: number
  maxNetworkSats: number
}

type Side = 'proposer' | 'acceptor'
type Described = SwapPreflight

/** Verifies the swap that an acceptor signs. Returns the plan and the change of the acceptor's balance. Throws CheckFailed. */
export function verifySwapAcceptance(
  owner: Owner,
  keys: MarketKeys,
  agreement: AcceptanceAgreement,
  answer: AcceptancePreflight,
): SwapPlan {
  assertAnswer(preflightAcceptance, answer)
  const verified = verifySwap(owner, keys, 'acceptor', agreement, answer)
  const { marketplaceFeeSats } = verified.terms
  assert(
    marketplaceFeeSats <= agreement.maxMarketSats,
    `the market fee of ${marketplaceFeeSats} sats exceeds the agreed maximum of ${agreement.maxMarketSats}`,
  )
  assertNetwork(agreement, agreement.netSats - verified.netSats - marketplaceFeeSats)
  const nameOf = (coin: OwnCoin) => `${formatOutpoint(coin)} ${coin.valueSats}`
  assert(
    answer.selectedPaymentUtxos.map(nameOf).join() === verified.terms.acceptor.payments.map(nameOf).join(),
    'the listed payment coins differ from the coins that the swap spends',
  )
  return verified
}

/** Verifies the swap that a proposer signs last. Returns the plan and the change of the proposer's balance. Throws CheckFailed. */
export function verifySwapSettlement(
  owner: Owner,
  keys: MarketKeys,
  agreement: SwapAgreement,
  answer: SwapPreflight,
): SwapPlan {
  assertAnswer(preflightSettlement, answer)
  const verified = verifySwap(owner, keys, 'proposer', agreement, answer)
  assert(
    verified.netSats === agreement.netSats,
    `the swap pays you ${verified.netSats} sats instead of the agreed ${agreement.netSats}`,
  )
  return verified
}

function verifySwap(
  owner: Owner,
  keys: MarketKeys,
  side: Side,
  agreement: SwapAgreement,
  answer: Described,
): Plan & { netSats: number; terms: SwapTerms } {
  const [step] = answer.steps
  assert(step !== undefined && answer.steps.length === 1, 'a swap has one signing step')
  const givenIds = new Set(agreement.gives.map(({ inscriptionId }) => inscriptionId))
  assertNamed(
    answer.carries?.filter(({ inscriptionId }) => givenIds.has(inscriptionId)),
    agreement.gives,
  )
  const opened = openStep(step)
  const market = marketOf(owner, keys)
  const other = side === 'proposer' ? 'acceptor' : 'proposer'
  const gives = inscriptionsOf(opened, agreement.gives, answer, side)
  const gets = inscriptionsOf(opened, agreement.gets, answer, other)
  assert(
    gives.every(({ script }) => equalBytes(script, owner.ordinalsScript)) &&
      gets.every(({ script }) => !isOwn(owner, script)),
    'the swap misstates who holds an inscription',
  )
  const { own, foreign } = paymentsOf(owner, opened, agreement.coins, [...gives, ...gets])
  const ownSide: SwapSide = {
    inscriptionCoins: gives,
    ordinals: ordinalsSpendOf(owner),
    ordinalsScript: owner.ordinalsScript,
    payments: own,
    payer: own.length > 0 ? paymentSpendOf(owner) : null,
    paymentScript: owner.paymentScript,
  }
  const proposerNetSats = side === 'proposer' ? agreement.netSats : -agreement.netSats
  const termsWith = (ordinalsScript: Uint8Array, paymentScript: Uint8Array): SwapTerms => {
    const otherSide: SwapSide = {
      inscriptionCoins: gets,
      ordinals: gets.length > 0 ? spendOf(opened, inputOf(opened, gets[0]!)) : ownSide.ordinals,
      ordinalsScript,
      payments: foreign.map(({ coin }) => coin),
      payer: foreign.length > 0 ? spendOf(opened, foreign[0]!.index) : null,
      paymentScript,
    }
    return {
      proposer: side === 'proposer' ? ownSide : otherSide,
      acceptor: side === 'acceptor' ? ownSide : otherSide,
      // Only the difference counts.
      offeredSats: Math.max(-proposerNetSats, 0),
      requestedSats: Math.max(proposerNetSats, 0),
      marketplaceFeeSats: answer.marketplaceFeeSats,
      marketScript: market.script,
      feeRateSatVb: answer.targetFeeRateSatVb,
    }
  }
  const { terms, swap } = rebuilt(owner, opened, termsWith)
  const { settlement } = swap
  const planned = planStep(owner, step, {
    name: 'the swap',
    layout: settlement,
    indexes: swapInputsOf(settlement, side),
    stepIndex: 0,
  })
  const inscriptionInputs = gets.map((coin) => inputOf(opened, coin))
  assertDestination(owner, opened, settlement, inscriptionInputs)
  const netSats = side === 'proposer' ? swap.proposerNetSats : swap.acceptorNetSats
  const figures = {
    expectedSettlementTxid: planned.txid,
    networkFeeSats: swap.feeSats,
    acceptorNetSats: swap.acceptorNetSats,
    proposerNetSats: swap.proposerNetSats,
  }
  assertAmounts(answer, figures, 'the market misstates the swap')
  return { steps: [planned], netSats, terms }
}

/** Returns the coins that pay in a swap: the wallet's offered coins, and the other side's coins. Throws CheckFailed. */
function paymentsOf(
  owner: Owner,
  opened: PreparedPsbt,
  offeredCoins: readonly OwnCoin[],
  inscriptionCoins: readonly Coin[],
): { own: Coin[]; foreign: { coin: Coin; index: number }[] } {
  const inscribed = new Set(inscriptionCoins.map(formatOutpoint))
  const offeredByName = new Map(offeredCoins.map((coin) => [formatOutpoint(coin), coin]))
  const own: Coin[] = []
  const foreign: { coin: Coin; index: number }[] = []
  for (const [index, input] of opened.tx.inputs.entries()) {
    const name = formatOutpoint(input)
    if (inscribed.has(name)) continue
    const coin = coinOf(opened, index)
    const offered = offeredByName.get(name)
    if (!offered && !isOwn(owner, coin.script)) {
      foreign.push({ coin, index })
      continue
    }
    assert(offered !== undefined, `input ${index} spends a coin of yours that is not part of this swap`)
    assert(
      offered.valueSats === coin.valueSats && equalBytes(coin.script, owner.paymentScript),
      `input ${index} misstates your coin`,
    )
    own.push(coin)
  }
  return { own, foreign }
}

/** Returns the coins of one side's inscriptions in the order of the swap. Throws CheckFailed if they are not the agreed ones. */
function inscriptionsOf(
  opened: PreparedPsbt,
  agreed: SwapAgreement['gets'],
  { items }: Described,
  from: Side,
): Coin[] {
  const stated = items.filter((item) => item.from === from)
  assert(
    stated.length === agreed.length &&
      new Set(stated.map((item) => item.inscriptionId)).size === stated.length,
    `the ${from} gives a different number of inscriptions`,
  )
  return stated.map((item) => {
    const known = agreed.find(({ inscriptionId }) => inscriptionId === item.inscriptionId)
    assert(known !== undefined, `${item.inscriptionId} is not part of this swap`)
    const { inscriptionId, coin } = known
    assertOffsetInside(coin, inscriptionId)
    assert(
      formatOutpoint(item) === formatOutpoint(coin) && item.valueSats === coin.valueSats,
      `the market misstates the coin of ${inscriptionId}`,
    )
    const index = inputOf(opened, coin)
    assert(index !== -1, `the swap does not spend the coin of ${inscriptionId}`)
    const found = coinOf(opened, index)
    assert(found.valueSats === coin.valueSats, `the swap misstates the coin of ${inscriptionId}`)
    return found
  })
}

const inputOf = ({ tx }: PreparedPsbt, coin: { txid: string; vout: number }) =>
  tx.inputs.findIndex((input) => formatOutpoint(input) === formatOutpoint(coin))

/** Maximum number of other scripts in a swap: two of the other side, and the market's. */
const MAX_OTHERS = 3

/** Rebuilds the swap. Finds the other side's two scripts by trying the outputs. Throws CheckFailed. */
function rebuilt(
  owner: Owner,
  { tx }: PreparedPsbt,
  termsWith: (ordinalsScript: Uint8Array, paymentScript: Uint8Array) => SwapTerms,
): { terms: SwapTerms; swap: Swap } {
  const foreign = tx.outputs.map((output) => output.script).filter((script) => !isOwn(owner, script))
  const scripts = [...new Map(foreign.map((script) => [bytesToHex(script), script])).values()]
  assert(scripts.length <= MAX_OTHERS, 'the swap pays too many addresses')
  // If the other side receives nothing, its scripts do not matter.
  if (scripts.length === 0) scripts.push(owner.paymentScript)
  const id = unsignedId(tx)
  for (const ordinalsScript of scripts)
    for (const paymentScript of scripts) {
      const terms = termsWith(ordinalsScript, paymentScript)
      const swap = buildOrNull(terms)
      if (swap && unsignedId(transactionOf(swap.settlement)) === id) return { terms, swap }
    }
  throw new CheckFailed('the swap is not the agreed transaction')
}

/** Returns null if the swap cannot be built. A wrong script changes the size, and with it the fee. */
function buildOrNull(terms: SwapTerms): Swap | null {
  try {
    return buildSwap(terms)
  } catch (error) {
    if (error instanceof BitcoinError) return null
    throw error
  }
}

const unsignedId = (tx: ReturnType<typeof transactionOf>) =>
  txidOf({ ...tx, inputs: tx.inputs.map((input) => ({ ...input, scriptSig: new Uint8Array() })) })

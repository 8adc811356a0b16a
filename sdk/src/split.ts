import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { BitcoinError } from '@ordbook/bitcoin/errors.ts'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { signaturesFrom } from '@ordbook/bitcoin/psbt.ts'
import { landingOf, offsetOfInput } from '@ordbook/bitcoin/sat-flow.ts'
import type { LocatedInscription } from '@ordbook/bitcoin/trace-contents.ts'
import { type Coin, keySigned, type Layout, transactionOf } from '@ordbook/bitcoin/trade/layout.ts'
import { buildSplit, type Split } from '@ordbook/bitcoin/trade/split.ts'
import { type Tx, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { CannotSplit, OverBudget } from './errors.ts'
import { signOne } from './signing.ts'
import { asCheckFailed, assert } from './verify/assert.ts'
import {
  type InscriptionCoin,
  type OwnCoin,
  type Owner,
  ordinalsSpendOf,
  paymentSpendOf,
} from './verify/owner.ts'
import { ownStep } from './verify/plan.ts'
import type { InputToSign, Wallet } from './wallet.ts'

export interface SplitAgreement {
  /** A coin at one of the wallet's addresses. */
  coin: Coin
  /** All inscriptions in the coin, from `contentsByNode` or another trusted source. */
  contents: readonly LocatedInscription[]
  inscriptionIds?: readonly string[]
  /** Plain coins of the payment address that pay the fee. */
  coins: readonly OwnCoin[]
  /** Sats in each new coin; default: all sats up to the next inscription. */
  postageSats?: number
  /** Moves the runes of the coin to a separate coin. */
  hasRunes?: boolean
  feeRateSatVb: number
  maxNetworkSats: number
  /** Full previous transactions by txid, for wallets that need them. */
  previous?: ReadonlyMap<string, Tx>
}

export interface SplitPlan extends Split {
  psbtBase64: string
  inputsToSign: InputToSign[]
  /** New coins of the inscriptions, at the ordinals address. */
  arrivals: (InscriptionCoin & { inscriptionId: string })[]
}

/**
 * Plans the split of a coin. All its sats go to the ordinals address, so no inscription is lost if `contents` is incomplete. Throws
 * CannotSplit, OverBudget, and CheckFailed if the coin belongs to someone else.
 */
export function planSplit(owner: Owner, agreement: SplitAgreement): SplitPlan {
  const { coin, contents, previous = new Map() } = agreement
  const isOrdinals = equalBytes(coin.script, owner.ordinalsScript)
  assert(
    isOrdinals || equalBytes(coin.script, owner.paymentScript),
    `${formatOutpoint(coin)} is at neither address of the wallet`,
  )
  const payer = paymentSpendOf(owner)
  const spend = isOrdinals ? ordinalsSpendOf(owner) : payer
  const payments = agreement.coins
    .filter((payment) => formatOutpoint(payment) !== formatOutpoint(coin))
    .map(({ txid, vout, valueSats }) => ({ txid, vout, valueSats, script: owner.paymentScript }))
  const split = orCannot(() =>
    buildSplit({
      coin,
      spend,
      contents,
      named: agreement.inscriptionIds ?? contents.map(({ inscriptionId }) => inscriptionId),
      ordinalsScript: owner.ordinalsScript,
      from: { payments, payer, changeScript: owner.paymentScript },
      ...(agreement.postageSats === undefined ? {} : { postageSats: agreement.postageSats }),
      ...(agreement.hasRunes ? { hasRunes: true } : {}),
      feeRateSatVb: agreement.feeRateSatVb,
    }),
  )
  const { layout, feeSats } = split
  if (feeSats > agreement.maxNetworkSats)
    throw new OverBudget(
      `The network fee of ${feeSats} sats exceeds the agreed maximum of ${agreement.maxNetworkSats} sats.`,
    )
  const expected = { name: 'the split', layout, indexes: [...layout.inputs.keys()] }
  const { psbtBase64, inputsToSign } = ownStep(owner, expected, previous)
  return {
    ...split,
    psbtBase64,
    inputsToSign,
    arrivals: arrivalsOf(layout, agreement),
  }
}

/** Returns the signed transaction of a plan. Ignores everything in the PSBT but the expected signatures. Throws CheckFailed. */
export function finishSplit({ layout }: SplitPlan, signedPsbt: string): Tx {
  const indexes = [...layout.inputs.keys()]
  const signatures = asCheckFailed(() => signaturesFrom(signedPsbt, layout, { indexes }))
  return keySigned(
    layout,
    indexes.map((index) => signatures.get(index)!),
  )
}

/** Splits a coin. Returns the signed transaction for broadcast. Throws the errors of `planSplit`. */
export async function split(wallet: Wallet, agreement: SplitAgreement): Promise<SplitPlan & { tx: Tx }> {
  const plan = planSplit(wallet, agreement)
  return { ...plan, tx: finishSplit(plan, await signOne(wallet, plan)) }
}

function arrivalsOf(layout: Layout, { coin, contents }: SplitAgreement): SplitPlan['arrivals'] {
  const txid = txidOf(transactionOf(layout))
  const values = layout.inputs.map((input) => input.coin.valueSats)
  const index = layout.inputs.findIndex((input) => formatOutpoint(input.coin) === formatOutpoint(coin))
  return contents.map(({ inscriptionId, offset }) => {
    const landing = landingOf(offsetOfInput(index, values) + offset, layout.outputs)
    assert('vout' in landing, `${inscriptionId} would be spent as fee`)
    const { vout } = landing
    return { inscriptionId, txid, vout, offset: landing.offset, valueSats: layout.outputs[vout]!.valueSats }
  })
}

function orCannot(build: () => Split): Split {
  return asCheckFailed(() => {
    try {
      return build()
    } catch (error) {
      const codes: string[] = ['sats-too-close', 'nothing-to-split', 'coins-insufficient']
      if (error instanceof BitcoinError && codes.includes(error.code))
        throw new CannotSplit(error.code, error.message)
      throw error
    }
  })
}

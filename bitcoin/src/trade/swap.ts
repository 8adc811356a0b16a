import type { KeySpend } from '../address.ts'
import { BitcoinError } from '../errors.ts'
import { sumSats } from '../sats.ts'
import { checkSettlement } from './check.ts'
import type { Coin, Layout, LayoutInput, LayoutOutput } from './layout.ts'
import { MINIMUM_CHANGE_SATS, type Payer, withChange } from './payment.ts'

export interface SwapSide {
  inscriptionCoins: readonly Coin[]
  /** Ordinals address of the side. */
  ordinals: KeySpend
  ordinalsScript: Uint8Array
  /** Payment coins, their key and the change script. `payer` can be null without coins. */
  payments: readonly Coin[]
  payer: KeySpend | null
  paymentScript: Uint8Array
}

/** Terms of a swap between a proposer and an acceptor. */
export interface SwapTerms {
  proposer: SwapSide
  acceptor: SwapSide
  /** Payment by the proposer. The acceptor pays all other costs. */
  offeredSats: number
  requestedSats: number
  marketplaceFeeSats: number
  marketScript: Uint8Array
  feeRateSatVb: number
}

export interface Swap {
  settlement: Layout
  vsize: number
  feeSats: number
  /** Balance change of the acceptor's payment address. Negative if the acceptor pays. */
  acceptorNetSats: number
  proposerNetSats: number
}

/**
 * Builds the settlement of a swap. Inputs: the inscriptions of both sides, the proposer's payments, the acceptor's payments. Outputs: each
 * inscription to the other side, at the index of its input; the proposer's payout or change; the market's fee; the acceptor's change. Both
 * sign everything, DEFAULT or ALL.
 *
 * Runes end in the first output. If the proposer pays with coins, the first output is the proposer's, because the acceptor can inspect the
 * proposer's coins for days. Throws `coins-insufficient` or `change-too-small`.
 */
export function buildSwap(terms: SwapTerms): Swap {
  const { proposer, acceptor, offeredSats, requestedSats, marketplaceFeeSats, marketScript } = terms
  const givenSats = sumSats(proposer.payments.map((coin) => coin.valueSats))
  const proposerSats = givenSats - offeredSats + requestedSats
  if (proposerSats !== 0 && proposerSats < MINIMUM_CHANGE_SATS)
    throw new BitcoinError(
      'change-too-small',
      `the proposer's change would be ${proposerSats} sats; it must be 0 or at least ${MINIMUM_CHANGE_SATS}`,
      { changeSats: proposerSats },
    )
  const sides = [
    { inputs: inscriptionsOf(proposer, 'proposer'), outputs: received(proposer, acceptor) },
    { inputs: inscriptionsOf(acceptor, 'acceptor'), outputs: received(acceptor, proposer) },
  ]
  if (proposer.payments.length > 0) sides.reverse()
  const base: Layout = {
    version: 2,
    inputs: [
      ...sides.flatMap(({ inputs }) => inputs),
      ...paymentsOf(proposer, 'proposer'),
      ...paymentsOf(acceptor, 'acceptor'),
    ],
    outputs: [
      ...sides.flatMap(({ outputs }) => outputs),
      ...(proposerSats > 0
        ? [output(requestedSats > 0 ? 'payout' : 'change', proposerSats, proposer.paymentScript)]
        : []),
      ...(marketplaceFeeSats > 0 ? [output('service', marketplaceFeeSats, marketScript)] : []),
    ],
  }
  // An acceptor without coins can pay the costs with the offered sats.
  const funds: Pick<Payer, 'payments' | 'changeScript'> = {
    payments: [...proposer.payments, ...acceptor.payments],
    changeScript: acceptor.paymentScript,
  }
  const costSats = proposerSats + marketplaceFeeSats
  const { layout, vsize, feeSats, changeSats } = withChange(base, funds, costSats, terms.feeRateSatVb)
  return {
    settlement: layout,
    vsize,
    feeSats,
    acceptorNetSats: changeSats - sumSats(acceptor.payments.map((coin) => coin.valueSats)),
    proposerNetSats: requestedSats - offeredSats,
  }
}

export function swapInputsOf(layout: Layout, side: 'proposer' | 'acceptor'): number[] {
  return layout.inputs.flatMap((input, index) => (input.signer === side ? [index] : []))
}

/** Checks that every inscription arrives at the other side. Throws like `checkSettlement`. */
export function checkSwap(terms: SwapTerms, { settlement, feeSats }: Swap): void {
  for (const [from, to] of [
    ['proposer', 'acceptor'],
    ['acceptor', 'proposer'],
  ] as const)
    checkSettlement(settlement, {
      inscriptionInputs: settlement.inputs.flatMap(({ role, signer }, index) =>
        role === 'inscription' && signer === from ? [index] : [],
      ),
      ownerScript: terms[to].ordinalsScript,
      feeSats,
    })
}

const inscriptionsOf = (side: SwapSide, signer: 'proposer' | 'acceptor'): LayoutInput[] =>
  side.inscriptionCoins.map((coin) => ({
    role: 'inscription',
    coin,
    signer,
    spend: { by: 'key', ...side.ordinals },
  }))

function paymentsOf({ payments, payer }: SwapSide, signer: 'proposer' | 'acceptor'): LayoutInput[] {
  return payments.map((coin) => {
    if (!payer) throw new TypeError(`the ${signer} has coins but no key`)
    return { role: 'payment', coin, signer, spend: { by: 'key', ...payer } }
  })
}

const received = (from: SwapSide, to: SwapSide): LayoutOutput[] =>
  from.inscriptionCoins.map((coin) => output('inscription', coin.valueSats, to.ordinalsScript))

const output = (role: LayoutOutput['role'], valueSats: number, script: Uint8Array): LayoutOutput => ({
  role,
  valueSats,
  script,
})

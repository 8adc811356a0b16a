import type { KeySpend } from '../address.ts'
import { BitcoinError } from '../errors.ts'
import { sumSats } from '../sats.ts'
import { checkSettlement } from './check.ts'
import type { Coin, Layout, LayoutInput, LayoutOutput } from './layout.ts'
import { MINIMUM_CHANGE_SATS, type Payer, withChange } from './payment.ts'

export interface SwapSide {
  inscriptionCoins: readonly Coin[]
  /** Ordinals address. Spends the side's inscriptions and receives the other side's. */
  ordinals: KeySpend
  ordinalsScript: Uint8Array
  /** Payment coins, their key, and the script that receives the side's sats. `payer` can be null if there are no coins. */
  payments: readonly Coin[]
  payer: KeySpend | null
  paymentScript: Uint8Array
}

/** Terms of a swap: inscriptions and sats of the proposer for inscriptions and sats of the acceptor. */
export interface SwapTerms {
  proposer: SwapSide
  acceptor: SwapSide
  /** Exact payment of the proposer. The acceptor pays all other costs. */
  offeredSats: number
  /** Payment to the proposer. */
  requestedSats: number
  marketplaceFeeSats: number
  marketScript: Uint8Array
  feeRateSatVb: number
}

export interface Swap {
  settlement: Layout
  vsize: number
  feeSats: number
  /** Balance change of the acceptor's payment address; negative if the acceptor pays. */
  acceptorNetSats: number
  /** Balance change of the proposer's payment address. */
  proposerNetSats: number
}

/**
 * Builds the settlement of a swap. Inputs: the inscriptions of both sides, the proposer's payments, the acceptor's payments. Outputs: for
 * each inscription input, an output of the same value at the same position to the other side; the proposer's payout or change; the market's
 * fee; and one output for the acceptor with offered sats and change. Both sign everything, DEFAULT or ALL. Runes of all coins end in the
 * first output. If the proposer pays with coins, the acceptor's inscriptions come first, so the first output is the proposer's: the
 * acceptor has days to inspect the proposer's coins, but chooses its own coins when it sees the whole swap. Throws `coins-insufficient` or
 * `change-too-small`.
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
  // The offered sats can pay the acceptor's costs, so an acceptor without coins can sell an inscription.
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

/** Returns the inputs that one side signs. */
export function swapInputsOf(layout: Layout, side: 'proposer' | 'acceptor'): number[] {
  return layout.inputs.flatMap((input, index) => (input.signer === side ? [index] : []))
}

/** Checks that every inscription arrives whole at the other side. Throws like `checkSettlement`. */
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

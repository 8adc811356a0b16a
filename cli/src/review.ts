import { type AddressNetwork, addressOfScript } from '@ordbook/bitcoin/address.ts'
import { sumSats } from '@ordbook/bitcoin/sats.ts'
import { SIGHASH } from '@ordbook/bitcoin/sighash.ts'
import { type Effects, effectsOf, type Piece, type SigningRequest } from '@ordbook/sdk'
import type { Owner } from '@ordbook/sdk/verify'
import { money } from './amounts.ts'

/** Known inscriptions by coin (`txid:vout`). */
export type Located = Map<string, { inscriptionId: string; offset: number }[]>

/** Effects of signing a transaction, as printed by `--json`. */
export interface Terms {
  inputs: (PieceTerms & { outpoint: string; signed: boolean })[]
  outputs: PieceTerms[]
  /** Inscriptions that leave the wallet, and inscriptions that arrive. */
  leaves: string[]
  arrives: string[]
  /** Change of the wallet's balance in sats, without the coins of these inscriptions. */
  netSats: number
  /** Null while others may add inputs and outputs. */
  feeSats: number | null
  isOpen: boolean
  psbtBase64: string
  inputsToSign: SigningRequest['inputsToSign']
}

interface PieceTerms {
  address: string | null
  valueSats: number
  own: Piece['own']
  inscriptionIds: string[]
}

export function termsOf(
  owner: Owner,
  network: AddressNetwork,
  requests: readonly SigningRequest[],
  located: Located,
): Terms[] {
  const piece = ({ script, valueSats, own, inscriptionIds }: Piece): PieceTerms => ({
    address: addressOfScript(script, network),
    valueSats,
    own,
    inscriptionIds,
  })
  const known: Located = new Map(located)
  return requests.map((request) => {
    const effects: Effects = effectsOf(owner, request, known)
    for (const [outpoint, contents] of effects.located) known.set(outpoint, contents)
    return {
      inputs: effects.inputs.map((input) => ({
        outpoint: input.outpoint,
        ...piece(input),
        signed: input.signed,
      })),
      outputs: effects.outputs.map(piece),
      leaves: effects.leaves,
      arrives: effects.arrives,
      netSats: effects.netSats,
      feeSats: effects.feeSats,
      isOpen: effects.isOpen,
      ...request,
    }
  })
}

export function linesOfTerms(terms: readonly Terms[]): string[] {
  const lines = terms.flatMap((transaction, n) => [
    `Transaction ${n + 1} of ${terms.length}${transaction.isOpen ? ', to be completed by others' : ''}`,
    ...transaction.inputs.map((input) => line(input.signed ? 'sign ' : 'in   ', input)),
    ...transaction.outputs.map((output, at) => `${line('out  ', output)}${soldFor(transaction, at)}`),
    ...transaction.leaves.map((id) => `  ${id} leaves your wallet`),
    ...transaction.arrives.map((id) => `  ${id} arrives in your wallet`),
    `  your balance changes by ${money(transaction.netSats)}${transaction.feeSats === null ? '' : `; network fee ${money(transaction.feeSats)}`}`,
  ])
  return [...(terms.length > 1 ? [`${terms.length} transactions to sign`] : []), ...lines]
}

/** Names the inscriptions that an output pays for: the inscriptions of its input, if SINGLE|ANYONECANPAY signs both. */
function soldFor({ inputs, inputsToSign }: Terms, at: number): string {
  const isLeg = inputsToSign.some(
    ({ signingIndexes, sigHash }) => sigHash === SIGHASH.SINGLE_ANYONECANPAY && signingIndexes.includes(at),
  )
  const ids = isLeg ? inputs[at]!.inscriptionIds : []
  return ids.length > 0 ? `, for ${ids.join(', ')}` : ''
}

function line(label: string, { address, valueSats, own, inscriptionIds }: PieceTerms): string {
  const owner = own === null ? '' : `, your ${own} address`
  const contents = inscriptionIds.length === 0 ? '' : `, with ${inscriptionIds.join(', ')}`
  return `  ${label}${money(valueSats)} ${label === 'out  ' ? 'to' : 'of'} ${address ?? 'a script without an address'}${owner}${contents}`
}

/** The buyer's cost of a purchase, by purpose. */
export interface Bill {
  priceSats: number
  feesSats: number
  networkSats: number
  /** Sats in the inscriptions' coins, which the buyer receives. */
  postageSats: number
  totalSats: number
  arrivesAt: string
}

export function billOf(terms: readonly Terms[], priceSats: number, arrivesAt: string): Bill {
  const totalSats = -sumSats(terms.map((transaction) => transaction.netSats))
  const networkSats = sumSats(terms.map((transaction) => transaction.feeSats ?? 0))
  const postageSats = sumSats(
    terms.flatMap(({ outputs, arrives }) =>
      outputs
        .filter((output) => output.inscriptionIds.some((id) => arrives.includes(id)))
        .map((output) => output.valueSats),
    ),
  )
  const feesSats = totalSats - priceSats - networkSats - postageSats
  return { priceSats, feesSats, networkSats, postageSats, totalSats, arrivesAt }
}

export const linesOfBill = (bill: Bill): string[] => [
  `price          ${money(bill.priceSats)}`,
  `fees           ${money(bill.feesSats)}`,
  `network        ${money(bill.networkSats)}`,
  `postage        ${money(bill.postageSats)}, which you receive`,
  `total          ${money(bill.totalSats)}`,
  `arrives at     ${bill.arrivesAt}`,
]

import { type AddressNetwork, addressOfScript } from '@ordbook/bitcoin/address.ts'
import { sumSats } from '@ordbook/bitcoin/sats.ts'
import { type Effects, effectsOf, type Piece, type SigningRequest } from '@ordbook/sdk'
import type { Owner } from '@ordbook/sdk/verify'
import { money } from './amounts.ts'

/** The inscriptions known to be in coins, by `txid:vout`. */
export type Located = Map<string, { inscriptionId: string; offset: number }[]>

/** The effects of one transaction to sign, as `--json` prints them. */
export interface Terms {
  inputs: (PieceTerms & { outpoint: string; signed: boolean })[]
  outputs: PieceTerms[]
  /** Inscriptions that leave the wallet and that arrive in it. */
  leaves: string[]
  arrives: string[]
  /** Change of the wallet's sats, without the coins of these inscriptions. */
  netSats: number
  /** Null while others may still add inputs and outputs. */
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

/** Reads what signing each PSBT does, from the PSBTs themselves: the SDK rebuilt them from the agreement. */
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
  return requests.map((request) => {
    const effects: Effects = effectsOf(owner, request, located)
    return {
      inputs: effects.inputs.map((each) => ({
        outpoint: each.outpoint,
        ...piece(each),
        signed: each.signed,
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

/** The terms as people read them. */
export function textOfTerms(terms: readonly Terms[]): string {
  return terms
    .map((each, n) =>
      [
        `Transaction ${n + 1} of ${terms.length}${each.isOpen ? ', which others complete' : ''}`,
        ...each.inputs.map((input) => line(input.signed ? 'sign ' : 'in   ', input)),
        ...each.outputs.map((output) => line('out  ', output)),
        ...each.leaves.map((id) => `  ${id} leaves your wallet`),
        ...each.arrives.map((id) => `  ${id} arrives at your wallet`),
        `  your sats change by ${money(each.netSats)}${each.feeSats === null ? '' : `; network fee ${money(each.feeSats)}`}`,
      ].join('\n'),
    )
    .join('\n')
}

function line(way: string, { address, valueSats, own, inscriptionIds }: PieceTerms): string {
  const whose = own === null ? '' : `, your ${own} address`
  const held = inscriptionIds.length === 0 ? '' : `, with ${inscriptionIds.join(', ')}`
  return `  ${way}${money(valueSats)} ${way === 'out  ' ? 'to' : 'of'} ${address ?? 'a script without an address'}${whose}${held}`
}

/** The bill of a purchase: every amount that leaves the buyer's coins, with its purpose. */
export interface Bill {
  priceSats: number
  /** Of the market and the creator. */
  feesSats: number
  networkSats: number
  /** In the coins of the inscriptions, which are the buyer's afterwards. */
  postageSats: number
  totalSats: number
  arrivesAt: string
}

/** The bill of a purchase at a price, computed from its transactions. */
export function billOf(terms: readonly Terms[], priceSats: number, arrivesAt: string): Bill {
  const totalSats = -sumSats(terms.map((each) => each.netSats))
  const networkSats = sumSats(terms.map((each) => each.feeSats ?? 0))
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

/** A bill as people read it. */
export const textOfBill = (bill: Bill) =>
  [
    `price          ${money(bill.priceSats)}`,
    `fees           ${money(bill.feesSats)}`,
    `network        ${money(bill.networkSats)}`,
    `postage        ${money(bill.postageSats)}, yours afterwards`,
    `total          ${money(bill.totalSats)}`,
    `arrives at     ${bill.arrivesAt}`,
  ].join('\n')

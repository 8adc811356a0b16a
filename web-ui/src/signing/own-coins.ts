import { formatOutpoint, parseOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { Effects, Piece } from '@ordbook/sdk/effects.ts'
import { type CoinProof, proveByWallet } from '@ordbook/sdk/payment-coins.ts'
import { review as words } from '../strings/trade.ts'
import type { Signed } from '../wallet/signed.ts'

/**
 * The proof that coins of the payment address hold no inscription. A separate payment address needs none. A wallet that keeps inscriptions
 * at the same address lists them itself; the market does not decide it.
 */
export const coinProofOf = ({ adapter, accounts: { ordinals, payment } }: Signed): CoinProof =>
  ordinals.address.toLowerCase() === payment.address.toLowerCase()
    ? proveByWallet(adapter, payment.address)
    : async (coins) => ({ plain: [...coins], inscribed: [], unproven: [] })

/** A coin of the wallet that a review's transactions spend. */
export interface SpentCoin {
  /** `txid:vout` */
  outpoint: string
  valueSats: number
  address: NonNullable<Piece['own']>
  /** Inscriptions of the trade that are in it. */
  inscriptionIds: readonly string[]
  /** No source but the market knows its contents: the visitor has to tick it. */
  isUnproven: boolean
}

/**
 * The wallet's coins that transactions spend, each once, without the outputs of these transactions themselves. A coin is proven by
 * `prove`, unless it is in `given`: the coins of inscriptions that the visitor gives or keeps. Throws if one holds an inscription.
 */
export async function spentCoinsOf(
  transactions: readonly Pick<Effects, 'txid' | 'inputs'>[],
  given: ReadonlySet<string>,
  prove: CoinProof,
): Promise<SpentCoin[]> {
  const made = new Set(transactions.map(({ txid }) => txid))
  const spent = new Map<string, SpentCoin>()
  for (const { outpoint, valueSats, own, inscriptionIds } of transactions.flatMap(({ inputs }) => inputs)) {
    if (own === null || made.has(parseOutpoint(outpoint).txid)) continue
    spent.set(outpoint, { outpoint, valueSats, address: own, inscriptionIds, isUnproven: false })
  }
  const paying = [...spent.values()].filter(({ outpoint }) => !given.has(outpoint))
  const { inscribed, unproven } = await prove(
    paying.map(({ outpoint, valueSats }) => ({ ...parseOutpoint(outpoint), valueSats })),
  )
  const [first] = inscribed
  if (first) throw new Error(words.holdsInscription(formatOutpoint(first.coin)))
  for (const { coin } of unproven) spent.get(formatOutpoint(coin))!.isUnproven = true
  return [...spent.values()]
}

import { formatOutpoint, parseOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { Effects } from '@ordbook/sdk/effects.ts'
import { type CoinProof, proveByWallet } from '@ordbook/sdk/payment-coins.ts'
import type { SpentCoin } from '../review/model.ts'
import { review as words } from '../review/texts.ts'
import type { Signed } from '../wallet/signed.ts'

/** Returns a proof that payment coins hold no inscription. If the addresses are equal, the wallet must list its inscriptions. */
export const coinProofOf = ({ adapter, accounts: { ordinals, payment } }: Signed): CoinProof =>
  ordinals.address.toLowerCase() === payment.address.toLowerCase()
    ? proveByWallet(adapter, payment.address)
    : async (coins) => ({ plain: [...coins], inscribed: [], unproven: [] })

/** Returns the wallet's coins that transactions spend. Throws if a coin outside `given` holds an inscription. */
export async function spentCoinsOf(
  transactions: readonly Pick<Effects, 'txid' | 'inputs'>[],
  given: ReadonlySet<string>,
  prove: CoinProof,
): Promise<SpentCoin[]> {
  const createdTxids = new Set(transactions.map(({ txid }) => txid))
  const spent = new Map<string, SpentCoin>()
  for (const { outpoint, valueSats, own, inscriptionIds } of transactions.flatMap(({ inputs }) => inputs)) {
    if (own === null || createdTxids.has(parseOutpoint(outpoint).txid)) continue
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

import { type KeySpend, keySpendOf, kindOfScript } from '@ordbook/bitcoin/address.ts'
import { equalBytes, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { buildPassthrough, type EscrowForm } from '@ordbook/bitcoin/trade/passthrough.ts'
import { forbidden, invalid } from '@ordbook/db/process/errors.ts'
import { type InscriptionCoin, inscriptionCoin } from '@ordbook/indexer/coins/inscription-coin.ts'
import type { BindingRow } from '../auth/queries.ts'
import type { Context } from '../context.ts'
import { toFault } from '../preflight/refuse.ts'

/** How the owner of a binding spends inscriptions. Throws invalid unless the key belongs to the P2TR ordinals address. */
export function sellerOf(binding: BindingRow, ordinalsPublicKey: string): KeySpend {
  if (kindOfScript(binding.ordinalsScript) !== 'p2tr')
    throw invalid(
      'address-type-unsupported',
      'Inscriptions are traded at a taproot (P2TR) ordinals address: sign in with one',
    )
  return toFault(() => keySpendOf(binding.ordinalsScript, hexToBytes(ordinalsPublicKey)), 'ordinalsPublicKey')
}

/** The same for an escrow. Throws invalid for the wallet form with any key but the untweaked one. */
export function escrowOwnerOf(
  { market }: Pick<Context, 'market'>,
  binding: BindingRow,
  ordinalsPublicKey: string,
  form: EscrowForm,
): KeySpend {
  const seller = sellerOf(binding, ordinalsPublicKey)
  toFault(() => buildPassthrough(seller, market.cosignKey, form), 'ordinalsPublicKey')
  return seller
}

/** The coin of an inscription that the binding's owner may trade now, or as soon as it is in a block. Throws forbidden or conflict. */
export async function ownCoinOf(
  context: Context,
  binding: BindingRow,
  inscriptionId: string,
  options?: { pending: boolean },
): Promise<InscriptionCoin> {
  const found = await inscriptionCoin(context, inscriptionId, options)
  if (!equalBytes(found.coin.script, binding.ordinalsScript))
    throw forbidden(
      'inscription-not-yours',
      `${inscriptionId} is not held by the ordinals address of this binding`,
    )
  return found
}

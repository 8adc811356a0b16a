import { type KeySpend, keySpendOf, kindOfScript } from '@ordbook/bitcoin/address.ts'
import { equalBytes, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { buildPassthrough, type EscrowForm } from '@ordbook/bitcoin/trade/passthrough.ts'
import { forbidden, invalid } from '@ordbook/db/process/errors.ts'
import { type InscriptionCoin, inscriptionCoin } from '@ordbook/indexer/coins/inscription-coin.ts'
import type { BindingRow } from '../auth/queries.ts'
import type { Context } from '../context.ts'
import { toFault } from '../preflight/refuse.ts'

/** Returns the owner's key. Throws `invalid` unless it belongs to a P2TR ordinals address. */
export function sellerOf(binding: BindingRow, ordinalsPublicKey: string): KeySpend {
  if (kindOfScript(binding.ordinalsScript) !== 'p2tr')
    throw invalid(
      'address-type-unsupported',
      'Trading inscriptions requires a taproot (P2TR) ordinals address. Sign in with a taproot address.',
    )
  return toFault(() => keySpendOf(binding.ordinalsScript, hexToBytes(ordinalsPublicKey)), 'ordinalsPublicKey')
}

/** Like `sellerOf`, for an escrow. The wallet form requires the untweaked key. */
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

/** Returns the owner's coin of an inscription. `pending` accepts an unconfirmed coin. */
export async function loadOwnedCoin(
  context: Context,
  binding: BindingRow,
  inscriptionId: string,
  options?: { pending: boolean },
): Promise<InscriptionCoin> {
  const location = await inscriptionCoin(context, inscriptionId, options)
  if (!equalBytes(location.coin.script, binding.ordinalsScript))
    throw forbidden(
      'inscription-not-yours',
      `${inscriptionId} is not at the ordinals address of this binding.`,
    )
  return location
}

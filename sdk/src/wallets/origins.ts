import { type AddressNetwork, scriptOfAddress } from '@ordbook/bitcoin/address.ts'
import { hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { parseKeyOrigin, withKeyOrigins } from '@ordbook/bitcoin/key-origin.ts'
import type { Account } from './adapter.ts'

/** Adds key origins to the inputs and outputs of a PSBT (base64). Throws BitcoinError. */
export function withOrigins(
  psbtBase64: string,
  accounts: readonly Account[],
  network: AddressNetwork,
): string {
  const keys = accounts.flatMap(({ address, publicKey, origin = '' }) => {
    const parsed = parseKeyOrigin(origin)
    if (!parsed) return []
    return [{ script: scriptOfAddress(address, network), publicKey: hexToBytes(publicKey), origin: parsed }]
  })
  return withKeyOrigins(psbtBase64, keys)
}

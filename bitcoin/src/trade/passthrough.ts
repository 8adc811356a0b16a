import { kindOfScript, p2trScript } from '../address.ts'
import { concatBytes } from '../bytes.ts'
import { BitcoinError } from '../errors.ts'
import { taprootOutputKey } from '../keys.ts'
import { tapLeafHash } from '../sighash.ts'

/**
 * The escrow output E of a listing: P2TR whose internal key is the seller's output key Q and whose one leaf needs the
 * seller and the market, `<Q> CHECKSIG <M> CHECKSIGADD 2 NUMEQUAL`. The seller alone leaves by the key path; the
 * market alone can do nothing.
 */
export interface Passthrough {
  /** Q, x-only. */
  sellerKey: Uint8Array
  /** M, x-only. */
  marketKey: Uint8Array
  script: Uint8Array
  leaf: Uint8Array
  leafHash: Uint8Array
  controlBlock: Uint8Array
}

/** Builds E for the seller's ordinals script. Throws `address-invalid` unless that is P2TR. */
export function buildPassthrough(sellerScript: Uint8Array, marketKey: Uint8Array): Passthrough {
  if (kindOfScript(sellerScript) !== 'p2tr')
    throw new BitcoinError('address-invalid', 'an inscription is listed from a taproot (P2TR) address')
  const sellerKey = sellerScript.slice(2)
  const leaf = concatBytes(
    Uint8Array.of(0x20),
    sellerKey,
    Uint8Array.of(0xac, 0x20),
    marketKey,
    Uint8Array.of(0xba, 0x52, 0x9c),
  )
  const leafHash = tapLeafHash(leaf)
  const { outputKey, odd } = taprootOutputKey(sellerKey, leafHash)
  const controlBlock = concatBytes(Uint8Array.of(odd ? 0xc1 : 0xc0), sellerKey)
  return { sellerKey, marketKey, script: p2trScript(outputKey), leaf, leafHash, controlBlock }
}

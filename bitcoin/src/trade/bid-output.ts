import { kindOfScript, p2trScript } from '../address.ts'
import { concatBytes } from '../bytes.ts'
import { BitcoinError } from '../errors.ts'
import { taprootOutputKey } from '../keys.ts'
import { tapLeafHash } from '../sighash.ts'

/**
 * Output X of a collection or trait offer, which holds its sats. P2TR with the maker's output key Q as internal key, so the maker can
 * always withdraw.
 *
 * The leaf requires a secret and two keys: `SIZE 32 EQUALVERIFY SHA256 <h> EQUALVERIFY <G> CHECKSIGVERIFY <M> CHECKSIG`. The guardian G
 * signs only fills that match the offer (docs/reference/transactions.md).
 */
export interface BidOutput {
  /** Q, x-only. */
  makerKey: Uint8Array
  /** G, x-only. */
  guardianKey: Uint8Array
  /** M, x-only. */
  marketKey: Uint8Array
  /** h: SHA-256 of the secret. */
  secretHash: Uint8Array
  script: Uint8Array
  leaf: Uint8Array
  leafHash: Uint8Array
  controlBlock: Uint8Array
}

/** Builds X. Throws `address-invalid` if the maker's script is not P2TR. */
export function buildBidOutput(
  makerScript: Uint8Array,
  keys: { guardianKey: Uint8Array; marketKey: Uint8Array; secretHash: Uint8Array },
): BidOutput {
  if (kindOfScript(makerScript) !== 'p2tr')
    throw new BitcoinError('address-invalid', 'the address that receives inscriptions must be taproot (P2TR)')
  const { guardianKey, marketKey, secretHash } = keys
  const makerKey = makerScript.slice(2)
  const leaf = concatBytes(
    Uint8Array.of(0x82, 0x01, 0x20, 0x88, 0xa8, 0x20),
    secretHash,
    Uint8Array.of(0x88, 0x20),
    guardianKey,
    Uint8Array.of(0xad, 0x20),
    marketKey,
    Uint8Array.of(0xac),
  )
  const leafHash = tapLeafHash(leaf)
  const { outputKey, odd } = taprootOutputKey(makerKey, leafHash)
  const controlBlock = concatBytes(Uint8Array.of(odd ? 0xc1 : 0xc0), makerKey)
  return {
    makerKey,
    guardianKey,
    marketKey,
    secretHash,
    script: p2trScript(outputKey),
    leaf,
    leafHash,
    controlBlock,
  }
}

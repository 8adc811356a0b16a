import { type KeySpend, p2trScript } from '../address.ts'
import { concatBytes, equalBytes } from '../bytes.ts'
import { BitcoinError } from '../errors.ts'
import { taprootOutputKey } from '../keys.ts'
import { tapBranchHash, tapLeafHash } from '../sighash.ts'

/**
 * The two forms of an escrow. Published: one leaf under the seller's output key Q, as third parties compute it. Wallet:
 * leaves under K, the key before the tweak, which ordinary wallets sign with, the second one for the seller alone.
 */
export type EscrowForm = 'published' | 'wallet'

/** A leaf of a taproot output, with the witness data to spend it. */
export interface Leaf {
  leaf: Uint8Array
  leafHash: Uint8Array
  controlBlock: Uint8Array
}

/**
 * The escrow output E of a listing: P2TR whose internal key is the seller's output key Q. Its sale leaf needs the seller
 * and the market, `<key> CHECKSIG <M> CHECKSIGADD 2 NUMEQUAL`; the key is Q in the published form and K in the wallet
 * form. The seller alone leaves by the key path, or in the wallet form by the exit leaf, `<K> CHECKSIG`; the market alone
 * can do nothing.
 */
export interface Passthrough extends Leaf {
  form: EscrowForm
  /** The key that signs the sale leaf, x-only: Q (published) or K (wallet). */
  sellerKey: Uint8Array
  /** M, x-only. */
  marketKey: Uint8Array
  script: Uint8Array
  /** The leaf of the seller alone; null in the published form. */
  exit: Leaf | null
}

/**
 * Builds E for the seller's ordinals address. Throws `address-invalid` unless that is P2TR, `key-mismatch` where the
 * wallet form lacks the key before the tweak.
 */
export function buildPassthrough(seller: KeySpend, marketKey: Uint8Array, form: EscrowForm): Passthrough {
  if (seller.kind !== 'p2tr')
    throw new BitcoinError('address-invalid', 'an inscription is listed from a taproot (P2TR) address')
  const outputKey = seller.publicKey
  const sellerKey = form === 'wallet' ? untweakedKeyOf(seller) : outputKey
  const sale = concatBytes(checkSig(sellerKey), pushKey(marketKey), Uint8Array.of(0xba, 0x52, 0x9c))
  const saleHash = tapLeafHash(sale)
  const exit = form === 'wallet' ? checkSig(sellerKey) : null
  const exitHash = exit && tapLeafHash(exit)
  const escrow = taprootOutputKey(outputKey, exitHash ? tapBranchHash(saleHash, exitHash) : saleHash)
  const controlBlock = (sibling: Uint8Array | null) =>
    concatBytes(Uint8Array.of(escrow.odd ? 0xc1 : 0xc0), outputKey, ...(sibling ? [sibling] : []))
  return {
    form,
    sellerKey,
    marketKey,
    script: p2trScript(escrow.outputKey),
    leaf: sale,
    leafHash: saleHash,
    controlBlock: controlBlock(exitHash),
    exit: exit && exitHash ? { leaf: exit, leafHash: exitHash, controlBlock: controlBlock(saleHash) } : null,
  }
}

/** The first key that an escrow leaf checks: the owner's. */
export const leafKeyOf = (leaf: Uint8Array): Uint8Array => leaf.slice(1, 33)

const pushKey = (key: Uint8Array) => concatBytes(Uint8Array.of(0x20), key)
const checkSig = (key: Uint8Array) => concatBytes(pushKey(key), Uint8Array.of(0xac))

/** K, of which Q must be the tweaked key: a leaf under another key would be the seller's no more. */
function untweakedKeyOf({ publicKey, internalKey }: KeySpend): Uint8Array {
  if (
    !internalKey ||
    equalBytes(internalKey, publicKey) ||
    !equalBytes(taprootOutputKey(internalKey).outputKey, publicKey)
  )
    throw new BitcoinError(
      'key-mismatch',
      'the wallet form of an escrow needs the untweaked public key of the ordinals address: name the key that the wallet gives, not the output key of the address',
    )
  return internalKey
}

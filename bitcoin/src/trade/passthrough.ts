import { type KeySpend, p2trScript } from '../address.ts'
import { concatBytes, equalBytes } from '../bytes.ts'
import { BitcoinError } from '../errors.ts'
import { taprootOutputKey } from '../keys.ts'
import { tapBranchHash, tapLeafHash } from '../sighash.ts'

/**
 * Form of an escrow. The published form has one leaf with the seller's output key Q. The wallet form has leaves with the untweaked key K,
 * which ordinary wallets can sign, including an exit leaf.
 */
export type EscrowForm = 'published' | 'wallet'

/** A taproot leaf with its control block. */
export interface Leaf {
  leaf: Uint8Array
  leafHash: Uint8Array
  controlBlock: Uint8Array
}

/**
 * Escrow output E of a listing, P2TR with the seller's output key Q as internal key.
 *
 * The sale leaf requires seller and market: `<key> CHECKSIG <M> CHECKSIGADD 2 NUMEQUAL`. Its key is Q in the published form and K in the
 * wallet form. The seller can exit alone with the key path, or with the exit leaf `<K> CHECKSIG` of the wallet form. The market alone
 * cannot spend it.
 */
export interface Passthrough extends Leaf {
  form: EscrowForm
  /** Key of the sale leaf, x-only: Q (published) or K (wallet). */
  sellerKey: Uint8Array
  /** M, x-only. */
  marketKey: Uint8Array
  script: Uint8Array
  /** Seller's exit leaf; null in the published form. */
  exit: Leaf | null
}

/** Builds E. Throws `address-invalid` if the address is not P2TR, and `key-mismatch` if the wallet form lacks the untweaked key. */
export function buildPassthrough(seller: KeySpend, marketKey: Uint8Array, form: EscrowForm): Passthrough {
  if (seller.kind !== 'p2tr')
    throw new BitcoinError('address-invalid', 'the address that lists an inscription must be taproot (P2TR)')
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

/** Returns the owner's key in an escrow leaf. */
export const leafKeyOf = (leaf: Uint8Array): Uint8Array => leaf.slice(1, 33)

const pushKey = (key: Uint8Array) => concatBytes(Uint8Array.of(0x20), key)
const checkSig = (key: Uint8Array) => concatBytes(pushKey(key), Uint8Array.of(0xac))

/** Returns K if Q is its tweaked key. Throws otherwise. */
function untweakedKeyOf({ publicKey, internalKey }: KeySpend): Uint8Array {
  if (
    !internalKey ||
    equalBytes(internalKey, publicKey) ||
    !equalBytes(taprootOutputKey(internalKey).outputKey, publicKey)
  )
    throw new BitcoinError(
      'key-mismatch',
      'the wallet form of an escrow requires the untweaked public key of the ordinals address. Pass the key that the wallet returns, not the output key of the address',
    )
  return internalKey
}

import { hexToBytes, littleEndian } from './bytes.ts'
import { signSchnorr, taggedHash, verifySchnorr } from './keys.ts'

/** Latest entry of an order log. The hash commits to all previous entries. */
export interface LogHead {
  /** Chain, such as `main`. */
  network: string
  position: number
  /** SHA-256, hex. */
  hash: string
}

/** Hash tag (BIP-340). Prevents signatures from being valid for transactions or wallet messages. */
const TAG = 'ordbook/order-log-head'

const hashOfHead = ({ network, position, hash }: LogHead) =>
  taggedHash(TAG, hexToBytes(hash), littleEndian(position, 8), new TextEncoder().encode(network))

/** Signs the head of an order log (BIP-340). */
export const signLogHead = (head: LogHead, privateKey: Uint8Array): Uint8Array =>
  signSchnorr(hashOfHead(head), privateKey)

export const verifyLogHead = (head: LogHead, signature: Uint8Array, key: Uint8Array): boolean =>
  verifySchnorr(signature, hashOfHead(head), key)

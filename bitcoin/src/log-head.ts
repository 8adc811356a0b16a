import { hexToBytes, littleEndian } from './bytes.ts'
import { signSchnorr, taggedHash, verifySchnorr } from './keys.ts'

/** Latest entry of a market's order log: its number and hash. The hash commits to all previous entries. */
export interface LogHead {
  /** The chain, such as `main`. */
  network: string
  position: number
  /** SHA-256 in hex. */
  hash: string
}

/** Separate hash tag (BIP-340), so that no transaction or wallet message can have the same hash. */
const TAG = 'ordbook/order-log-head'

const hashOfHead = ({ network, position, hash }: LogHead) =>
  taggedHash(TAG, hexToBytes(hash), littleEndian(position, 8), new TextEncoder().encode(network))

/** Signs the head of an order log (BIP-340, 64 bytes). */
export const signLogHead = (head: LogHead, privateKey: Uint8Array): Uint8Array =>
  signSchnorr(hashOfHead(head), privateKey)

/** Returns true if the market with this x-only key signed the head. */
export const verifyLogHead = (head: LogHead, signature: Uint8Array, key: Uint8Array): boolean =>
  verifySchnorr(signature, hashOfHead(head), key)

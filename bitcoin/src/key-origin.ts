import { RawPSBTV0 } from '@scure/btc-signer/psbt.js'
import { type KeySpend, keySpendOf } from './address.ts'
import { base64OfBytes, equalBytes } from './bytes.ts'
import { toXOnly } from './keys.ts'
import { type DecodedPsbt, decodePsbt } from './psbt.ts'
import { tapLeafHash } from './sighash.ts'
import { leafKeyOf } from './trade/passthrough.ts'

/** Master fingerprint and derivation path of a key (BIP-32). */
export interface KeyOrigin {
  fingerprint: number
  /** Child numbers. Hardened ones are at least 2^31. */
  path: number[]
}

export const HARDENED = 0x80000000

/** Maximum depth of a path. */
const MAX_STEPS = 10

/** Parses a key origin such as `d34db33f/86h/0h/0h/0/7` (BIP-380), or returns null. */
export function parseKeyOrigin(text: string): KeyOrigin | null {
  const [fingerprint, ...steps] = text.split('/')
  if (!/^[0-9a-f]{8}$/i.test(fingerprint!) || steps.length > MAX_STEPS) return null
  const path = steps.map((step) => {
    const [, digits, hardened] = /^(\d{1,10})([h'H]?)$/.exec(step) ?? []
    const number = Number(digits)
    return number < HARDENED ? number + (hardened ? HARDENED : 0) : Number.NaN
  })
  return path.some(Number.isNaN) ? null : { fingerprint: Number.parseInt(fingerprint!, 16), path }
}

export function formatKeyOrigin({ fingerprint, path }: KeyOrigin): string {
  const steps = path.map((step) => (step >= HARDENED ? `${step - HARDENED}h` : `${step}`))
  return [fingerprint.toString(16).padStart(8, '0'), ...steps].join('/')
}

/** A key of the signing wallet. */
interface OwnKey {
  script: Uint8Array
  /** Compressed or x-only. */
  publicKey: Uint8Array
  origin: KeyOrigin
}

/**
 * Adds the wallet's key origins to a base64 PSBT (BIP-174, BIP-371). Hardware signers need them to find keys and recognize change. An
 * escrow input gets only the origin of its leaf key, so that the wallet does not sign the key path. Throws `psbt-malformed` or
 * `key-mismatch`.
 */
export function withKeyOrigins(base64: string, keys: readonly OwnKey[]): string {
  if (keys.length === 0) return base64
  const psbt = decodePsbt(base64)
  const owned = keys.map((key) => ({ ...key, spend: keySpendOf(key.script, key.publicKey) }))
  for (const input of psbt.inputs)
    for (const key of owned)
      if (input.tapLeafScript?.[0]) describeLeaf(input, input.tapLeafScript[0][1].slice(0, -1), key)
      else if (input.witnessUtxo && equalBytes(input.witnessUtxo.script, key.script)) describeKey(input, key)
  for (const [n, output] of (psbt.global.unsignedTx?.outputs ?? []).entries())
    for (const key of owned) if (equalBytes(output.script, key.script)) describeKey(psbt.outputs[n]!, key)
  return base64OfBytes(RawPSBTV0.encode(psbt))
}

type KeyFields = Pick<
  DecodedPsbt['inputs'][number],
  'tapInternalKey' | 'tapBip32Derivation' | 'bip32Derivation' | 'redeemScript'
>

function describeKey(fields: KeyFields, { origin, spend }: OwnKey & { spend: KeySpend }): void {
  const { kind, publicKey, internalKey, redeemScript } = spend
  if (kind !== 'p2tr') {
    fields.bip32Derivation = [[publicKey.slice(), origin]]
    if (redeemScript) fields.redeemScript = redeemScript.slice()
  } else if (internalKey) {
    fields.tapInternalKey = internalKey.slice()
    fields.tapBip32Derivation = [[internalKey.slice(), { hashes: [], der: origin }]]
  }
}

/** Sets the key origin of an escrow leaf with the wallet's untweaked key. */
function describeLeaf(input: KeyFields, leaf: Uint8Array, { publicKey, origin }: OwnKey): void {
  const key = toXOnly(publicKey)
  if (!equalBytes(leafKeyOf(leaf), key)) return
  input.tapBip32Derivation = [[key.slice(), { hashes: [tapLeafHash(leaf).slice()], der: origin }]]
}

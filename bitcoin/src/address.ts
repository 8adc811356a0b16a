import { bech32, bech32m } from '@scure/base'
import { Address, NETWORK, OutScript, TEST_NETWORK } from '@scure/btc-signer'
import { equalBytes } from './bytes.ts'
import { BitcoinError } from './errors.ts'
import { hash160, taprootOutputKey, toXOnly } from './keys.ts'

/** Network of an address prefix. */
export type AddressNetwork = 'mainnet' | 'testnet' | 'regtest'

const NETWORKS = {
  mainnet: NETWORK,
  testnet: TEST_NETWORK,
  regtest: { ...TEST_NETWORK, bech32: 'bcrt' },
} as const

export type ScriptKind = 'p2tr' | 'p2wpkh' | 'p2sh' | 'p2pkh' | 'p2wsh' | 'other'

export function kindOfScript(script: Uint8Array): ScriptKind {
  const { length } = script
  if (length === 34 && script[0] === 0x51 && script[1] === 0x20) return 'p2tr'
  if (length === 22 && script[0] === 0x00 && script[1] === 0x14) return 'p2wpkh'
  if (length === 34 && script[0] === 0x00 && script[1] === 0x20) return 'p2wsh'
  if (length === 23 && script[0] === 0xa9 && script[1] === 0x14 && script[22] === 0x87) return 'p2sh'
  if (length === 25 && script[0] === 0x76 && script[1] === 0xa9 && script[24] === 0xac) return 'p2pkh'
  return 'other'
}

/** Decodes an address to its output script. Throws `address-invalid`. */
export function scriptOfAddress(address: string, network: AddressNetwork): Uint8Array {
  try {
    return OutScript.encode(Address(NETWORKS[network]).decode(address))
  } catch {
    throw new BitcoinError('address-invalid', `${address} is not a ${network} address`, { address, network })
  }
}

/** Compares an address with a script. Bech32 addresses can be in upper case (BIP-173). */
export function isAddressOf(address: string, script: Uint8Array, network: AddressNetwork): boolean {
  try {
    return equalBytes(scriptOfAddress(address, network), script)
  } catch {
    return false
  }
}

/**
 * Encodes the address of an output script (BIP-173, BIP-350). Returns null if it has none, such as OP_RETURN. Like ord, accepts witness
 * programs that are not on the curve.
 */
export function addressOfScript(script: Uint8Array, network: AddressNetwork): string | null {
  const { bech32: prefix } = NETWORKS[network]
  switch (kindOfScript(script)) {
    case 'p2tr':
      return bech32m.encode(prefix, [1, ...bech32m.toWords(script.subarray(2))])
    case 'p2wpkh':
    case 'p2wsh':
      return bech32.encode(prefix, [0, ...bech32.toWords(script.subarray(2))])
    case 'other': {
      const witness = laterWitnessOf(script)
      return witness && bech32m.encode(prefix, [witness.version, ...bech32m.toWords(witness.program)])
    }
    default:
      return Address(NETWORKS[network]).encode(OutScript.decode(script))
  }
}

/** Bech32 alphabet (BIP-173), in order of value. */
const LETTERS = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'

/** Minimum number of letters after the witness version. */
const FEWEST_LETTERS = 3

/** Returns the ranges of scripts whose addresses can start with `start`. */
export function scriptsFrom(start: string, network: AddressNetwork): { from: Uint8Array; to: Uint8Array }[] {
  const prefix = `${NETWORKS[network].bech32}1`
  const values = [...start.slice(prefix.length)].map((letter) => LETTERS.indexOf(letter))
  const [version, ...words] = values
  if (!start.startsWith(prefix) || values.includes(-1) || words.length < FEWEST_LETTERS) return []
  const heads =
    version === 0
      ? [
          [0x00, 20],
          [0x00, 32],
        ]
      : version === 1
        ? [[0x51, 32]]
        : []
  return heads.map(([opcode, length]) => {
    const filled = (fill: number) => {
      const bits = words.flatMap((word) => [16, 8, 4, 2, 1].map((bit) => ((word & bit) === 0 ? 0 : 1)))
      const byte = (n: number) =>
        Array.from({ length: 8 }, (_, bit) => bits[n * 8 + bit] ?? fill).reduce(
          (sum, bit) => sum * 2 + bit,
          0,
        )
      return Uint8Array.from([opcode!, length!, ...Array.from({ length: length! }, (_, n) => byte(n))])
    }
    return { from: filled(0), to: filled(1) }
  })
}

/** Parses pay-to-anchor and undefined witness versions (BIP-141). */
function laterWitnessOf(script: Uint8Array): { version: number; program: Uint8Array } | null {
  const version = script[0]! - 0x50
  if (script.length < 4 || script.length > 42 || script[1] !== script.length - 2) return null
  return version >= 1 && version <= 16 ? { version, program: script.subarray(2) } : null
}

/** Returns the dust limit of a script in sats, at 3 sat/vB. */
export function dustLimitOf(script: Uint8Array): number {
  switch (kindOfScript(script)) {
    case 'p2tr':
    case 'p2wsh':
      return 330
    case 'p2wpkh':
      return 294
    case 'p2sh':
      return 540
    default:
      return 546
  }
}

/** Returns the P2TR script of a 32-byte output key (BIP-341). */
export function p2trScript(outputKey: Uint8Array): Uint8Array {
  return Uint8Array.of(0x51, 0x20, ...outputKey)
}

/** Returns the P2WPKH script of a compressed key (BIP-141). */
export function p2wpkhScript(publicKey: Uint8Array): Uint8Array {
  return Uint8Array.of(0x00, 0x14, ...hash160(publicKey))
}

/** Returns the P2SH script of a redeem script (BIP-16). */
export function p2shScript(redeemScript: Uint8Array): Uint8Array {
  return Uint8Array.of(0xa9, 0x14, ...hash160(redeemScript), 0x87)
}

export interface KeySpend {
  kind: 'p2tr' | 'p2wpkh' | 'p2sh-p2wpkh'
  /** The x-only output key for P2TR, a compressed key otherwise. */
  publicKey: Uint8Array
  /** The untweaked key for P2TR, if known. */
  internalKey: Uint8Array | null
  redeemScript: Uint8Array | null
}

/** Returns how a public key spends from a script. Accepts compressed and x-only keys. Throws `key-mismatch`. */
export function keySpendOf(script: Uint8Array, publicKey: Uint8Array): KeySpend {
  const kind = kindOfScript(script)
  const mismatch = (reason: string) => new BitcoinError('key-mismatch', reason)
  if (kind === 'p2tr') {
    const outputKey = script.slice(2)
    const key = toXOnly(publicKey)
    const spend = { kind, publicKey: outputKey, redeemScript: null }
    if (equalBytes(key, outputKey)) return { ...spend, internalKey: null }
    if (!isOnCurve(key) || !equalBytes(taprootOutputKey(key).outputKey, outputKey))
      throw mismatch('the public key does not match this taproot address')
    return { ...spend, internalKey: key }
  }
  if (kind !== 'p2wpkh' && kind !== 'p2sh')
    throw mismatch('only P2TR, P2WPKH and P2SH-P2WPKH addresses can pay')
  if (publicKey.length !== 33) throw mismatch('this address requires a compressed public key (66 hex digits)')
  const keyScript = p2wpkhScript(publicKey)
  if (!equalBytes(kind === 'p2wpkh' ? keyScript : p2shScript(keyScript), script))
    throw mismatch('the public key does not match this address')
  const nested = kind === 'p2sh'
  return {
    kind: nested ? 'p2sh-p2wpkh' : 'p2wpkh',
    publicKey,
    internalKey: null,
    redeemScript: nested ? keyScript : null,
  }
}

/** Returns the script of a public key. P2TR follows BIP-86. */
export function scriptOfPublicKey(publicKey: Uint8Array, kind: KeySpend['kind']): Uint8Array {
  if (kind === 'p2tr') return p2trScript(taprootOutputKey(toXOnly(publicKey)).outputKey)
  return kind === 'p2wpkh' ? p2wpkhScript(publicKey) : p2shScript(p2wpkhScript(publicKey))
}

function isOnCurve(key: Uint8Array): boolean {
  try {
    taprootOutputKey(key)
    return true
  } catch {
    return false
  }
}

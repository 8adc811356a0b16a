import {
  type AddressNetwork,
  addressOfScript,
  type KeySpend,
  scriptOfPublicKey,
} from '@ordbook/bitcoin/address.ts'
import { bytesToHex, concatBytes } from '@ordbook/bitcoin/bytes.ts'
import { hasChecksum } from '@ordbook/bitcoin/descriptor-checksum.ts'
import { formatKeyOrigin, HARDENED, type KeyOrigin, parseKeyOrigin } from '@ordbook/bitcoin/key-origin.ts'
import { sha256 } from '@ordbook/bitcoin/keys.ts'
import { createBase58check } from '@scure/base'
import { HDKey } from '@scure/bip32'
import { WalletRefused } from '../errors.ts'
import type { Account, Accounts } from './adapter.ts'

/** An extended public key whose addresses are of one kind. */
export interface AccountKey {
  kind: KeySpend['kind']
  /** The receiving chain's key, and its origin. */
  key: HDKey
  origin: KeyOrigin
}

const MAX_CHARACTERS = 100_000

const refused = (reason: string) => new WalletRefused(reason)
const NOT_PUBLIC =
  'This is a private key. Never paste a private key. Paste the extended public key (xpub), or descriptors without private keys.'

/**
 * Parses account keys from a wallet's export: output descriptors (BIP-380 to 386) or `[fingerprint/path]xpub` lines, also ypub and zpub, or
 * JSON from Bitcoin Core (listdescriptors), Sparrow or Coldcard (generic export). `fingerprint` is the master key's, for keys without an
 * origin. Throws WalletRefused.
 */
export function readAccountKeys(text: string, network: AddressNetwork, fingerprint = ''): AccountKey[] {
  if (text.length > MAX_CHARACTERS) throw refused('This text is too long to be the export of a wallet.')
  if (/\b[xyztuv]prv[1-9A-HJ-NP-Za-km-z]{20}/.test(text)) throw refused(NOT_PUBLIC)
  const found = candidatesIn(text).flatMap(
    (candidate) => readAccountKey(candidate, network, fingerprint) ?? [],
  )
  if (found.length === 0)
    throw refused(
      'No account key found. Paste output descriptors such as tr([d34db33f/86h/0h/0h]xpub…/0/*), an extended public key with its origin, or the JSON export of the wallet.',
    )
  return found
}

/** Returns the strings in an export that may be keys: its lines, or the strings in its JSON. */
function candidatesIn(text: string): string[] {
  const trimmed = text.trim()
  if (!/^[{[]\s*["{[\]}]/.test(trimmed)) return trimmed.split(/\s+/)
  let value: unknown
  try {
    value = JSON.parse(trimmed)
  } catch {
    throw refused('This JSON is damaged. Export it again.')
  }
  // In a Coldcard account, `xfp` is the account's fingerprint. The master's is at the top level.
  const { xfp } = Object(value) as { xfp?: unknown }
  return stringsIn(value, String(xfp), 0)
}

const MAX_DEPTH = 6

/** Returns the descriptors and origins in a JSON value, except for change addresses. */
function stringsIn(value: unknown, master: string, depth: number): string[] {
  if (typeof value === 'string') return /^(?:\w+\(|\[)/.test(value) ? [value] : []
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return []
  const fields = value as Record<string, unknown>
  if (fields.internal === true) return []
  const inside = Object.values(fields).flatMap((field) => stringsIn(field, master, depth + 1))
  return [...inside, ...coldcardKey(fields, master)]
}

/** Returns the account key of an older generic Coldcard export, which has no descriptors. */
function coldcardKey({ deriv, xpub, desc }: Record<string, unknown>, master: string): string[] {
  const isOld = typeof deriv === 'string' && /^m\/(86|84|49)[h']/.test(deriv) && desc === undefined
  return isOld && typeof xpub === 'string' ? [`[${master}${deriv.slice(1)}]${xpub}`] : []
}

const DESCRIPTOR = /^(tr|wpkh|sh\(wpkh)\((.*?)\)+(?:#([a-z0-9]{8}))?$/
const KEY = /^(?:\[([^\]]*)\])?([xyztuv]pub[1-9A-HJ-NP-Za-km-z]{100,112})((?:\/[^/]+)*)$/

const KINDS: Record<string, KeySpend['kind']> = { tr: 'p2tr', wpkh: 'p2wpkh', 'sh(wpkh': 'p2sh-p2wpkh' }
const PURPOSES: Record<number, KeySpend['kind']> = { 86: 'p2tr', 84: 'p2wpkh', 49: 'p2sh-p2wpkh' }
const BY_PREFIX: Record<string, KeySpend['kind']> = {
  ypub: 'p2sh-p2wpkh',
  upub: 'p2sh-p2wpkh',
  zpub: 'p2wpkh',
  vpub: 'p2wpkh',
}

/** Parses a descriptor or key. Returns null for other text and for unsupported addresses. */
function readAccountKey(text: string, network: AddressNetwork, fingerprint: string): AccountKey | null {
  const [, form, inside, checksum] = DESCRIPTOR.exec(text) ?? []
  if (checksum && !hasChecksum(text))
    throw refused('The checksum of the descriptor is wrong. Copy the whole descriptor.')
  const [, originText, extended, suffix = ''] = KEY.exec(inside ?? text) ?? []
  if (!extended) return null
  const isMainnet = 'xyz'.includes(extended[0]!)
  if (isMainnet !== (network === 'mainnet'))
    throw refused(
      `This key is for ${isMainnet ? 'mainnet' : 'a test network'}, but this market is on ${network}.`,
    )
  const account = accountKeyOf(extended)
  const origin = originOf(originText, account, { fingerprint, network, prefix: extended.slice(0, 4) })
  const kind =
    KINDS[form ?? ''] ?? BY_PREFIX[extended.slice(0, 4)] ?? PURPOSES[(origin.path[0] ?? 0) - HARDENED]
  if (!kind) throw refused('The address type of this key is unknown. Paste the key as a descriptor.')
  const steps = chainOf(suffix)
  return steps && along({ kind, key: account, origin }, steps)
}

const base58 = createBase58check(sha256)
const XPUB = Uint8Array.of(0x04, 0x88, 0xb2, 0x1e)

/** Parses an extended key. ypub and zpub (SLIP-132) differ from xpub only in their version bytes. */
function accountKeyOf(extended: string): HDKey {
  try {
    return HDKey.fromExtendedKey(base58.encode(concatBytes(XPUB, base58.decode(extended).subarray(4))))
  } catch {
    throw refused('The extended public key is damaged. Copy the whole key.')
  }
}

/** Returns the origin of an account key. If it is missing, combines the fingerprint with the standard path. */
function originOf(
  text: string | undefined,
  { depth, index }: HDKey,
  { fingerprint, network, prefix }: { fingerprint: string; network: AddressNetwork; prefix: string },
): KeyOrigin {
  const purpose = BY_PREFIX[prefix] === 'p2wpkh' ? 84 : BY_PREFIX[prefix] ? 49 : 86
  const standard = `${fingerprint.trim()}/${purpose}h/${network === 'mainnet' ? 0 : 1}h/${index - HARDENED}h`
  const origin = parseKeyOrigin(text ?? (depth === 3 ? standard : ''))
  if (!origin)
    throw refused(
      'The key has no origin. Write it as [fingerprint/86h/0h/0h]xpub…, or enter the fingerprint of the master key.',
    )
  return origin
}

/** Returns the derivation steps from the account key to receiving addresses, or null for change addresses and hardened steps. */
function chainOf(suffix: string): number[] | null {
  const steps = suffix.replace('<0;1>', '0').split('/').slice(1)
  if (steps.length === 0) return [0]
  if (steps.pop() !== '*' || steps.some((step) => !/^\d{1,9}$/.test(step))) return null
  return steps.join() === '1' ? null : steps.map(Number)
}

const along = ({ kind, key, origin }: AccountKey, steps: readonly number[]): AccountKey => ({
  kind,
  key: steps.reduce((at, step) => at.deriveChild(step), key),
  origin: { ...origin, path: [...origin.path, ...steps] },
})

function accountOf(account: AccountKey, index: number, network: AddressNetwork): Account {
  const { kind, key, origin } = along(account, [index])
  return {
    address: addressOfScript(scriptOfPublicKey(key.publicKey!, kind), network)!,
    publicKey: bytesToHex(key.publicKey!),
    origin: formatKeyOrigin(origin),
  }
}

/**
 * Returns the two addresses at `index`: ordinals from the first taproot key, payments from the first other key, or from the taproot key
 * without one. Throws WalletRefused without a taproot key.
 */
export function accountsFrom(keys: readonly AccountKey[], index: number, network: AddressNetwork): Accounts {
  const ordinals = keys.find((key) => key.kind === 'p2tr')
  if (!ordinals)
    throw refused('No taproot key found. Inscriptions need a taproot address: add the BIP-86 key (86h).')
  const payment = keys.find((key) => key.kind !== 'p2tr') ?? ordinals
  return { ordinals: accountOf(ordinals, index, network), payment: accountOf(payment, index, network) }
}

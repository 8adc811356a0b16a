import { BbqrReader } from '@ordbook/bitcoin/bbqr.ts'
import { concatBytes } from '@ordbook/bitcoin/bytes.ts'
import { CborReader } from '@ordbook/bitcoin/cbor-reader.ts'
import { formatKeyOrigin, HARDENED } from '@ordbook/bitcoin/key-origin.ts'
import { sha256 } from '@ordbook/bitcoin/keys.ts'
import { UrReader } from '@ordbook/bitcoin/ur.ts'
import { createBase58check } from '@scure/base'
import { WalletRefused } from '../errors.ts'

/** UR types of an account (BCR-2020-015, BCR-2023-019). */
const ACCOUNT_TYPES = ['crypto-account', 'account-descriptor']
/** Output tags and their descriptor functions (BCR-2020-010). */
const FORMS: Record<number, string> = { 400: 'sh', 404: 'wpkh', 409: 'tr' }
const MAX_KEYS = 50
const base58 = createBase58check(sha256)

/** A plain-text code: a descriptor, an extended public key, or JSON. */
const PLAIN = /^(?:(?:tr|wpkh|sh)\(|\[[0-9a-f]{8}\/|[xyztuv]pub|\s*\{)/i

/**
 * Decodes the QR codes of an account to text for `readAccountKeys`: `ur:crypto-account`, `ur:account-descriptor`, BBQr of text or JSON, or
 * plain text.
 */
export class AccountCodes {
  private readonly bbqr = new BbqrReader('JU')
  private readonly ur = new UrReader(ACCOUNT_TYPES)
  private last: BbqrReader | UrReader = this.ur
  private plain: string | null = null

  get seen(): number {
    return this.plain === null ? this.last.seen : 1
  }
  get count(): number {
    return this.plain === null ? this.last.count : 1
  }

  /** Adds a code. Returns false if it is not an account code. */
  take(code: string): boolean {
    const reader = [this.bbqr, this.ur].find((candidate) => candidate.take(code))
    this.last = reader ?? this.last
    this.plain = !reader && PLAIN.test(code) ? code : null
    return reader !== undefined || this.plain !== null
  }

  /** Returns the encoded account, or null until all codes are scanned. Rejects with WalletRefused if they are damaged. */
  async text(): Promise<string | null> {
    if (this.plain !== null) return this.plain
    try {
      if (this.last === this.ur) {
        const message = this.ur.message()
        return message && descriptorsOf(message).join('\n')
      }
      const file = await this.last.bytes()
      return file && new TextDecoder('utf-8', { fatal: true }).decode(file)
    } catch {
      throw new WalletRefused('These codes are damaged, or do not contain an account. Scan them again.')
    }
  }
}

/** Decodes pasted codes, one per line. Returns other text unchanged. Rejects with WalletRefused. */
export async function accountTextIn(pasted: string): Promise<string> {
  const lines = pasted.trim().split(/\s+/)
  if (!/^(ur:|B\$)/i.test(lines[0]!)) return pasted
  const codes = new AccountCodes()
  for (const line of lines)
    if (!codes.take(line))
      throw new WalletRefused('This is not an account code. Export the account as ur:crypto-account or BBQr.')
  const text = await codes.text()
  if (text === null)
    throw new WalletRefused(`${codes.seen} of ${codes.count} codes found. Paste all of them.`)
  return text
}

/** Returns the descriptors of an account in CBOR. Skips unsupported forms and outputs with several keys. */
function descriptorsOf(message: Uint8Array): string[] {
  const reader = new CborReader(message)
  reader.tag()
  const descriptors: string[] = []
  for (const key of keysOf(reader)) {
    if (key !== 2) reader.skip()
    else
      for (let left = countOf(reader.array()); left > 0; left--) {
        const descriptor = outputOf(reader)
        if (descriptor) descriptors.push(descriptor)
      }
  }
  return descriptors
}

/** Reads an output of an account. Returns null for unsupported forms. */
function outputOf(reader: CborReader): string | null {
  const forms: (string | undefined)[] = []
  for (let tag = reader.tag(); tag !== null && forms.length < 10; tag = reader.tag()) {
    if (tag === 40308) return describedOutput(reader)
    if (tag === 308) continue
    if (tag === 303) return wrapped(hdKeyOf(reader), forms)
    forms.push(FORMS[tag])
  }
  reader.skip()
  return null
}

const wrapped = (key: string, forms: readonly (string | undefined)[]) =>
  ['tr', 'wpkh', 'sh,wpkh'].includes(forms.join())
    ? `${forms.join('(')}(${key}${')'.repeat(forms.length)}`
    : null

/** Reads an output with its keys in a separate list (BCR-2023-010). */
function describedOutput(reader: CborReader): string | null {
  let source = ''
  const keys: string[] = []
  for (const key of keysOf(reader)) {
    if (key === 1) source = reader.text()
    else if (key !== 2) reader.skip()
    else
      for (let left = countOf(reader.array()); left > 0; left--) {
        if (reader.tag() !== 40303) return null
        keys.push(hdKeyOf(reader))
      }
  }
  return keys.length === 1 ? source.replace('@0', () => keys[0]!) : null
}

/** Reads an extended public key (BCR-2020-007) in descriptor format, with its origin. */
function hdKeyOf(reader: CborReader): string {
  let keyData = new Uint8Array()
  let chainCode = new Uint8Array()
  let isTest = false
  let parent = 0
  let origin = { path: [] as number[], fingerprint: 0 }
  for (const key of keysOf(reader)) {
    if (key === 2 && reader.scalar() === true) throw new RangeError('a private key')
    else if (key === 3) keyData = reader.byteString().slice()
    else if (key === 4) chainCode = reader.byteString().slice()
    else if (key === 5) isTest = isTestNetwork(reader)
    else if (key === 6) origin = keyPathOf(reader)
    else if (key === 8) parent = reader.uint32()
    else if (key !== 2) reader.skip()
  }
  if (keyData.length !== 33 || chainCode.length !== 32) throw new RangeError('no extended key')
  const header = new DataView(new ArrayBuffer(13))
  header.setUint32(0, isTest ? 0x043587cf : 0x0488b21e)
  header.setUint8(4, origin.path.length)
  header.setUint32(5, parent)
  header.setUint32(9, origin.path.at(-1) ?? 0)
  const extended = base58.encode(concatBytes(new Uint8Array(header.buffer), chainCode, keyData))
  return `[${formatKeyOrigin(origin)}]${extended}`
}

/** Reads the network of a key (tag 305, 40305). */
function isTestNetwork(reader: CborReader): boolean {
  reader.tag()
  let network = 0
  for (const key of keysOf(reader)) {
    if (key === 2) network = reader.uint32()
    else reader.skip()
  }
  return network !== 0
}

/** Reads the path of a key from its master key (tag 304, 40304). Each number is followed by its hardened flag. */
function keyPathOf(reader: CborReader): { path: number[]; fingerprint: number } {
  reader.tag()
  const path: number[] = []
  let fingerprint = 0
  for (const key of keysOf(reader)) {
    if (key === 2) fingerprint = reader.uint32()
    else if (key !== 1) reader.skip()
    else
      for (let left = countOf(reader.array()) / 2; left > 0; left--) {
        const step = reader.uint32()
        path.push(step + (reader.scalar() === true ? HARDENED : 0))
      }
  }
  return { path, fingerprint }
}

function* keysOf(reader: CborReader): Generator<number> {
  for (let left = countOf(reader.map()); left > 0; left--) yield reader.uint32()
}

function countOf(count: number | null): number {
  if (count === null || count > MAX_KEYS) throw new RangeError('too many entries')
  return count
}

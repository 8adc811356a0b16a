import type { KeySpend } from '@ordbook/bitcoin/address.ts'
import { hasChecksum } from '@ordbook/bitcoin/descriptor-checksum.ts'
import { extendedKeyOf } from '@ordbook/sdk/hd-wallet.ts'
import { NETWORK, TEST_NETWORK, WIF } from '@scure/btc-signer'
import { Failure } from '../failure.ts'

export interface KeyOfAddress {
  kind: KeySpend['kind']
  key: Uint8Array
}

const FORMS: readonly [RegExp, KeySpend['kind']][] = [
  [/^tr\(([^(),]+)\)$/, 'p2tr'],
  [/^wpkh\(([^(),]+)\)$/, 'p2wpkh'],
  [/^sh\(wpkh\(([^(),]+)\)\)$/, 'p2sh-p2wpkh'],
]

/**
 * Parses a descriptor with a private key: `tr(KEY)`, `wpkh(KEY)` or `sh(wpkh(KEY))`. KEY is a WIF or an extended private key; its path can
 * end in `/*` for the first address. Throws Failure without the key in its message.
 */
export function keyOfDescriptor(text: string, isMainnet: boolean): KeyOfAddress {
  const [descriptor = '', checksum, ...more] = text.trim().split('#')
  if (more.length > 0 || (checksum !== undefined && !hasChecksum(text.trim())))
    throw new Failure('bad-descriptor', 'a descriptor has a wrong checksum')
  for (const [form, kind] of FORMS) {
    const inner = form.exec(descriptor)?.[1]
    if (inner !== undefined) return { kind, key: privateKeyOf(inner, isMainnet) }
  }
  throw new Failure(
    'bad-descriptor',
    'unsupported descriptor: expected tr(KEY), wpkh(KEY) or sh(wpkh(KEY)) with a single key',
  )
}

function privateKeyOf(text: string, isMainnet: boolean): Uint8Array {
  const [root = '', ...steps] = text.replace(/^\[[^\]]*\]/, '').split('/')
  try {
    if (!/^[xt]prv/.test(root)) {
      if (steps.length > 0) throw new Error('a path')
      return WIF(isMainnet ? NETWORK : TEST_NETWORK).decode(root)
    }
    const path = steps.map((step) => (step === '*' ? '0' : step.replace(/[hH]$/, "'")))
    return extendedKeyOf(root, isMainnet).derive(['m', ...path].join('/')).privateKey!
  } catch {
    throw new Failure(
      'bad-descriptor',
      `a descriptor has no private key for ${isMainnet ? 'mainnet' : 'a test network'}: expected a WIF, or an extended private key with its path`,
    )
  }
}

import { HDKey } from '@scure/bip32'
import { Transaction } from '@scure/btc-signer'
import { RawPSBTV0 } from '@scure/btc-signer/psbt.js'
import { describe, expect, it } from 'vitest'
import { keySpendOf, scriptOfPublicKey } from './address.ts'
import { base64OfBytes, bytesOfBase64 } from './bytes.ts'
import { formatKeyOrigin, parseKeyOrigin, withKeyOrigins } from './key-origin.ts'
import { toXOnly, xOnlyKeyOf } from './keys.ts'
import { decodePsbt, psbtOf, signaturesFrom, unsignedTransactionOf } from './psbt.ts'
import { SIGHASH } from './sighash.ts'
import { signatureTrouble } from './signature-trouble.ts'
import type { Layout } from './trade/layout.ts'
import { buildPassthrough } from './trade/passthrough.ts'

const master = HDKey.fromMasterSeed(new Uint8Array(32).fill(7))
const key = (path: string) => {
  const { publicKey, privateKey } = master.derive(path)
  const text = `${master.fingerprint.toString(16).padStart(8, '0')}${path.slice(1).replaceAll("'", 'h')}`
  return { publicKey: publicKey!, privateKey: privateKey!, origin: parseKeyOrigin(text)! }
}
const own = (path: string, kind: 'p2tr' | 'p2wpkh' | 'p2sh-p2wpkh') => {
  const { publicKey, origin } = key(path)
  return { publicKey, origin, script: scriptOfPublicKey(publicKey, kind) }
}
const ordinals = own("m/86'/1'/0'/0/0", 'p2tr')
const OTHERS = {
  p2wpkh: own("m/84'/1'/0'/0/3", 'p2wpkh'),
  'p2sh-p2wpkh': own("m/49'/1'/0'/0/3", 'p2sh-p2wpkh'),
}
const stranger = scriptOfPublicKey(key("m/1'").publicKey, 'p2wpkh')

const coin = (script: Uint8Array, vout: number) => ({
  txid: '11'.repeat(32),
  vout,
  valueSats: 10_000,
  script,
})

function layoutOf(payment: (typeof OTHERS)[keyof typeof OTHERS], form: 'wallet' | 'published'): Layout {
  const seller = keySpendOf(ordinals.script, ordinals.publicKey)
  const escrow = buildPassthrough(seller, xOnlyKeyOf(new Uint8Array(32).fill(9)), form)
  return {
    version: 2,
    inputs: [
      { role: 'escrow', signer: 'seller', coin: coin(escrow.script, 0), spend: { by: 'escrow', ...escrow } },
      {
        role: 'payment',
        signer: 'seller',
        coin: coin(payment.script, 1),
        spend: { by: 'key', ...keySpendOf(payment.script, payment.publicKey) },
      },
      {
        role: 'inscription',
        signer: 'seller',
        coin: coin(ordinals.script, 2),
        spend: { by: 'key', ...seller },
      },
    ],
    outputs: [
      { role: 'payout', valueSats: 9_000, script: payment.script },
      { role: 'recovery', valueSats: 9_000, script: ordinals.script },
      { role: 'service', valueSats: 9_000, script: stranger },
    ],
  }
}

it('parses key origins', () => {
  for (const text of ['d34db33f', 'd34db33f/86h/0h/0h/0/7', '00000001/2147483647h'])
    expect(formatKeyOrigin(parseKeyOrigin(text)!)).toBe(text)
  expect(parseKeyOrigin("D34DB33F/86'/1H")).toEqual(parseKeyOrigin('d34db33f/86h/1h'))
  for (const text of [
    '',
    'm/86h',
    'd34db33',
    'd34db33f/',
    'd34db33f/x',
    'd34db33f/2147483648',
    'd34db33f/-1',
  ])
    expect(parseKeyOrigin(text), text).toBeNull()
  expect(parseKeyOrigin(`d34db33f${'/0'.repeat(11)}`)).toBeNull()
})

describe.each(Object.entries(OTHERS))('withKeyOrigins, with payments from %s', (_, payment) => {
  it("adds origins to the wallet's inputs and outputs", () => {
    const layout = layoutOf(payment, 'wallet')
    const plain = psbtOf(layout, { indexes: [0, 1, 2] })
    const described = withKeyOrigins(plain, [ordinals, payment])
    expect(unsignedTransactionOf(described)).toEqual(unsignedTransactionOf(plain))
    const { inputs, outputs } = decodePsbt(described)
    const leafKey = toXOnly(ordinals.publicKey)
    const escrow = layout.inputs[0]!.spend as { leafHash: Uint8Array }
    expect(inputs[0]!.tapBip32Derivation).toEqual([
      [leafKey, { hashes: [escrow.leafHash], der: ordinals.origin }],
    ])
    expect(inputs[0]!.tapInternalKey).toBeUndefined()
    expect(inputs[1]!.bip32Derivation).toEqual([[payment.publicKey, payment.origin]])
    expect(inputs[2]!.tapBip32Derivation).toEqual([[leafKey, { hashes: [], der: ordinals.origin }]])
    expect(outputs[0]!.bip32Derivation).toEqual([[payment.publicKey, payment.origin]])
    expect(outputs[1]!.tapBip32Derivation).toEqual([[leafKey, { hashes: [], der: ordinals.origin }]])
    expect(outputs[2]).toEqual({})
  })

  it('lets a wallet sign with its master key', () => {
    const layout = layoutOf(payment, 'wallet')
    const indexes = [0, 1, 2]
    const psbt = Transaction.fromPSBT(
      bytesOfBase64(withKeyOrigins(psbtOf(layout, { indexes }), [ordinals, payment]))!,
      { allowUnknownInputs: true, disableScriptCheck: true },
    )
    psbt.sign(master as unknown as Parameters<Transaction['sign']>[0])
    const signed = base64OfBytes(psbt.toPSBT(0))
    expect([...signaturesFrom(signed, layout, { indexes }).keys()]).toEqual(indexes)
    expect(signatureTrouble(signed, psbtOf(layout, { indexes }), indexes)).toBeNull()
  })
})

it('adds no origin for a tweaked key', () => {
  const psbt = withKeyOrigins(psbtOf(layoutOf(OTHERS.p2wpkh, 'published'), { indexes: [0] }), [ordinals])
  expect(decodePsbt(psbt).inputs[0]!.tapBip32Derivation).toBeUndefined()
})

it('returns the PSBT unchanged if no key matches', () => {
  const psbt = psbtOf(layoutOf(OTHERS.p2wpkh, 'wallet'), { indexes: [0] })
  expect(withKeyOrigins(psbt, [])).toBe(psbt)
  const other = own("m/84'/1'/0'/0/4", 'p2wpkh')
  expect(withKeyOrigins(psbt, [other])).toBe(psbt)
})

describe('signatureTrouble', () => {
  const layout = layoutOf(OTHERS.p2wpkh, 'wallet')
  const request = { indexes: [0], sighash: SIGHASH.SINGLE_ANYONECANPAY }
  const sent = psbtOf(layout, request)
  const signedWith = (change: (signature: Uint8Array) => Uint8Array) => {
    const psbt = Transaction.fromPSBT(bytesOfBase64(sent)!, {
      allowUnknownInputs: true,
      disableScriptCheck: true,
    })
    psbt.signIdx(key("m/86'/1'/0'/0/0").privateKey, 0, [SIGHASH.SINGLE_ANYONECANPAY])
    const raw = decodePsbt(base64OfBytes(psbt.toPSBT(0)))
    const [[at, signature]] = raw.inputs[0]!.tapScriptSig as [[never, Uint8Array]]
    raw.inputs[0]!.tapScriptSig = [[at, change(signature).slice()]]
    return base64OfBytes(RawPSBTV0.encode(raw))
  }

  it('explains invalid ANYONECANPAY signatures', () => {
    expect(
      signatureTrouble(
        signedWith((signature) => signature),
        sent,
        [0],
      ),
    ).toBeNull()
    const wrong = signedWith((signature) => signature.with(5, signature[5]! ^ 1))
    expect(signatureTrouble(wrong, sent, [0])).toMatch(/input 0 is not valid. Hardware wallets .* embit/)
    expect(() => signaturesFrom(wrong, layout, request)).toThrow(/embit/)
  })

  it('reports unsigned inputs', () => {
    expect(signatureTrouble(sent, sent, [0])).toBe('input 0 is not signed')
    const other = psbtOf({ ...layout, version: 3 }, request)
    expect(signatureTrouble(other, sent, [0])).toMatch(/differs from the one to sign/)
    const none = signedWith((signature) => signature.with(64, SIGHASH.SINGLE))
    expect(signatureTrouble(none, sent, [0])).toBe('the signature of input 0 is not valid')
  })
})

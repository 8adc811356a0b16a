import { RawPSBTV0 } from '@scure/btc-signer/psbt.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { keySpendOf, scriptOfPublicKey } from '../address.ts'
import { base64OfBytes, bytesOfBase64, concatBytes, equalBytes } from '../bytes.ts'
import { publicKeyOf, signEcdsa, signSchnorr, tweakPrivateKey, xOnlyKeyOf } from '../keys.ts'
import { psbtOf, signaturesFrom } from '../psbt.ts'
import { SIGHASH } from '../sighash.ts'
import { assertExecutable } from './executable.ts'
import { type Coin, type Layout, type LayoutInput, sighashOf } from './layout.ts'
import { buildPassthrough } from './passthrough.ts'

const key = (n: number) => new Uint8Array(32).fill(n)
const OWNER = key(1)
const FORMS = ['published', 'wallet'] as const
const KINDS = ['p2wpkh', 'p2sh-p2wpkh', 'p2tr'] as const
const coin = (n: number, script: Uint8Array): Coin => ({
  txid: n.toString(16).padStart(64, '0'),
  vout: n,
  valueSats: 10_000 + n,
  script,
})

/** A settlement with all kinds of payments and escrow coins. */
const layout: Layout = (() => {
  const seller = keySpendOf(scriptOfPublicKey(publicKeyOf(OWNER), 'p2tr'), publicKeyOf(OWNER))
  const payments = KINDS.map((kind, n): LayoutInput => {
    const script = scriptOfPublicKey(publicKeyOf(OWNER), kind)
    const spend = { by: 'key', ...keySpendOf(script, publicKeyOf(OWNER)) } as const
    return { role: 'payment', coin: coin(n, script), signer: 'buyer', spend }
  })
  const escrows = FORMS.map((form, n): LayoutInput => {
    const escrow = buildPassthrough(seller, xOnlyKeyOf(key(8)), form)
    const spend = { by: 'escrow', ...escrow } as const
    return { role: 'escrow', coin: coin(10 + n, escrow.script), signer: 'seller', spend }
  })
  const inputs = [...payments, ...escrows]
  const script = scriptOfPublicKey(publicKeyOf(OWNER), 'p2tr')
  return {
    version: 2,
    inputs,
    outputs: inputs.map(() => ({ role: 'payout', valueSats: 7000, script })),
  }
})()
const ESCROW = KINDS.length

function sign(index: number, type?: number): Uint8Array {
  const { spend } = layout.inputs[index]!
  if (spend.by === 'key' && spend.kind !== 'p2tr')
    return concatBytes(signEcdsa(sighashOf(layout, index, SIGHASH.ALL), OWNER), Uint8Array.of(SIGHASH.ALL))
  const sighash = type ?? SIGHASH.DEFAULT
  const tweaked = spend.by !== 'escrow' || spend.form === 'published'
  const signature = signSchnorr(sighashOf(layout, index, sighash), tweaked ? tweakPrivateKey(OWNER) : OWNER)
  return sighash === SIGHASH.DEFAULT ? signature : concatBytes(signature, Uint8Array.of(sighash))
}

/** Returns a PSBT with the signature in its field or final witness. Throws if invalid. */
function returned(index: number, signed: Uint8Array, final: boolean): string {
  const signature = new Uint8Array(signed)
  const psbt = RawPSBTV0.decode(bytesOfBase64(psbtOf(layout, { indexes: [index] }))!)
  const { spend } = layout.inputs[index]!
  const input = psbt.inputs[index]!
  if (spend.by === 'escrow')
    input.tapScriptSig = [
      [{ pubKey: new Uint8Array(spend.sellerKey), leafHash: new Uint8Array(spend.leafHash) }, signature],
    ]
  else if (spend.by !== 'key') throw new Error('unreachable')
  else if (final)
    input.finalScriptWitness =
      spend.kind === 'p2tr' ? [signature] : [signature, new Uint8Array(spend.publicKey)]
  else if (spend.kind === 'p2tr') input.tapKeySig = signature
  else input.partialSig = [[new Uint8Array(spend.publicKey), signature]]
  return base64OfBytes(RawPSBTV0.encode(psbt))
}

const request = (index: number, sighash?: number) => ({
  indexes: [index],
  ...(sighash === undefined ? {} : { sighash }),
})

const damage = fc.oneof(
  fc.record({ how: fc.constant('insert'), at: fc.nat(), byte: fc.integer({ min: 0, max: 255 }) }),
  fc.record({ how: fc.constant('append'), at: fc.nat(), byte: fc.integer({ min: 0, max: 255 }) }),
  fc.record({ how: fc.constant('flip'), at: fc.nat(), byte: fc.integer({ min: 1, max: 255 }) }),
  fc.record({ how: fc.constant('remove'), at: fc.nat(), byte: fc.constant(0) }),
)

function damaged(bytes: Uint8Array, { how, at, byte }: { how: string; at: number; byte: number }) {
  const place = at % bytes.length
  if (how === 'append') return concatBytes(bytes, Uint8Array.of(byte))
  if (how === 'insert') return concatBytes(bytes.slice(0, place), Uint8Array.of(byte), bytes.slice(place))
  if (how === 'remove') return concatBytes(bytes.slice(0, place), bytes.slice(place + 1))
  return bytes.map((value, i) => (i === place ? value ^ byte : value))
}

describe('signaturesFrom', () => {
  it('returns valid signatures', () => {
    for (const index of layout.inputs.keys())
      for (const final of [false, true]) {
        const signatures = signaturesFrom(returned(index, sign(index), final), layout, request(index))
        expect(signatures.get(index)).toEqual(sign(index))
      }
    for (const n of FORMS.keys()) {
      const leg = sign(ESCROW + n, SIGHASH.SINGLE_ANYONECANPAY)
      const legRequest = request(ESCROW + n, SIGHASH.SINGLE_ANYONECANPAY)
      expect(signaturesFrom(returned(ESCROW + n, leg, false), layout, legRequest).get(ESCROW + n)).toEqual(
        leg,
      )
    }
  })

  it('rejects an altered signature', () => {
    const cases = fc.record({
      index: fc.nat({ max: layout.inputs.length - 1 }),
      final: fc.boolean(),
      typed: fc.boolean(),
      change: damage,
    })
    fc.assert(
      fc.property(cases, ({ index, final, typed, change }) => {
        const type = typed ? SIGHASH.ALL : undefined
        const good = sign(index, type)
        const bad = damaged(good, change)
        if (equalBytes(good, bad)) return
        const sighash = index >= ESCROW ? (type ?? SIGHASH.DEFAULT) : undefined
        expect(() => signaturesFrom(returned(index, bad, final), layout, request(index, sighash))).toThrow()
      }),
      { numRuns: 500 },
    )
  })

  it('rejects bytes before the sighash byte', () => {
    for (const extra of [1, 2, 5000]) {
      const junk = concatBytes(sign(2), new Uint8Array(extra), Uint8Array.of(SIGHASH.ALL))
      const all = concatBytes(sign(2, SIGHASH.ALL).slice(0, 64), new Uint8Array(extra), Uint8Array.of(1))
      for (const bad of [junk, all])
        expect(() => signaturesFrom(returned(2, bad, true), layout, request(2))).toThrow(
          /expected 64, or 65 with a sighash byte/,
        )
    }
  })

  it('assertExecutable rejects an invalid signature', () => {
    const other = scriptOfPublicKey(publicKeyOf(key(3)), 'p2tr')
    const { spend } = layout.inputs[ESCROW]!
    const otherCoin: Layout = {
      ...layout,
      inputs: [{ ...layout.inputs[ESCROW]!, coin: coin(9, other) }],
    }
    if (spend.by !== 'escrow') throw new Error('unreachable')
    const signature = signSchnorr(sighashOf(otherCoin, 0, SIGHASH.DEFAULT), tweakPrivateKey(OWNER))
    expect(() => assertExecutable(otherCoin, 0, signature)).toThrow(/Witness program hash mismatch/)
  })
})

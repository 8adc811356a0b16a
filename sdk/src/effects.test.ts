import { keySpendOf, p2trScript } from '@ordbook/bitcoin/address.ts'
import { hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { psbtOf } from '@ordbook/bitcoin/psbt.ts'
import type { Layout } from '@ordbook/bitcoin/trade/layout.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { demoWallets } from './demo-wallets.ts'
import { effectsOf } from './effects.ts'
import { CheckFailed } from './errors.ts'

const { first: wallet } = demoWallets('regtest')
const OWN = { ordinals: wallet.ordinalsScript, payment: wallet.paymentScript }
const OTHER = p2trScript(hexToBytes('79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'))
type Place = 'ordinals' | 'payment' | 'other'
interface Part {
  place: Place
  sats: number
}

const scriptAt = (place: Place) => (place === 'other' ? OTHER : OWN[place])
const spendAt = (place: Place) =>
  place === 'payment'
    ? keySpendOf(OWN.payment, hexToBytes(wallet.paymentPublicKey))
    : place === 'ordinals'
      ? keySpendOf(OWN.ordinals, hexToBytes(wallet.ordinalsPublicKey))
      : { kind: 'p2tr' as const, publicKey: OTHER.slice(2), internalKey: null, redeemScript: null }
const txidOf = (n: number) => n.toString(16).padStart(64, '0')

/** A PSBT that spends coins into outputs; the wallet signs input 0. */
function stepOf(from: readonly Part[], to: readonly Part[], sigHash?: number) {
  const layout: Layout = {
    version: 2,
    inputs: from.map(({ place, sats }, n) => ({
      role: 'payment',
      signer: 'buyer',
      coin: { txid: txidOf(n + 1), vout: n, valueSats: sats, script: scriptAt(place) },
      spend: { by: 'key', ...spendAt(place) },
    })),
    outputs: to.map(({ place, sats }) => ({ role: 'payout', valueSats: sats, script: scriptAt(place) })),
  }
  const inputsToSign = [{ signingIndexes: [0], ...(sigHash === undefined ? {} : { sigHash }) }]
  return { psbtBase64: psbtOf(layout, { indexes: [0] }), inputsToSign }
}
const located = (input: number, offset: number) =>
  new Map([[`${txidOf(input + 1)}:${input}`, [{ inscriptionId: 'it', offset }]]])
const part = fc.record({
  place: fc.constantFrom<Place>('ordinals', 'payment', 'other'),
  sats: fc.integer({ min: 600, max: 5000 }),
})

describe('effectsOf', () => {
  it('lists an inscription that leaves', () => {
    const step = stepOf([{ place: 'ordinals', sats: 10_000 }], [{ place: 'other', sats: 9_000 }])
    const effects = effectsOf(wallet, step, located(0, 0))
    expect(effects).toMatchObject({ leaves: ['it'], arrives: [], netSats: 0, feeSats: 1_000, isOpen: false })
    expect(effects.outputs).toMatchObject([{ own: null, inscriptionIds: ['it'] }])
    expect(effects.inputs).toMatchObject([{ own: 'ordinals', signed: true, inscriptionIds: ['it'] }])
  })

  it('locates an inscription for the next transaction', () => {
    const to: Part[] = [
      { place: 'payment', sats: 1_000 },
      { place: 'other', sats: 9_000 },
    ]
    const { txid, located: found } = effectsOf(
      wallet,
      stepOf([{ place: 'ordinals', sats: 10_000 }], to),
      located(0, 1_234),
    )
    expect([...found]).toEqual([[`${txid}:1`, [{ inscriptionId: 'it', offset: 234 }]]])
  })

  it('returns the cost of a purchase', () => {
    const from: Part[] = [
      { place: 'other', sats: 1_000 },
      { place: 'payment', sats: 50_000 },
    ]
    const to: Part[] = [
      { place: 'ordinals', sats: 1_000 },
      { place: 'other', sats: 30_000 },
      { place: 'payment', sats: 19_500 },
    ]
    const effects = effectsOf(wallet, stepOf(from, to), located(0, 999))
    expect(effects).toMatchObject({ leaves: [], arrives: ['it'], netSats: -30_500, feeSats: 500 })
  })

  it('lists an inscription that moves into the fee', () => {
    const from: Part[] = [{ place: 'ordinals', sats: 2_000 }]
    const onOutput = effectsOf(wallet, stepOf(from, [{ place: 'ordinals', sats: 1_500 }]), located(0, 1_499))
    expect(onOutput.leaves).toEqual([])
    const inFee = effectsOf(wallet, stepOf(from, [{ place: 'ordinals', sats: 1_500 }]), located(0, 1_500))
    expect(inFee.leaves).toEqual(['it'])
    const toOther = stepOf(from, [
      { place: 'ordinals', sats: 1_000 },
      { place: 'other', sats: 1_000 },
    ])
    expect(effectsOf(wallet, toOther, located(0, 1_000)).leaves).toEqual(['it'])
  })

  it('returns isOpen for partial sighashes', () => {
    const parts: [Part[], Part[]] = [[{ place: 'payment', sats: 2_000 }], [{ place: 'other', sats: 1_000 }]]
    for (const sigHash of [undefined, 0, 1])
      expect(effectsOf(wallet, stepOf(...parts, sigHash), new Map())).toMatchObject({
        isOpen: false,
        feeSats: 1_000,
      })
    for (const sigHash of [2, 3, 0x81, 0x82, 0x83])
      expect(effectsOf(wallet, stepOf(...parts, sigHash), new Map())).toMatchObject({
        isOpen: true,
        feeSats: null,
      })
  })

  it('returns the payment for a leg', () => {
    const parts: [Part[], Part[]] = [[{ place: 'other', sats: 10_000 }], [{ place: 'payment', sats: 60_000 }]]
    const effects = effectsOf(wallet, stepOf(...parts, 0x83), located(0, 0))
    expect(effects).toMatchObject({ leaves: ['it'], arrives: [], netSats: 60_000, isOpen: true })
  })

  it('balances inputs and outputs', () => {
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 1, maxLength: 4 }),
        fc.array(part, { minLength: 1, maxLength: 4 }),
        fc.nat(),
        fc.nat(),
        (from, to, pick, at) => {
          const sum = (parts: readonly Part[]) => parts.reduce((total, { sats }) => total + sats, 0)
          fc.pre(sum(to) <= sum(from))
          const input = pick % from.length
          const offset = at % from[input]!.sats
          const effects = effectsOf(wallet, stepOf(from, to), located(input, offset))
          // One entry per sat: sats move first in, first out.
          const owners = to.flatMap(({ place, sats }) => Array<Place>(sats).fill(place))
          const end = owners[sum(from.slice(0, input)) + offset] ?? 'other'
          const wasOwn = from[input]!.place !== 'other'
          expect(effects.leaves).toEqual(wasOwn && end === 'other' ? ['it'] : [])
          expect(effects.arrives).toEqual(!wasOwn && end !== 'other' ? ['it'] : [])
          expect(effects.feeSats).toBe(sum(from) - sum(to))
          const plain = (pieces: typeof effects.outputs) =>
            sum(
              pieces
                .filter(({ own, inscriptionIds }) => own && inscriptionIds.length === 0)
                .map(({ valueSats }) => ({ place: 'other', sats: valueSats })),
            )
          expect(effects.netSats).toBe(plain(effects.outputs) - plain(effects.inputs))
        },
      ),
    )
  })

  it('throws CheckFailed for an invalid PSBT', () => {
    for (const psbtBase64 of ['', 'cHNidP8=', 'not base64'])
      expect(() => effectsOf(wallet, { psbtBase64, inputsToSign: [] }, new Map())).toThrow(CheckFailed)
  })
})

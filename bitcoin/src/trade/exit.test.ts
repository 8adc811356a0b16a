import { describe, expect, it } from 'vitest'
import { keySpendOf, scriptOfPublicKey } from '../address.ts'
import type { BitcoinError } from '../errors.ts'
import { publicKeyOf, sha256, xOnlyKeyOf } from '../keys.ts'
import { buildExit, type EscrowCoin } from './exit.ts'
import { type Coin, feeOfLayout, signedVsizeOf } from './layout.ts'
import { buildPassthrough, type EscrowForm } from './passthrough.ts'

const keyOf = (name: string) => sha256(new TextEncoder().encode(name))
const KINDS = ['p2wpkh', 'p2tr', 'p2sh-p2wpkh'] as const
const OWNER = scriptOfPublicKey(publicKeyOf(keyOf('owner')), 'p2tr')
const owner = keySpendOf(OWNER, publicKeyOf(keyOf('owner')))
const marketKey = xOnlyKeyOf(keyOf('cosign'))
const coin = (n: number, valueSats: number, script: Uint8Array): Coin => ({
  txid: n.toString(16).padStart(64, '0'),
  vout: 0,
  valueSats,
  script,
})
const escrowOf = (form: EscrowForm, valueSats = 10_000): EscrowCoin => ({
  coin: coin(1, valueSats, buildPassthrough(owner, marketKey, form).script),
  form,
  marketKey,
})
function payerOf(kind: (typeof KINDS)[number], valueSats = 50_000) {
  const script = scriptOfPublicKey(publicKeyOf(keyOf('owner pays')), kind)
  return {
    payments: [coin(2, valueSats, script)],
    payer: keySpendOf(script, publicKeyOf(keyOf('owner pays'))),
    changeScript: script,
  }
}
const codeOf = (build: () => unknown) => {
  try {
    build()
    return null
  } catch (error) {
    return (error as BitcoinError).code
  }
}

describe('buildExit', () => {
  it('builds transactions of the measured size', () => {
    const sizesOf = (form: EscrowForm) => [
      ...KINDS.map((kind) => {
        const { layout, vsize, feeSats } = buildExit({
          escrows: [escrowOf(form)],
          owner,
          from: payerOf(kind),
          feeRateSatVb: 2,
        })
        expect(signedVsizeOf(layout)).toBe(vsize)
        expect(feeOfLayout(layout)).toBe(feeSats)
        expect(feeSats).toBe(2 * vsize)
        return vsize
      }),
      buildExit({ escrows: [escrowOf(form)], owner, from: null, feeRateSatVb: 2 }).vsize,
    ]
    expect(sizesOf('wallet')).toEqual([236, 237, 260, 137])
    expect(sizesOf('published')).toEqual([210, 212, 234, 111])
  })

  it('returns each coin whole', () => {
    const escrows = [escrowOf('wallet'), { ...escrowOf('published', 600) }, escrowOf('wallet', 330)]
    for (const [n, each] of escrows.entries()) each.coin.txid = `${n}`.repeat(64)
    const { layout, changeSats, feeSats } = buildExit({
      escrows,
      owner,
      from: payerOf('p2wpkh'),
      feeRateSatVb: 3,
    })
    expect(layout.outputs.map(({ role, valueSats, script }) => [role, valueSats, script])).toEqual([
      ['recovery', 10_000, OWNER],
      ['recovery', 600, OWNER],
      ['recovery', 330, OWNER],
      ['change', 50_000 - feeSats, payerOf('p2wpkh').changeScript],
    ])
    expect(changeSats).toBe(50_000 - feeSats)
    expect(new Set(layout.inputs.map((input) => input.signer))).toEqual(new Set(['seller']))
  })

  it('deducts the fee from the coin', () => {
    const alone = (valueSats: number, leastSats?: number) =>
      buildExit({
        escrows: [escrowOf('wallet', valueSats)],
        owner,
        from: null,
        feeRateSatVb: 2,
        ...(leastSats ? { leastSats } : {}),
      })
    expect(alone(604).layout.outputs).toMatchObject([{ valueSats: 330, script: OWNER }])
    expect(codeOf(() => alone(603))).toBe('payout-too-small')
    expect(codeOf(() => alone(1000, 726))).toBeNull()
    expect(codeOf(() => alone(1000, 727))).toBe('payout-too-small')
  })

  it('rejects coins of another market', () => {
    const leave = (escrow: EscrowCoin, valueSats = 50_000) =>
      codeOf(() => buildExit({ escrows: [escrow], owner, from: payerOf('p2tr', valueSats), feeRateSatVb: 2 }))
    expect(leave({ ...escrowOf('wallet'), form: 'published' })).toBe('key-mismatch')
    expect(leave({ ...escrowOf('wallet'), marketKey: xOnlyKeyOf(keyOf('another')) })).toBe('key-mismatch')
    expect(leave(escrowOf('wallet'), 300)).toBe('coins-insufficient')
  })
})

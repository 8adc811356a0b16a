import { MAX_SATS } from '@ordbook/bitcoin/sats.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CheckFailed } from '../errors.ts'
import { LocalWallet } from '../wallet.ts'
import { assertOffsetInside, demandDetail, minNet } from './answer-checks.ts'
import { chosenOf, marketOf, networkOf } from './facts.ts'
import { assertGeneration } from './listing.ts'

const key = (byte: number) => new Uint8Array(32).fill(byte)
const owner = new LocalWallet(
  { ordinals: key(1), payment: key(2) },
  { network: 'regtest', paymentKind: 'p2wpkh' },
)
const marketAddress = new LocalWallet(
  { ordinals: key(3), payment: key(4) },
  { network: 'regtest', paymentKind: 'p2wpkh' },
).ordinalsAddress
const KEY = '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'

describe('marketOf', () => {
  it('parses keys of 32 bytes', () => {
    expect(marketOf(owner, { cosignKey: KEY, guardianKey: KEY, marketAddress }).cosignKey).toHaveLength(32)
  })

  // `DROP 1` after the key would end the leaf, so that anyone could spend the coin.
  it.each([`${KEY}7551`, KEY.slice(2), `02${KEY}`, '', 'x'.repeat(64)])('throws for the key %j', (other) => {
    for (const name of ['cosignKey', 'guardianKey'])
      expect(() =>
        marketOf(owner, { cosignKey: KEY, guardianKey: KEY, marketAddress, [name]: other }),
      ).toThrow(CheckFailed)
  })
})

describe('chosenOf', () => {
  const coin = (n: number, valueSats = 1000) => ({ txid: 'ab'.repeat(32), vout: n, valueSats })
  const offered = [coin(0), coin(1), coin(2)]

  it('returns the offered coins', () => {
    expect(chosenOf(owner, offered, [coin(2), coin(0)])).toEqual([
      { ...coin(2), script: owner.paymentScript },
      { ...coin(0), script: owner.paymentScript },
    ])
  })

  it.each([
    ['another coin', [coin(3)]],
    ['a coin twice', [coin(1), coin(1)]],
    ['a coin with another value', [coin(1, 999)]],
  ])('throws for %s', (_, selected) => {
    expect(() => chosenOf(owner, offered, selected)).toThrow(CheckFailed)
  })
})

describe('assertOffsetInside', () => {
  it('rejects offsets outside the coin', () => {
    const inside = (offset: number) => () =>
      assertOffsetInside({ txid: 'ab'.repeat(32), vout: 0, valueSats: 546, offset }, 'it')
    for (const offset of [0, 545]) expect(inside(offset)).not.toThrow()
    for (const offset of [-1, 546, 0.5, Number.NaN, Number.POSITIVE_INFINITY])
      expect(inside(offset), String(offset)).toThrow(CheckFailed)
  })
})

describe('price split', () => {
  const anySats = fc.integer({ min: 0, max: 1_000_000_000 })
  const agreed = { inscriptionId: 'it', priceSats: 2_000_000_000, valueSats: 10_000 }
  const splits = fc
    .tuple(anySats, anySats, anySats, anySats)
    .map(([sellerFee, buyerFee, sellerRoyalty, buyerRoyalty]) => ({
      priceSats: agreed.priceSats,
      inscriptionUtxoValueSats: agreed.valueSats,
      sellerMarketplaceFeeSats: sellerFee,
      buyerMarketplaceFeeSats: buyerFee,
      sellerCreatorRoyaltySats: sellerRoyalty,
      buyerCreatorRoyaltySats: buyerRoyalty,
      sellerReceiveSats: agreed.priceSats - sellerFee - sellerRoyalty,
      buyerPayTotalSats: agreed.priceSats + buyerFee + buyerRoyalty,
      marketplaceRevenueSats: sellerFee + buyerFee,
      creatorRevenueSats: sellerRoyalty + buyerRoyalty,
    }))

  it('rejects amounts that do not add up', () => {
    fc.assert(
      fc.property(splits, fc.nat(), fc.integer({ min: -1000, max: 1000 }), (split, pick, off) => {
        demandDetail(split, agreed)
        fc.pre(off !== 0)
        const names = Object.keys(split) as (keyof typeof split)[]
        const name = names[pick % names.length]!
        const wrong = { ...split, [name]: split[name] + off }
        expect(() => demandDetail(wrong, agreed), name).toThrow(CheckFailed)
      }),
    )
  })

  it('minNet deducts the maximum fees', () => {
    expect(minNet(10_000, { maxFeeBps: 250 })).toBe(9_750)
    expect(minNet(10_000, { maxFeeBps: 250, maxFeeSats: 249 })).toBe(9_750)
    expect(minNet(10_000, { maxFeeBps: 250, maxFeeSats: 700 })).toBe(9_300)
    expect(minNet(39, { maxFeeBps: 250 })).toBe(39)
    expect(minNet(MAX_SATS, { maxFeeBps: 10_000 })).toBe(0)
    expect(minNet(MAX_SATS, { maxFeeBps: 1 })).toBe(MAX_SATS - MAX_SATS / 10_000)
  })
})

it('assertGeneration limits the distance to the last generation', () => {
  expect(assertGeneration('i0', 0)).toBe(0)
  expect(assertGeneration('i0', 9_999)).toBe(9_999)
  expect(assertGeneration('i0', 15_000, 5_000)).toBe(15_000)
  for (const [generation, last] of [
    [10_000, undefined],
    [2_147_483_645, undefined],
    [15_001, 5_000],
    [5_000, 5_000],
    [4_999, 5_000],
  ] as const)
    expect(() => assertGeneration('i0', generation, last), `${generation}`).toThrow(CheckFailed)
})

it('detects the network of an address', () => {
  expect(networkOf('bc1qxyz')).toBe('mainnet')
  expect(networkOf('BC1QXYZ')).toBe('mainnet')
  expect(networkOf('bcrt1qxyz')).toBe('regtest')
  expect(networkOf('tb1qxyz')).toBe('testnet')
})

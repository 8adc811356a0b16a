import { describe, expect, it } from 'vitest'
import { type ExternalSale, type Settling, salesIn, sighashesOf, type Transfer } from './external-sale.ts'

const script = (n: number) => Uint8Array.of(0x51, 0x20, ...new Uint8Array(32).fill(n))
const [SELLER, BUYER, PAYOUT, OTHER, MARKET] = [1, 2, 3, 4, 5].map(script) as Uint8Array[] as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
]
const taproot = (sighash: number) => [new Uint8Array(sighash === 0 ? 64 : 65).fill(sighash)]
const der = (sighash: number) => Uint8Array.of(0x30, 68, ...new Uint8Array(68).fill(9), sighash)
type In = { script: Uint8Array; valueSats: number; witness?: Uint8Array[]; scriptSig?: Uint8Array }
const settling = (inputs: In[], outputs: [Uint8Array, number][]): Settling => ({
  tx: {
    inputs: inputs.map(({ witness = taproot(0), scriptSig = new Uint8Array() }) => ({
      txid: '00'.repeat(32),
      vout: 0,
      sequence: 0,
      scriptSig,
      witness,
    })),
    outputs: outputs.map(([script, valueSats]) => ({ script, valueSats })),
  },
  prevouts: inputs.map(({ script, valueSats }) => ({ script, valueSats })),
})
const transfer = (n: number, inputIndex: number, toScript: Uint8Array): Transfer => ({
  inscriptionId: `${String(n).padStart(64, '0')}i0`,
  sequence: n,
  inputIndex,
  toScript,
})
const brief = (sales: ExternalSale[]) =>
  sales.map(({ inscriptionId, priceSats, rule, confidence }) => [
    Number(inscriptionId.slice(0, 64)),
    priceSats,
    rule,
    confidence,
  ])
const pay = (valueSats: number): In => ({ script: BUYER, valueSats })
const sold = (valueSats: number, more: Partial<In> = {}): In => ({
  script: SELLER,
  valueSats,
  witness: taproot(131),
  ...more,
})

describe('a payout that the seller signed alone', () => {
  it.each([
    ['taproot', sold(10_000)],
    ['segwit', sold(10_000, { witness: [der(131), new Uint8Array(33).fill(2)] })],
    [
      'nested or legacy',
      sold(10_000, {
        witness: [],
        scriptSig: Uint8Array.of(71, ...der(131), 33, ...new Uint8Array(33).fill(2)),
      }),
    ],
    [
      'two of two, where a marketplace signs the whole',
      sold(10_000, { witness: [taproot(0)[0]!, taproot(131)[0]!, new Uint8Array(70), new Uint8Array(33)] }),
    ],
  ])('is a sale: padded, %s', (_what, coin) => {
    const tx = settling(
      [pay(600), pay(600), coin, pay(90_000)],
      [
        [BUYER, 1200],
        [BUYER, 10_000],
        [PAYOUT, 60_000],
        [MARKET, 1000],
        [BUYER, 20_000],
      ],
    )
    const sales = salesIn(tx, [transfer(7, 2, BUYER)])
    expect(brief(sales)).toEqual([[7, 50_000, 'signature', 'high']])
    expect(sales[0]).toMatchObject({ sellerScript: SELLER, buyerScript: BUYER })
  })

  it('is one sale for each seller of a sweep, also where one sells twice', () => {
    const tx = settling(
      [pay(1800), sold(546), sold(10_000, { script: OTHER }), sold(546), pay(200_000)],
      [
        [BUYER, 12_892],
        [PAYOUT, 30_546],
        [OTHER, 50_000],
        [PAYOUT, 20_546],
        [BUYER, 98_000],
      ],
    )
    expect(brief(salesIn(tx, [transfer(1, 1, BUYER), transfer(2, 2, BUYER), transfer(3, 3, BUYER)]))).toEqual(
      [
        [1, 30_000, 'signature', 'high'],
        [2, 40_000, 'signature', 'high'],
        [3, 20_000, 'signature', 'high'],
      ],
    )
  })

  it('is one sale for a coin with several inscriptions, by the first', () => {
    const tx = settling(
      [pay(600), sold(10_000), pay(90_000)],
      [
        [BUYER, 10_600],
        [PAYOUT, 60_000],
        [BUYER, 25_000],
      ],
    )
    expect(brief(salesIn(tx, [transfer(9, 1, BUYER), transfer(8, 1, BUYER)]))).toEqual([
      [8, 50_000, 'signature', 'high'],
    ])
  })

  it.each([
    ['to themselves', transfer(1, 0, SELLER), [SELLER, 60_000]],
    ['for less than the coin', transfer(1, 0, BUYER), [PAYOUT, 9_000]],
    ['whose payout the receiver gets', transfer(1, 0, BUYER), [BUYER, 60_000]],
  ] as [string, Transfer, [Uint8Array, number]][])('is none when it goes %s', (_what, moved, payout) => {
    expect(salesIn(settling([sold(10_000), pay(90_000)], [payout, [BUYER, 30_000]]), [moved])).toEqual([])
  })

  it('is none without an output at its place', () => {
    const tx = settling([pay(90_000), sold(10_000)], [[BUYER, 99_000]])
    expect(salesIn(tx, [transfer(1, 1, BUYER)])).toEqual([])
  })
})

describe('an address that gains', () => {
  const trade = (outputs: [Uint8Array, number][], sold = 1) =>
    settling(
      [...Array.from({ length: sold }, () => ({ script: SELLER, valueSats: 10_000 })), pay(200_000)],
      outputs,
    )

  it('has sold, when it signed the whole', () => {
    const tx = trade([
      [BUYER, 10_000],
      [SELLER, 70_000],
      [BUYER, 120_000],
    ])
    expect(brief(salesIn(tx, [transfer(1, 0, BUYER)]))).toEqual([[1, 60_000, 'gain', 'medium']])
  })

  it('shares what it gained among what it sold, to the sat', () => {
    const tx = trade(
      [
        [BUYER, 30_000],
        [SELLER, 80_002],
        [BUYER, 120_000],
      ],
      3,
    )
    expect(brief(salesIn(tx, [transfer(1, 0, BUYER), transfer(2, 1, BUYER), transfer(3, 2, BUYER)]))).toEqual(
      [
        [1, 16_668, 'gain', 'low'],
        [2, 16_667, 'gain', 'low'],
        [3, 16_667, 'gain', 'low'],
      ],
    )
  })

  it('has not, when it gave away, split its coin, or only got its change', () => {
    expect(
      salesIn(
        trade([
          [BUYER, 10_000],
          [BUYER, 199_000],
        ]),
        [transfer(1, 0, BUYER)],
      ),
    ).toEqual([])
    expect(
      salesIn(
        settling(
          [{ script: SELLER, valueSats: 100_000 }],
          [
            [BUYER, 10_000],
            [SELLER, 89_000],
          ],
        ),
        [transfer(1, 0, BUYER)],
      ),
    ).toEqual([])
  })
})

it('reads sighash types and nothing else', () => {
  expect(
    sighashesOf({ witness: [...taproot(0), ...taproot(131), der(1)], scriptSig: new Uint8Array() }),
  ).toEqual([0, 131, 1])
  expect(sighashesOf({ witness: [new Uint8Array(33), new Uint8Array(300)], scriptSig: der(131) })).toEqual([])
  expect(sighashesOf({ witness: [], scriptSig: Uint8Array.of(0x6a, 0x4c, 5) })).toEqual([])
})

import { describe, expect, it } from 'vitest'
import { type ExternalSale, type Settling, salesIn, type Transfer } from './external-sale.ts'

const script = (n: number) => Uint8Array.of(0x51, 0x20, ...new Uint8Array(32).fill(n))
const [SELLER, BUYER, PAYOUT, OTHER, MARKET] = [1, 2, 3, 4, 5].map(script) as Uint8Array[] as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
]
const taproot = (sighash: number) => [new Uint8Array(sighash === 0 ? 64 : 65).fill(sighash)]
const KEY = new Uint8Array(33).fill(2)
const P2WPKH = Uint8Array.of(0x00, 0x14, ...new Uint8Array(20).fill(6))
const P2SH = Uint8Array.of(0xa9, 0x14, ...new Uint8Array(20).fill(7), 0x87)
const P2PKH = Uint8Array.of(0x76, 0xa9, 0x14, ...new Uint8Array(20).fill(8), 0x88, 0xac)
const X_ONLY = Uint8Array.of(0x20, ...new Uint8Array(32).fill(3))
const TWO_OF_TWO = Uint8Array.of(...X_ONLY, 0xad, ...X_ONLY, 0xac)
const P2WSH = Uint8Array.of(0x00, 0x20, ...new Uint8Array(32).fill(4))
const HASH_LOCK = Uint8Array.of(0xa8, 0x20, ...new Uint8Array(32), 0x87)
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

describe('sales with a payout signature', () => {
  it.each([
    ['taproot', sold(10_000)],
    ['segwit', sold(10_000, { script: P2WPKH, witness: [der(131), KEY] })],
    [
      'nested',
      sold(10_000, { script: P2SH, witness: [der(131), KEY], scriptSig: Uint8Array.of(22, ...P2WPKH) }),
    ],
    [
      'legacy',
      sold(10_000, {
        script: P2PKH,
        witness: [],
        scriptSig: Uint8Array.of(71, ...der(131), 33, ...KEY),
      }),
    ],
    [
      'two of two, and a marketplace signs the whole transaction',
      sold(10_000, {
        witness: [taproot(0)[0]!, taproot(131)[0]!, TWO_OF_TWO, Uint8Array.of(0xc0, ...new Uint8Array(32))],
      }),
    ],
  ])('finds a sale with padding inputs: %s', (_what, coin) => {
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
    expect(sales[0]).toMatchObject({ sellerScript: coin.script, buyerScript: BUYER })
  })

  it('finds each sale of a sweep', () => {
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

  it('reports one sale per coin', () => {
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
    ['to the seller', transfer(1, 0, SELLER), [SELLER, 60_000]],
    ['for less than the coin', transfer(1, 0, BUYER), [PAYOUT, 9_000]],
    ['to the recipient of the payout', transfer(1, 0, BUYER), [BUYER, 60_000]],
  ] as [string, Transfer, [Uint8Array, number]][])('ignores a transfer %s', (_what, moved, payout) => {
    expect(salesIn(settling([sold(10_000), pay(90_000)], [payout, [BUYER, 30_000]]), [moved])).toEqual([])
  })

  it('ignores a signature without a matching output', () => {
    const tx = settling([pay(90_000), sold(10_000)], [[BUYER, 99_000]])
    expect(salesIn(tx, [transfer(1, 1, BUYER)])).toEqual([])
  })
})

describe('bytes that look like a payout signature', () => {
  const lookalike = Uint8Array.of(...new Uint8Array(64).fill(5), 0x83)
  it.each([
    ['a control block of a leaf without signature checks', { witness: [Uint8Array.of(0x51), lookalike] }],
    [
      'an element that a leaf drops',
      { witness: [lookalike, Uint8Array.of(0x75, 0x51), Uint8Array.of(0xc0, ...new Uint8Array(32))] },
    ],
    [
      'an element of a leaf with an undefined version',
      { witness: [lookalike, Uint8Array.of(...X_ONLY, 0xac), Uint8Array.of(0xc2, ...new Uint8Array(32))] },
    ],
    ['a preimage of a witness script', { script: P2WSH, witness: [lookalike, HASH_LOCK] }],
    [
      'a signature that a witness script can accept as invalid',
      { script: P2WSH, witness: [der(131), Uint8Array.of(33, ...KEY, 0xac, 0x91)] },
    ],
  ] as [string, Partial<In>][])('ignores %s', (_what, more) => {
    const tx = settling(
      [sold(10_000, more), pay(500_000)],
      [
        [PAYOUT, 310_000],
        [BUYER, 199_000],
      ],
    )
    expect(salesIn(tx, [transfer(1, 0, BUYER)])).toEqual([])
  })
})

describe('funding of a sale', () => {
  const PAYER = script(9)
  const fundingOf = (inputs: In[], outputs: [Uint8Array, number][], to: Uint8Array) =>
    salesIn(settling(inputs, outputs), [transfer(1, 0, to)]).map((sale) => sale.funding)
  const coin = { script: SELLER, valueSats: 10_000 }

  it('returns buyer if the recipient pays', () => {
    const outputs: [Uint8Array, number][] = [
      [BUYER, 10_000],
      [SELLER, 70_000],
      [BUYER, 120_000],
    ]
    expect(fundingOf([coin, pay(200_000)], outputs, BUYER)).toEqual(['buyer'])
  })

  it('returns change if another payer gets change', () => {
    const outputs: [Uint8Array, number][] = [
      [BUYER, 10_000],
      [SELLER, 70_000],
      [PAYER, 120_000],
    ]
    expect(fundingOf([coin, { script: PAYER, valueSats: 200_000 }], outputs, BUYER)).toEqual(['change'])
  })

  it.each([
    [
      'a consolidation at the address while the inscription moves to a cold wallet',
      [
        [OTHER, 10_000],
        [SELLER, 498_500],
      ],
    ],
    [
      'a loan, or a service that buys the inscription',
      [
        [MARKET, 10_000],
        [SELLER, 400_000],
        [PAYOUT, 90_000],
      ],
    ],
  ] as [string, [Uint8Array, number][]][])('returns unknown for %s', (_what, outputs) => {
    expect(fundingOf([coin, { script: PAYER, valueSats: 500_000 }], outputs, outputs[0]![0])).toEqual([
      'unknown',
    ])
  })
})

describe('sales without a payout signature', () => {
  const trade = (outputs: [Uint8Array, number][], sold = 1) =>
    settling(
      [...Array.from({ length: sold }, () => ({ script: SELLER, valueSats: 10_000 })), pay(200_000)],
      outputs,
    )

  it('finds a sale by the gain of the seller', () => {
    const tx = trade([
      [BUYER, 10_000],
      [SELLER, 70_000],
      [BUYER, 120_000],
    ])
    expect(brief(salesIn(tx, [transfer(1, 0, BUYER)]))).toEqual([[1, 60_000, 'gain', 'medium']])
  })

  it('splits the gain among the inscriptions', () => {
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

  it('ignores a gift', () => {
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

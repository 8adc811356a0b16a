import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { keySpendOf, scriptOfPublicKey } from '../address.ts'
import { publicKeyOf, sha256, xOnlyKeyOf } from '../keys.ts'
import { buildCounterAcceptance, type CounterTerms } from './counter.ts'
import { buildExit } from './exit.ts'
import { type Coin, type Layout, signedVsizeOf } from './layout.ts'
import { ANCHOR_SATS, buildMove, buildReclaim, buildTransfer, escrowCoinOf } from './listing.ts'
import type { EscrowForm } from './passthrough.ts'
import { buildPurchase, type PurchaseTerms } from './purchase.ts'

const KINDS = ['p2wpkh', 'p2tr', 'p2sh-p2wpkh'] as const
type Kind = (typeof KINDS)[number]
const publicKey = (name: string) => publicKeyOf(sha256(new TextEncoder().encode(name)))
const scriptOf = (name: string, kind: Kind) => scriptOfPublicKey(publicKey(name), kind)
const spendOf = (name: string, kind: Kind) => keySpendOf(scriptOf(name, kind), publicKey(name))
let coinCount = 0
const coin = (valueSats: number, script: Uint8Array): Coin => ({
  txid: (++coinCount).toString(16).padStart(64, '0'),
  vout: 0,
  valueSats,
  script,
})
const MARKET = scriptOf('market', 'p2tr')
const anchors = (count: number) => Array.from({ length: count }, () => coin(ANCHOR_SATS, MARKET))

const counterTerms = (escrowForm: EscrowForm): CounterTerms => ({
  inscriptionCoin: coin(10_000, scriptOf('seller', 'p2tr')),
  seller: spendOf('seller', 'p2tr'),
  marketKey: xOnlyKeyOf(sha256(Uint8Array.of(1))),
  escrowForm,
  movedTo: null,
  generation: 0,
  anchor: coin(ANCHOR_SATS, MARKET),
  recoveryCoin: coin(ANCHOR_SATS, MARKET),
  market: spendOf('market', 'p2tr'),
  payoutSats: 60_000,
  payoutScript: scriptOf('seller is paid', 'p2wpkh'),
  marketplaceRevenueSats: 1000,
  marketScript: MARKET,
  royalty: null,
  buyerScript: scriptOf('buyer', 'p2tr'),
})

function purchaseTerms(
  form: EscrowForm,
  count: number,
  kind: Kind,
  feeCoins: 'tail' | 'pads',
): PurchaseTerms {
  const items = Array.from({ length: count }, () => ({
    terms: counterTerms(form),
    transferConfirmed: false,
    marketplaceRevenueSats: 1000,
    royalty: null,
  }))
  const script = scriptOf('payer', kind)
  return {
    items,
    payments: [coin(5_000_000, script)],
    payer: spendOf('payer', kind),
    buyerScript: scriptOf('buyer', 'p2tr'),
    changeScript: script,
    market: spendOf('market', 'p2tr'),
    marketScript: MARKET,
    feeCoins:
      feeCoins === 'tail'
        ? { by: 'tail', tail: coin(1_000_000, MARKET) }
        : { by: 'pads', pads: anchors(count + 1) },
    feeRateSatVb: 2,
    donationScript: null,
  }
}

function exact(form: EscrowForm, kind: Kind): Layout {
  const terms = purchaseTerms(form, 1, kind, 'tail')
  const withSats = (valueSats: number) =>
    buildPurchase({ ...terms, payments: [{ ...terms.payments[0]!, valueSats }] })
  try {
    return withSats(1000).settlement
  } catch (error) {
    return withSats(1000 + (error as { facts: { missingSats: number } }).facts.missingSats).settlement
  }
}

const vsizes = (layoutOf: (kind: Kind) => Layout) =>
  KINDS.map((kind) => signedVsizeOf(layoutOf(kind))).join(' / ')

function exitOf(form: EscrowForm, kind: Kind | null): Layout {
  const terms = counterTerms(form)
  const script = scriptOf('payer', kind ?? 'p2tr')
  return buildExit({
    escrows: [{ coin: escrowCoinOf(terms), form, marketKey: terms.marketKey }],
    owner: terms.seller,
    from: kind && { payments: [coin(50_000, script)], payer: spendOf('payer', kind), changeScript: script },
    feeRateSatVb: 2,
  }).layout
}

/** Rows of the size table in docs/reference/transactions.md. */
const ROWS: readonly [row: string, size: (form: EscrowForm) => string][] = [
  ['T', (form) => `${signedVsizeOf(buildTransfer(counterTerms(form)))}`],
  ...(['tail', 'pads'] as const).flatMap((feeCoins) =>
    [1, 20].map((count): (typeof ROWS)[number] => [
      `S in layout ${feeCoins === 'tail' ? 'P' : 'D'}, N = ${count}`,
      (form) => vsizes((kind) => buildPurchase(purchaseTerms(form, count, kind, feeCoins)).settlement),
    ]),
  ),
  ['S in layout P, N = 1, least payment', (form) => vsizes((kind) => exact(form, kind))],
  [
    'S of a counter',
    (form) =>
      vsizes((kind) => {
        const script = scriptOf('payer', kind)
        const from = {
          payments: [coin(5_000_000, script)],
          payer: spendOf('payer', kind),
          changeScript: script,
        }
        return buildCounterAcceptance(counterTerms(form), from, 2).settlement
      }),
  ],
  ...[1, 2, 20].map((count): (typeof ROWS)[number] => [
    `recovery or reclaim, N = ${count}`,
    (form) =>
      `${signedVsizeOf(
        buildReclaim(
          Array.from({ length: count }, () => counterTerms(form)),
          anchors(count),
        ),
      )}`,
  ]),
  ['move to the same form', (form) => `${signedVsizeOf(buildMove([counterTerms(form)], form, anchors(1)))}`],
  ['exit, own coin and change', (form) => vsizes((kind) => exitOf(form, kind))],
  ['exit out of the coin itself', (form) => `${signedVsizeOf(exitOf(form, null))}`],
]

it('transactions match the documented sizes', () => {
  const documented = readFileSync(
    join(import.meta.dirname, '../../../docs/reference/transactions.md'),
    'utf8',
  )
    .split('\n')
    .map((line) => line.replaceAll(/ +/g, ' '))
  for (const [row, size] of ROWS)
    expect(documented).toContain(`| ${row} | ${size('published')} | ${size('wallet')} |`)
})

import { sumSats } from '@ordbook/bitcoin/sats.ts'
import { describe, expect, it } from 'vitest'
import { type Cause, entriesOf } from './ledger.ts'

const by = (
  purpose: Cause['purpose'],
  walletBindingId: string | null,
  sats: number | null = null,
): Cause => ({
  purpose,
  walletBindingId,
  orderId: null,
  sats,
})
const booked = (...args: Parameters<typeof entriesOf>) =>
  entriesOf(...args).map(({ purpose, walletBindingId, sats }) => [purpose, walletBindingId, sats])

describe('entriesOf', () => {
  it('books revenue and refunds separately', () => {
    const effect = { madeSats: 21_360, spentSats: 20_000, costSats: 0 }
    expect(booked(effect, [by('revenue', 'buyer'), by('refund', 'buyer', 660)])).toEqual([
      ['refund', 'buyer', 660],
      ['revenue', 'buyer', 700],
    ])
  })

  it('splits costs equally among all causes', () => {
    const effect = { madeSats: 0, spentSats: 1000, costSats: 0 }
    const entries = booked(effect, [by('void', 'a'), by('void', 'b'), by('void', 'c')])
    expect(entries).toEqual([
      ['void', 'a', -334],
      ['void', 'b', -333],
      ['void', 'c', -333],
    ])
  })

  it("charges a coin's creation to the wallet that uses it", () => {
    const effect = { madeSats: 0, spentSats: 330, costSats: 87 }
    expect(booked(effect, [by('transfer', 'buyer')])).toEqual([
      ['transfer', 'buyer', -330],
      ['split', null, 87],
      ['split', 'buyer', -87],
    ])
  })

  it('books an unknown transaction as funding or loss', () => {
    expect(booked({ madeSats: 5000, spentSats: 0, costSats: 0 }, [])).toEqual([['funding', null, 5000]])
    expect(booked({ madeSats: 0, spentSats: 330, costSats: 43 }, [])).toEqual([['unexplained', null, -330]])
  })

  it('entries sum to sats made minus sats spent', () => {
    const purposes = ['revenue', 'void', 'bump'] as const
    for (let n = 0; n < 2000; n++) {
      const random = (most: number) => Math.floor(Math.random() * most)
      const effect = { madeSats: random(9999), spentSats: random(9999), costSats: random(500) }
      const causes = Array.from({ length: random(5) }, () =>
        by(purposes[random(3)]!, random(2) ? `w${random(3)}` : null, random(3) ? null : random(2000)),
      )
      const sum = sumSats(entriesOf(effect, causes).map((entry) => entry.sats))
      expect(sum).toBe(effect.madeSats - effect.spentSats)
    }
  })
})

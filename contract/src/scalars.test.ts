import fc from 'fast-check'
import type { TSchema } from 'typebox'
import { Check } from 'typebox/schema'
import { describe, expect, it } from 'vitest'
import * as amounts from './amounts.ts'
import * as choices from './choices.ts'
import * as durations from './duration-schemas.ts'
import * as texts from './scalars.ts'

const { MAX_SATS } = amounts
const scalars = { ...amounts, ...choices, ...durations, ...texts }
const id = 'ab'.repeat(32)

const CASES: Record<string, { schema: TSchema; accepted: unknown[]; rejected: unknown[] }> = {
  InscriptionId: {
    schema: scalars.InscriptionId,
    accepted: [`${id}i0`, `${id}i1234567890`],
    rejected: ['', id, `${id}i`, `${id.toUpperCase()}i0`, `${id}i-1`, ` ${id}i0`, `${id}i${'0'.repeat(20)}`],
  },
  Txid: { schema: scalars.Txid, accepted: [id], rejected: ['', id.slice(1), `${id}0`, id.toUpperCase(), 7] },
  CollectionSlug: {
    schema: scalars.CollectionSlug,
    accepted: ['lamps', 'a_b-9'],
    rejected: ['', 'Lamps', 'a b', 'a/b', '../x', 'ä', 'a'.repeat(201)],
  },
  WalletPublicKey: {
    schema: scalars.WalletPublicKey,
    accepted: [id, `02${id}`, `03${id}`],
    rejected: [`04${id}`, `04${id}${id}`, `0x${id}`, id.slice(2), id.toUpperCase()],
  },
  Base64Psbt: {
    schema: scalars.Base64Psbt,
    accepted: ['cHNidP8='],
    rejected: ['', 'cHNidP8===', 'cHN idP8=', 'cHNidP8-_', 'cHN=idP8'],
  },
  SignedPsbt: {
    schema: scalars.SignedPsbt,
    accepted: ['cHNidP8=', 'cHN idP8=', 'cHNi\r\ndP8=\n'],
    rejected: ['', 'cHNidP8===', 'cHNidP8-_', 'cHN=idP8'],
  },
  OfferPriceSats: {
    schema: scalars.OfferPriceSats,
    accepted: [2000, 3000, MAX_SATS],
    rejected: [0, 1000, 1999, 2500, 2000.5, MAX_SATS + 1000, '2000', -3000],
  },
  CollectionWideOfferPriceSats: {
    schema: scalars.CollectionWideOfferPriceSats,
    accepted: [10_000, 15_000],
    rejected: [5000, 9999, 11_000, 10_000.5],
  },
  Bps: { schema: scalars.Bps, accepted: [0, 10_000], rejected: [-1, 10_001, 0.5, '100'] },
  HexString: { schema: scalars.HexString, accepted: ['51', '0'], rejected: ['', '0x51', 'GG', 'AB'] },
  ValidityHours: { schema: scalars.ValidityHours, accepted: [6, 2160], rejected: [0, 5, 7, '6', null] },
  EscrowForm: {
    schema: scalars.EscrowForm,
    accepted: ['wallet', 'published'],
    rejected: ['', 'Wallet', null],
  },
  SearchText: {
    schema: scalars.SearchText,
    accepted: ['lamp', 'ä'],
    rejected: ['', 'a\u0000b', 'x'.repeat(101)],
  },
}

describe.each(Object.entries(CASES))('%s', (_, { schema, accepted, rejected }) => {
  it.each(accepted)('accepts %j', (value) => expect(Check(schema, value)).toBe(true))
  it.each(rejected)('rejects %j', (value) => expect(Check(schema, value)).toBe(false))
})

describe('NonnegativeSats and PositiveSats', () => {
  it('accept only integers up to 21,000,000 BTC', () => {
    fc.assert(
      fc.property(fc.oneof(fc.double(), fc.integer(), fc.maxSafeInteger()), (value) => {
        const isAmount = Number.isInteger(value) && value >= 0 && value <= MAX_SATS
        expect(Check(scalars.NonnegativeSats, value)).toBe(isAmount)
        expect(Check(scalars.PositiveSats, value)).toBe(isAmount && value > 0)
      }),
    )
  })
})

it('accepts null only for nullable scalars', () => {
  expect(Check(scalars.Nullable(scalars.Txid), null)).toBe(true)
  expect(Check(scalars.Nullable(scalars.Txid), id)).toBe(true)
  expect(Check(scalars.Txid, null)).toBe(false)
  expect(Check(scalars.Nullable(scalars.Txid), undefined)).toBe(false)
})

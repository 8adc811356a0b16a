import fc from 'fast-check'
import { expect, it } from 'vitest'
import { csvOf, type OwnSale } from './sales-csv.ts'

const sale: OwnSale = {
  side: 'sold',
  soldAt: '2026-11-23T09:00:00.000Z',
  txid: 'cd'.repeat(32),
  inscriptionId: `${'ab'.repeat(32)}i0`,
  name: 'Keeper #7',
  collectionSlug: 'keepers',
  collectionName: 'Lamp Keepers',
  priceSats: 1_840_000,
  feesSats: 18_400,
  costSats: null,
  priceUsd: 1773.5,
}

/** Parses a file in which every cell is quoted. */
const cellsOf = (file: string) =>
  [...file.matchAll(/"((?:[^"]|"")*)"/g)].map((match) => match[1]!.replaceAll('""', '"'))

it('writes one line per sale', () => {
  const [head, line, end] = csvOf([sale]).split('\r\n')
  expect(cellsOf(head!)).toEqual([
    'Date (UTC)',
    'Side',
    'Item',
    'Collection',
    'Inscription',
    'Price (BTC)',
    'Fees (BTC)',
    'Cost (BTC)',
    'Price (USD)',
    'Transaction',
  ])
  expect(cellsOf(line!)).toEqual([
    '2026-11-23T09:00:00.000Z',
    'Sold',
    'Keeper #7',
    'Lamp Keepers',
    `${'ab'.repeat(32)}i0`,
    '0.01840000',
    '0.00018400',
    '',
    '1773.50',
    'cd'.repeat(32),
  ])
  expect(end).toBe('')
})

it('escapes names that look like formulas', () => {
  for (const name of ['=HYPERLINK("http://x")', '+1', '-1', '@sum', '\t=1', '\r=1', '"', 'a","b'])
    expect(cellsOf(csvOf([{ ...sale, name }]))[12]).toBe(/^["a]/.test(name) ? name : `'${name}`)
  fc.assert(
    fc.property(fc.string(), (name) => {
      const cells = cellsOf(csvOf([{ ...sale, name }]))
      expect(cells).toHaveLength(20)
      expect(cells[12]).not.toMatch(/^[=+\-@\t\r]/)
      expect(cells[12]!.endsWith(name)).toBe(true)
    }),
  )
})

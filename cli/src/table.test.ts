import { expect, it, vi } from 'vitest'
import { count, remaining } from './amounts.ts'
import { Output } from './output.ts'
import { columns, printable, shorten, table, widthOf } from './table.ts'
import { COLLECTIONS, ITEMS } from './verbs/browse.ts'
import { COMMITMENTS, HOLDINGS } from './verbs/portfolio.ts'
import { PROPOSALS } from './verbs/swap.ts'

const ID = `${'ab'.repeat(32)}i123`
const UUID = '3f2b8c1e-5d74-4a09-9c1b-0e6f7a2d4b58'
const LONG = '灯台の灯り'.repeat(40)
const SATS = count(2_100_000_000_000_000)

it.each([
  ['browse', COLLECTIONS, ['harbour-lamps-'.repeat(14), LONG, SATS, '1000000 of 1000000']],
  ['browse SLUG', ITEMS, [ID, LONG, SATS, `bc1p${'q'.repeat(58)}`]],
  ['portfolio: holdings', HOLDINGS, [ID, LONG, SATS, SATS]],
  ['portfolio: orders', COMMITMENTS, ['counter to you', UUID, LONG, SATS, SATS, '179d 23h']],
  ['swap show', PROPOSALS, [UUID, Array(20).fill(ID).join(', '), LONG, 'yes']],
])('fits 80 columns with long names and large amounts: %s', (_, layout, row) => {
  const lines = table(layout, [row, row.map(() => '-')], 80)
  expect(lines).toHaveLength(3)
  for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(80)
  expect(lines[1]).toContain('…')
  const [, wide] = table(layout, [row], null)
  for (const cell of row) expect(wide).toContain(cell)
})

it('leaves out the optional column if the others do not fit', () => {
  const row = ['counter to you', UUID, LONG, SATS, SATS, '179d 23h']
  const [head] = table(COMMITMENTS, [row], 80)
  expect(head).not.toContain('PRICE')
  expect(head).toContain('BOUND SATS')
  expect(table(COMMITMENTS, [row.with(3, '1').with(4, '1')], 80)[0]).toContain('PRICE SATS')
})

it('shortens in the middle, ids before names', () => {
  expect(shorten(ID, 13)).toBe('ababab…abi123')
  expect(shorten('Harbour Lamp #12', 13)).toBe('Harbou…mp #12')
  expect(shorten('灯台の灯り', 6)).toBe('灯…り')
  expect(shorten('👩‍👩‍👧'.repeat(5), 5)).toBe('👩‍👩‍👧…👩‍👩‍👧')
  expect(shorten('short', 13)).toBe('short')
  const row = ['listing', UUID, 'Harbour Lamp #12', '250,000', '-', '29d 23h']
  expect(table(COMMITMENTS, [row], 80)[1]).toContain('Harbour Lamp #12')
})

it('aligns wide characters', () => {
  expect(widthOf('灯台')).toBe(4)
  expect(widthOf('e\u0301')).toBe(1)
  expect(
    columns([
      ['灯', 'a'],
      ['abc', 'b'],
    ]),
  ).toEqual(['灯   a', 'abc  b'])
})

it('formats many rows', () => {
  const rows = Array<string[]>(150_000).fill(['a'])
  expect(table([{ head: 'A' }], rows, 80)).toHaveLength(150_001)
  expect(columns(rows)).toHaveLength(150_000)
})

it('replaces line breaks, control characters and invisible characters', () => {
  expect(printable('a\u001b[31mb\u009b2J\u202ec\r\nd\t')).toBe(
    'a\ufffd[31mb\ufffd2J\ufffdc\ufffd\ufffdd\ufffd',
  )
  for (const hidden of '\u2028\u2029\u200b\u00ad\ufeff\u3164\u115f\u034f\ufe0f\u200d\u{e0041}')
    expect(printable(`a${hidden}b`)).toBe('a\ufffdb')
  expect(table([{ head: 'NAME' }], [['two\nlines']], 80)).toEqual(['NAME', 'two\ufffdlines'])
})

it('keeps the joiners and selectors of emoji', () => {
  for (const emoji of ['👩‍👩‍👧', '❤️', '1️⃣']) expect(printable(`a${emoji}b`)).toBe(`a${emoji}b`)
})

it('moves the cursor only on a terminal without NO_COLOR', () => {
  const { isTTY } = process.stderr
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  try {
    for (const [isTerminal, noColor, expected] of [
      [true, '', '\r\x1b[Khalf'],
      [true, '1', 'half\n'],
      [false, '', 'half\n'],
    ] as const) {
      process.stderr.isTTY = isTerminal
      vi.stubEnv('NO_COLOR', noColor)
      vi.stubEnv('TERM', 'xterm')
      new Output(false).progress('half')
      expect(write).toHaveBeenLastCalledWith(expected)
    }
  } finally {
    write.mockRestore()
    vi.unstubAllEnvs()
    process.stderr.isTTY = isTTY
  }
})

it('formats the time until an order ends', () => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  const until = (text: string) => remaining(text, now)
  expect(until('2026-01-01T00:00:59Z')).toBe('0m')
  expect(until('2026-01-01T05:07:00Z')).toBe('5h 7m')
  expect(until('2026-01-30T23:00:00Z')).toBe('29d 23h')
  expect(until('2025-12-31T00:00:00Z')).toBe('0m')
  expect(remaining(null, now)).toBe('-')
})

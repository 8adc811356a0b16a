import type { Transaction } from '@ordbook/db/driver/connect.ts'
import type { Command } from '@ordbook/db/driver/statement.ts'
import { tagOf } from '@ordbook/db/driver/statement.ts'
import { expect, it } from 'vitest'
import { PORTION_BYTES } from '../portions.ts'
import { type BlockMove, insertMoves, saveSatChanges, writeSats } from './coin-queries.ts'

/** A script of the maximum length. */
const script = new Uint8Array(10_000).fill(0x51)
const output = { valueSats: 330, script }
const outpoint = { txid: 'ab'.repeat(32), vout: 0 }
const row = { parentId: null, levels: 1, offset: 0, first: 0, place: { outpoint, output, low: 0, high: 0 } }
const move: BlockMove = {
  height: 1,
  txid: outpoint.txid,
  transactionIndex: 1,
  from: outpoint,
  fromOutput: output,
  fromOffset: 0,
  span: 0,
  to: outpoint,
  toOutput: output,
  toOffset: 0,
  first: 0,
}
const COUNT = 1000
const many = <T>(of: (n: number) => T): T[] => Array.from({ length: COUNT }, (_, n) => of(n))

/** Returns the bytes of texts and byte arrays in a value. */
function bytesOf(value: unknown): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return value.length
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce<number>((sum, each) => sum + bytesOf(each), 0)
}

/** Returns the bytes of each statement that `write` runs. */
async function statementsOf(write: (tx: Transaction) => Promise<void>): Promise<number[]> {
  const sizes: number[] = []
  const run = async ({ values }: Command) => {
    sizes.push(bytesOf(values))
    return []
  }
  await write(Object.assign(tagOf(run), { run }))
  return sizes
}

it.each([
  [
    'insertMoves',
    (tx) =>
      insertMoves(
        tx,
        many(() => move),
      ),
  ],
  [
    'writeSats',
    (tx) =>
      writeSats(
        tx,
        many((satId) => ({ satId, row })),
      ),
  ],
  [
    'saveSatChanges',
    (tx) =>
      saveSatChanges(
        tx,
        many((satId) => ({ height: 1, satId, row })),
      ),
  ],
] satisfies [string, (tx: Transaction) => Promise<void>][])(
  '%s divides statements by bytes',
  async (_, write) => {
    const sizes = await statementsOf(write)
    expect(sizes.length).toBeGreaterThan(1)
    expect(Math.max(...sizes)).toBeLessThan(1.1 * PORTION_BYTES)
  },
)

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { inBatches, PRUNED } from './pruning.ts'

describe('pruning', () => {
  it('deletes in batches until one is not full, and ends a turn after many', async () => {
    const asked: number[] = []
    const deleting = (rows: number) => async (most: number) => {
      asked.push(most)
      const some = Math.min(most, rows)
      rows -= some
      return some
    }
    expect(await inBatches(deleting(12_000))).toBe(12_000)
    expect(asked).toEqual([5000, 5000, 5000])
    expect(await inBatches(deleting(1_000_000))).toBe(100_000)
  })

  it('is documented, and what becomes of each table', () => {
    const read = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8')
    const [about, kept] = read('../../docs/reference/retention.md').split('## Kept for good') as [
      string,
      string,
    ]
    const [pruned, others] = about.split('The follower deletes these') as [string, string]
    const rowsOf = (text: string) =>
      [...text.matchAll(/^\| (`[^|]*`) *\|/gm)].flatMap(([, cell]) =>
        [...cell!.matchAll(/`(\w+)`/g)].map(([, table]) => table!),
      )
    expect(rowsOf(pruned).sort()).toEqual(Object.keys(PRUNED).sort())
    const documented = [...rowsOf(pruned), ...rowsOf(others), ...rowsOf(kept)]
    const tables = [...read('db/schema.sql').matchAll(/^create (?:unlogged )?table (\w+)/gm)].map(
      ([, name]) => name!,
    )
    expect(documented.sort()).toEqual(tables.sort())
  })
})

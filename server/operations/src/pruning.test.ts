import { describe, expect, it } from 'vitest'
import { inBatches } from './pruning.ts'

describe('inBatches', () => {
  it('inBatches stops after a partial batch', async () => {
    const limits: number[] = []
    const deleting = (rows: number) => async (most: number) => {
      limits.push(most)
      const some = Math.min(most, rows)
      rows -= some
      return some
    }
    expect(await inBatches(deleting(12_000))).toBe(12_000)
    expect(limits).toEqual([5000, 5000, 5000])
    expect(await inBatches(deleting(1_000_000))).toBe(100_000)
  })
})

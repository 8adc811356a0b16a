import type { Sql } from '@ordbook/db/driver/connect.ts'
import type { Logger } from 'pino'
import { expect, it, vi } from 'vitest'
import type { BlockSource } from './node/source.ts'
import { SyncReport, TransactionProgress } from './sync-progress.ts'

it('counts transactions, not blocks', () => {
  const began = performance.now()
  const progress = new TransactionProgress(1000, 11_000)
  expect(progress.read()).toEqual({
    done: 1000,
    percent: 100 / 11,
    transactionsPerSecond: null,
    secondsLeft: null,
  })
  // Small blocks first, then large ones.
  for (let n = 1; n <= 100; n++) progress.add(1, began + n * 10)
  progress.add(4900, began + 10_000)
  expect(progress.read()).toMatchObject({ done: 6000, transactionsPerSecond: 500, secondsLeft: 10 })
  progress.add(6000, began + 20_000)
  expect(progress.read()).toMatchObject({ percent: 100, secondsLeft: 0 })
})

it('SyncReport.end deletes the report again after a failure', async () => {
  const sql = vi.fn().mockRejectedValueOnce(new Error('no connection')).mockResolvedValue([])
  const report = new SyncReport(sql as unknown as Sql, {} as Logger)
  await report.aim({ transactionCount: async () => 100 } as unknown as BlockSource, null, '')
  await expect(report.end()).rejects.toThrow('no connection')
  for (let step = 0; step < 2; step++) await report.end()
  expect(sql).toHaveBeenCalledTimes(2)
})

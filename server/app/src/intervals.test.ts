import { expect, it, vi } from 'vitest'
import { everyMinute } from './intervals.ts'

it('everyMinute runs failed work again in the next call', async () => {
  const work = vi.fn(async () => {})
  const run = everyMinute(work)
  work.mockRejectedValueOnce(new Error('no connection'))
  await expect(run()).rejects.toThrow('no connection')
  await run()
  await run()
  expect(work).toHaveBeenCalledTimes(2)
})

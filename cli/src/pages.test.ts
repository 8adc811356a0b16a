import { expect, it } from 'vitest'
import { readPages } from './pages.ts'

it('reads all pages of both forms', async () => {
  const nested = (from: { cursor?: string }) =>
    Promise.resolve({ rows: [from.cursor ?? 'first'], pagination: { nextCursor: from.cursor ? null : 'b' } })
  expect(await readPages(nested, ({ rows }) => rows)).toEqual(['first', 'b'])
  const flat = (from: { cursor?: string }) =>
    Promise.resolve({ rows: [from.cursor ?? 'first'], nextCursor: from.cursor ? null : 'b' })
  expect(await readPages(flat, ({ rows }) => rows)).toEqual(['first', 'b'])
})

it('ends a list without end', async () => {
  await expect(
    readPages(
      () => Promise.resolve({ nextCursor: 'again' }),
      () => [],
    ),
  ).rejects.toMatchObject({ code: 'too-many-pages' })
})

it('reads a page of many rows', async () => {
  const page = { nextCursor: null, rows: Array<number>(200_000).fill(1) }
  const rows = await readPages(
    async () => page,
    ({ rows }) => rows,
  )
  expect(rows).toHaveLength(200_000)
})

import { Failure } from './failure.ts'

const MAX_PAGES = 1000

type Page = { pagination: { nextCursor: string | null } } | { nextCursor: string | null }

/** Reads the rows of all pages. Throws Failure after 1,000 pages. */
export async function readPages<P extends Page, Row>(
  read: (from: { cursor?: string }) => Promise<P>,
  rowsOf: (page: P) => readonly Row[],
): Promise<Row[]> {
  const rows: Row[] = []
  let from: { cursor?: string } = {}
  for (let n = 0; n < MAX_PAGES; n++) {
    const page = await read(from)
    for (const row of rowsOf(page)) rows.push(row)
    const cursor = 'pagination' in page ? page.pagination.nextCursor : page.nextCursor
    if (!cursor) return rows
    from = { cursor }
  }
  throw new Failure('too-many-pages', `the market's list has no end after ${MAX_PAGES} pages`)
}

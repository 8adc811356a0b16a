import type { Queryable } from '@ordbook/db/driver/connect.ts'
import type { KeyValuesOf, Order, PageOf } from '@ordbook/db/driver/order.ts'
import type { CachedResponse, ServingContext } from '../context.ts'
import { type CursorCodec, paginationOf } from '../operations/cursor.ts'
import { earliest } from './cached-responses.ts'
import type { RawJson } from './raw-json.ts'
import { onPrimary } from './reads.ts'
import {
  BETWEEN,
  type FeedSlice,
  joinRows,
  type RenderedRow,
  type Slice,
  withoutLast,
} from './rendered-rows.ts'

type Reader = Pick<ServingContext, 'responses' | 'clock' | 'sql' | 'reads' | 'replica'>

interface Finished extends Pick<CachedResponse, 'tags'> {
  json: RawJson<object>
  /** Expiry of the page, if its rows expire at another time. */
  validUntil?: Date | null
}

/** Source of a page's rows. `Found` contains the rest of the page. */
interface Source<At, Found, Row> {
  slice(at: At): Promise<Slice & Found>
  /** Renders the rows from the tables. */
  render(at: At, from: Queryable): Promise<Row[]>
  keep(rows: readonly Row[]): Promise<void>
  /** Returns the rest of the page for rendered rows. Defaults to the slice. */
  beside?(rows: readonly Row[], at: At, from: Queryable): Promise<Partial<Found>>
}

interface RowsSource<Found> extends Source<Date, Found, RenderedRow> {
  finish(rows: string, found: Slice & Found): Finished
}

/** Returns a page without a cursor, from the cache or the database. Rethrows errors of `sourceOf`. */
export function cachedRows<Found>(
  reader: Reader,
  key: readonly unknown[],
  sourceOf: () => RowsSource<Found>,
): Promise<Buffer> {
  return reader.responses.read(key, reader.clock, async () => {
    const source = sourceOf()
    const { found } = await read(reader, source, reader.clock(), ',')
    return responseOf(found, source.finish(found.rows ?? '', found))
  })
}

interface FeedRow extends RenderedRow {
  keys: readonly unknown[]
}

type At<O extends Order> = PageOf<O> & { now: Date }
type Pagination = ReturnType<typeof paginationOf>

interface FeedSource<O extends Order, Found, Row extends FeedRow>
  extends Source<At<O>, Found & FeedSlice, Row> {
  /** Identifies the feed, its sort and filters. Part of the cache key and the cursor. */
  scope: readonly unknown[]
  order: O
  limit: number
  cursor: string | undefined
  finish(rows: string, pagination: Pagination, found: Slice & Found): Finished | Promise<Finished>
}

/** Returns a page of a feed, from the cache or the database. Throws `invalid` for a cursor of another feed. */
export async function cachedFeed<const O extends Order, Found, Row extends FeedRow>(
  reader: Reader,
  cursors: CursorCodec,
  source: FeedSource<O, Found, Row>,
): Promise<Buffer> {
  const { scope, order, limit, cursor } = source
  const after: KeyValuesOf<O> | null = cursors.decode(scope, cursor, order)
  return reader.responses.read([...scope, limit, cursor], reader.clock, async () => {
    const at = { order, after, rows: limit + 1, now: reader.clock() }
    const { found, rendered } = await read(reader, source, at, BETWEEN)
    const pagination = paginationOf(rendered?.length ?? found.rowCount, limit, () =>
      cursors.encode(scope, (rendered ? rendered[limit - 1]!.keys : found.lastKeys) as KeyValuesOf<O>),
    )
    const rows = found.rows ?? ''
    return responseOf(
      found,
      await source.finish(pagination.hasNext ? withoutLast(rows) : rows, pagination, found),
    )
  })
}

/** `rendered` is null if the stored rows were up to date. */
async function read<At, Found, Row extends RenderedRow>(
  reader: Reader,
  source: Source<At, Found, Row>,
  at: At,
  between: string,
): Promise<{ found: Slice & Found; rendered: Row[] | null }> {
  const slice = await source.slice(at)
  if (!slice.stale) return { found: slice, rendered: null }
  const { rendered, beside } = await onPrimary(reader, async (from, isPrimary) => {
    const rendered = await source.render(at, from)
    if (isPrimary) await source.keep(rendered)
    return { rendered, beside: await source.beside?.(rendered, at, from) }
  })
  const rows = joinRows(rendered, between)
  const expiresAt = earliest(...rendered.map((row) => row.expiresAt))
  return { found: { ...slice, rows, expiresAt, ...beside }, rendered }
}

const responseOf = (
  { expiresAt }: Slice,
  { json, tags, validUntil = expiresAt }: Finished,
): CachedResponse => ({
  body: Buffer.from(json.text),
  tags,
  validUntil,
})

/**
 * A rendered row is a row as the API shows it, a JSON text kept beside the row. A change of any part of it sets it to null and
 * raises the version; the next read renders it again.
 */
export interface RenderedRow {
  /** The id of the row that keeps it. */
  id: string
  /** The version of the row that it was rendered from. */
  version: number
  text: string
  /** When it stops being true by itself; null: never. */
  expiresAt: Date | null
}

/** A page as its rendered rows alone. */
export interface Slice {
  /** The texts, joined by `BETWEEN`; null when there are none. */
  rows: string | null
  /** A text is missing or has expired, so the page has to be rendered. */
  stale: boolean | null
  /** The earliest time at which a row expires; null: never. */
  expiresAt: Date | null
}

/** A page of a feed as its rendered rows alone. */
export interface FeedSlice extends Slice {
  rowCount: number
  /** The keys of the last row that the page holds, where there is one more. */
  lastKeys: unknown
}

/** No JSON text has a line break in it, so the last row can be cut off the joined text. */
export const BETWEEN = ',\n'

export const joinRows = (rows: readonly RenderedRow[], between: string) =>
  rows.map((row) => row.text).join(between)

/** Joined rows without the last one. */
export const withoutLast = (rows: string) => rows.slice(0, Math.max(0, rows.lastIndexOf(BETWEEN)))

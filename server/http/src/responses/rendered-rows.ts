/**
 * API representation of a row, stored as JSON text. Changes set it to null and increment the version. The
 * next read renders it again.
 */
export interface RenderedRow {
  id: string
  version: number
  text: string
  /** Null if the text does not expire. */
  expiresAt: Date | null
}

export interface Slice {
  /** Texts joined by `BETWEEN`; null if there are none. */
  rows: string | null
  /** True if a text is missing or expired. */
  stale: boolean | null
  expiresAt: Date | null
}

export interface FeedSlice extends Slice {
  rowCount: number
  /** Sort keys of the page's last row, if there is a next page. */
  lastKeys: unknown
}

/** Row separator. JSON text has no line breaks, so the last row can be cut off. */
export const BETWEEN = ',\n'

export const joinRows = (rows: readonly RenderedRow[], between: string) =>
  rows.map((row) => row.text).join(between)

export const withoutLast = (rows: string) => rows.slice(0, Math.max(0, rows.lastIndexOf(BETWEEN)))

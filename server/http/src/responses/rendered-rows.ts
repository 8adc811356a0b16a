/**
 * API representation of a row, as JSON text stored with the row. A change to any part of it sets the text to
 * null and increments the version; the next read renders it again.
 */
export interface RenderedRow {
  id: string
  version: number
  text: string
  /** When the text expires without a change; null for never. */
  expiresAt: Date | null
}

export interface Slice {
  /** Texts joined by `BETWEEN`; null if there are none. */
  rows: string | null
  /** True if a text is missing or expired, so the page must be rendered. */
  stale: boolean | null
  expiresAt: Date | null
}

export interface FeedSlice extends Slice {
  rowCount: number
  /** Sort keys of the page's last row, if there is a next page. */
  lastKeys: unknown
}

/** Separator of row texts. JSON text has no line breaks, so the last row can be cut off. */
export const BETWEEN = ',\n'

export const joinRows = (rows: readonly RenderedRow[], between: string) =>
  rows.map((row) => row.text).join(between)

export const withoutLast = (rows: string) => rows.slice(0, Math.max(0, rows.lastIndexOf(BETWEEN)))

/**
 * A rendered row is a row's API representation, as JSON text stored with the row. A change to any part of it sets the text to null and
 * increments the version; the next read renders it again.
 */
export interface RenderedRow {
  /** Id of the row that stores the text. */
  id: string
  /** Version of the row that was rendered. */
  version: number
  text: string
  /** When the text becomes outdated without a change; null for never. */
  expiresAt: Date | null
}

/** A page built only from rendered rows. */
export interface Slice {
  /** The texts joined by `BETWEEN`; null if there are none. */
  rows: string | null
  /** Whether a text is missing or expired, so that the page must be rendered. */
  stale: boolean | null
  /** Earliest expiry of a row; null for never. */
  expiresAt: Date | null
}

/** A page of a feed built only from rendered rows. */
export interface FeedSlice extends Slice {
  rowCount: number
  /** Sort keys of the page's last row, if there are more rows. */
  lastKeys: unknown
}

/** JSON text contains no line breaks, so the last row can be cut off the joined text. */
export const BETWEEN = ',\n'

export const joinRows = (rows: readonly RenderedRow[], between: string) =>
  rows.map((row) => row.text).join(between)

export const withoutLast = (rows: string) => rows.slice(0, Math.max(0, rows.lastIndexOf(BETWEEN)))

import { hash } from 'node:crypto'

/**
 * An exported order log has one JSON object per line. The first line describes the market. Each change
 * contains its position and the hash of the previous line. The last line contains the number of changes and
 * the hashes of the last change and of the first line. Two exports of a market have equal hashes up to the
 * shorter one.
 */
export const FORMAT = 'ordbook order log'
export const VERSION = 1

/** Maximum size of a page over HTTP. A longer line gets its own page. */
export const PAGE = { rows: 500, bytes: 256 * 1024 }

/** Returns the SHA-256 of a line in hex. */
export const hashOf = (line: string | Uint8Array): string => hash('sha256', line)

/** Returns the previous hash of the first change. */
export const startOf = (network: string): string =>
  hashOf(canonical({ format: FORMAT, version: VERSION, network }))

export const lineOf = (position: number, previous: string, change: object): string =>
  canonical({ position, previous, change })

/** Serializes JSON with sorted keys. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, each) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )
}

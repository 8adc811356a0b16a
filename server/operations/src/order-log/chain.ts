import { hash } from 'node:crypto'

/**
 * Format of an exported order log: JSON Lines. The first line has format, market, network and time. Each change has its number and the hash
 * of the previous line. The last line has the number of changes and the hashes of the last change and of the first line. The chain starts
 * from a shared prefix, so two exports of a market have the same hashes up to the shorter one.
 */
export const FORMAT = 'ordbook order log'
export const VERSION = 1

/** Maximum size of a log page over HTTP. A longer line is a page of its own size. */
export const PAGE = { rows: 500, bytes: 256 * 1024 }

/** The SHA-256 of a line in hex. */
export const hashOf = (line: string | Uint8Array): string => hash('sha256', line)

/** The hash that the first change names as the one before. */
export const startOf = (network: string): string =>
  hashOf(canonical({ format: FORMAT, version: VERSION, network }))

/** The line of a change. */
export const lineOf = (position: number, previous: string, change: object): string =>
  canonical({ position, previous, change })

/** JSON with its keys in order, so that equal values are equal texts. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, each) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )
}

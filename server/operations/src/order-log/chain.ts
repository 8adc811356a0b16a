import { hash } from 'node:crypto'

/**
 * The form of an exported order log: lines of JSON. The first names format, market, network and time; then comes a line for each
 * change, with its number and the hash of the line before; the last one holds their count, the hash of the last change and that
 * of the first line. The chain starts from what every copy shares, so two exports of a market have the same hashes as far as
 * the shorter one goes.
 */
export const FORMAT = 'ordbook order log'
export const VERSION = 1

/** The most that a page of the log holds over HTTP; a longer line is a page by itself. */
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

import { hash } from 'node:crypto'

/**
 * Format of an exported order log: JSON Lines. The first line has format, market, network and time. Each change has its number and the hash
 * of the previous line. The last line has the number of changes and the hashes of the last change and of the first line. The chain starts
 * from a shared prefix, so two exports of a market have the same hashes up to the shorter one.
 */
export const FORMAT = 'ordbook order log'
export const VERSION = 1

/** Maximum size of a page over HTTP. A longer line is a page of its size. */
export const PAGE = { rows: 500, bytes: 256 * 1024 }

/** Returns the SHA-256 of a line in hex. */
export const hashOf = (line: string | Uint8Array): string => hash('sha256', line)

/** Returns the previous hash of the first change. */
export const startOf = (network: string): string =>
  hashOf(canonical({ format: FORMAT, version: VERSION, network }))

export const lineOf = (position: number, previous: string, change: object): string =>
  canonical({ position, previous, change })

/** Serializes JSON with sorted keys, so that equal values have equal texts. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, each) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )
}

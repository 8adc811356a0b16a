import type { BaseContext } from '@ordbook/db/context.ts'

/** Context of public reads. */
export interface ServingContext extends BaseContext {
  /** In-memory cache of public reads. */
  responses: ResponseCache
}

/** A cacheable response of a public read. */
export interface CachedResponse {
  body: Buffer
  /** Tags of the data it shows: a change to any of them evicts the response. */
  tags: readonly string[]
  /** When it expires; null for never. */
  validUntil: Date | null
}

export interface ResponseCache {
  /** Returns the cached response of a key if it is valid; otherwise builds it. */
  read(key: readonly unknown[], now: () => Date, build: () => Promise<CachedResponse>): Promise<Buffer>
}

import type { BaseContext } from '@ordbook/db/context.ts'

export interface ServingContext extends BaseContext {
  responses: ResponseCache
}

export interface CachedResponse {
  body: Buffer
  /** Tags of the data in the response. A change to any of them evicts the response. */
  tags: readonly string[]
  /** Expiry; null for none. */
  validUntil: Date | null
}

export interface ResponseCache {
  /** Returns the cached response of a key, or builds it if there is no valid one. */
  read(key: readonly unknown[], now: () => Date, build: () => Promise<CachedResponse>): Promise<Buffer>
}

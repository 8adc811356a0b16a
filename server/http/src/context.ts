import type { BaseContext } from '@ordbook/db/context.ts'

export interface ServingContext extends BaseContext {
  responses: ResponseCache
}

export interface CachedResponse {
  body: Buffer
  /** A change to any of these tags evicts the response. */
  tags: readonly string[]
  /** Null if the response does not expire. */
  validUntil: Date | null
}

export interface ResponseCache {
  /** Returns the cached response, or builds it. */
  read(key: readonly unknown[], now: () => Date, build: () => Promise<CachedResponse>): Promise<Buffer>
}

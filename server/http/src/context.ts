import type { BaseContext } from '@ordbook/db/context.ts'

/** Context of public reads. */
export interface ServingContext extends BaseContext {
  /** Responses of the public reads, kept in memory. */
  responses: ResponseCache
}

/** A response of a public read that may be kept. */
export interface CachedResponse {
  body: Buffer
  /** Names of the data it shows: a change to any of it drops the response. */
  tags: readonly string[]
  /** When it expires; null: never. */
  validUntil: Date | null
}

export interface ResponseCache {
  /** The response of a key: from memory while it is valid, else built by `build`. */
  read(key: readonly unknown[], now: () => Date, build: () => Promise<CachedResponse>): Promise<Buffer>
}

import { createHash } from 'node:crypto'
import { inTransaction, type Sql } from '@ordbook/db/driver/connect.ts'
import type { Config } from '@ordbook/db/settings/config.ts'
import { canReadItsUrl, kindOf } from './kinds.ts'
import {
  deleteOldestThumbnails,
  deleteUnused,
  failAbandoned,
  findThumbnailBytes,
  insertPreviews,
  listUnqueued,
  type Unqueued,
} from './queries.ts'

/** Waits before each retry, so that a machine that was busy has time again. */
export const RETRY_MINUTES = [1, 5, 15, 60] as const
export const MAX_ATTEMPTS = 1 + RETRY_MINUTES.length
/** Items queued per run. Each body is hashed, up to 4 MB. */
const AT_ONCE = 100
/** Job interval once the queue is filled. Shorter than `quietJobsMilliseconds`, so that each quiet run includes this job. */
const PAUSE_MILLISECONDS = 8000
/** Result of a job that has more to do. */
export const UNFINISHED = 'unfinished'
const LARGEST = 1024
/** Fractions of the storage limit at which deletion starts and stops. */
const HIGH = 0.95
const LOW = 0.85

/** Inscriptions with the same thumbnail share a key. */
function contentKeyOf(unqueued: Unqueued): Uint8Array {
  const { inscriptionId, contentId, contentType, contentEncoding, bodyHash } = unqueued
  const addressKey = canReadItsUrl(kindOf(contentType)) ? inscriptionId : null
  return createHash('sha256')
    .update(JSON.stringify([contentType, contentEncoding, addressKey, bodyHash ? null : contentId]))
    .update(bodyHash ?? '')
    .digest()
}

/** Queues the next collection items without a preview. Returns their number. */
async function queuePreviews(sql: Sql, now: Date): Promise<number> {
  const found = await listUnqueued(sql, AT_ONCE)
  const queued = found.map((each) => ({
    inscriptionId: each.inscriptionId,
    contentKey: contentKeyOf(each),
    kind: kindOf(each.contentType),
  }))
  if (queued.length > 0) await inTransaction(sql, (tx) => insertPreviews(tx, queued, now))
  return queued.length
}

/**
 * Enforces the storage limit. Deletes the largest size first, oldest rendering first; pages fall back to smaller sizes. Without thumbnails
 * of the largest size, renderers get no more work (socket.ts).
 */
async function boundThumbnails(
  sql: Sql,
  { previewMegabytes }: Pick<Config, 'previewMegabytes'>,
): Promise<void> {
  const maxBytes = previewMegabytes * 2 ** 20
  let bytes = await findThumbnailBytes(sql)
  if (bytes < maxBytes * HIGH) return
  while (bytes > maxBytes * LOW) {
    const freed = await deleteOldestThumbnails(sql, LARGEST, 500)
    if (freed === 0) return
    bytes -= freed
  }
}

/** Returns the job that fills the queue, fails abandoned items and enforces the storage limit. */
export function previewJob(
  sql: Sql,
  { config, clock }: { config: Pick<Config, 'previewMegabytes' | 'previewSocket'>; clock: () => Date },
): () => Promise<typeof UNFINISHED | undefined> {
  let next = 0
  let nextDeletion = 0
  return async () => {
    if (!config.previewSocket || performance.now() < next) return undefined
    await failAbandoned(sql, MAX_ATTEMPTS, clock())
    await boundThumbnails(sql, config)
    const count = await queuePreviews(sql, clock())
    if (performance.now() > nextDeletion) {
      await deleteUnused(sql)
      nextDeletion = performance.now() + 60 * PAUSE_MILLISECONDS
    }
    if (count === AT_ONCE) return UNFINISHED
    next = performance.now() + PAUSE_MILLISECONDS
    return undefined
  }
}

import { createHash } from 'node:crypto'
import { inTransaction, type Sql } from '@ordbook/db/driver/connect.ts'
import type { Config } from '@ordbook/db/settings/config.ts'
import { kindOf, seesItsAddress } from './kinds.ts'
import {
  deleteOldestThumbnails,
  deleteUnused,
  failAbandoned,
  findThumbnailBytes,
  insertPreviews,
  listUnqueued,
  type Unqueued,
} from './queries.ts'

/** Renderings of a piece before it counts as failed. */
export const MAX_ATTEMPTS = 3
/** Items that one step of the job queues: it hashes their bytes, up to 4 MB each. */
const AT_ONCE = 100
/** While the queue is filled, and once everything is in it, in milliseconds. */
const PAUSE_MILLISECONDS = 10_000
const LARGEST = 1024
/** The share of the room at which the job begins to delete thumbnails, and at which it stops. */
const HIGH = 0.95
const LOW = 0.85

/** The key that inscriptions share if one thumbnail serves both. */
function contentKeyOf(unqueued: Unqueued): Uint8Array {
  const { inscriptionId, contentId, contentType, contentEncoding, bodyHash } = unqueued
  const own = seesItsAddress(kindOf(contentType)) ? inscriptionId : null
  return createHash('sha256')
    .update(JSON.stringify([contentType, contentEncoding, own, bodyHash ? null : contentId]))
    .update(bodyHash ?? '')
    .digest()
}

/** Queues the next items of collections that have no preview yet; gives how many. */
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
 * Keeps the thumbnails within their room: the largest go first, those rendered longest ago. Pages show smaller ones in their place. Once
 * none of the largest is left, renderers get no more work (socket.ts).
 */
async function boundThumbnails(
  sql: Sql,
  { previewMegabytes }: Pick<Config, 'previewMegabytes'>,
): Promise<void> {
  const room = previewMegabytes * 2 ** 20
  let bytes = await findThumbnailBytes(sql)
  if (bytes < room * HIGH) return
  while (bytes > room * LOW) {
    const freed = await deleteOldestThumbnails(sql, LARGEST, 500)
    if (freed === 0) return
    bytes -= freed
  }
}

/** The job of the previews: a step that fills the queue, gives up what no renderer brings back, and keeps within the room. */
export function previewJob(
  sql: Sql,
  { config, clock }: { config: Pick<Config, 'previewMegabytes' | 'previewSocket'>; clock: () => Date },
): () => Promise<void> {
  let next = 0
  let nextDeletion = 0
  return async () => {
    if (!config.previewSocket || performance.now() < next) return
    await failAbandoned(sql, MAX_ATTEMPTS, clock())
    await boundThumbnails(sql, config)
    const count = await queuePreviews(sql, clock())
    if (performance.now() > nextDeletion) {
      await deleteUnused(sql)
      nextDeletion = performance.now() + 60 * PAUSE_MILLISECONDS
    }
    if (count < AT_ONCE) next = performance.now() + PAUSE_MILLISECONDS
  }
}

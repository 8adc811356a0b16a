import type { listCollectionFloorStats } from '@ordbook/contract/collections.ts'
import type { AnswerOf } from '@ordbook/contract/operation.ts'
import { invalid } from '@ordbook/db/process/errors.ts'
import { cachedRows } from '@ordbook/http/responses/cached-feed.ts'
import { earliest } from '@ordbook/http/responses/cached-responses.ts'
import { jsonListOf, jsonOf } from '@ordbook/http/responses/raw-json.ts'
import type { Context } from '../context.ts'
import { type FloorRow, listFloors, saveRenderedFloors, sliceFloors } from './floor-queries.ts'

const MAX_SLUGS = 100

/** Returns floor statistics as JSON in the requested order. Omits unknown slugs. */
export async function listFloorStats(
  context: Pick<Context, 'sql' | 'reads' | 'replica' | 'clock' | 'time' | 'responses'>,
  slugsText: string,
): Promise<Buffer> {
  const { sql, reads, time } = context
  // The raw text is the cache key, because parsing 100 slugs is slow.
  return cachedRows(context, ['floors', slugsText], () => {
    const slugs = slugsOf(slugsText)
    return {
      slice: (now) => sliceFloors(reads, slugs, now),
      render: async (now, from) =>
        (await listFloors(from, slugs, now)).map((row) => ({
          id: row.collectionId,
          version: row.renderedVersion,
          text: JSON.stringify(renderFloor(row)),
          expiresAt: earliest(row.nextExpiryAt, row.dayAgoUntil, row.weekAgoUntil),
        })),
      // Rows depend on expiry times, so skip them while the clock is unreliable.
      keep: async (rendered) => {
        if (time.isSettled()) await saveRenderedFloors(sql, rendered)
      },
      finish: (rows, found) => {
        const collectionIds = found.collectionIds?.split(',') ?? []
        return {
          json: jsonOf<AnswerOf<typeof listCollectionFloorStats>>({ success: true, data: jsonListOf(rows) }),
          tags: [
            ...collectionIds.map((id) => `c:${id}`),
            ...(collectionIds.length < slugs.length ? ['collections'] : []),
          ],
        }
      },
    }
  })
}

function slugsOf(text: string): string[] {
  const requested = text.split(',').map((slug) => slug.trim().toLowerCase())
  if (requested.length > MAX_SLUGS)
    throw invalid('request-invalid', `slugs: at most ${MAX_SLUGS} per request, got ${requested.length}`)
  for (const slug of requested)
    if (!/^[a-z0-9_-]+$/.test(slug))
      throw invalid(
        'request-invalid',
        `slugs: ${JSON.stringify(slug)} is not a valid slug (letters, digits, - and _)`,
      )
  return [...new Set(requested)]
}

export function renderFloor(row: FloorRow): AnswerOf<typeof listCollectionFloorStats>['data'][number] {
  return {
    slug: row.slug,
    floor: row.floorSats,
    listedCount: row.listedCount,
    ownerCount: row.ownerCount,
    oneDayChange: changeOf(row.floorDayAgoSats, row.floorSats),
    sevenDayChange: changeOf(row.floorWeekAgoSats, row.floorSats),
    timestamp: row.rolledAt.toISOString(),
  }
}

/** Returns the change in percent, rounded to two decimals. */
export function changeOf(thenSats: number | null, nowSats: number | null): number | null {
  if (thenSats === null || nowSats === null) return null
  return Math.round(((nowSats - thenSats) / thenSats) * 10_000) / 100
}

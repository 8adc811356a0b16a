import type { listCollectionFloorStats } from '@ordbook/contract/collections.ts'
import type { AnswerOf } from '@ordbook/contract/operation.ts'
import type { Context } from '../context.ts'
import { invalid } from '../errors.ts'
import { earliest } from '../http/pages.ts'
import { listFloors } from './queries.ts'

const MOST_SLUGS = 100

/** Floor statistics in the requested order; unknown slugs are left out. */
export async function listFloorStats(
  { sql, clock, pages }: Pick<Context, 'sql' | 'clock' | 'pages'>,
  slugsText: string,
): Promise<Buffer> {
  const requested = slugsText.split(',').map((slug) => slug.trim().toLowerCase())
  if (requested.length > MOST_SLUGS)
    throw invalid(`slugs: at most ${MOST_SLUGS} at a time, found ${requested.length}`)
  for (const slug of requested)
    if (!/^[a-z0-9_-]+$/.test(slug))
      throw invalid(`slugs: ${JSON.stringify(slug)} is not a slug (letters, digits, - and _)`)
  const slugs = [...new Set(requested)]
  return pages.read(['floors', slugs], clock, async () => {
    const rows = await listFloors(sql, slugs, clock())
    const bySlug = new Map(rows.map((row) => [row.slug, row]))
    const answer: AnswerOf<typeof listCollectionFloorStats> = {
      success: true,
      data: slugs.flatMap((slug) => {
        const row = bySlug.get(slug)
        if (!row) return []
        return {
          slug,
          floor: row.floorSats,
          listedCount: row.listedCount,
          ownerCount: row.ownerCount,
          oneDayChange: changeOf(row.floorDayAgoSats, row.floorSats),
          sevenDayChange: changeOf(row.floorWeekAgoSats, row.floorSats),
          timestamp: row.rolledAt.toISOString(),
        }
      }),
    }
    return {
      body: Buffer.from(JSON.stringify(answer)),
      tags: [
        ...rows.map((row) => `c:${row.collectionId}`),
        ...(rows.length < slugs.length ? ['collections'] : []),
      ],
      validUntil: earliest(...rows.flatMap((row) => [row.nextExpiryAt, row.dayAgoUntil, row.weekAgoUntil])),
    }
  })
}

/** Percent from then to now, two decimals; null without both. */
function changeOf(thenSats: number | null, nowSats: number | null): number | null {
  if (thenSats === null || nowSats === null) return null
  return Math.round(((nowSats - thenSats) / thenSats) * 10_000) / 100
}

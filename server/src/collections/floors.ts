import type { listCollectionFloorStats } from '@ordbook/contract/collections.ts'
import type { AnswerOf } from '@ordbook/contract/operation.ts'
import type { Context } from '../context.ts'
import { invalid } from '../errors.ts'
import { listFloors } from './queries.ts'

const MOST_SLUGS = 100

/** Floor statistics in the requested order; unknown slugs are left out. */
export async function listFloorStats(
  { sql, clock }: Pick<Context, 'sql' | 'clock'>,
  slugsText: string,
): Promise<AnswerOf<typeof listCollectionFloorStats>> {
  const requested = slugsText.split(',').map((slug) => slug.trim().toLowerCase())
  if (requested.length > MOST_SLUGS)
    throw invalid(`slugs: at most ${MOST_SLUGS} at a time, found ${requested.length}`)
  for (const slug of requested)
    if (!/^[a-z0-9_-]+$/.test(slug))
      throw invalid(`slugs: ${JSON.stringify(slug)} is not a slug (letters, digits, - and _)`)
  const slugs = [...new Set(requested)]
  const now = clock()
  const bySlug = new Map((await listFloors(sql, slugs, now)).map((row) => [row.slug, row]))
  return {
    success: true,
    data: slugs.flatMap((slug) => {
      const row = bySlug.get(slug)
      if (!row) return []
      return [
        {
          slug,
          floor: row.floorSats,
          listedCount: row.listedCount,
          ownerCount: row.ownerCount,
          oneDayChange: changeOf(row.floorDayAgoSats, row.floorSats),
          sevenDayChange: changeOf(row.floorWeekAgoSats, row.floorSats),
          timestamp: now.toISOString(),
        },
      ]
    }),
  }
}

/** Percent from then to now, two decimals; null without both. */
function changeOf(thenSats: number | null, nowSats: number | null): number | null {
  if (thenSats === null || nowSats === null) return null
  return Math.round(((nowSats - thenSats) / thenSats) * 10_000) / 100
}

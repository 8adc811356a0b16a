import type { listCollectionFloorStats } from '@ordbook/contract/collections.ts'
import type { AnswerOf } from '@ordbook/contract/operation.ts'
import type { Context } from '../context.ts'
import type { Sql } from '../db/connect.ts'
import { earliest } from '../derived/page-cache.ts'
import { invalid } from '../errors.ts'
import { type FloorRow, listFloors, sliceFloors, writeFloorCards } from './floor-queries.ts'

const MOST_SLUGS = 100

/** Floor statistics in the requested order; unknown slugs are left out. */
export async function listFloorStats(
  { sql, reads, clock, time, pages }: Pick<Context, 'sql' | 'reads' | 'clock' | 'time' | 'pages'>,
  slugsText: string,
): Promise<Buffer> {
  const requested = slugsText.split(',').map((slug) => slug.trim().toLowerCase())
  if (requested.length > MOST_SLUGS)
    throw invalid('request-invalid', `slugs: at most ${MOST_SLUGS} at a time, found ${requested.length}`)
  for (const slug of requested)
    if (!/^[a-z0-9_-]+$/.test(slug))
      throw invalid(
        'request-invalid',
        `slugs: ${JSON.stringify(slug)} is not a slug (letters, digits, - and _)`,
      )
  const slugs = [...new Set(requested)]
  return pages.read(['floors', slugs], clock, async () => {
    const now = clock()
    const slice = await sliceFloors(reads, slugs, now)
    const { cards, validUntil } = slice.stale
      ? await renderFloors(sql, slugs, { now, keeps: time.isSettled() })
      : slice
    const ids = slice.collectionIds ?? []
    return {
      body: Buffer.from(`{"success":true,"data":[${cards ?? ''}]}`),
      tags: [...ids.map((id) => `c:${id}`), ...(ids.length < slugs.length ? ['collections'] : [])],
      validUntil,
    }
  })
}

/** The same from the rows. Its cards are kept unless the clock is in doubt: they show the book as of `now`. */
async function renderFloors(
  sql: Sql,
  slugs: readonly string[],
  { now, keeps }: { now: Date; keeps: boolean },
) {
  const rows = await listFloors(sql, slugs, now)
  const cards = rows.map((row) => ({
    id: row.collectionId,
    version: row.cardVersion,
    card: JSON.stringify(renderFloor(row)),
    until: earliest(row.nextExpiryAt, row.dayAgoUntil, row.weekAgoUntil),
  }))
  if (keeps) await writeFloorCards(sql, cards)
  return {
    cards: cards.map((each) => each.card).join(','),
    validUntil: earliest(...cards.map((each) => each.until)),
  }
}

/** The statistics of a collection as the API shows them. */
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

/** Percent from then to now, two decimals; null without both. */
function changeOf(thenSats: number | null, nowSats: number | null): number | null {
  if (thenSats === null || nowSats === null) return null
  return Math.round(((nowSats - thenSats) / thenSats) * 10_000) / 100
}

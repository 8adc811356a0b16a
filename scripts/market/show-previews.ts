import type { Sql } from '@ordbook/db/driver/connect.ts'
import type { Config } from '@ordbook/db/settings/config.ts'
import { findThumbnailBytes } from '@ordbook/site/thumbnails/queries.ts'
import { countPreviews, countRenderedSince, listFailures } from '@ordbook/site/thumbnails/report-queries.ts'

const HOUR = 3_600_000
const MAX_REASONS = 12

export async function showPreviews({ config, sql }: { config: Config; sql: Sql }): Promise<void> {
  const counts = await countPreviews(sql)
  for (const state of ['waiting', 'done', 'failed', 'impossible']) {
    const kinds = counts.filter((count) => count.state === state)
    const total = kinds.reduce((sum, { count }) => sum + count, 0)
    const parts = kinds.map(({ kind, count }) => `${count} ${kind}`).join(', ')
    console.log(`${state.padEnd(10)} ${String(total).padStart(8)}${parts && `  (${parts})`}`)
  }
  console.log(`rendered in the last hour: ${await countRenderedSince(sql, new Date(Date.now() - HOUR))}`)
  const bytes = await findThumbnailBytes(sql)
  console.log(`thumbnails: ${(bytes / 2 ** 20).toFixed(1)} MB of ${config.previewMegabytes} MB`)
  for (const { state, kind, failure, count, inscriptionId } of await listFailures(sql, MAX_REASONS))
    console.log(
      `  ${count} ${kind} ${state === 'waiting' ? 'to be retried' : state}: ${failure} (for example ${inscriptionId})`,
    )
}

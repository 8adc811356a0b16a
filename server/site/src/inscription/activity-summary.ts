import type { AnswerOf } from '@ordbook/contract/operation.ts'
import type { getActivitySummary as operation } from '@ordbook/contract/storefront/market.ts'
import type { Context } from '@ordbook/market/context.ts'
import { sumSales } from './activity-queries.ts'

const HOURS = 24
const HOUR_MILLISECONDS = 3_600_000
/** Maximum age of a cached response. */
const SUMMARY_MILLISECONDS = 30_000

/** Returns volume by hour, sales, buyers and the largest sale of the last 24 hours. */
export function getActivitySummary({
  reads,
  responses,
  clock,
}: Context): Promise<AnswerOf<typeof operation> | Buffer> {
  return responses.read(['activity-summary'], clock, async () => {
    const now = clock()
    const from = new Date(now.getTime() - HOURS * HOUR_MILLISECONDS)
    const { hours, ...sums } = await sumSales(reads, from, HOURS)
    const sats = new Map(hours.map(({ hour, volumeSats }) => [hour, volumeSats]))
    const answer: AnswerOf<typeof operation> = {
      ...sums,
      hours: Array.from({ length: HOURS }, (_, hour) => sats.get(hour) ?? 0),
    }
    return {
      body: Buffer.from(JSON.stringify(answer)),
      tags: ['sales'],
      validUntil: new Date(now.getTime() + SUMMARY_MILLISECONDS),
    }
  })
}

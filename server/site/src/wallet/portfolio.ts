import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import type { AnswerOf, QueryOf } from '@ordbook/contract/operation.ts'
import { type getPortfolioValue as operation, VALUE_POINTS } from '@ordbook/contract/storefront/values.ts'
import type { Session } from '@ordbook/http/operations/operations.ts'
import type { Context } from '@ordbook/market/context.ts'
import { scriptsOf } from '@ordbook/market/proposals/own.ts'
import { historyOf } from './portfolio-history.ts'
import { listHeldItems, listOwnTransfers, listPastValues } from './portfolio-queries.ts'

const MAX_ITEMS = 2000
const MAX_TRANSFERS = 2000
/** Maximum age of a cached response. Bounds how often the listings of a portfolio are read. */
const AGE_MILLISECONDS = 60_000
const DAY = 86_400_000

/** Returns the estimated value of the session's items over the last days. */
export async function getPortfolioValue(
  context: Context,
  session: Session,
  { days = 7 }: QueryOf<typeof operation>,
): Promise<Buffer> {
  const { reads, responses, clock } = context
  const scripts = await scriptsOf(context, session)
  const key = ['portfolio-value', scripts.map(bytesToHex), days]
  return responses.read(key, clock, async () => {
    const now = clock()
    const step = (days * DAY) / (VALUE_POINTS - 1)
    const all = Array.from(
      { length: VALUE_POINTS },
      (_, n) => new Date(now.getTime() - (VALUE_POINTS - 1 - n) * step),
    )
    const [held, transfers] = await Promise.all([
      listHeldItems(reads, scripts, MAX_ITEMS),
      listOwnTransfers(reads, { scripts, since: all[0]!, most: MAX_TRANSFERS }),
    ])
    // Earlier holdings are unknown if there are more transfers.
    const known = transfers.length < MAX_TRANSFERS ? null : transfers.at(-1)!.at
    const times = all.filter((at, n) => known === null || at >= known || n === all.length - 1)
    const inscriptionIds = [...new Set([...held, ...transfers.map((each) => each.inscriptionId)])]
    const rows = await listPastValues(reads, { inscriptionIds: inscriptionIds.slice(0, MAX_ITEMS), times })
    const values = new Map(rows.map(({ inscriptionId, n, sats }) => [`${inscriptionId} ${n}`, sats]))
    const valueAt = (id: string, n: number) => values.get(`${id} ${n + 1}`) ?? null
    const { points, ...rest } = historyOf({ times, held, transfers, valueAt })
    const answer: AnswerOf<typeof operation> = {
      ...rest,
      points: points.map(({ at, valueSats }) => ({ at: at.toISOString(), valueSats })),
    }
    return {
      body: Buffer.from(JSON.stringify(answer)),
      tags: ['holdings'],
      validUntil: new Date(now.getTime() + AGE_MILLISECONDS),
    }
  })
}

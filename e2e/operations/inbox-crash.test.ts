import { freePort } from '@ordbook/db/process/free-port.ts'
import { buy } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { assertClean, recovered, startDoomed } from '../purchases/support/doomed.ts'
import { sampled } from '../support/effort.ts'
import { listInboxGaps } from '../support/inbox-gaps.ts'
import { agreementFor, listAll, setUpMarket, setUpTrader, until } from '../support/market.ts'

const STRIDE = sampled(211, 3, 499)
const FIRST = 1 + Math.floor(Math.random() * STRIDE)
/** More than a run of the jobs has. */
const MAX_MOMENTS = 2000
/** The first query of a run of the jobs. */
const FIRST_QUERY = 'query:order_log_queue'

const port = await freePort()
const market = setUpMarket({ PORT: String(port), ANCHOR_POOL: '300' })
const seller = setUpTrader(market)
const buyer = setUpTrader(market, 'p2wpkh', 400_000_000)

const rounds = Math.ceil(MAX_MOMENTS / STRIDE)

interface Events {
  /** Listing that expires. */
  ended: string
  /** Listing that expires within hours. */
  ending: string
  /** Settlement whose broadcast is not recorded. */
  settlementId: string
}

/** Makes three events due: an expiry, a reminder and a broadcast. */
async function makeDue([ended, ending]: readonly string[], settlementId: string): Promise<Events> {
  const listing = async (id: string, expiresIn: string) => {
    const [row] = await market.sql<{ listingId: string }[]>`
      update listings set listed_at = now() - interval '3 days', expires_at = now() + ${expiresIn}::interval
      where inscription_id = ${id} and state = 'buyable' returning listing_id`
    return row!.listingId
  }
  await market.sql`delete from inbox where kind = 'settling'`
  await market.sql`update settlements set state = 'intended' where settlement_id = ${settlementId}`
  return {
    ended: await listing(ended!, '-1 minute'),
    ending: await listing(ending!, '5 hours'),
    settlementId,
  }
}

/** Counts the rows of each event. */
async function countEvents({ ended, ending, settlementId }: Events) {
  const rows = await market.sql<{ kind: string; rows: number; unread: number }[]>`
    select kind, count(*)::int as rows, (count(*) filter (where not is_read))::int as unread from inbox
    where (kind = 'listing_ended' and subject = ${ended}) or (kind = 'expiring' and subject = ${ending})
      or (kind = 'settling' and subject like ${`${settlementId}:%`})
    group by kind order by kind`
  return rows.map(({ kind, rows, unread }) => [kind, rows, unread])
}
const ONCE = [
  ['expiring', 1, 1],
  ['listing_ended', 1, 1],
  ['settling', 1, 1],
]

it('notifies each event once after a crash of the jobs at any step', async () => {
  const { slug, ids } = await market.collection(seller.wallet, 2 * rounds + 1)
  await market.anchors(4 * rounds + 8)
  await listAll(market, seller, slug, ids, 30_000)
  await buy(buyer, slug, await agreementFor(market, buyer, ids.slice(-1)))
  const [{ settlementId }] = await market.sql<
    [{ settlementId: string }]
  >`select settlement_id from settlements where state = 'broadcast'`
  await market.server.close()
  let moment = FIRST
  let crashes = 0
  for (; ; moment += STRIDE) {
    const items = ids.splice(0, 2)
    if (items.length < 2) throw new Error(`a run of the jobs has more than ${MAX_MOMENTS} moments`)
    const events = await makeDue(items, settlementId)
    const doomed = startDoomed(market, port, {
      ROLES: 'jobs',
      CRASH_AT: String(moment),
      CRASH_FROM: FIRST_QUERY,
    })
    await until(
      'the events or the crash',
      async () => doomed.child.signalCode !== null || (await countEvents(events)).length === ONCE.length,
      60,
    )
    // After the events, the rest of the run.
    await Promise.race([doomed.ended, new Promise((done) => setTimeout(done, 1000))])
    const hasSurvived = doomed.child.signalCode === null
    if (hasSurvived) await doomed.kill('SIGKILL')
    else crashes++
    await recovered(market, port, () =>
      until('all events', async () => (await countEvents(events)).length === ONCE.length, 60),
    )
    expect(await countEvents(events)).toEqual(ONCE)
    expect(await listInboxGaps(market.sql)).toEqual([])
    if (hasSurvived) break
  }
  console.log(`${market.node.kind}: ${moment} moments of the jobs, every ${STRIDE}th`)
  expect(crashes).toBeGreaterThan(0)
  await recovered(market, port, async () => {
    await market.mine()
  })
  await assertClean(market)
})

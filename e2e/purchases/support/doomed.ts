import { type Server, startServer } from '@ordbook/app/server.ts'
import { listUnexplained } from '@ordbook/market/listings/log-queries.ts'
import { expect } from 'vitest'
import { listInboxGaps } from '../../support/inbox-gaps.ts'
import { type Overrides, type TestMarket, testConfig, until } from '../../support/market.ts'
import { spawnServer } from '../../support/server.ts'

/** Starts a server that crashes at the n-th moment after it is armed (crash-at.ts). */
export const startDoomed = (market: TestMarket, port: number, settings: Overrides) =>
  spawnServer(market, port, settings, 'crash-at.ts')

/** Starts a normal server on the same database to run `work`. */
export async function recovered<T>(
  market: TestMarket,
  port: number,
  work: (server: Server) => Promise<T>,
): Promise<T> {
  const config = testConfig({ DATA_DIR: market.dataDir, PORT: String(port), ANCHOR_POOL: '300' })
  const server = await startServer({
    ...config,
    databaseUrl: market.databaseUrl,
    bitcoinRpcUrl: market.node.url,
  })
  market.server = server
  try {
    // On a busy machine, a late first database check pauses trading.
    await until('open trading', async () => {
      const answer = await fetch(`${server.url}/status`)
      return ((await answer.json()) as { trading: string }).trading === 'open'
    })
    return await work(server)
  } finally {
    await server.close()
  }
}

/**
 * Asserts that each listing matches its log, inboxes are complete, nothing is in progress, and no finished order reserves a coin unless a reorg could restore the
 * order.
 */
export async function assertClean({ sql }: TestMarket): Promise<void> {
  expect(await listUnexplained(sql)).toEqual([])
  expect(await listInboxGaps(sql)).toEqual([])
  const findStuck = () => sql`
    select 'settlement' as what, settlement_id::text as which from settlements where state in ('intended', 'broadcast')
    union all select 'settlement coin', settlement_id::text from settlement_coins where live
    union all select 'listing', listing_id::text from listings where state = 'hidden_locked'
    union all select 'offer', offer_id::text from offers where state = 'accepting'
    union all select 'acceptance', acceptance_id::text from acceptances where state = 'accepting'
    union all select 'collection offer', offer_id::text from collection_offers where state = 'filling'
    union all select 'backing coin', c.offer_id::text from backing_coins c
      where not exists (select 1 from backing_coins g where g.offer_id = c.offer_id and g.gone is not null)
        and not exists (select 1 from offers o where o.offer_id = c.offer_id and o.state = 'active')
        and not exists (select 1 from collection_offers o where o.offer_id = c.offer_id and o.state = 'active')
    union all select 'market coin', c.reserved_for::text from market_coins c where spent_height is null and reserved_for is not null
      and not retired
      and not exists (select 1 from listings l where l.state in ('buyable', 'invalidated')
        and reserved_for in (l.anchor_utxo_id, l.recovery_handle))
      and not exists (select 1 from offers o where o.state = 'active'
        and c.reserved_for in (o.anchor_utxo_id, o.recovery_handle))
      and not exists (select 1 from market_transactions t where t.handle = c.reserved_for and t.state = 'intended')`
  // Jobs release coins asynchronously after a block.
  let stuck = await findStuck()
  for (let waited = 0; stuck.length > 0 && waited < 30_000; waited += 100) {
    await new Promise((done) => setTimeout(done, 100))
    stuck = await findStuck()
  }
  expect(stuck).toEqual([])
}

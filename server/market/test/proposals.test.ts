import { randomUUID } from 'node:crypto'
import { connect, type Queryable, type Sql } from '@ordbook/db/driver/connect.ts'
import { migrate } from '@ordbook/db/schema/migrate.ts'
import { settlementKinds } from '@ordbook/market/settlement-kinds.ts'
import { recheckDependents } from '@ordbook/market/settlements/dependent-orders.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freshDatabase, startTogether } from '../../../e2e/support/market.ts'

let sql: Sql
const bindingId = randomUUID()
beforeAll(async () => {
  sql = connect(await freshDatabase(), { max: 4 })
  await migrate(sql)
  const profileId = randomUUID()
  await sql`insert into profiles (profile_id) values (${profileId})`
  await sql`
    insert into wallet_bindings (wallet_binding_id, profile_id, label, provider, ordinals_script, payment_script, is_public)
    values (${bindingId}, ${profileId}, 'Wallet', 'unknown', 'creator', 'payment', false)`
})
afterAll(() => sql?.end())

const txid = () => randomUUID().replaceAll('-', '').repeat(2)

/** Inserts a public proposal that offers inscriptions. Returns its id. */
async function insertProposal(inscriptionIds: readonly string[]): Promise<string> {
  const proposalId = randomUUID()
  await sql.begin(async (tx) => {
    await tx`
      insert into proposals (proposal_id, creator_script, creator_binding_id, visibility, state, offered_btc_sats,
        requested_btc_sats, marketplace_fee_sats, created_at, expires_at)
      values (${proposalId}, 'creator', ${bindingId}, 'public', 'active', 0, 1000, 0, now(), now() + interval '1 day')`
    for (const [position, id] of inscriptionIds.entries())
      await tx`
        insert into proposal_items (proposal_id, position, inscription_id) values (${proposalId}, ${position}, ${id})`
  })
  return proposalId
}

it('an acceptance whose twin is active stays invalidated and does not stop the check of other orders', async () => {
  const proposalId = await insertProposal([])
  const [settlementTxid, shared] = [txid(), txid()]
  await sql`insert into settings (name, value) values ('chain', 'regtest') on conflict do nothing`
  for (const state of ['invalidated', 'invalidated', 'active']) {
    const id = randomUUID()
    await sql`
      insert into acceptances (acceptance_id, proposal_id, acceptor_binding_id, acceptor_script, state, fills, terms, items,
        signatures, settlement_txid, created_at, expires_at)
      values (${id}, ${proposalId}, ${bindingId}, 'acceptor', ${state}, '[]', '{}', '[]', '[]', ${settlementTxid}, now(),
        now() + interval '1 day')`
    await sql`insert into backing_coins (txid, vout, offer_id, recheck) values (${shared}, 0, ${id}, true)`
  }
  await sql`
    insert into backing_coins (txid, vout, offer_id, recheck) values (${txid()}, 0, ${randomUUID()}, true)`
  await sql`
    insert into blocks (height, block_hash, mined_at, next_sequence, blessed_count, cursed_count, unbound_count, lost_sats)
    values (1, 'h', now(), 0, 0, 0, 0, 0)`
  const node = {
    blockchainInfo: async () => ({ blocks: 1, bestblockhash: 'h' }),
    areUnspent: async (coins: readonly unknown[]) => coins.map(() => true),
  }
  const states = () => sql`
    select state, count(*) as count from acceptances where settlement_txid = ${settlementTxid} group by state order by state`
  await recheckDependents({ sql, node: node as never }, settlementKinds.orders)
  expect(await sql`select 1 from backing_coins where recheck`).toHaveLength(0)
  expect(await states()).toEqual([
    { state: 'active', count: 1 },
    { state: 'invalidated', count: 2 },
  ])

  // Of two twins that could become active again, only one does.
  await sql`update acceptances set state = 'cancelled' where settlement_txid = ${settlementTxid} and state = 'active'`
  await sql`update backing_coins set recheck = true`
  await recheckDependents({ sql, node: node as never }, settlementKinds.orders)
  expect(await states()).toEqual([
    { state: 'active', count: 1 },
    { state: 'cancelled', count: 1 },
    { state: 'invalidated', count: 1 },
  ])
})

it('a proposal with two inscriptions stays unavailable if one trade begins while another fails', async () => {
  const ids = [`${txid()}i0`, `${txid()}i0`]
  for (const [n, id] of ids.entries()) {
    await sql`
      insert into inscribed_sats (sat_id, levels, sat_offset, first_id, txid, vout, output_value_sats, owner_script, low_offset,
        high_offset)
      values (${n}, 1, 0, ${n}, ${txid()}, 0, 546, 'creator', 0, 0)`
    await sql`
      insert into inscription_rows (sequence, inscription_id, inscription_number, height, inscribed_at, cursed, vindicated,
        unbound, reinscription, parent_ids, sat_id)
      values (${n}, ${id}, ${n}, 1, now(), false, false, false, false, '{}', ${n})`
  }
  const trade = async (on: Queryable, inscriptionId: string) => {
    const settlementId = randomUUID()
    await on`
      insert into settlements (settlement_id, kind, settlement_txid, inscription_ids, transactions, state)
      values (${settlementId}, 'purchase', ${txid()}, ${[inscriptionId]}, '[]', 'intended')`
    return settlementId
  }
  const failing = await trade(sql, ids[1]!)
  const proposalId = await insertProposal(ids)
  await startTogether({ sql }, (tx) => trade(tx, ids[0]!), [
    async () => sql`update settlements set state = 'failed' where settlement_id = ${failing}`,
  ])
  expect(await sql`select available from proposals where proposal_id = ${proposalId}`).toEqual([
    { available: false },
  ])
})

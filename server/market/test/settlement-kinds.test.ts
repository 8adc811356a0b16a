import { randomUUID } from 'node:crypto'
import { SETTLEMENT_KINDS } from '@ordbook/contract/settlement-kinds.ts'
import { connect, type Sql } from '@ordbook/db/driver/connect.ts'
import { migrate } from '@ordbook/db/schema/migrate.ts'
import { settlementKinds } from '@ordbook/market/settlement-kinds.ts'
import { insertBacking } from '@ordbook/market/settlements/backing-queries.ts'
import { deleteFinishedBacking } from '@ordbook/market/settlements/dependent-orders.ts'
import { SettlementKinds } from '@ordbook/market/settlements/kinds.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshDatabase } from '../../../e2e/support/market.ts'

let sql: Sql
beforeAll(async () => {
  sql = connect(await freshDatabase(), { max: 1 })
  await migrate(sql)
})
afterAll(() => sql?.end())

it('every settlement kind has a handler', async () => {
  const rows = await sql<{ name: string }[]>`select name from settlement_kinds`
  expect(settlementKinds.names.toSorted()).toEqual(rows.map((row) => row.name).toSorted())
  expect(settlementKinds.names.toSorted()).toEqual(SETTLEMENT_KINDS.toSorted())
})

it('the database rejects an unknown settlement kind', async () => {
  await expect(sql`
    insert into settlements (settlement_id, kind, settlement_txid, inscription_ids, transactions, state)
    values (${randomUUID()}, 'barter', ${'00'.repeat(32)}, '{}', '[]', 'intended')`).rejects.toThrow(
    'settlements_kind_fkey',
  )
})

it('settlementKinds.of throws for an unknown kind', () => {
  expect(() => settlementKinds.of({ settlementId: 'b7', kind: 'barter' })).toThrow(
    'settlement b7 has kind barter, which this release does not support',
  )
})

it('lists shared dependent orders once', () => {
  const [, offer, counter] = ['purchase', 'offer', 'counter'].map((kind) =>
    settlementKinds.of({ settlementId: 'b7', kind }),
  )
  expect(counter!.orders).toEqual(offer!.orders)
  expect(new SettlementKinds([offer!, counter!]).orders).toEqual(offer!.orders)
  expect(settlementKinds.orders).toHaveLength(4)
})

describe('deleteFinishedBacking', () => {
  const LATER = "now() + interval '1 hour'"
  const EARLIER = "now() - interval '1 hour'"
  const [owner, collection] = [randomUUID(), randomUUID()]

  /** Statements that insert an order, by table. `expiresAt` is an SQL expression. */
  const orders = {
    offers: (id: string, state: string, expiresAt: string) => `
      insert into offers (offer_id, kind, collection_id, inscription_id, buyer_binding_id, buyer_script, seller_script, price_sats,
        postage_sats, economics, terms, signatures, fee_rate_sat_vb, settlement_txid, state, created_at, expires_at)
      values ('${id}', 'buyer_offer', '${collection}', 'i0', '${owner}', '', '', 1, 1, '{}', '{}', '[]', 1, '${id}', '${state}', now(), ${expiresAt})`,
    collection_offers: (id: string, state: string, expiresAt: string) => `
      insert into collection_offers (offer_id, collection_id, wallet_binding_id, target, scope_label, criteria, criteria_hash,
        eligible_root, eligible_count, sample_inscription_id, price_sats, terms, signatures, funding_txid, secret_hash, state,
        created_at, expires_at)
      values ('${id}', '${collection}', '${owner}', '{}', '', '', '', 'root', 1, 'i0', 1, '{}', '[]', '${id}', '${id}', '${state}', now(), ${expiresAt})`,
    proposals: (id: string, state: string, expiresAt: string) => `
      insert into proposals (proposal_id, creator_script, visibility, state, offered_btc_sats, requested_btc_sats,
        marketplace_fee_sats, created_at, expires_at)
      values ('${id}', '', 'private', '${state}', 1, 0, 0, now(), ${expiresAt})`,
    acceptances: (id: string, state: string, expiresAt: string) => `
      insert into proposals (proposal_id, creator_script, visibility, state, offered_btc_sats, requested_btc_sats,
        marketplace_fee_sats, created_at, expires_at)
      values ('${id}', '', 'private', 'active', 1, 0, 0, now(), ${LATER});
      insert into acceptances (acceptance_id, proposal_id, acceptor_binding_id, acceptor_script, state, fills, terms, items,
        signatures, settlement_txid, created_at, expires_at)
      values ('${id}', '${id}', '${owner}', '', '${state}', '[]', '{}', '[]', '[]', '${id}', now(), ${expiresAt})`,
  }

  beforeAll(async () => {
    await sql.unsafe(`
      insert into profiles (profile_id) values ('${owner}');
      insert into wallet_bindings (wallet_binding_id, profile_id, label, provider, ordinals_script, payment_script, is_public)
      values ('${owner}', '${owner}', '', 'unisat', '', '', false);
      insert into collections (collection_id, slug, name, verification_status, imported_at)
      values ('${collection}', 'test', 'Test', 'verified', now());
      insert into eligible_sets (eligible_root, inscription_ids) values ('root', '{i0}')`)
  })

  it.each([
    ['offers', 'accepting'],
    ['collection_offers', 'filling'],
    ['proposals', 'accepted'],
    ['acceptances', 'accepting'],
  ] as const)('deletes the coins of finished %s', async (table, settling) => {
    const cases: [state: string, expiresAt: string, kept: boolean][] =
      table === 'proposals'
        ? [
            ['active', LATER, true],
            [settling, LATER, true],
            ['active', EARLIER, false],
            ['cancelled', LATER, false],
          ]
        : [
            ['active', LATER, true],
            [settling, EARLIER, true],
            ['invalidated', LATER, true],
            ['invalidated', EARLIER, false],
            ['cancelled', LATER, false],
          ]
    const kept: string[] = []
    for (const [state, expiresAt, isKept] of cases) {
      const id = randomUUID()
      await sql.unsafe(orders[table](id, state, expiresAt))
      await sql.begin((tx) => insertBacking(tx, id, [{ txid: id, vout: 0 }]))
      if (isKept) kept.push(id)
    }
    await deleteFinishedBacking(sql, settlementKinds.orders, new Date())
    const rows = await sql<{ offerId: string }[]>`select offer_id from backing_coins`
    expect(rows.map((row) => row.offerId).toSorted()).toEqual(kept.toSorted())
    await sql`delete from backing_coins`
  })
})

import { randomUUID } from 'node:crypto'
import type { Sql } from '@ordbook/db/driver/connect.ts'
import { inTransaction } from '@ordbook/db/driver/connect.ts'
import { addChainCollection } from '@ordbook/market/collections/from-chain.ts'
import { replaceItems } from '@ordbook/market/collections/import-queries.ts'
import type { Bomb } from '../hostile.ts'

/**
 * Makes the inscriptions of the blocks above a height part of the market, as the bomb demands. Collections of ordinary blocks have at
 * most `most` items.
 */
export async function trade(
  sql: Sql,
  { market }: Pick<Bomb, 'market'>,
  aboveHeight: number,
  most: number,
): Promise<void> {
  if (!market) return
  const found = await sql<{ inscriptionId: string }[]>`
    select inscription_id from inscription_rows where height > ${aboveHeight} order by sequence`
  const ids = found.map((row) => row.inscriptionId)
  const slug = `c${randomUUID()}`
  if (market === 'children') {
    await addChainCollection(sql, {
      kind: 'parent_child',
      sourceId: ids[0]!,
      slug,
      name: slug,
      now: new Date(),
    })
    return
  }
  for (let at = 0; at < ids.length; at += most) await addItems(sql, `${slug}-${at}`, ids.slice(at, at + most))
  if (market === 'listings') await listAll(sql, aboveHeight)
}

async function addItems(sql: Sql, slug: string, ids: readonly string[]): Promise<void> {
  const collectionId = randomUUID()
  await inTransaction(sql, async (tx) => {
    await tx`
      insert into collections (collection_id, slug, name, verification_status, imported_at)
      values (${collectionId}, ${slug}, ${slug}, 'verified', now())`
    await replaceItems(
      tx,
      collectionId,
      ids.map((inscriptionId, n) => ({
        inscriptionId,
        name: `Item ${n}`,
        traits: [{ type: 'Hat', value: `Hat ${n % 30}` }],
      })),
    )
  })
}

/** Lists each coin with an inscription above a height. Signatures are empty, since nothing is bought. */
async function listAll(sql: Sql, aboveHeight: number): Promise<void> {
  const [profileId, bindingId] = [randomUUID(), randomUUID()]
  await inTransaction(sql, async (tx) => {
    await tx`insert into profiles (profile_id) values (${profileId})`
    await tx`
      insert into wallet_bindings (wallet_binding_id, profile_id, label, provider, ordinals_script, payment_script, is_public)
      values (${bindingId}, ${profileId}, 'Wallet', 'unknown', ${Buffer.from(bindingId)}, ${Buffer.from(bindingId)}, false)`
    await tx`
      insert into listings (listing_id, anchor_utxo_id, recovery_handle, collection_id, inscription_id, inscription_ids,
        wallet_binding_id, seller_script, price_sats, terms, economics, transfer_txid, transfer_signature, leg_signature,
        recovery_batch, recovery_index, state, listed_at, coin_txid, coin_vout, sat_offset)
      select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), m.collection_id, i.inscription_id, array[i.inscription_id],
        ${bindingId}, i.owner_script, 10000 + i.sequence % 1000, '{}', '{}', md5(i.inscription_id) || md5(i.txid), '', '',
        gen_random_uuid(), 0, 'buyable', now(), i.txid, i.vout, i.sat_offset
      from inscriptions i join collection_items m using (inscription_id) where i.height > ${aboveHeight}`
    await tx`
      insert into market_coins (txid, vout, value_sats, height)
      select transfer_txid, 1, 330, 1 from listings where wallet_binding_id = ${bindingId}`
    await tx`
      update market_coins c set reserved_for = l.anchor_utxo_id from listings l
      where l.wallet_binding_id = ${bindingId} and c.txid = l.transfer_txid`
    await tx`
      insert into order_events (listing_id, to_state, reason, occurred_at)
      select listing_id, 'buyable', 'listed', listed_at from listings where wallet_binding_id = ${bindingId} order by listed_at`
  })
}

import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import type { Queryable } from '@ordbook/db/driver/connect.ts'

/** A live offer and one of its backing coins. */
export interface BackedRow extends Outpoint {
  offerId: string
  kind: 'offer' | 'collection-offer'
  inscriptionId: string | null
  collectionSlug: string
  scopeLabel: string | null
  priceSats: number
  /** Only for a collection offer. */
  criteriaHash: string | null
}

/** Lists a wallet's live offers that any of these coins backs. */
export function listBacked(
  sql: Queryable,
  of: { bindingId: string; coins: readonly Outpoint[]; now: Date },
): Promise<BackedRow[]> {
  const { bindingId, coins, now } = of
  return sql<BackedRow[]>`
    with coins as (
      select b.txid, b.vout, b.offer_id
      from unnest(${coins.map((coin) => coin.txid)}::text[], ${coins.map((coin) => coin.vout)}::bigint[]) as s (txid, vout)
        join backing_coins b using (txid, vout)
    )
    select k.txid, k.vout, o.offer_id, 'offer' as kind, o.inscription_id, c.slug as collection_slug, null as scope_label,
      o.price_sats, null as criteria_hash
    from coins k join offers o using (offer_id) join collections c using (collection_id)
    where o.buyer_binding_id = ${bindingId} and o.kind = 'buyer_offer' and o.state = 'active' and o.expires_at > ${now}
    union all
    select k.txid, k.vout, o.offer_id, 'collection-offer', null, c.slug, o.scope_label, o.price_sats, o.criteria_hash
    from coins k join collection_offers o using (offer_id) join collections c using (collection_id)
    where o.wallet_binding_id = ${bindingId} and o.state = 'active' and o.expires_at > ${now}
    order by 8 desc, 3 limit 1000`
}

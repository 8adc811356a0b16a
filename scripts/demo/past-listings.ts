import { createHash, randomUUID } from 'node:crypto'
import type { AddressNetwork } from '@ordbook/bitcoin/address.ts'
import { inTransaction, type Sql, type Transaction } from '@ordbook/db/driver/connect.ts'
import { findBindingOfOwner, insertBinding, lockProfile } from '@ordbook/market/auth/queries.ts'
import { insertOrderEvents } from '@ordbook/market/listings/log-queries.ts'
import { insertListing } from '@ordbook/market/listings/queries.ts'
import { demoCollectors, demoWallets } from '@ordbook/sdk/demo-wallets.ts'
import type { LocalWallet } from '@ordbook/sdk/wallet.ts'
import { COLLECTIONS, type DemoCollection, LOWEST_ASK } from './collections.ts'
import { randomOf } from './pictures.ts'

const LISTINGS = 36
const HOUR = 3_600_000
const NOISE = 0.08
/** Without these hours, the item was inscribed too recently for a history, as on a chain with recent blocks. */
const MIN_HOURS = 48

/** An item of a collection that never moved, with its owner. */
interface PastItem {
  collectionId: string
  slug: string
  inscriptionId: string
  inscribedAt: Date
  /** Null for a lost inscription. */
  ownerScript: Uint8Array | null
}

/**
 * Adds listings of the past month, one item of each collection whose owner changes its price, so that collections have a history of
 * floors. All have ended. They have no signatures, because the market did not run then.
 */
export async function listInThePast(sql: Sql, network: AddressNetwork, now: Date): Promise<void> {
  const { first, second } = demoWallets(network)
  const wallets = [first, second, ...demoCollectors(network).map(({ wallet }) => wallet)]
  await inTransaction(sql, async (tx) => {
    const [{ count } = { count: 0 }] = await tx<{ count: number }[]>`select count(*) as count from listings`
    // An interrupted call.
    if (count > 0) return
    for (const item of await listUnmoved(tx)) {
      const collection = COLLECTIONS.find(({ slug }) => slug === item.slug)
      const owner = wallets.find(({ ordinalsScript }) => isEqual(ordinalsScript, item.ownerScript))
      if (collection && owner) await listRepeatedly(tx, item, { collection, owner, now })
    }
  })
}

const isEqual = (a: Uint8Array, b: Uint8Array | null) => b !== null && Buffer.compare(a, b) === 0

/** Returns the last item of each collection that is still in its first output. */
const listUnmoved = (tx: Transaction) => tx<PastItem[]>`
  select distinct on (c.slug) c.collection_id, c.slug, i.inscription_id, i.inscribed_at, i.owner_script
  from collections c join collection_items m using (collection_id) join inscriptions i using (inscription_id)
  where i.inscription_id = i.txid || 'i0'
  order by c.slug, m.sort_key desc`

async function listRepeatedly(
  tx: Transaction,
  item: PastItem,
  { collection, owner, now }: { collection: DemoCollection; owner: LocalWallet; now: Date },
): Promise<void> {
  const began = item.inscribedAt.getTime() + HOUR
  if (now.getTime() - began < MIN_HOURS * HOUR) return
  const { collectionId, inscriptionId } = item
  const walletBindingId = await bindingOf(tx, owner)
  const periods = periodsOf(collection, began, now.getTime())
  const listings = periods.map((period) => ({ ...period, listingId: randomUUID() }))
  for (const { listingId, priceSats, from, until, isLast } of listings)
    await insertListing(tx, {
      listingId,
      anchorUtxoId: randomUUID(),
      recoveryHandle: randomUUID(),
      collectionId,
      inscriptionId,
      walletBindingId,
      sellerScript: owner.ordinalsScript,
      priceSats,
      terms: {},
      economics: {},
      transferTxid: createHash('sha256').update(listingId).digest('hex'),
      escrowVout: 0,
      generation: 0,
      transferHeight: null,
      transferSignature: new Uint8Array(),
      legSignature: new Uint8Array(),
      recoverySignature: null,
      recoveryBatch: randomUUID(),
      recoveryIndex: 0,
      satOffset: 0,
      coinTxid: inscriptionId.slice(0, 64),
      coinVout: 0,
      state: isLast ? 'cancelled' : 'replaced',
      listedAt: from,
      endedAt: until,
      expiresAt: null,
    })
  const common = { height: null, guarantee: null } as const
  await insertOrderEvents(
    tx,
    listings.map(({ listingId, priceSats, from }) => ({
      ...common,
      listingId,
      fromState: null,
      toState: 'buyable',
      reason: `listed for ${priceSats} sats`,
      occurredAt: from,
    })),
  )
  await insertOrderEvents(
    tx,
    listings.map(({ listingId, until, isLast }) => ({
      ...common,
      listingId,
      fromState: 'buyable',
      toState: isLast ? 'cancelled' : 'replaced',
      reason: isLast ? 'delisted by its owner' : 'listed again',
      guarantee: 'refused',
      occurredAt: until,
    })),
  )
}

async function bindingOf(tx: Transaction, { ordinalsScript, paymentScript }: LocalWallet): Promise<string> {
  const profileId = await lockProfile(tx, ordinalsScript)
  if (!(await findBindingOfOwner(tx, ordinalsScript)))
    await insertBinding(tx, { profileId, ordinalsScript, paymentScript })
  return (await findBindingOfOwner(tx, ordinalsScript))!.walletBindingId
}

/** Splits the time into periods with a price each, from the price of a month ago to today's, in steps of 1,000 sats. */
function periodsOf({ firstFloorSats, listedSats }: DemoCollection, began: number, now: number) {
  const random = randomOf(firstFloorSats)
  const floorNow = listedSats * LOWEST_ASK
  const timeOf = (n: number) => began + ((now - began) * n) / LISTINGS
  const times = Array.from(
    { length: LISTINGS + 1 },
    (_, n) => new Date(n === 0 || n === LISTINGS ? timeOf(n) : timeOf(n + 0.4 * (random() - 0.5))),
  )
  return times.slice(0, -1).map((from, n) => {
    const trend = firstFloorSats + ((floorNow - firstFloorSats) * n) / LISTINGS
    const priceSats = 1000 * Math.round((trend * (1 + NOISE * (random() - 0.5))) / 1000)
    return { from, until: times[n + 1]!, priceSats, isLast: n === LISTINGS - 1 }
  })
}

import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import { escrowCoinOf, type ListingTerms } from '@ordbook/bitcoin/trade/listing.ts'
import { type Carrier, carrierCoinsOf } from '@ordbook/bitcoin/trade/purchase.ts'
import { isAtTip } from '../chain/follower.ts'
import type { PackageVerdict } from '../chain/node.ts'
import type { Context } from '../context.ts'
import { inTransaction } from '../db/connect.ts'
import { unpack } from '../db/pack.ts'
import { releaseCoins } from '../engine/queries.ts'
import { conflict, unavailable } from '../errors.ts'
import { moveListing } from '../listings/lifecycle.ts'
import { listListingsById } from '../listings/queries.ts'
import {
  deleteExpired,
  findPurchase,
  listLive,
  listOrphanedLocks,
  listPurchaseListings,
  moveToBroadcast,
  moveToFailed,
  type PurchaseRow,
  setCoinsLive,
} from './queries.ts'

/** How long a request waits for the index to say what became of a package that the node refuses, in milliseconds. */
const PATIENCE = 5000
const PAUSE = 100

/**
 * Sends a purchase whose package is written. Sending is idempotent, so whoever comes first does it: the request, the
 * jobs after a crash, or both. A refusal alone says little: somebody else may have sent the package, and a block may
 * hold it already. Only a package that can settle no more fails: its listings are buyable again and its coins free.
 * Throws conflict when it failed, unavailable when it is not known yet.
 */
export async function broadcastPurchase(context: Context, purchaseId: string): Promise<void> {
  const { sql, node } = context
  for (let waited = 0; ; waited += PAUSE) {
    const purchase = (await findPurchase(sql, purchaseId))!
    if (purchase.state === 'failed')
      throw conflict(`The network refuses this purchase (${purchase.failure}): prepare it again`)
    if (purchase.state === 'confirmed') return
    const verdict = await send(context, purchase)
    if (verdict.ok) return moveToBroadcast(sql, purchaseId, (await node.blockchainInfo()).blocks)
    const reason = reasonOf(verdict)
    if (await isImpossible(context, purchase)) await failPurchase(context, purchase, reason)
    else if (waited < PATIENCE) await new Promise((resolve) => setTimeout(resolve, PAUSE))
    else
      throw unavailable(
        `The network does not take this purchase now (${reason}): submit the same again to learn how it ends`,
      )
  }
}

const reasonOf = ({ reasons }: PackageVerdict) => [...new Set(reasons.values())].join('; ')

/** Tests, then sends what is not out yet. `submitpackage` is not atomic, so nothing is sent that fails the test. */
async function send(
  { node }: Context,
  { transactions, settlementTxid }: PurchaseRow,
): Promise<PackageVerdict> {
  if (await node.isInMempool(settlementTxid)) return { ok: true, reasons: new Map() }
  const missing: string[] = []
  for (const { txid, hex } of transactions ?? [])
    if (txid === settlementTxid || !(await node.isInMempool(txid))) missing.push(hex)
  const tested = await node.testPackage(missing)
  if (!tested.ok) return (await node.isInMempool(settlementTxid)) ? { ok: true, reasons: new Map() } : tested
  return node.submitPackage(missing)
}

async function failPurchase(
  { sql, clock, log }: Context,
  purchase: PurchaseRow,
  failure: string,
): Promise<void> {
  const { purchaseId } = purchase
  await inTransaction(sql, async (tx) => {
    if (!(await moveToFailed(tx, purchaseId, failure))) return
    await setCoinsLive(tx, purchaseId, false)
    await releaseCoins(tx, purchaseId)
    const reason = `the purchase did not settle: ${failure}`
    for (const { listingId } of await listPurchaseListings(tx, purchaseId))
      await moveListing(tx, listingId, 'buyable', { reason, now: clock() })
  })
  log.warn({ purchaseId, failure }, 'purchase failed')
}

/** Follows every purchase that is not confirmed, and drops preflights whose time is over. Run on start and after. */
export async function resumePurchases(context: Context): Promise<void> {
  const { sql, clock, log } = context
  // A reorg can bring a listing back whose purchase has failed meanwhile.
  for (const listingId of await listOrphanedLocks(sql))
    await inTransaction(sql, (tx) =>
      moveListing(tx, listingId, 'buyable', { reason: 'its purchase is no more', now: clock() }),
    )
  await inTransaction(sql, async (tx) => {
    for (const purchaseId of await deleteExpired(tx, clock())) await releaseCoins(tx, purchaseId)
  })
  const { blocks } = await context.node.blockchainInfo()
  for (const purchase of await listLive(sql)) {
    const verdict = await send(context, purchase)
    if (verdict.ok) {
      if (purchase.state === 'intended') await moveToBroadcast(sql, purchase.purchaseId, blocks)
      continue
    }
    const reason = reasonOf(verdict)
    if (await isImpossible(context, purchase)) await failPurchase(context, purchase, reason)
    else
      log.warn({ purchaseId: purchase.purchaseId, reason }, 'a purchase is not in the mempool: trying again')
  }
}

/**
 * True when a coin that the package spends is gone from the chain by something other than the package: a payment, a
 * coin of the market, an inscription's coin, an anchor. Judged only while the index holds the node's tip before and
 * after: else the settlement itself may be what spent it.
 */
async function isImpossible({ sql, node }: Context, purchase: PurchaseRow): Promise<boolean> {
  if (!(await isAtTip(sql, node))) return false
  let gone = false
  for (const coin of await coinsOf(sql, purchase))
    gone ||= (await node.txOut(coin, { mempool: false })) === null
  // Never out and now refused although nothing is spent: a conflict in the mempool. Nothing of it can settle later.
  const neverOut = purchase.state === 'intended'
  if (!gone && !neverOut) return false
  const now = await findPurchase(sql, purchase.purchaseId)
  return (await isAtTip(sql, node)) && (now?.state === 'intended' || now?.state === 'broadcast')
}

/** The confirmed coins that a package rests on, by what the index knows now. */
async function coinsOf(sql: Context['sql'], purchase: PurchaseRow): Promise<Coin[]> {
  const sold = await listPurchaseListings(sql, purchase.purchaseId)
  const listings = await listListingsById(
    sql,
    sold.map((each) => each.listingId),
  )
  return [
    ...unpack<Coin[]>(purchase.selectedCoins),
    ...carrierCoinsOf({ carrier: unpack<Carrier>(purchase.carrier) }),
    ...listings.flatMap((listing) => {
      const terms = unpack<ListingTerms>(listing.terms)
      return listing.transferHeight === null ? [terms.inscriptionCoin, terms.anchor] : [escrowCoinOf(terms)]
    }),
  ]
}

import { bytesToHex, equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { buildPayment } from '@ordbook/bitcoin/inscribe.ts'
import { decodeTransaction, encodeTransaction, hexOfTransaction } from '@ordbook/bitcoin/transaction.ts'
import { inTransaction } from '@ordbook/db/driver/connect.ts'
import { moveListing } from '@ordbook/market/listings/lifecycle.ts'
import { listUnexplained } from '@ordbook/market/listings/log-queries.ts'
import { reviveListings } from '@ordbook/market/listings/recheck.ts'
import { sendRecovery } from '@ordbook/market/listings/recover.ts'
import { buy, delist, exitEscrow } from '@ordbook/sdk/index.ts'
import { afterEach, expect, it } from 'vitest'
import {
  agreementFor,
  keyHolder,
  listAll,
  setUpMarket,
  setUpTrader,
  signedPackage,
  startTogether,
  until,
} from '../support/market.ts'

const market = setUpMarket({ ANCHOR_POOL: '80', tuning: { anchorSpendDelaySeconds: 0 } })
const seller = setUpTrader(market)
const buyer = setUpTrader(market)
// The replayed order log must match every listing.
afterEach(async () => expect(await listUnexplained(market.sql)).toEqual([]))

const order = (listingId: string) => seller.client.call('getOrder', { params: { listingId } })
const guarantees = async (listingId: string) =>
  (await order(listingId)).events.flatMap((event) => (event.guarantee ? [event.guarantee] : []))
const test = async (hexes: string[]) =>
  (
    await market.regtest.call<{ 'reject-reason'?: string; allowed?: boolean }[]>('testmempoolaccept', hexes)
  ).map((each) => each['reject-reason'] ?? each.allowed)

it('rejects a purchase after a delisting', async () => {
  const { slug, ids } = await market.collection(seller.wallet, 1)
  await market.anchors(4)
  const listed = await listAll(market, seller, slug, ids, 50_000)
  const listingId = listed.get(ids[0]!)!
  const { signed, body } = await signedPackage(market, buyer, slug, ids)
  expect(await test(signed.map((each) => each.hex))).toEqual([true, true])

  const response = await fetch(`${market.base}/collection/${slug}/listings/delist`, {
    method: 'POST',
    headers: { authorization: `Bearer ${seller.client.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      walletBindingId: seller.walletBindingId,
      listings: [{ inscriptionId: ids[0], listingId }],
    }),
  })
  expect(response.status).toBe(200)
  expect(response.headers.get('ordbook-guarantee')).toBe('refused')
  expect(response.headers.get('link')).toBe(`<${market.server.url}/orders/${listingId}>; rel="monitor"`)
  await expect(buyer.client.call('submitPurchase', { params: { slug }, body })).rejects.toMatchObject({
    status: 409,
  })
  await until('the anchor to be spent', async () => (await guarantees(listingId)).includes('anchor-spent'))
  // The event is recorded before the broadcast. The old package is invalid once the spend is in the mempool.
  await until(
    'the old package to conflict',
    async () => (await test(signed.map((each) => each.hex)))[0] !== true,
  )
  const [block] = await market.regtest.mine()
  await market.server.sync()
  expect(await guarantees(listingId)).toEqual(['refused', 'anchor-spent', 'impossible'])
  expect((await test([signed[0]!.hex]))[0]).toMatch(/missing|spent/)

  // A reorg can make it valid again until the original branch returns.
  await market.regtest.call('invalidateblock', block)
  await market.server.sync()
  expect((await guarantees(listingId)).at(-1)).toBe('anchor-spent')
  await market.regtest.call('reconsiderblock', block)
  await market.server.sync()
  expect((await guarantees(listingId)).at(-1)).toBe('impossible')
  expect((await order(listingId)).events.map((event) => event.reason)).toContainEqual(
    expect.stringContaining('was undone'),
  )
})

it('spends the anchors of replaced and expired listings', async () => {
  const { slug, ids } = await market.collection(seller.wallet, 2)
  await market.anchors(8)
  const first = await listAll(market, seller, slug, ids, 50_000)
  // A relisting in the same form would reuse the transfer and its anchor.
  const other = { ...seller, escrowForm: 'published' as const }
  const relisted = await listAll(market, other, slug, [ids[0]!], 40_000)
  await market.sql`update listings set expires_at = now() where listing_id = ${first.get(ids[1]!)!}`
  await until('both anchors to be spent', async () => {
    if ((await market.regtest.call<string[]>('getrawmempool')).length > 0) await market.mine()
    const both = await Promise.all(ids.map((id) => guarantees(first.get(id)!)))
    return both.every((each) => each.at(-1) === 'impossible')
  })
  expect((await order(first.get(ids[0]!)!)).state).toBe('replaced')
  expect((await order(first.get(ids[1]!)!)).state).toBe('expired')
  expect((await order(relisted.get(ids[0]!)!)).state).toBe('buyable')
  await buy(buyer, slug, await agreementFor(market, buyer, [ids[0]!]))
  await market.mine()
})

it('ends a listing when its inscription moves elsewhere', async () => {
  const { trader, keys } = await keyHolder(market)
  const { wallet } = trader
  const { slug, ids } = await market.collection(wallet, 1)
  await market.anchors(4)
  const listed = await listAll(market, trader, slug, ids, 50_000)
  const coin = await market.coinOf(ids[0]!)
  const fee = await market.regtest.fund(wallet.ordinalsScript, 5000)
  const destination = [{ valueSats: coin.valueSats, script: buyer.wallet.ordinalsScript }]
  const tx = buildPayment([coin, fee], destination, { privateKey: keys.ordinals, feeRateSatVb: 2 })
  await market.regtest.call('sendrawtransaction', hexOfTransaction(tx))
  await market.mine()
  const { state, events } = await order(listed.get(ids[0]!)!)
  expect(state).toBe('invalidated')
  expect(events.at(-1)).toMatchObject({ guarantee: 'impossible' })
  expect(events.at(-1)!.reason).toMatch(/^the inscription moved in [0-9a-f]{64}$/)
})

it('keeps an item for sale after a failed purchase', async () => {
  const { slug, ids } = await market.collection(seller.wallet, 2)
  await market.anchors(8)
  const listed = new Map<string, string>()
  for (const id of ids) listed.set(id, (await listAll(market, seller, slug, [id], 50_000)).get(id)!)
  for (const id of ids) {
    const { signed } = await signedPackage(market, buyer, slug, [id])
    await market.regtest.mineExactly([decodeTransaction(signed[0]!.hex)])
    await market.server.sync()
    expect((await market.coinOf(id)).txid).toBe(signed[0]!.txid)
  }
  const bought = await buy(buyer, slug, await agreementFor(market, buyer, [ids[0]!]))
  const entry = await market.regtest.call<{ ancestorcount: number }>('getmempoolentry', bought.settlementTxid)
  expect(entry.ancestorcount).toBe(1)
  await market.mine()
  expect(await market.coinOf(ids[0]!)).toMatchObject({ script: buyer.wallet.ordinalsScript })

  const inscriptionId = ids[1]!
  await delist(seller, slug, [{ inscriptionId, listingId: listed.get(inscriptionId)! }])
  // Simulate a job that read the batch before the delisting.
  const [batch] = await market.sql<{ recoveryBatch: string }[]>`
    select recovery_batch from listings where inscription_id = ${inscriptionId}`
  await sendRecovery(market.server.context, batch!.recoveryBatch)
  await market.mine()
  const returnedCoin = await market.coinOf(inscriptionId)
  expect(returnedCoin).toMatchObject({ valueSats: 10_000, script: seller.wallet.ordinalsScript })
  expect((await order(listed.get(inscriptionId)!)).events.at(-1)!.reason).toBe(
    `its inscription goes back to its seller in ${returnedCoin.txid}`,
  )
  await listAll(market, seller, slug, [inscriptionId], 60_000)
  await buy(buyer, slug, await agreementFor(market, buyer, [inscriptionId]))
  await market.mine()
})

it('lets a seller exit after a partial sale', async () => {
  const { trader, keys } = await keyHolder(market)
  const alone = { ...trader, escrowForm: 'published' as const }
  const { wallet } = alone
  const { slug, ids } = await market.collection(wallet, 2)
  await market.anchors(8)
  const listed = await listAll(market, alone, slug, ids, 50_000)
  await buy(buyer, slug, await agreementFor(market, buyer, [ids[0]!]))
  await market.mine()
  const { signed } = await signedPackage(market, buyer, slug, [ids[1]!])
  await market.regtest.mineExactly([decodeTransaction(signed[0]!.hex)])
  await market.server.sync()
  await delist(alone, slug, [{ inscriptionId: ids[1]!, listingId: listed.get(ids[1]!)! }])
  expect((await order(listed.get(ids[1]!)!)).events.at(-1)!.reason).toMatch(
    /is in escrow: withdraw or relist it/,
  )

  const feeCoin = await market.regtest.fund(wallet.paymentScript, 5000)
  const escrow = await market.coinOf(ids[1]!)
  const { cosignKey } = market.server.context.market
  const exitInput = {
    escrows: [{ ...escrow, form: 'published' as const, cosignKey: bytesToHex(cosignKey) }],
    coins: [feeCoin],
    feeRateSatVb: 3,
  }
  const { tx } = await exitEscrow(wallet, exitInput, keys.ordinals)
  await market.regtest.call('sendrawtransaction', hexOfTransaction(tx))
  await market.mine()
  expect(await market.coinOf(ids[1]!)).toMatchObject({ valueSats: 10_000, script: wallet.ordinalsScript })
})

it('rejects changes to the order log', async () => {
  for (const change of [
    () => market.sql`update order_events set reason = 'never happened'`,
    () => market.sql`delete from order_events`,
    () => market.sql`truncate order_events`,
  ])
    await expect(change()).rejects.toThrow('order_events is append-only')
})

it('bumps a settlement with a low fee', async () => {
  const { config, market: keys } = market.server.context
  config.bumpBlocks = 0
  const { slug, ids } = await market.collection(seller.wallet, 2)
  await market.anchors(8)
  await listAll(market, seller, slug, ids, 900_000)
  const bought = await buy(buyer, slug, await agreementFor(market, buyer, ids))
  type Entry = { fees: { ancestor: number }; ancestorsize: number }
  const childAt = (rate: number) =>
    until(`a child at ${rate} sat/vB`, async () => {
      for (const txid of await market.regtest.call<string[]>('getrawmempool')) {
        const found = await market.regtest
          .call<{ hex: string }>('getrawtransaction', txid, true)
          .catch(() => null)
        const entry = await market.regtest.call<Entry>('getmempoolentry', txid).catch(() => null)
        if (!found || !entry) continue
        const child = decodeTransaction(found.hex)
        if (!child.inputs.some((input) => input.txid === bought.settlementTxid)) continue
        const { fees, ancestorsize } = entry
        if ((fees.ancestor * 1e8) / ancestorsize >= rate * 0.98) return { txid, child }
      }
      return null
    })
  try {
    config.feeRateFallbackSatVb = 8
    const first = await childAt(8)
    expect(first.child.outputs.every((output) => equalBytes(output.script, keys.coinScript))).toBe(true)
    config.feeRateFallbackSatVb = 30
    const second = await childAt(30)
    expect(second.txid).not.toBe(first.txid)
    // Coins of a pending trade stay reserved.
    const [kept] = await market.sql<{ reservedFor: string; purchaseId: string }[]>`
      select c.reserved_for, p.handle as purchase_id from preflights p
        join market_coins c on c.txid = p.prepared->'feeCoins'->'tail'->>'txid'
          and c.vout = (p.prepared->'feeCoins'->'tail'->>'vout')::int
      where p.prepared->>'settlementTxid' = ${bought.settlementTxid}`
    expect(kept!.reservedFor).toBe(kept!.purchaseId)
    expect(encodeTransaction(second.child).length).toBeLessThan(400)

    await market.node.restart('SIGKILL')
    const packageTxids = [...bought.listingTransferTxids, bought.settlementTxid]
    await until('the package to return', async () => {
      const mempool = await market.regtest.call<string[]>('getrawmempool')
      return packageTxids.every((txid) => mempool.includes(txid))
    })
    await childAt(30)
  } finally {
    config.feeRateFallbackSatVb = 2
  }
  await market.mine()
  for (const id of ids) expect((await market.coinOf(id)).txid).toBe(bought.settlementTxid)
  await until('an idle market', async () => {
    const busy = await market.sql`
      select 1 from settlements where state in ('intended', 'broadcast')
      union all select 1 from market_transactions where state = 'intended'
      union all select 1 from market_coins where spent_height is null and reserved_for is not null
        and not retired and reserved_for not in
          (select anchor_utxo_id from listings where state = 'buyable'
            union select recovery_handle from listings where state = 'buyable')`
    if ((await market.regtest.call<string[]>('getrawmempool')).length > 0) await market.mine()
    return busy.length === 0
  })
})

it('does not revive a listing whose anchor the market spends meanwhile', async () => {
  const seller = await market.trader()
  const { slug, ids } = await market.collection(seller.wallet, 1)
  const listingId = (await listAll(market, seller, slug, ids, 20_000)).get(ids[0]!)!
  const { sql } = market.server.context
  const why = { reason: 'a test', now: new Date() }
  await inTransaction(sql, (tx) => moveListing(tx, listingId, 'invalidated', why))
  const [revived] = await startTogether(
    market,
    (tx) => tx`
      update market_coins set spending_txid = ${'ff'.repeat(32)} where reserved_for = (
        select anchor_utxo_id from listings where listing_id = ${listingId})`,
    [() => inTransaction(sql, (tx) => reviveListings(tx, ids, { now: new Date() }))],
  )
  expect(revived).toMatchObject({ status: 'fulfilled' })
  expect(await market.sql`select state from listings where listing_id = ${listingId}`).toEqual([
    { state: 'invalidated' },
  ])
})

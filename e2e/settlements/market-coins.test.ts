import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { buildPayment } from '@ordbook/bitcoin/inscribe.ts'
import { sumSats } from '@ordbook/bitcoin/sats.ts'
import { decodeTransaction, hexOfTransaction, type Tx, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { listImbalances } from '@ordbook/market/market-coins/ledger-queries.ts'
import { COIN_MOVES } from '@ordbook/market/market-coins/states.ts'
import { buy, delist, prepareListing, preparePurchase } from '@ordbook/sdk/index.ts'
import { describe, expect, it } from 'vitest'
import { agreementFor, keyHolder, listAll, setUpMarket, until } from '../support/market.ts'

const market = setUpMarket({ ANCHOR_POOL: '60', tuning: { tailPool: 6, anchorSpendDelaySeconds: 0 } })

const byState = async (state: string) => {
  const [row] = await market.sql<{ count: number }[]>`
    select count(*)::int as count from market_coins where state = ${state}`
  return row!.count
}
const mempool = () => market.regtest.call<string[]>('getrawmempool')
const mineUntilIdle = () =>
  until('an idle market', async () => {
    if ((await mempool()).length > 0) await market.mine()
    return (
      (await byState('spending')) === 0 && (await byState('retired')) === 0 && (await mempool()).length === 0
    )
  })
const balanced = async () => expect(await listImbalances(market.sql)).toEqual([])

async function replaceSettlement(
  settlementTxid: string,
  { payment, script }: { payment: Uint8Array; script: Uint8Array },
): Promise<Tx> {
  const settlement = decodeTransaction(await market.regtest.call<string>('getrawtransaction', settlementTxid))
  const parents = await Promise.all(
    settlement.inputs.map(async ({ txid, vout }) => {
      const { outputs } = decodeTransaction(await market.regtest.call<string>('getrawtransaction', txid))
      return { txid, vout, ...outputs[vout]! }
    }),
  )
  const coin = parents.find((parent) => equalBytes(parent.script, script))!
  for (let feeRateSatVb = 2; feeRateSatVb < 300; feeRateSatVb++) {
    const tx = buildPayment([coin], [{ valueSats: 10_000, script }], { privateKey: payment, feeRateSatVb })
    const [verdict] = await market.regtest.call<{ allowed: boolean }[]>('testmempoolaccept', [
      hexOfTransaction(tx),
    ])
    if (!verdict!.allowed) continue
    await market.regtest.call('sendrawtransaction', hexOfTransaction(tx))
    return tx
  }
  throw new Error('the node accepted no replacement of the settlement')
}

describe('states of market coins', () => {
  it('defines the same coin states in code and database', async () => {
    const rows = await market.sql<{ fromState: string; toState: string }[]>`
      select from_state, to_state from market_coin_moves`
    const pairs = COIN_MOVES.flatMap(({ from, to }) =>
      from.flatMap((before) => to.map((after) => `${before} ${after}`)),
    )
    expect(rows.map((row) => `${row.fromState} ${row.toState}`).toSorted()).toEqual(
      [...new Set(pairs)].toSorted(),
    )
  })

  it('keeps the coin of an unconfirmed child reserved', async () => {
    const seller = await market.trader()
    const buyer = await market.trader()
    const { slug, ids } = await market.collection(seller.wallet, 1)
    await listAll(market, seller, slug, ids, 100_000)
    const { settlementTxid } = await buy(buyer, slug, await agreementFor(market, buyer, ids))
    const coins = () => market.sql<{ state: string; spendingTxid: string | null }[]>`
      select m.state, m.spending_txid from market_coins m join settlements s on s.settlement_txid = m.txid
      where s.settlement_txid = ${settlementTxid} order by m.value_sats desc limit 1`
    const [row] = await market.sql<{ child: string; hexes: string[] }[]>`
      select bump ->> 'txid' as child, array(select t ->> 'hex' from jsonb_array_elements(transactions) t) as hexes
      from settlements where settlement_txid = ${settlementTxid}`
    const { child, hexes } = row!
    expect(await mempool()).toContain(child)
    await market.regtest.mineExactly(hexes.map(decodeTransaction))
    await market.server.sync()
    expect(await mempool()).toEqual([child])
    expect([...(await coins())]).toEqual([{ state: 'spending', spendingTxid: child }])
    // Simulate that the block arrived while the child was being stored.
    await market.sql`update market_coins set spending_txid = null, reserved_for = null where spending_txid = ${child}`
    await until('the child to be reserved', async () => (await coins())[0]!.state === 'spending')
    await market.mine()
    expect([...(await coins())]).toEqual([{ state: 'spent', spendingTxid: child }])
    await balanced()
  })

  it('allows only defined state transitions', async () => {
    const seller = await market.trader()
    const { slug, ids } = await market.collection(seller.wallet, 1)
    await listAll(market, seller, slug, ids, 40_000)
    const [held] = await market.sql<{ txid: string; vout: number }[]>`
      select txid, vout from market_coins where state = 'held' limit 1`
    const change = (to: ReturnType<typeof market.sql>) =>
      market.sql`update market_coins set ${to} where txid = ${held!.txid} and vout = ${held!.vout}`
    await expect(change(market.sql`reserved_for = gen_random_uuid()`)).rejects.toThrow(/is held already/)
    await expect(change(market.sql`reserved_for = null, immature = true`)).rejects.toThrow(
      /cannot go from held to immature/,
    )
    await expect(market.sql`update market_coins set retired = true where state = 'free'`).rejects.toThrow(
      /cannot go from free to retired/,
    )
  })
})

describe('coins of a disconnected block', () => {
  it('deletes disconnected coins unless an order reserves them', async () => {
    const script = market.server.context.market.coinScript
    const piece = { valueSats: 331, script }
    const { txid } = await market.regtest.pay([piece, piece]).then((tx) => ({ txid: txidOf(tx) }))
    const [block] = await market.regtest.mine()
    await market.server.sync()
    const states = async () => {
      const rows = await market.sql<{ state: string }[]>`
        select state from market_coins where txid = ${txid} and value_sats = 331 order by state`
      return rows.map((row) => row.state)
    }
    await market.sql`
      update market_coins set reserved_for = gen_random_uuid() where (txid, vout) in (
        select txid, vout from market_coins where txid = ${txid} and value_sats = 331 limit 1)`
    expect(await states()).toEqual(['free', 'held'])
    await market.regtest.call('invalidateblock', block)
    await market.server.sync()
    expect(await states()).toEqual(['absent'])
    await balanced()
    await market.regtest.call('reconsiderblock', block)
    await market.server.sync()
    expect(await states()).toEqual(['free', 'held'])
    await balanced()
    await market.sql`update market_coins set reserved_for = null where txid = ${txid} and state = 'held'`
  })
})

describe('preflight', () => {
  it('reserves no fee coin for a purchase preflight', async () => {
    const seller = await market.trader()
    const buyer = await market.trader()
    const { slug, ids } = await market.collection(seller.wallet, 1)
    await listAll(market, seller, slug, ids, 40_000)
    const agreement = await agreementFor(market, buyer, ids)
    for (let n = 0; n < 3; n++) {
      const other = await market.trader()
      const coins = await market.regtest.coinsOf(other.wallet.paymentScript)
      for (let i = 0; i < 8; i++) await preparePurchase(other, slug, { ...agreement, coins })
    }
    await buy(buyer, slug, agreement)
    await market.mine()
    expect(await market.coinOf(ids[0]!)).toMatchObject({ script: buyer.wallet.ordinalsScript })
  })

  it('reserves a coin for the first of two submits', async () => {
    const seller = await market.trader()
    const buyers = [await market.trader(), await market.trader()]
    const { slug, ids } = await market.collection(seller.wallet, 2)
    await listAll(market, seller, slug, ids, 40_000)
    const prepared = []
    for (const [n, buyer] of buyers.entries())
      prepared.push(await preparePurchase(buyer, slug, await agreementFor(market, buyer, [ids[n]!])))
    const nameAgain = async () =>
      preparePurchase(buyers[1]!, slug, await agreementFor(market, buyers[1]!, [ids[1]!]))
    const tailOf = async (id: string) => {
      const [row] = await market.sql<{ tail: string }[]>`
        select prepared->'feeCoins'->'tail'->>'txid' || ':' || (prepared->'feeCoins'->'tail'->>'vout') as tail
        from preflights where handle = ${id}`
      return row!.tail
    }
    const first = await tailOf(prepared[0]!.body.purchaseAnchorUtxoId)
    let second = prepared[1]!
    for (let n = 0; n < 40 && (await tailOf(second.body.purchaseAnchorUtxoId)) !== first; n++)
      second = await nameAgain()
    expect(await tailOf(second.body.purchaseAnchorUtxoId)).toBe(first)
    const submit = (n: number, { body }: typeof second) =>
      buyers[n]!.client.call('submitPurchase', { params: { slug }, body })
    await submit(0, prepared[0]!)
    await expect(submit(1, second)).rejects.toMatchObject({
      status: 409,
      message: expect.stringMatching(/no longer free/),
    })
    await buy(buyers[1]!, slug, await agreementFor(market, buyers[1]!, [ids[1]!]))
    await mineUntilIdle()
  })

  it('reserves no anchor for a listing preflight', async () => {
    const hog = await market.trader()
    const { slug, ids } = await market.collection(hog.wallet, 40)
    await mineUntilIdle()
    const heldBefore = await byState('held')
    const [before] = await market.sql<
      { count: number }[]
    >`select count(*)::int as count from market_transactions`
    for (let at = 0; at < 40; at += 20) {
      const items = []
      for (const inscriptionId of ids.slice(at, at + 20))
        items.push({
          inscriptionId,
          priceSats: 50_000,
          coin: await market.coinOf(inscriptionId),
          maxFeeBps: 100,
        })
      await prepareListing(hog, slug, items)
    }
    expect(await byState('held')).toBe(heldBefore)
    const honest = await market.trader()
    const collection = await market.collection(honest.wallet, 1)
    await listAll(market, honest, collection.slug, collection.ids, 50_000)
    const [after] = await market.sql<
      { count: number }[]
    >`select count(*)::int as count from market_transactions`
    expect(after).toEqual(before)
  })
})

describe('recovery coins', () => {
  it('keeps a recovery coin reserved until its transfer is final', async () => {
    const { trader: buyer, keys } = await keyHolder(market)
    const seller = await market.trader()
    const { slug, ids } = await market.collection(seller.wallet, 1)
    const [id] = ids as [string]
    const listingId = (await listAll(market, seller, slug, ids, 50_000)).get(id)!
    const bought = await buy(buyer, slug, await agreementFor(market, buyer, ids))
    const transfer = bought.listingTransferTxids[0]!
    const script = buyer.wallet.paymentScript
    const replacement = await replaceSettlement(bought.settlementTxid, { payment: keys.payment, script })
    await market.regtest.mineExactly([replacement])
    await market.server.sync()
    await until('the purchase to end', async () => {
      const [row] = await market.sql<{ state: string }[]>`
        select state from settlements where settlement_txid = ${bought.settlementTxid}`
      return row!.state === 'failed'
    })
    // At first the fee rate is too high to spend its anchor. Later the anchor spend replaces the transfer.
    market.server.context.config.anchorSpendMaxSatVb = 0.1
    await delist(seller, slug, [{ inscriptionId: id, listingId }])
    const recoveryCoin = async () => {
      const [row] = await market.sql<{ state: string; reservedFor: string }[]>`
        select c.state, c.reserved_for from market_coins c join listings l on l.recovery_handle = c.reserved_for
        where l.listing_id = ${listingId}`
      return row?.state
    }
    const guarantees = async () =>
      (await seller.client.call('getOrder', { params: { listingId } })).events.flatMap(
        (event) => event.guarantee ?? [],
      )
    expect(await recoveryCoin()).toBe('held')
    expect(await mempool()).toContain(transfer)
    expect((await guarantees()).at(-1)).toBe('refused')
    market.server.context.config.anchorSpendMaxSatVb = 50
    await until('the anchor to be spent', async () => (await guarantees()).at(-1) === 'anchor-spent')
    expect(await mempool()).not.toContain(transfer)
    await market.mine()
    expect((await guarantees()).at(-1)).toBe('impossible')
    await until('the coin to be released', async () => (await recoveryCoin()) === undefined)
    await mineUntilIdle()
    await balanced()
  })
})

describe('ledger', () => {
  it('records the causes of ledger entries', async () => {
    const { trader: buyer, keys } = await keyHolder(market)
    const seller = await market.trader()
    const { slug, ids } = await market.collection(seller.wallet, 2)
    const listed = new Map<string, string>()
    for (const id of ids) listed.set(id, (await listAll(market, seller, slug, [id], 50_000)).get(id)!)
    const of = (who: typeof seller) => market.sql<{ purpose: string; sats: number }[]>`
      select purpose, sum(sats)::int as sats from market_ledger
      where wallet_binding_id = ${who.walletBindingId} and purpose not in ('split', 'bump')
      group by purpose order by purpose`
    await buy(buyer, slug, await agreementFor(market, buyer, [ids[0]!]))
    await market.mine()
    expect([...(await of(buyer))]).toEqual([
      { purpose: 'refund', sats: 330 },
      { purpose: 'revenue', sats: 1000 },
      { purpose: 'transfer', sats: -330 },
    ])
    const bought = await buy(buyer, slug, await agreementFor(market, buyer, [ids[1]!]))
    const script = buyer.wallet.paymentScript
    await replaceSettlement(bought.settlementTxid, { payment: keys.payment, script })
    await market.mine()
    expect([...(await of(buyer))]).toContainEqual({ purpose: 'transfer', sats: -660 })
    const more = await market.collection(seller.wallet, 1)
    const other = await listAll(market, seller, more.slug, more.ids, 50_000)
    await delist(seller, more.slug, [{ inscriptionId: more.ids[0]!, listingId: other.get(more.ids[0]!)! }])
    await mineUntilIdle()
    expect((await of(seller)).map((each) => each.purpose)).toContain('void')
    await delist(seller, slug, [{ inscriptionId: ids[1]!, listingId: listed.get(ids[1]!)! }])
    await mineUntilIdle()
    expect((await of(buyer)).map((each) => each.purpose)).toContain('recovery')
    await balanced()
    const [row] = await market.sql<{ sats: number }[]>`select sum(sats)::bigint as sats from market_ledger`
    const coins = await market.regtest.coinsOf(market.server.context.market.coinScript)
    expect(row!.sats).toBe(sumSats(coins.map((coin) => coin.valueSats)))
  })

  it('reverts ledger entries with a disconnected block', async () => {
    const seller = await market.trader()
    const buyer = await market.trader()
    const { slug, ids } = await market.collection(seller.wallet, 1)
    await listAll(market, seller, slug, ids, 50_000)
    await buy(buyer, slug, await agreementFor(market, buyer, ids))
    const [block] = await market.regtest.mine()
    await market.server.sync()
    const entries = () =>
      market.sql`select count(*)::int as count, sum(sats)::bigint as sats from market_ledger`
    const before = [...(await entries())]
    await market.regtest.call('invalidateblock', block)
    await market.server.sync()
    await balanced()
    expect([...(await entries())]).not.toEqual(before)
    await market.regtest.call('reconsiderblock', block)
    await market.server.sync()
    await balanced()
    expect([...(await entries())]).toEqual(before)
  })
})

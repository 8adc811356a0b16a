import { buildPayment } from '@ordbook/bitcoin/inscribe.ts'
import { deleteOldInbox, notifyExpiring } from '@ordbook/market/inbox/queries.ts'
import { acceptProposal, bid, buy, counter, offer, propose, settle } from '@ordbook/sdk/index.ts'
import type { Answer } from '@ordbook/sdk/operations.ts'
import { afterAll, expect, it } from 'vitest'
import { rested } from '../../../e2e/escrows/support/escrow-market.ts'
import { listInboxGaps } from '../../../e2e/support/inbox-gaps.ts'
import { agreementFor, keyHolder, listAll, setUpMarket, until } from '../../../e2e/support/market.ts'
import { coinsOf, offering, selling } from '../../../e2e/support/offers.ts'
import { signInAtStorefront, traderAtStorefront } from '../../../e2e/support/storefront.ts'

const market = setUpMarket()
afterAll(async () => expect(await withoutCopies()).toEqual([]))
const trader = async () => traderAtStorefront(market.server.url, (await market.trader()).wallet)
type Trader = Awaited<ReturnType<typeof trader>>

const eventsOf = async ({ client }: Trader) =>
  (await client.call('listInbox', {})).events.filter(({ kind }) => kind !== 'sign_in')
const kindsOf = async (of: Trader) => (await eventsOf(of)).map(({ kind }) => kind)
const waitingOf = async ({ client }: Trader) => (await client.call('listWaiting')).waiting
const unreadOf = async ({ client }: Trader) => (await client.call('getInboxCounts')).unreadCount

/** Copies of an inbox row, to fill an inbox. */
const addRows = ({ walletBindingId }: Trader, count: number, days: number) => market.sql`
  insert into inbox (profile_id, kind, subject, at, is_read)
  select profile_id, 'sold', 'copy ' || ${days}::int || ':' || n, now() - make_interval(days => ${days}::int), false
  from wallet_bindings, generate_series(1, ${count}) n where wallet_binding_id = ${walletBindingId}`

const withoutCopies = async () =>
  (await listInboxGaps(market.sql)).filter(({ subject }) => !subject.startsWith('copy '))

it('an offer notifies the owner, a counter the buyer, and both wait', async () => {
  const [seller, buyer, low] = [await trader(), await trader(), await trader()]
  const { slug, ids } = await market.collection(seller.wallet, 1)
  const id = ids[0]!
  const first = await offer(low, slug, await offering(market, low, [id], 30_000))
  const { items } = await offer(buyer, slug, await offering(market, buyer, [id], 40_000))
  await offer(low, slug, await offering(market, low, [id], 35_000))
  expect(await kindsOf(seller)).toEqual(['offer', 'offer'])
  expect(await eventsOf(low)).toMatchObject([{ kind: 'outbid', inscriptionId: id, priceSats: 40_000 }])
  expect(first.items).toHaveLength(1)
  expect(await waitingOf(seller)).toMatchObject([
    {
      kind: 'offer',
      orderId: items[0]!.offerId,
      priceSats: 40_000,
      otherCount: 2,
      inscriptionId: id,
      collectionSlug: slug,
    },
  ])
  await counter(seller, items[0]!.offerId, await selling(market, id, 50_000))
  expect(await kindsOf(buyer)).toEqual(['counter'])
  expect(await waitingOf(buyer)).toMatchObject([{ kind: 'counter', priceSats: 50_000, offeredSats: 40_000 }])
  expect(await waitingOf(seller)).toMatchObject([{ kind: 'offer', priceSats: 35_000, otherCount: 1 }])
  expect(await unreadOf(seller)).toBe(2)
})

it('a sale notifies both sides once, also after a reorg', async () => {
  const [seller, buyer] = [await trader(), await trader()]
  const { slug, ids } = await market.collection(seller.wallet, 1)
  await listAll(market, seller, slug, ids, 60_000)
  await buy(buyer, slug, await agreementFor(market, buyer, ids))
  expect(await kindsOf(seller)).toEqual(['settling'])
  expect(await kindsOf(buyer)).toEqual([])
  const [block] = await market.regtest.mine()
  await market.server.sync()
  expect(await kindsOf(seller)).toEqual(['sold', 'settling'])
  expect(await kindsOf(buyer)).toEqual(['delivered'])
  const { latestEventId } = await seller.client.call('getInboxCounts')
  expect(await seller.client.call('markInboxRead', { body: { eventId: latestEventId! } })).toEqual({
    unreadCount: 0,
  })

  await market.regtest.call('invalidateblock', block)
  await market.server.sync()
  expect(await kindsOf(seller)).toEqual(['settling'])
  expect(await kindsOf(buyer)).toEqual([])
  await market.regtest.call('reconsiderblock', block)
  await market.server.sync()
  expect(await kindsOf(seller)).toEqual(['sold', 'settling'])
  expect(await kindsOf(buyer)).toEqual(['delivered'])
  expect([await unreadOf(seller), await unreadOf(buyer)]).toEqual([0, 1])
})

it('an acceptance waits for the proposer, and the swap notifies both', async () => {
  const [proposer, acceptor] = [await trader(), await trader()]
  const { ids } = await market.collection(proposer.wallet, 1)
  const coins = await coinsOf(market, proposer)
  const terms = { offeredInscriptionIds: ids, offeredBtcSats: 0, wantedLegs: [], requestedBtcSats: 40_000 }
  const proposal = await propose(proposer, { visibility: 'private', ...terms }, coins)
  const items = [{ inscriptionId: ids[0]!, coin: await market.coinOf(ids[0]!) }]
  const limits = { maxMarketSats: 100_000, maxNetworkSats: 100_000 }
  const takes = {
    gives: [],
    gets: items,
    netSats: -40_000,
    coins: await coinsOf(market, acceptor),
    ...limits,
  }
  const { acceptanceId } = await acceptProposal(acceptor, proposal.id, [], takes)
  expect(await kindsOf(proposer)).toEqual(['acceptance'])
  expect(await waitingOf(proposer)).toMatchObject([
    { kind: 'acceptance', orderId: acceptanceId, proposalId: proposal.id },
  ])
  expect((await proposer.client.call('getInboxCounts')).unreadTradeCount).toBe(1)
  await settle(proposer, acceptanceId, { gives: items, gets: [], netSats: 40_000, coins })
  expect(await waitingOf(proposer)).toEqual([])
  expect(await kindsOf(acceptor)).toEqual(['settling'])
  await market.mine()
  expect(await kindsOf(acceptor)).toEqual(['delivered', 'settling'])
  expect(await kindsOf(proposer)).toEqual(['delivered', 'acceptance'])
})

it('an item in escrow without a trade waits for its owner', async () => {
  const seller = await trader()
  const { slug, ids } = await market.collection(seller.wallet, 1)
  const [escrow] = await rested(market, seller, slug, ids)
  expect(await kindsOf(seller)).not.toContain('escrow')
  expect(await waitingOf(seller)).toEqual([])
  // Without a recovery, the market cannot return the item.
  await market.sql`
    update listings set expires_at = now() - interval '1 minute', recovery_signature = null where inscription_id = ${ids[0]!}`
  await until('the listing to end', async () => (await kindsOf(seller)).includes('listing_ended'))
  expect(await eventsOf(seller)).toContainEqual(
    expect.objectContaining({ kind: 'listing_ended', listing: { endedBy: 'expiry', isHeld: true } }),
  )
  expect(await kindsOf(seller)).toContain('escrow')
  expect(await waitingOf(seller)).toMatchObject([
    { kind: 'escrow', orderId: `${escrow!.txid}:${escrow!.vout}`, expiresAt: null },
  ])
})

it('a listing that ends with its coin notifies the seller', async () => {
  const { trader: holder, keys } = await keyHolder(market)
  const seller = await traderAtStorefront(market.server.url, holder.wallet)
  const { slug, ids } = await market.collection(seller.wallet, 1)
  await listAll(market, seller, slug, ids, 60_000)
  const other = await trader()
  const move = async (outputs: Parameters<typeof buildPayment>[1]): Promise<string> => {
    const tx = buildPayment([await market.coinOf(ids[0]!)], outputs, {
      privateKey: keys.ordinals,
      feeRateSatVb: 2,
    })
    const block = await market.regtest.mineExactly([tx])
    await market.server.sync()
    return block
  }
  const ended = (isHeld: boolean) => [{ kind: 'listing_ended', listing: { endedBy: 'move', isHeld } }]
  const block = await move([])
  await until('the listing to end', async () => (await kindsOf(seller)).includes('listing_ended'))
  expect(await eventsOf(seller)).toMatchObject(ended(true))
  await market.regtest.call('invalidateblock', block)
  await market.server.sync()
  expect(await eventsOf(seller)).toMatchObject([{ listing: { endedBy: null, isHeld: true } }])
  await market.regtest.call('reconsiderblock', block)
  await market.server.sync()
  expect(await eventsOf(seller)).toMatchObject(ended(true))
  await move([{ valueSats: 1000, script: other.wallet.ordinalsScript }])
  expect(await eventsOf(seller)).toMatchObject(ended(false))
})

it('returns the present state of a listing that ended', async () => {
  const seller = await trader()
  const { slug, ids } = await market.collection(seller.wallet, 1)
  await listAll(market, seller, slug, ids, 60_000)
  await market.sql`
    update listings set expires_at = now() - interval '1 minute' where inscription_id = ${ids[0]!}`
  await until('the listing to end', async () => (await kindsOf(seller)).includes('listing_ended'))
  const endedBy = async (state: string) => {
    await market.sql`update listings set state = ${state} where inscription_id = ${ids[0]!}`
    return (await eventsOf(seller)).map(({ listing }) => listing?.endedBy)
  }
  expect(await endedBy('expired')).toEqual(['expiry'])
  expect(await endedBy('sold')).toEqual(['sale'])
  expect(await endedBy('cancelled')).toEqual(['cancel'])
  expect(await endedBy('replaced')).toEqual(['cancel'])
})

it('lists the newest first, also if an older event was written later', async () => {
  const seller = await trader()
  await addRows(seller, 1, 1)
  await addRows(seller, 1, 3)
  await addRows(seller, 1, 2)
  const times: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Answer<'listInbox'> = await seller.client.call('listInbox', {
      query: { limit: 1, ...(cursor ? { cursor } : {}) },
    })
    times.push(...page.events.map(({ at }) => at))
    cursor = page.pagination.nextCursor
  }
  expect(times.length).toBeGreaterThanOrEqual(3)
  expect(times).toEqual(times.toSorted().reverse())
})

it('a higher collection offer notifies the best bidder, once per bid', async () => {
  const [owner, first, second] = [await trader(), await trader(), await trader()]
  const { slug } = await market.collection(owner.wallet, 1)
  const place = async (by: Trader, priceSats: number) =>
    bid(by, slug, { target: { kind: 'all' }, priceSats, coins: await coinsOf(market, by) })
  await place(first, 20_000)
  await place(second, 25_000)
  await place(second, 30_000)
  expect(await eventsOf(first)).toMatchObject([
    { kind: 'outbid', collectionSlug: slug, inscriptionId: null, priceSats: 25_000 },
  ])
  expect(await kindsOf(second)).toEqual([])
})

it('an order is announced once before it expires', async () => {
  const seller = await trader()
  const { slug, ids } = await market.collection(seller.wallet, 2)
  await listAll(market, seller, slug, ids, 60_000)
  await market.sql`
    update listings set listed_at = now() - interval '2 days', expires_at = now() + interval '5 hours' where inscription_id = ${ids[0]!}`
  await market.sql`update listings set expires_at = now() + interval '5 hours' where inscription_id = ${ids[1]!}`
  for (let n = 0; n < 2; n++) await notifyExpiring(market.sql, new Date())
  expect(await eventsOf(seller)).toMatchObject([
    { kind: 'expiring', inscriptionId: ids[0], listing: { endedBy: null, isHeld: true } },
  ])
})

it('a sign-in with another client is unread, the first is not', async () => {
  const seller = await trader()
  const sign = (agent: string) =>
    signInAtStorefront(market.server.url, seller.wallet, { 'user-agent': agent })
  const signIns = async () =>
    (await seller.client.call('listInbox', {})).events
      .filter(({ kind }) => kind === 'sign_in')
      .map(({ isRead }) => isRead)
  const before = await signIns()
  expect(before).not.toContain(false)
  const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
  await sign(firefox)
  await sign(firefox)
  expect(await signIns()).toEqual([false, ...before])
})

it('events before a restore are not unread', async () => {
  const [seller, buyer] = [await trader(), await trader()]
  const { slug, ids } = await market.collection(seller.wallet, 1)
  await market.sql`insert into settings (name, value) values ('restored at', (now() + interval '1 hour')::text)`
  await offer(buyer, slug, await offering(market, buyer, ids, 40_000))
  await market.sql`delete from settings where name = 'restored at'`
  expect(await eventsOf(seller)).toMatchObject([{ kind: 'offer', isRead: true }])
  expect(await waitingOf(seller)).toHaveLength(1)
})

it('keeps 90 days and 1,000 rows per profile', async () => {
  const [full, other] = [await trader(), await trader()]
  await addRows(full, 1_200, 1)
  await addRows(other, 3, 91)
  await addRows(other, 2, 89)
  while ((await deleteOldInbox(market.sql, new Date(), 100)) > 0);
  const [row] = await market.sql<{ rows: number }[]>`
    select count(*) as rows from inbox join wallet_bindings using (profile_id) where wallet_binding_id = ${full.walletBindingId}`
  expect(row!.rows).toBe(1000)
  expect(await kindsOf(other)).toEqual(['sold', 'sold'])
  const seen = new Set<string>()
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Answer<'listInbox'> = await full.client.call('listInbox', {
      query: { limit: 100, ...(cursor ? { cursor } : {}) },
    })
    for (const { eventId } of page.events) seen.add(eventId)
    cursor = page.pagination.nextCursor
  }
  expect(seen.size).toBe(1000)
})

it('many offers on one item displace no other events', async () => {
  const owner = await trader()
  await addRows(owner, 3, 2)
  const id = `${'ab'.repeat(32)}i0`
  await market.sql`
    insert into inbox (profile_id, kind, subject, at, is_read, inscription_id)
    select profile_id, 'offer', 'copy ' || n, now(), false, ${id}
    from wallet_bindings, generate_series(1, 1100) n where wallet_binding_id = ${owner.walletBindingId}`
  while ((await deleteOldInbox(market.sql, new Date(), 500)) > 0);
  const rows = await market.sql<{ kind: string; rows: number }[]>`
    select kind, count(*) as rows from inbox join wallet_bindings using (profile_id)
    where wallet_binding_id = ${owner.walletBindingId} and kind <> 'sign_in' group by kind order by kind`
  expect(rows).toMatchObject([
    { kind: 'offer', rows: 996 },
    { kind: 'sold', rows: 3 },
  ])
})

it('a sign-in with another client is unread, however old or full the inbox is', async () => {
  const owner = await trader()
  const signIns = async () =>
    market.sql<{ subject: string; isRead: boolean }[]>`
      select subject, is_read from inbox join wallet_bindings using (profile_id)
      where wallet_binding_id = ${owner.walletBindingId} and kind = 'sign_in' order by inbox_id`
  const prune = async () => {
    while ((await deleteOldInbox(market.sql, new Date(), 5000)) > 0);
  }
  const sign = (client: string) =>
    signInAtStorefront(market.server.url, owner.wallet, { 'user-agent': client })
  const first = await signIns()
  expect(first).toMatchObject([{ isRead: true }])
  await market.sql`update inbox set at = now() - interval '91 days' where kind = 'sign_in' and profile_id =
    (select profile_id from wallet_bindings where wallet_binding_id = ${owner.walletBindingId})`
  await prune()
  await sign('Thief/1.0')
  expect(await signIns()).toEqual([...first, { subject: 'Thief/1.0', isRead: false }])
  await addRows(owner, 1_100, 1)
  await prune()
  await sign('Thief/2.0')
  expect(await signIns()).toHaveLength(3)
  expect((await signIns()).at(-1)).toEqual({ subject: 'Thief/2.0', isRead: false })
})

it('inbox events are sent only to the profile', async () => {
  const [seller, buyer] = [await trader(), await trader()]
  const { slug, ids } = await market.collection(seller.wallet, 1)
  const listen = async (cookie: string | null) => {
    const stop = new AbortController()
    const response = await fetch(`${market.server.url}/events`, {
      headers: cookie ? { cookie } : {},
      signal: stop.signal,
    })
    let text = ''
    const done = (async () => {
      for await (const part of response.body!) text += Buffer.from(part).toString()
    })().catch(() => {})
    const close = async () => {
      stop.abort()
      await done
    }
    return { text: () => text, close }
  }
  const { cookie } = await signInAtStorefront(market.server.url, seller.wallet)
  const streams = [await listen(cookie), await listen(null)] as const
  await offer(buyer, slug, await offering(market, buyer, ids, 40_000))
  for (const { text } of streams) await until('the offer', async () => text().includes('event: offer'))
  await until('the inbox event', async () => streams[0].text().includes('event: inbox\ndata: {"at"'))
  expect(streams[1].text()).not.toContain('event: inbox')
  for (const { close } of streams) await close()
})

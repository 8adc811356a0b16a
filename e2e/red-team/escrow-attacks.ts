import { buildPayment } from '@ordbook/bitcoin/inscribe.ts'
import { hexOfTransaction } from '@ordbook/bitcoin/transaction.ts'
import { finishEnded } from '@ordbook/market/listings/recover.ts'
import { buy, delist, preparePurchase } from '@ordbook/sdk/index.ts'
import { expect } from 'vitest'
import {
  escrowsOf,
  moveEscrows,
  prepareReclaim,
  prepareRelist,
  relist,
} from '../escrows/support/escrow-market.ts'
import { edited, type Psbt } from '../lying-market/psbt.ts'
import { agreementFor, listAll, signedPackage, type TestTrader, until } from '../support/market.ts'
import type { Attack } from './attacks.ts'
import { exitOf, honest, listed, PRICE, strand } from './market-moves.ts'
import { isAt, mempoolOf, refusalOf, type Scene, sceneAt, settle } from './scene.ts'

/** Creates a seller whose listed inscriptions an attacker has stranded in escrow. */
async function escrowed(scene: Scene, count: number) {
  const stranded = await listed(scene, count)
  await strand(scene, stranded.slug, stranded.ids)
  const held = await escrowsOf(stranded.seller)
  const escrows = stranded.ids.map((id) => held.find((each) => each.inscriptionIds.includes(id))!)
  return { ...stranded, escrows }
}

const floorOf = async ({ market }: Scene, { txid, vout }: { txid: string; vout: number }) => {
  const [told] = await market.server.context.signer.floors([`${txid}:${vout}`])
  return told!.floor
}

/** Returns the number of market coins reserved for a wallet. */
async function heldFor({ market }: Scene, { walletBindingId }: TestTrader): Promise<number> {
  const [row] = await market.sql<{ held: number }[]>`
    select count(*)::int as held from market_coins
    where caused_by = ${walletBindingId} and state in ('held', 'retired', 'spending')`
  return row!.held
}

const bookedTo = async ({ market }: Scene, { walletBindingId }: TestTrader) => [
  ...(await market.sql<{ purpose: string; sats: number }[]>`
    select purpose, sum(sats)::bigint as sats from market_ledger
    where wallet_binding_id = ${walletBindingId} group by purpose order by purpose`),
]

/** Runs `run` with a minimum fee rate in sat/vB. */
async function atFeeRate<T>({ market }: Scene, satVb: number, run: () => Promise<T>): Promise<T> {
  const { config } = market.server.context
  const { feeRateFallbackSatVb, feeRateMinSatVb } = config
  Object.assign(config, { feeRateFallbackSatVb: satVb, feeRateMinSatVb: satVb })
  try {
    return await run()
  } finally {
    Object.assign(config, { feeRateFallbackSatVb, feeRateMinSatVb })
  }
}

const guaranteesOf = async ({ market }: Scene, ids: readonly string[]) => {
  const rows = await market.sql<{ guarantee: string; listings: number }[]>`
    select guarantee, count(distinct listing_id)::int as listings from order_events join listings using (listing_id)
    where inscription_id = any(${ids as string[]}) and guarantee is not null group by guarantee`
  return new Map(rows.map((row) => [row.guarantee, row.listings]))
}

export const ESCROW_ATTACKS: readonly Attack[] = [
  {
    name: 'a relisting with another generation, price or leg than prepared',
    async run(scene) {
      const { market } = scene
      const { seller, slug, ids, escrows } = await escrowed(scene, 2)
      const [escrow, other] = escrows
      const expensive = await prepareRelist(seller, [{ ...escrow!, priceSats: 200_000 }])
      const cheap = await prepareRelist(seller, [{ ...escrow!, priceSats: 90_000 }])
      const otherRelist = await prepareRelist(seller, [{ ...other!, priceSats: 200_000 }])
      const validStep = expensive.body.signedSteps[0]!
      const submit = (body: typeof expensive.body) => seller.client.call('submitRelist', { body })
      const withPsbt = (psbtBase64: string) => ({
        ...expensive.body,
        signedSteps: [{ ...validStep, psbtBase64 }],
      })
      const altered = (change: (psbt: Psbt) => void) => withPsbt(edited(validStep.psbtBase64, change))
      const variants: Record<string, typeof expensive.body> = {
        'another price': { ...expensive.body, items: [{ ...expensive.body.items[0]!, priceSats: 20_000 }] },
        'another escrow': { ...expensive.body, items: otherRelist.body.items },
        'the leg of a later generation': withPsbt(cheap.body.signedSteps[0]!.psbtBase64),
        'the leg of another escrow': withPsbt(otherRelist.body.signedSteps[0]!.psbtBase64),
        'the handle of a later generation': { ...expensive.body, relistId: cheap.body.relistId },
        'a smaller payout': altered(({ global }) => {
          global.unsignedTx.outputs[0]!.amount -= 1n
        }),
        'a locktime': altered(({ global }) => {
          global.unsignedTx.lockTime = 1
        }),
      }
      const { generation } = expensive.items[0]!
      for (const sequence of [
        0xfffffffd,
        0xfffffffd - generation - 1,
        0xfffffffd - 1000,
        0x80000000,
        0xffffffff,
        0,
      ])
        variants[`sequence ${sequence.toString(16)}`] = altered(({ global }) => {
          global.unsignedTx.inputs[0]!.sequence = sequence
        })
      for (const [what, body] of Object.entries(variants))
        expect(await refusalOf(submit(body)), what).toMatch(/^(400|409)/)
      expect(await floorOf(scene, escrow!)).toBeLessThan(generation)
      // The market accepts the later, lower price. The earlier leg is then below the minimum generation.
      await cheap.submit()
      const lateRefusal = await refusalOf(expensive.submit())
      expect(lateRefusal).toMatch(/^409.*since the preflight/)
      expect(await floorOf(scene, escrow!)).toBe(cheap.items[0]!.generation)
      const { listings } = await seller.client.call('listListings', { query: { inscriptionId: ids[0]! } })
      expect(listings).toMatchObject([{ priceSats: 90_000 }])
      const buyer = await honest(scene, slug, ids.slice(0, 1))
      expect(await isAt(scene, ids[0]!, buyer.wallet.ordinalsScript)).toBe(true)
      const sold = await market.sql`
        select 1 from sales where inscription_id = ${ids[0]!} and price_sats = 90000`
      expect(sold).toHaveLength(1)
      return `${Object.keys(variants).length} variants rejected at submit; the earlier generation: ${lateRefusal}`
    },
  },
  {
    name: 'the old leg after a reorg disconnects the move that ended it',
    async run(scene) {
      const { market, attacker } = scene
      const { seller, slug, ids, escrows } = await escrowed(scene, 1)
      const [inscriptionId] = ids as [string]
      // Prepare a purchase at the old price, and capture the request that a cheating market would send to the signer.
      const { body } = await preparePurchase(attacker, slug, await agreementFor(market, attacker, ids))
      const submit = () => attacker.client.call('submitPurchase', { params: { slug }, body })
      const { request } = await signedPackage(market, attacker, slug, ids)
      const { signer } = market.server.context
      const moved = await moveEscrows(market, seller, escrows, 'wallet')
      const before = [await refusalOf(submit()), await refusalOf(signer.signSettlement(request))]
      await market.mine()
      await relist(seller, [{ ...moved.escrows[0]!, priceSats: 200_000 }])
      const block = await market.regtest.call<string>('getbestblockhash')
      await market.regtest.call('invalidateblock', block)
      await market.regtest.mineExactly([])
      await market.regtest.mineExactly([])
      await market.server.sync()
      const { context } = market.server
      expect(await context.node.txOut(escrows[0]!, { mempool: false })).not.toBeNull()
      const after = [await refusalOf(submit()), await refusalOf(signer.signSettlement(request))]
      expect(await floorOf(scene, escrows[0]!)).toBeGreaterThan(0)
      expect(await context.node.spenderInMempool(escrows[0]!)).toBe(moved.txid)
      const { listings } = await seller.client.call('listListings', { query: { inscriptionId } })
      expect(listings.filter((listing) => listing.priceSats === PRICE)).toEqual([])
      await settle(scene)
      const relistedItem = await until('the listing on the new coin', async () => {
        const found = await seller.client.call('listListings', { query: { inscriptionId } })
        return found.listings[0]
      })
      expect(relistedItem.priceSats).toBe(200_000)
      const buyer = await honest(scene, slug, ids)
      expect(await isAt(scene, inscriptionId, buyer.wallet.ordinalsScript)).toBe(true)
      for (const text of [before[0], after[0]]) expect(text).toMatch(/^409/)
      for (const text of [before[1], after[1]]) expect(text).toMatch(/cancelled by its seller/)
      return `at submit ${after[0]}; at the signer ${after[1]}`
    },
  },
  {
    name: 'a reclaim that is pinned by low-fee descendants and double-spent by its owner',
    async run(scene) {
      const { market, attacker, keys } = scene
      // The attacker is the owner here: all outputs of a reclaim pay the owner.
      const { slug, ids } = await market.collection(attacker.wallet, 3)
      await market.anchors(6)
      await listAll(market, attacker, slug, ids, PRICE)
      await strand(await sceneAt(market), slug, ids)
      const other = await listed(scene, 1)
      const buyer = await market.trader()
      const escrows = await until('the escrows', async () => {
        const attackersEscrows = await escrowsOf(attacker)
        return (
          attackersEscrows.length === 3 &&
          attackersEscrows.every((attackersEscrow) => attackersEscrow.state === 'resting') &&
          attackersEscrows
        )
      })
      const before = await heldFor(scene, attacker)
      const books = await bookedTo(scene, attacker)
      const { feeSats, submit } = await prepareReclaim(attacker, escrows)
      const { txid } = await submit()
      const anchors = feeSats / 330
      // Add descendants to an output of the reclaim, up to the node's limit.
      const script = attacker.wallet.ordinalsScript
      let parent = { txid, vout: 0, valueSats: 10_000, script }
      let hung = 0
      for (; hung < 30; hung++) {
        const child = buildPayment([parent], [], { privateKey: keys.ordinals, feeRateSatVb: 2 })
        const sent = await market.regtest
          .call<string>('sendrawtransaction', hexOfTransaction(child))
          .catch(() => null)
        if (!sent) break
        parent = { txid: sent, vout: 0, ...child.outputs[0]! }
      }
      expect(hung).toBeGreaterThan(20)
      // The market can still trade. Only the anchors of the reclaim are reserved.
      expect((await heldFor(scene, attacker)) - before).toBe(anchors)
      await buy(buyer, other.slug, await agreementFor(market, buyer, other.ids))
      const { tx } = await exitOf(scene, attacker, ids, 200)
      await market.regtest.call('sendrawtransaction', hexOfTransaction(tx))
      expect(await mempoolOf(scene)).not.toContain(txid)
      await settle(scene)
      for (const id of ids) expect(await isAt(scene, id, script)).toBe(true)
      await until('the anchors of the reclaim', async () => {
        const rows = await market.sql`
          select 1 from market_coins where spending_txid = ${txid} and state = 'spending'`
        return rows.length === 0
      })
      expect(await bookedTo(scene, attacker)).toEqual(books)
      expect(await isAt(scene, other.ids[0]!, buyer.wallet.ordinalsScript)).toBe(true)
      return `${hung} descendants and a replacement: ${anchors} anchors are free again, and the ledger is unchanged`
    },
  },
  {
    name: 'P2: a wallet that lists the same inscriptions repeatedly',
    async run(scene) {
      const { market } = scene
      const inEscrow = await escrowed(scene, 3)
      return atFeeRate(scene, 20, async () => {
        const { seller, slug, ids } = await listed(scene, 12)
        const before = await heldFor(scene, seller)
        const books = await bookedTo(scene, seller)
        const ROUNDS = 15
        for (let round = 1; round <= ROUNDS; round++) {
          await listAll(market, seller, slug, ids, PRICE + round)
          if (round % 5 === 0) await market.mine()
        }
        expect(await heldFor(scene, seller)).toBe(before)
        const { listings } = await seller.client.call('listListings', { query: { inscriptionId: ids[0]! } })
        expect(listings).toMatchObject([{ priceSats: PRICE + ROUNDS }])
        const coins = () => market.sql`
          select txid, vout, state, reserved_for from market_coins where caused_by = ${inEscrow.seller.walletBindingId}
          order by txid, vout`
        await settle(scene)
        const thumbnail = [...(await coins())]
        for (let round = 1; round <= ROUNDS; round++)
          await relist(
            inEscrow.seller,
            inEscrow.escrows.map((escrow) => ({ ...escrow, priceSats: PRICE + round })),
          )
        expect([...(await coins())]).toEqual(thumbnail)
        await settle(scene)
        expect(await bookedTo(scene, seller)).toEqual(books)
        return `${ROUNDS * ids.length} listings at home and ${ROUNDS * inEscrow.ids.length} in escrow on the anchors of the first listings: the ledger is unchanged`
      })
    },
  },
  {
    name: 'D2: listings created and cancelled while fees exceed the limit for anchor spends',
    async run(scene) {
      const { market } = scene
      const { config } = market.server.context
      const ROUNDS = 10
      const rateAbove = config.anchorSpendMaxSatVb + 10
      const { anchorSpendDelaySeconds } = config
      config.anchorSpendDelaySeconds = 0
      try {
        const { seller, ids } = await atFeeRate(scene, rateAbove, async () => {
          const created = await listed(scene, 12)
          const heldBefore = await heldFor(scene, created.seller)
          const relisted = (priceSats: number) =>
            listAll(market, created.seller, created.slug, created.ids, priceSats)
          const takeDown = (listings: ReadonlyMap<string, string>) =>
            delist(
              created.seller,
              created.slug,
              [...listings].map(([inscriptionId, listingId]) => ({ inscriptionId, listingId })),
            )
          for (let round = 1; round < ROUNDS; round++) await relisted(PRICE + round)
          expect(await heldFor(scene, created.seller)).toBe(heldBefore)
          // The signer rejects the legs immediately. The anchors are spent once fees fall.
          await takeDown(await relisted(PRICE))
          await finishEnded(market.server.context)
          await market.mine(2)
          const guarantees = await guaranteesOf(scene, created.ids)
          expect(guarantees.get('refused')).toBe(12 * (ROUNDS + 1))
          expect(guarantees.get('anchor-spent')).toBeUndefined()
          for (let round = 0; round < 5; round++) await takeDown(await relisted(PRICE))
          expect(await heldFor(scene, created.seller)).toBeLessThanOrEqual(heldBefore)
          return created
        })
        // Fees fall, and the market spends every anchor.
        await until('the anchors to be spent', async () => {
          await market.mine()
          return (await heldFor(scene, seller)) === 0
        })
        expect((await guaranteesOf(scene, ids)).get('impossible')).toBeGreaterThan(0)
        const lossSats = (await bookedTo(scene, seller)).reduce((sum, { sats }) => sum - sats, 0)
        // Each inscription uses one anchor, however often it was listed.
        expect(lossSats).toBeLessThan((ids.length * (43 + 57.5) + 43 + 57.5 + 10.5) * rateAbove)
        const listings = ids.length * (ROUNDS + 6)
        return `${listings} listings: rejected until fees fall, then invalid; ${Math.round(lossSats / listings)} sats each`
      } finally {
        config.anchorSpendDelaySeconds = anchorSpendDelaySeconds
      }
    },
  },
]

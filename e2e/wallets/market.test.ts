import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { hexOfTransaction } from '@ordbook/bitcoin/transaction.ts'
import { buy, exitEscrow, list, keysOf as marketKeysOf } from '@ordbook/sdk/index.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { escrowsOf, isHome, reclaim, relist, strand } from '../escrows/support/escrow-market.ts'
import { agreementFor, enter, keyHolder, setUpMarket, type TestTrader, until } from '../support/market.ts'
import { ABLE_ENGINES } from './engines.ts'

const market = setUpMarket({ ANCHOR_POOL: '200' }, 'bitcoind')
let holder: Awaited<ReturnType<typeof keyHolder>>
beforeAll(async () => {
  await market.node.restart('SIGTERM', ['-disablewallet=0'])
  await market.server.sync()
  holder = await keyHolder(market)
})

const PRICE = 100_000
const ownerOf = async (id: string) => (await market.coinOf(id)).script

describe.each(ABLE_ENGINES)('$name', ({ make }) => {
  let seller: TestTrader
  beforeAll(async () => {
    const { wallet } = await make(market.node)
    await market.regtest.pay([{ valueSats: 1_000_000, script: wallet.paymentScript }])
    await market.mine()
    seller = (await enter(market.base, wallet as TestTrader['wallet'])) as TestTrader
  })

  async function listed() {
    const { slug, ids } = await market.collection(seller.wallet, 1)
    const [id] = ids as [string]
    await market.anchors(4)
    const coin = await market.coinOf(id)
    await list(seller, slug, [{ inscriptionId: id, priceSats: PRICE, coin, maxFeeBps: 100 }])
    return { slug, id }
  }

  /** Strands an inscription in escrow: its sale is replaced, but its transfer confirms. */
  async function stranded() {
    const { slug, id } = await listed()
    await strand(market, holder.trader, holder.keys.payment, slug, [id])
    await market.mine()
    expect(await isHome(market, id, seller)).toBe(false)
    const coin = await market.coinOf(id)
    // Wait until the market marks the settlement as failed.
    await until('an escrow that its owner can list', async () => {
      const escrow = (await escrowsOf(seller)).find(({ inscriptionIds }) => inscriptionIds.includes(id))
      return escrow?.actions.includes('relist')
    })
    return { slug, id, coin }
  }

  it('lists and sells', async () => {
    const { slug, id } = await listed()
    await buy(holder.trader, slug, await agreementFor(market, holder.trader, [id]))
    await market.mine()
    expect(equalBytes(await ownerOf(id), holder.trader.wallet.ordinalsScript)).toBe(true)
  })

  it('reprices in escrow and sells', async () => {
    const { slug, id, coin } = await stranded()
    await relist(seller, [{ ...coin, priceSats: PRICE + 20_000 }])
    await buy(holder.trader, slug, await agreementFor(market, holder.trader, [id]))
    await market.mine()
    expect(equalBytes(await ownerOf(id), holder.trader.wallet.ordinalsScript)).toBe(true)
  })

  it('reclaims with the market', async () => {
    const { id, coin } = await stranded()
    await reclaim(seller, [coin])
    await market.mine()
    expect(await isHome(market, id, seller)).toBe(true)
  })

  it('exits escrow without the market', async () => {
    const { id, coin } = await stranded()
    const { cosignKey } = await marketKeysOf(seller)
    const { tx } = await exitEscrow(seller.wallet, {
      escrows: [{ ...coin, form: 'wallet', cosignKey }],
      coins: (await market.regtest.coinsOf(seller.wallet.paymentScript)).filter(
        (each) => each.valueSats > 50_000,
      ),
      feeRateSatVb: 3,
    })
    await market.regtest.call('sendrawtransaction', hexOfTransaction(tx))
    await market.mine()
    expect(await isHome(market, id, seller)).toBe(true)
  })
})

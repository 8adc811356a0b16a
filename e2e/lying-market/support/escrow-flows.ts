import type { KeySpend } from '@ordbook/bitcoin/address.ts'
import { decodeTransaction, hexOfTransaction, type Tx } from '@ordbook/bitcoin/transaction.ts'
import {
  CheckFailed,
  exitEscrow,
  moveEscrows,
  type OwnEscrow,
  type RelistAgreement,
  reclaim,
  relist,
  type Trader,
} from '@ordbook/sdk/index.ts'
import { keysOf } from '@ordbook/sdk/keys.ts'
import { isHome, rested } from '../../escrows/support/escrow-market.ts'
import type { TestMarket } from '../../support/market.ts'
import { coinsOf } from '../../support/offers.ts'
import { BY_NODE, type Flow, UNREAD } from './flows.ts'

/** Yields all actions of an owner in both escrow forms. See `flowsOf`. */
export async function* escrowFlowsOf(
  market: TestMarket,
  kind: KeySpend['kind'],
): AsyncGenerator<Flow & { spare: string[] }> {
  const owner = await market.trader(kind)
  const { slug, ids } = await market.collection(owner.wallet, 5)
  const [a, b, c, d, spare] = ids as [string, string, string, string, string]
  await market.anchors(20)
  const inWalletForm = await rested(market, owner, slug, [a, c])
  const inPublishedForm = await rested(market, { ...owner, escrowForm: 'published' }, slug, [b, d])
  const allIds = [...inWalletForm, ...inPublishedForm]
  const at = async (id: string): Promise<OwnEscrow> => {
    const { txid, vout, valueSats, offset } = await market.coinOf(id)
    const { escrowForm } = allIds.find((each) => each.inscriptionIds.includes(id))!
    return { txid, vout, valueSats, offset, escrowForm }
  }
  const owners = { trader: owner, spare: [spare] }

  const priced = [a, b].map((inscriptionId, i) => ({ inscriptionId, priceSats: 120_000 + i, maxFeeBps: 100 }))
  const agreed: RelistAgreement[] = []
  // The first leg was signed with the listing.
  for (const each of priced) agreed.push({ ...each, escrow: await at(each.inscriptionId), lastGeneration: 0 })
  yield {
    ...owners,
    name: 'relist',
    unread: UNREAD.allButCosigner,
    attempt: (trader) => relist(trader, agreed),
  }

  const reclaimed = [await at(a), await at(b)]
  yield {
    ...owners,
    name: 'reclaim',
    unread: UNREAD.guardian,
    attempt: (trader) => reclaim(trader, reclaimed),
  }
  await market.mine()

  const moved = {
    escrows: [await at(c), await at(d)],
    coins: await coinsOf(market, owner),
    maxNetworkSats: 20_000,
  }
  yield {
    ...owners,
    name: 'move',
    unread: UNREAD.allButCosigner,
    attempt: (trader) => moveEscrows(trader, moved),
  }
  await market.mine()

  const coins = (await coinsOf(market, owner)).slice(0, 1)
  yield {
    ...owners,
    name: BY_NODE,
    unread: UNREAD.allButCosigner,
    attempt: (trader) => leave(market, trader, coins),
  }
  await market.mine()
  for (const id of ids)
    if (!(await isHome(market, id, owner))) throw new Error(`${id} did not return to its owner`)
}

/** Exits from all listed escrows without the market. Reads the coins from the node. */
async function leave(
  market: TestMarket,
  trader: Trader,
  coins: Awaited<ReturnType<typeof coinsOf>>,
): Promise<void> {
  const { escrows } = await trader.client.call('listMyEscrows', { query: { limit: 100 } })
  const { cosignKey } = await keysOf(trader)
  const previous = new Map<string, Tx>()
  for (const { txid } of [...escrows, ...coins])
    previous.set(
      txid,
      decodeTransaction(
        await market.regtest.call<string>('getrawtransaction', txid).catch(() => {
          throw new CheckFailed(`the node has no transaction ${txid}`)
        }),
      ),
    )
  const { tx } = await exitEscrow(trader.wallet, {
    escrows: escrows.map(({ escrowForm, ...row }) => ({ ...row, form: escrowForm, cosignKey })),
    coins,
    feeRateSatVb: 2,
    previous,
  })
  await market.regtest.call('sendrawtransaction', hexOfTransaction(tx))
}

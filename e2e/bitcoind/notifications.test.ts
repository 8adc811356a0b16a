import { setTimeout as sleep } from 'node:timers/promises'
import { txidOf } from '@ordbook/bitcoin/transaction.ts'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { findTip } from '@ordbook/indexer/inscriptions/queries.ts'
import { it } from 'vitest'
import { freshWallet, setUpMarket, until } from '../support/market.ts'

const [blocks, transactions] = [await freePort(), await freePort()]
const flags = [`-zmqpubhashblock=tcp://127.0.0.1:${blocks}`, `-zmqpubsequence=tcp://0.0.0.0:${transactions}`]
/** Without a notification, the follower of this market polls once an hour. */
const HOUR = 3_600_000
const market = setUpMarket(
  { tuning: { quietAfterMilliseconds: 0, quietPollMilliseconds: HOUR } },
  'bitcoind',
  { nodeFlags: flags },
)

const pay = async () =>
  txidOf(await market.regtest.pay([{ valueSats: 10_000, script: freshWallet().paymentScript }]))
const isRead = async (txid: string) =>
  (await market.sql`select 1 from mempool_spends where spender = ${txid}`).length > 0
const isIndexed = async () =>
  (await findTip(market.sql))?.blockHash === (await market.regtest.call('getbestblockhash'))

it('reads a transaction when the node announces it', async () => {
  const txid = await pay()
  await until('the transaction', () => isRead(txid))
})

it('indexes a block when the node announces it', async () => {
  await market.regtest.mine()
  await until('the block', isIndexed)
  await until('an empty mempool', async () => (await market.sql`select 1 from mempool_spends`).length === 0)
})

it('reads notifications again after a restart of the node', async () => {
  await market.node.restart()
  await until(
    'a block',
    async () => {
      await market.regtest.mine()
      await sleep(500)
      return isIndexed()
    },
    60,
  )
  const txid = await pay()
  await until('the transaction', () => isRead(txid))
})

import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import {
  enterAgain,
  KINDS,
  type Kind,
  makePeople,
  type OpenOrder,
  openOrders,
} from '../operations/support/open-orders.ts'
import { serveAgain, setUpMarket, until } from '../support/market.ts'

/** The market responds to a cancel only once the keys' journal contains it. Otherwise a restored database could revive the order. */
const market = setUpMarket({ LOG_LEVEL: 'silent' })

async function stateOf({ kind, orderId }: OpenOrder): Promise<string> {
  const { table, key } = KINDS[kind]
  const [row] = await market.sql<{ state: string }[]>`
    select state from ${market.sql(table)} where ${market.sql(key)} = ${orderId}`
  return row!.state
}

/** Returns true if the journals contain the cancel of an order, whatever the database contains. */
async function isInJournal({ kind, orderId }: OpenOrder): Promise<boolean> {
  const { signer, guardian } = market.server.context
  if (kind === 'bid') {
    const [row] = await market.sql<{ secretHash: string }[]>`
      select secret_hash from collection_offers where offer_id = ${orderId}`
    return (await guardian.revoked([row!.secretHash])).length > 0
  }
  if (kind !== 'listing' && kind !== 'counter') return (await signer.revoked([orderId])).length > 0
  const { table, key } = KINDS[kind]
  const [row] = await market.sql<{ outpoint: string }[]>`
    select transfer_txid || ':0' as outpoint from ${market.sql(table)} where ${market.sql(key)} = ${orderId}`
  return (await signer.floors([row!.outpoint]))[0]!.floor > 0
}

const journals = () => ['signer.journal', 'guardian.journal'].map((name) => join(market.dataDir, name))

function takeJournals(): void {
  for (const file of journals()) renameSync(file, `${file}-away`)
}
function putJournalsBack(): void {
  for (const file of journals()) renameSync(`${file}-away`, file)
}

it('returns 503 for a cancel while the journals fail', async () => {
  await market.anchors(20)
  const people = await makePeople(market)
  const orders = await openOrders(market, people)
  const now = await enterAgain(market, people)
  for (const [kind, [cancelled, kept]] of Object.entries(orders) as [Kind, OpenOrder[]][]) {
    takeJournals()
    const first = cancelled!.cancel(now)
    await first.then(
      () => expect.fail(`${kind}: returned 200 without the journal`),
      (error) => expect(error, kind).toMatchObject({ status: 503, code: 'signer-unavailable' }),
    )
    expect(await stateOf(cancelled!), kind).toBe('cancelled')
    putJournalsBack()
    await cancelled!.cancel(now)
    expect(await isInJournal(cancelled!), kind).toBe(true)
    expect(await isInJournal(kept!), kind).toBe(false)
  }
})

it('writes missed cancels to the journals after a restart', async () => {
  await market.anchors(20)
  const people = await makePeople(market)
  const orders = await openOrders(market, people)
  takeJournals()
  for (const [cancelled] of Object.values(orders))
    await expect(cancelled!.cancel(people)).rejects.toMatchObject({ status: 503 })
  await market.sql.end()
  await market.server.close()
  putJournalsBack()
  await serveAgain(market, market.databaseUrl, { LOG_LEVEL: 'silent' })
  for (const [kind, [cancelled, kept]] of Object.entries(orders) as [Kind, OpenOrder[]][]) {
    await until(`the journal line of the ${kind}`, () => isInJournal(cancelled!))
    expect(await isInJournal(kept!), kind).toBe(false)
  }
})

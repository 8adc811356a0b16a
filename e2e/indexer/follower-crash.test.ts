import { connect } from '@ordbook/db/driver/connect.ts'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { migrate } from '@ordbook/db/schema/migrate.ts'
import { FAUCET_KEY } from '@ordbook/devnet/regtest.ts'
import { expect, it } from 'vitest'
import { sampled } from '../support/effort.ts'
import { freshDatabase, setUpMarket } from '../support/market.ts'
import { spawnServer } from '../support/server.ts'
import { indexOf, satsOf, slowSats } from './support/index-of.ts'
import { Crowd, Dice, JsonChain } from './support/random-chain.ts'
import { recompute } from './support/slow-index.ts'

const KILLS = sampled(3, 50)
const seed = Number(process.env.ORDBOOK_SEED ?? Math.floor(Math.random() * 1e9))

const market = setUpMarket()

it(`builds a correct index after ${KILLS} kills`, async () => {
  const { regtest } = market
  const dice = new Dice(seed)
  const chain = new JsonChain(regtest)
  const crowd = new Crowd(dice, FAUCET_KEY)
  // The server's transactions would enter the test's blocks.
  await market.server.close()
  const height = () => regtest.call<number>('getblockcount')
  const grow = async (blocks: number) => {
    for (let n = 0; n < blocks; n++)
      await regtest.mineExactly(crowd.block(recompute(await chain.read()), (await height()) + 1))
  }
  await grow(60)

  /** Runs a follower until it reaches the tip or is killed. Returns true if it was killed. */
  const follow = async (databaseUrl: string, crashAt: number | null): Promise<boolean> => {
    const server = spawnServer(
      { ...market, databaseUrl },
      await freePort(),
      {
        ROLES: 'follower',
        tuning: { pollMilliseconds: 20 },
        ...(crashAt === null ? {} : { CRASH_AT: String(crashAt), CRASH_FROM: 'getblockhash' }),
      },
      crashAt === null ? undefined : 'crash-at.ts',
    )
    const sql = connect(databaseUrl, { max: 1 })
    const best = await regtest.call<string>('getbestblockhash')
    const reached = async () => {
      for (;;) {
        const [tip] = await sql<{ blockHash: string }[]>`
          select block_hash from blocks order by height desc limit 1`
        if (tip?.blockHash === best) return null
        await new Promise((done) => setTimeout(done, 20))
      }
    }
    const how = await Promise.race([server.ended, reached()])
    await server.kill('SIGKILL')
    await sql.end()
    return how === 'SIGKILL'
  }

  const fresh = async () => {
    const databaseUrl = await freshDatabase()
    const sql = connect(databaseUrl, { max: 1 })
    await migrate(sql)
    await sql.end()
    return databaseUrl
  }
  let databaseUrl = await fresh()
  const killed = { 'catch-up': 0, reorg: 0 }
  for (let round = 0; killed['catch-up'] + killed.reorg < KILLS; round++) {
    const kind = round % 3 === 0 ? 'catch-up' : 'reorg'
    if (kind === 'catch-up') databaseUrl = await fresh()
    else {
      const depth = 3 + dice.roll(25)
      const hash = await regtest.call<string>('getblockhash', (await height()) - depth + 1)
      await regtest.call('invalidateblock', hash)
      await grow(depth + dice.roll(3))
    }
    const most = kind === 'catch-up' ? 900 : 1200
    try {
      // A process that reaches the tip first is not killed, and the round does not count.
      if (await follow(databaseUrl, 1 + dice.roll(most))) killed[kind]++
      await follow(databaseUrl, null)
      const sql = connect(databaseUrl, { max: 1 })
      const slow = recompute(await chain.read())
      expect(await indexOf(sql)).toEqual(slow.inscriptions)
      expect(await satsOf(sql)).toEqual(slowSats(slow))
      await sql.end()
    } catch (error) {
      throw new Error(`round ${round} (${kind}) of seed ${seed}`, { cause: error })
    }
  }
  console.log(
    `${market.node.kind}, seed ${seed}: killed ${killed['catch-up']} times in catch-up, ${killed.reorg} in reorg`,
  )
  const index = recompute(await chain.read())
  expect(index.inscriptions.length).toBeGreaterThan(20)
})

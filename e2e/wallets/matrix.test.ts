import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FLOWS, type Flow } from '@ordbook/sdk/index.ts'
import { MATRIX } from '@ordbook/sdk/wallets/matrix.ts'
import type { Tested } from '@ordbook/sdk/wallets/tested.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { enter, keyHolder, setUpMarket, type TestTrader } from '../support/market.ts'
import { ENGINES } from './engines.ts'
import { RUNS, type Sides } from './flows.ts'

/** Runs every flow with each wallet's signing code, and compares the results with the table in the SDK. */
const writes = process.env.ORDBOOK_WRITE_MATRIX !== undefined
const flows = Object.keys(FLOWS) as Flow[]
const found: Tested[] = []

const market = setUpMarket({ ANCHOR_POOL: '200' }, 'bitcoind')
let holder: Awaited<ReturnType<typeof keyHolder>>
beforeAll(async () => {
  await market.node.restart('SIGTERM', ['-disablewallet=0'])
  await market.server.sync()
  holder = await keyHolder(market)
  await fund(holder.trader.wallet.paymentScript)
})
afterAll(() => {
  if (writes) writeMatrix()
  for (const { name, fails } of found) {
    const works = flows.filter((flow) => !fails[flow]).length
    console.log(`${name}: ${works} of ${flows.length}`, fails)
  }
})

async function fund(script: Uint8Array): Promise<void> {
  await market.regtest.pay(Array.from({ length: 8 }, () => ({ valueSats: 1_000_000, script })))
  await market.mine()
}

describe.each(ENGINES)('$name', (engine) => {
  const { name, adapter, code } = engine
  const result: Tested = { name, adapter, code, fails: {} }
  const previousEntry = MATRIX.find((each) => each.name === name)
  let sides: Sides
  beforeAll(async () => {
    const { wallet, signMessage } = await engine.make(market.node)
    await fund(wallet.paymentScript)
    const entering = { ...wallet, ...(signMessage ? { signMessage } : {}) }
    const tested = (await enter(market.base, entering as TestTrader['wallet'])) as TestTrader
    sides = { market, wallet, tested, other: holder.trader, otherKeys: holder.keys }
    found.push(result)
  })

  it.each(flows)('%s', async (flow) => {
    const reason = await RUNS[flow](sides).then(
      () => null,
      (error: Error) => error.message.split('. ')[0]!.replaceAll(/[0-9a-f]{64}(i\d+)?/g, '…'),
    )
    if (reason !== null) result.fails[flow] = reason
    if (!writes)
      expect([previousEntry?.code, reason === null], reason ?? '').toEqual([
        code,
        !previousEntry?.fails[flow],
      ])
  })
})

function writeMatrix(): void {
  // Wallets that a filter excluded keep their entries.
  const entries = ENGINES.map(
    ({ name }) => (found.find((each) => each.name === name) ?? MATRIX.find((each) => each.name === name))!,
  )
  const day = new Date().toISOString().slice(0, 10)
  writeFileSync(
    join(import.meta.dirname, '../../sdk/src/wallets/matrix.ts'),
    `import type { Tested } from './tested.ts'

/** Printed by \`npm run test:suite -- wallets --write\`. */
export const TESTED_ON = '${day}'

export const MATRIX: readonly Tested[] = ${JSON.stringify(entries)}
`,
  )
}

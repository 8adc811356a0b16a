import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { balanceOf, onChain } from '../support/chain.ts'
import { freshWallet, setUpMarket } from '../support/market.ts'
import { MATRIX } from './matrix.ts'
import { type Result, runProgram } from './program.ts'
import { readsOf } from './recorder.ts'
import type { Tested } from './tested.ts'
import { fillMarket, type World } from './world.ts'

/** Reads and trades with the clients that scripts/suites/clients generated, and compares the results with the table of docs/reference/api.md. */
const folder = process.env.ORDBOOK_TEST_CLIENTS!
const writes = process.env.ORDBOOK_WRITE_MATRIX !== undefined
const built = MATRIX.filter(({ id }) => existsSync(join(folder, id)))
const found: Tested[] = []

// Three decimals test that fee rates are not rounded.
const market = setUpMarket({ FEE_RATE_MIN_SAT_VB: '3.137' })
let world: World
let reads: string[]
beforeAll(async () => {
  world = await fillMarket(market)
  reads = readsOf(await (await fetch(`${market.base}/openapi.json`)).json())
})
afterAll(() => {
  if (writes) writeMatrix()
})

describe.each(built)('$generator, $language', (previous) => {
  const linesOf = (file: string) =>
    existsSync(join(folder, previous.id, file))
      ? readFileSync(join(folder, previous.id, file), 'utf8')
          .trim()
          .split('\n')
      : []

  it('generates, compiles, reads and trades', async () => {
    const [version = ''] = linesOf('version')
    const steps = linesOf('steps')
    const result: Result = steps.includes('compiles')
      ? await trade(join(folder, previous.id, 'run'), previous.trades)
      : { reads: [], settlements: [], problems: ['does not compile'] }
    const missing = reads.filter((name) => !result.reads.includes(name))
    const tested: Tested = {
      id: previous.id,
      generator: previous.generator,
      version,
      language: previous.language,
      generates: steps.includes('generates'),
      compiles: steps.includes('compiles'),
      reads: reads.length - missing.length,
      ofReads: reads.length,
      trades: result.settlements.length,
    }
    found.push(tested)
    if (!writes) expect(tested, [...result.problems, `not read: ${missing}`].join('\n')).toEqual(previous)
    else if (result.problems.length > 0) console.error(previous.id, result.problems)
  })
})

/** Trades inscriptions with a program and checks the chain for them and the money. */
async function trade(script: string, count: number): Promise<Result> {
  const seller = freshWallet('p2wpkh')
  const buyer = freshWallet('p2tr')
  for (const { paymentScript: script } of [seller, buyer])
    await market.regtest.pay([
      { valueSats: 200_000, script },
      { valueSats: 200_000, script },
    ])
  const { slug, ids } = await market.collection(seller, count)
  const before = await balancesOf()

  const result = await runProgram(market, script, { slug, ids, world, seller, buyer })
  const { settlements } = result
  await market.mine()

  // Each inscription must be alone in a coin of the confirmed settlement.
  expect(settlements.map((settlement) => settlement.inscriptionId)).toEqual(ids.slice(0, settlements.length))
  for (const { inscriptionId, settlementTxid } of settlements) {
    const { tx, confirmations } = await onChain(market, settlementTxid)
    expect(confirmations).toBeGreaterThan(0)
    const coin = await market.coinOf(inscriptionId)
    expect(coin).toMatchObject({ txid: settlementTxid, valueSats: 10_000 })
    expect(equalBytes(tx.outputs[coin.vout]!.script, buyer.ordinalsScript)).toBe(true)
  }
  const after = await balancesOf()
  const sumOf = (side: 'buyerSats' | 'sellerSats') => settlements.reduce((sum, each) => sum + each[side], 0)
  if (settlements.length > 0)
    expect(after).toEqual({
      buyer: before.buyer + sumOf('buyerSats'),
      seller: before.seller + sumOf('sellerSats'),
    })
  return result

  async function balancesOf() {
    return {
      buyer: await balanceOf(market, buyer.paymentScript),
      seller: await balanceOf(market, seller.paymentScript),
    }
  }
}

function writeMatrix(): void {
  const all = MATRIX.map((previous) => found.find(({ id }) => id === previous.id) ?? previous)
  const text = readFileSync(join(import.meta.dirname, 'matrix.ts'), 'utf8')
  const head = text.slice(0, text.indexOf('export const MATRIX'))
  writeFileSync(
    join(import.meta.dirname, 'matrix.ts'),
    `${head}export const MATRIX: readonly Tested[] = ${JSON.stringify(all)}\n`,
  )
}

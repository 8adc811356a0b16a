import { inSigningTransaction, inTransaction } from '@ordbook/db/driver/connect.ts'
import { Ord } from '@ordbook/indexer/ord/ord.ts'
import { describe, expect, it } from 'vitest'
import { setUpMarket } from '../../../e2e/support/market.ts'

const market = setUpMarket()
const ord = new Ord('http://127.0.0.1:1')
const calls: Record<'node' | 'ord' | 'signer' | 'guardian', () => Promise<unknown>> = {
  node: () => market.server.context.node.blockchainInfo(),
  ord: () => ord.status(),
  signer: () => market.server.context.signer.floors([]),
  guardian: () => market.server.context.guardian.revoked([]),
}

describe('a transaction', () => {
  it.each(Object.entries(calls))('cannot wait for the %s', async (callee, call) => {
    const { sql } = market.server.context
    await expect(inTransaction(sql, call)).rejects.toThrow(`a transaction waits for the ${callee}`)
    await expect(inTransaction(sql, async () => (await sql`select 1`) && call())).rejects.toThrow(
      `a transaction waits for the ${callee}`,
    )
  })

  it('that signs can wait for the signer and guardian only', async () => {
    const { sql } = market.server.context
    expect(await inSigningTransaction(sql, calls.signer)).toEqual([])
    expect(await inSigningTransaction(sql, calls.guardian)).toEqual([])
    await expect(inSigningTransaction(sql, calls.node)).rejects.toThrow('a transaction waits for the node')
    await expect(inSigningTransaction(sql, () => inTransaction(sql, calls.signer))).rejects.toThrow(
      'a transaction waits for the signer',
    )
  })

  it('does not affect calls after its end', async () => {
    let later: Promise<unknown> = Promise.resolve()
    await inTransaction(market.server.context.sql, async () => {
      later = new Promise((done) => setTimeout(done, 50)).then(calls.node)
    })
    expect(await later).toMatchObject({ chain: 'regtest' })
  })

  it('that signs leaves connections for others while the signer is slow', async () => {
    const { sql, config } = market.server.context
    let answer = () => {}
    const signer = new Promise<void>((done) => {
      answer = done
    })
    let started = 0
    const signing = Array.from({ length: 2 * config.databaseConnections }, () =>
      inSigningTransaction(sql, async (tx) => {
        await tx`select 1`
        started++
        await signer
      }),
    )
    await expect.poll(() => started).toBeGreaterThan(1)
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }])
    expect(await inTransaction(sql, (tx) => tx`select 2 as two`)).toEqual([{ two: 2 }])
    answer()
    await Promise.all(signing)
    expect(started).toBe(signing.length)
  })
})

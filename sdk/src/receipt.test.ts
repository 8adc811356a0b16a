import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hexOfTransaction, type Tx } from '@ordbook/bitcoin/transaction.ts'
import { expect, it, onTestFinished } from 'vitest'
import { CheckFailed } from './errors.ts'
import { coreSource } from './receipt.ts'
import { scriptedMarket } from './scripted-market.ts'

const txid = 'ab'.repeat(32)
const tx: Tx = {
  version: 2,
  locktime: 0,
  inputs: [{ txid, vout: 1, sequence: 0xfffffffd, scriptSig: new Uint8Array(), witness: [] }],
  outputs: [{ valueSats: 546, script: Uint8Array.of(0x51) }],
}
const sourceAt = (origin: string) => coreSource(origin.replace('//', '//user:pa%40ss@'))

it('requests a transaction from Bitcoin Core once', async () => {
  const result = { hex: hexOfTransaction(tx), confirmations: 3, vin: [], extra: true }
  const { origin, requests } = await scriptedMarket(() => ({ body: { result, error: null, id: 0 } }))
  const source = sourceAt(origin)
  for (const _ of [1, 2])
    expect(await source.transaction(txid)).toMatchObject({ confirmations: 3, tx: { outputs: tx.outputs } })
  expect(requests).toHaveLength(1)
  expect(requests[0]!.headers.authorization).toBe(`Basic ${btoa('user:pa@ss')}`)
  expect(requests[0]!.body).toMatchObject({ method: 'getrawtransaction', params: [txid, true] })
})

it('reports a mempool transaction as unconfirmed', async () => {
  const { origin } = await scriptedMarket(() => ({
    body: { result: { hex: hexOfTransaction(tx) }, error: null },
  }))
  expect((await sourceAt(origin).transaction(txid)).confirmations).toBe(0)
})

it.each([
  [
    'an error of the node',
    { status: 500, body: { result: null, error: { code: -5, message: 'No such transaction' } } },
  ],
  ['an HTML page', { status: 401, body: '<html>' }],
  ['a malformed result', { body: { result: { hex: 7 }, error: null } }],
  [
    'confirmations that are not a count',
    { body: { result: { hex: hexOfTransaction(tx), confirmations: -1 }, error: null } },
  ],
  ['null', { body: 'null' }],
])('throws CheckFailed for %s', async (_, answer) => {
  const { origin } = await scriptedMarket(() => answer)
  await expect(sourceAt(origin).transaction(txid)).rejects.toThrow(CheckFailed)
})

it('stops at the deadline', async () => {
  const silent = createServer(() => {})
  onTestFinished(() => {
    silent.close()
    silent.closeAllConnections()
  })
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done))
  const url = `http://user:pass@127.0.0.1:${(silent.address() as AddressInfo).port}`
  const read = (options: Parameters<typeof coreSource>[1]) => coreSource(url, options).transaction(txid)
  await expect(read({ deadlineMilliseconds: 100 })).rejects.toMatchObject({ name: 'TimeoutError' })
  await expect(read({ signal: AbortSignal.abort(new Error('aborted')) })).rejects.toThrow('aborted')
})

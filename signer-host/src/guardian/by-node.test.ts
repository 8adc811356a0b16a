import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hexOfTransaction, type Tx, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { SignerRefusal } from '@ordbook/signer/requests.ts'
import { expect, it, onTestFinished } from 'vitest'
import { byNode } from './by-node.ts'

const script = Uint8Array.of(0x51)
const SATS = 10_000

/** A node with a chain of moves of one coin. */
async function nodeWithMoves(moves: number) {
  const transactions = new Map<string, string>()
  let last = 'ee'.repeat(32)
  for (let n = 0; n < moves; n++) {
    const inputs = [{ txid: last, vout: 0, sequence: 0, scriptSig: new Uint8Array(), witness: [] }]
    const tx: Tx = { version: 2, locktime: n, inputs, outputs: [{ valueSats: SATS, script }] }
    last = txidOf(tx)
    transactions.set(last, hexOfTransaction(tx))
  }
  const calls = { count: 0 }
  const server = createServer(async (request, response) => {
    const { method, params } = JSON.parse((await request.toArray()).join('')) as {
      method: string
      params: string[]
    }
    calls.count++
    const result = method === 'gettxout' ? { value: SATS / 1e8 } : transactions.get(params[0]!)
    response.end(JSON.stringify({ result, error: null }))
  })
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const url = `http://user:pass@127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, calls, coin: { txid: last, vout: 0, valueSats: SATS, script } }
}

it('rejects a coin that it cannot trace within the limits', async () => {
  const { url, calls, coin } = await nodeWithMoves(50)
  const id = `${'ab'.repeat(32)}i0`
  await expect(byNode(url, { mostTransactions: 10 })(id, coin, 0)).rejects.toThrow(SignerRefusal)
  expect(calls.count).toBe(11)
  await expect(byNode(url, { mostMilliseconds: 0 })(id, coin, 0)).rejects.toThrow(SignerRefusal)
  expect(calls.count).toBe(12)
})

it('returns false for an offset outside the coin', async () => {
  const { url, coin } = await nodeWithMoves(2)
  expect(await byNode(url)(`${coin.txid}i0`, coin, SATS)).toBe(false)
})

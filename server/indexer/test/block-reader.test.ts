import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { freshWallet } from '../../../e2e/support/market.ts'
import { startNode, type TestNode } from '../../../e2e/support/node.ts'
import { BlockReader } from '../src/blocks/block-reader.ts'
import { CoreSource } from '../src/node/core.ts'

let node: TestNode
let hashes: string[]
beforeAll(async () => {
  node = await startNode('devnet')
  await node.regtest.mine(101)
  await node.regtest.payNow([{ valueSats: 10_000, script: freshWallet().ordinalsScript }])
  const height = await node.regtest.call<number>('getblockcount')
  hashes = await new CoreSource(node.url).blockHashes(height - 9, height)
})
afterAll(() => node?.stop())

let reader: BlockReader
afterEach(() => reader?.close())

const open = (source = new CoreSource(node.url), url: string | null = node.url) =>
  new BlockReader(source, url, 0)

it('reads the same blocks in a thread', async () => {
  reader = open()
  const blocks = await Promise.all(hashes.map((hash) => reader.read(hash)))
  expect(reader.isThreaded).toBe(true)
  const here = open(new CoreSource(node.url), null)
  for (const [n, hash] of hashes.entries()) {
    const [{ transactions, ...block }, { transactions: expected, ...same }] = [
      blocks[n]!,
      await here.read(hash),
    ]
    expect(block).toEqual(same)
    for (const [i, transaction] of transactions.entries()) {
      const { txid, tx, prevouts, feeSats } = expected[i]!
      expect(transaction).toMatchObject({ txid, tx, prevouts, feeSats })
    }
  }
  expect(here.isThreaded).toBe(false)
})

it('reads a short sync without a thread', async () => {
  reader = new BlockReader(new CoreSource(node.url), node.url)
  for (const hash of hashes) await reader.read(hash)
  expect(reader.isThreaded).toBe(false)
})

it('reports why the node has no block', async () => {
  reader = open()
  await expect(reader.read('00'.repeat(32))).rejects.toThrow(/not found/i)
})

it('reads blocks itself when the thread ends', async () => {
  const source = new CoreSource(node.url)
  let own = 0
  const block = source.block.bind(source)
  source.block = (hash) => {
    own++
    return block(hash)
  }
  reader = open(source)
  await reader.read(hashes[0]!)
  const reading = hashes.map((hash) => reader.read(hash))
  await reader.close()
  expect((await Promise.all(reading)).map(({ hash }) => hash)).toEqual(hashes)
  expect(own).toBe(hashes.length)
})

it('frees only blocks of the thread', async () => {
  reader = open()
  const inThread = await reader.read(hashes[0]!)
  const here = await open(new CoreSource(node.url), null).read(hashes[0]!)
  reader.release([inThread, here])
  expect(inThread.bytes.length).toBe(0)
  expect(here.bytes.length).toBeGreaterThan(80)
})

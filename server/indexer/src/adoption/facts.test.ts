import { buildRevealScript } from '@ordbook/bitcoin/envelope.ts'
import { hexOfTransaction, type Tx } from '@ordbook/bitcoin/transaction.ts'
import { expect, it } from 'vitest'
import type { OrdInscription } from '../ord/ord-answers.ts'
import { type FactSource, fetchBody, fetchFacts, TooLarge } from './facts.ts'
import { type Reveals, revealsOf } from './reveals.ts'

const TXID = 'ab'.repeat(32)
const OUTPOINT = `${'cd'.repeat(32)}:0`
const SCRIPT = buildRevealScript(
  new Uint8Array(32),
  ['first', 'second'].map((body) => ({
    contentType: 'text/plain',
    body: new TextEncoder().encode(body),
    metadata: new Uint8Array(3_000_000).fill(1),
  })),
)
const empty = new Uint8Array()
const REVEAL = hexOfTransaction({
  version: 2,
  inputs: [{ txid: TXID, vout: 0, scriptSig: empty, sequence: 0, witness: [SCRIPT, SCRIPT] }],
  outputs: [{ valueSats: 10_000, script: empty }],
  locktime: 0,
})
const inscription = (id: string): OrdInscription => ({
  id,
  number: -3,
  height: 5,
  timestamp: 1,
  satpoint: `${OUTPOINT}:7`,
  sat: null,
  value: 10_000,
  charms: ['cursed'],
  fee: 1,
  parents: [],
})
const source: FactSource = {
  inscriptions: async (ids) => ids.map(inscription),
  parents: async () => [],
  outputs: async () => [{ outpoint: OUTPOINT, value: 10_000, script_pubkey: '51', indexed: true }],
}
const reveals = (hex: string | null): Reveals => revealsOf(null, { transactionHex: async () => hex })
const read = { height: 9, firstHeights: 9 }

it('reads the fields of envelopes from reveal transactions', async () => {
  const [facts] = await fetchFacts(source, reveals(REVEAL), [`${TXID}i1`], read)
  expect(facts).toMatchObject({
    contentType: 'text/plain',
    contentLength: 6,
    bodyHash: null,
    satOffset: 7,
    cursed: true,
    adoptedHeight: 9,
  })
  expect(Buffer.from((await fetchBody(reveals(REVEAL), `${TXID}i1`))!).toString()).toBe('second')
  // The transaction has two envelopes.
  expect(await fetchFacts(source, reveals(REVEAL), [`${TXID}i2`], read)).toEqual([])
  expect(await fetchBody(reveals(REVEAL), `${TXID}i2`)).toBeNull()
})

it('omits inscriptions without a reveal, and those that are too new', async () => {
  expect(await fetchFacts(source, reveals(null), [`${TXID}i0`], read)).toEqual([])
  const isTooNew = { height: 9, firstHeights: 4 }
  expect(await fetchFacts(source, reveals(REVEAL), [`${TXID}i0`], isTooNew)).toEqual([])
})

it('orders cursed inscriptions of a block by the time of their number', async () => {
  const numbers = [-4, -3, 2]
  const inscriptions: FactSource['inscriptions'] = async (ids) =>
    ids.map((id, n) => ({ ...inscription(id), number: numbers[n]! }))
  const ids = ['aa', 'bb', 'cc'].map((byte) => `${byte.repeat(32)}i0`)
  const facts = await fetchFacts({ ...source, inscriptions }, reveals(REVEAL), ids, read)
  const inOrder = facts.toSorted((a, b) => a.sequence - b.sequence)
  expect(inOrder.map((each) => each.inscriptionNumber)).toEqual([-3, -4, 2])
})

it('requests parents of which ord lists only the first four', async () => {
  const ids = Array.from({ length: 6 }, (_, n) => `${'ee'.repeat(32)}i${n}`)
  const script = buildRevealScript(
    new Uint8Array(32),
    [6, 4, 6, 6].map((count) => ({ contentType: 'text/plain', body: empty, parents: ids.slice(0, count) })),
  )
  const witness = [script, script]
  const hex = hexOfTransaction({
    version: 2,
    inputs: [{ txid: TXID, vout: 0, scriptSig: empty, sequence: 0, witness }],
    outputs: [],
    locktime: 0,
  })
  const listed = [ids.slice(0, 4), ids.slice(0, 4), ids.slice(0, 2), undefined]
  const asked: string[] = []
  const lists: FactSource = {
    ...source,
    inscriptions: async (all) => all.map((id, n) => ({ ...inscription(id), parents: listed[n]! })),
    parents: async (id) => {
      asked.push(id)
      return ids
    },
  }
  const all = [0, 1, 2, 3].map((n) => `${TXID}i${n}`)
  const facts = await fetchFacts(lists, reveals(hex), all, read)
  expect(facts.map((each) => each.parentIds.length)).toEqual([6, 4, 2, 6])
  expect(asked.toSorted()).toEqual([all[0], all[3]])
})

it('reads large inscriptions in small batches, and refuses malformed transactions', async () => {
  const ids = Array.from({ length: 12 }, (_, n) => `${n.toString(16).padStart(64, '0')}i0`)
  await expect(fetchFacts(source, reveals(REVEAL), ids, read)).rejects.toThrow(TooLarge)
  expect(await fetchFacts(source, reveals(REVEAL), ids.slice(0, 3), read)).toHaveLength(3)
  await expect(fetchFacts(source, reveals('zz'), ids, read)).rejects.toMatchObject({
    code: 'ord-unavailable',
  })
})

it('requests from ord only the reveals that the node lacks', async () => {
  const txids = Array.from({ length: 700 }, (_, n) => n.toString(16).padStart(64, '0'))
  const lacking = new Set(txids.filter((_, n) => n % 100 === 7))
  const [nodeBatches, fromOrd]: [number[], string[]] = [[], []]
  const tx: Tx = { version: 2, inputs: [], outputs: [], locktime: 0 }
  const node = {
    async *transactions(asked: readonly string[], part: number) {
      for (let at = 0; at < asked.length; at += part) {
        const batch = asked.slice(at, at + part)
        nodeBatches.push(batch.length)
        yield batch.map((txid): [string, Tx | null] => [txid, lacking.has(txid) ? null : tx])
      }
    },
  }
  const both = revealsOf(node, {
    transactionHex: async (txid) => {
      fromOrd.push(txid)
      return hexOfTransaction(tx)
    },
  })
  const read = (await Array.fromAsync(both.read(txids))).flat()
  expect(new Set(read.flatMap(([txid, tx]) => (tx ? [txid] : [])))).toEqual(new Set(txids))
  expect(read).toHaveLength(700)
  expect(nodeBatches).toEqual([250, 250, 200])
  expect(new Set(fromOrd)).toEqual(lacking)
  expect(fromOrd).toHaveLength(lacking.size)
})

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { bytesToHex, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import type { NewInscription } from '@ordbook/bitcoin/envelope.ts'
import { buildInscribe, taprootScriptOf } from '@ordbook/bitcoin/inscribe.ts'
import { txidOf } from '@ordbook/bitcoin/transaction.ts'
import { readProperties } from '@ordbook/indexer/inscriptions/properties.ts'
import { expect, it } from 'vitest'
import { startNode } from '../support/node.ts'
import { PropertyMaker } from './support/mutated-properties.ts'
import { startOrd } from './support/ord-server.ts'
import { Dice } from './support/random-chain.ts'

/**
 * Compares parsed properties with recorded results of ord 0.29.1. With ORDBOOK_TEST_ORD and a bitcoind, also compares new ones with a live
 * ord; ORDBOOK_RECORD=1 records its results.
 */
const RECORD = join(import.meta.dirname, 'recorded/properties.json.gz')

/** Properties in hex, their content encoding and the expected JSON. */
type Case = [string, string | null, string]

interface Told {
  title: string | null
  traits: [string, string][]
}

const byName = (traits: [string, string][]) => traits.toSorted(([a], [b]) => (a < b ? -1 : 1))
const summarize = (hex: string, encoding: string | null): string => {
  const { title, traits, gallery } = readProperties(hexToBytes(hex), encoding)
  const brief = (of: { title: string | null; traits: { type: string; value: string }[] }): Told => ({
    title: of.title,
    traits: byName(of.traits.map(({ type, value }) => [type, value])),
  })
  return JSON.stringify([brief({ title, traits }), gallery.map((item) => [item.inscriptionId, brief(item)])])
}

interface OrdTold {
  title: string | null
  traits: Record<string, string | boolean | null>
}
const summarizeOrd = (properties: {
  gallery: { id: string; attributes: OrdTold }[]
  attributes: OrdTold
}): string => {
  const brief = ({ title, traits }: OrdTold): Told => ({
    title,
    traits: byName(Object.entries(traits).map(([type, value]) => [type, String(value)])),
  })
  return JSON.stringify([
    brief(properties.attributes),
    properties.gallery.map(({ id, attributes }) => [id, brief(attributes)]),
  ])
}

it('parses properties like a recorded ord', () => {
  const cases: Case[] = JSON.parse(gunzipSync(readFileSync(RECORD)).toString())
  expect(cases.length).toBeGreaterThan(5000)
  for (const [hex, encoding, read] of cases) expect(summarize(hex, encoding), hex).toBe(read)
})

if (process.env.ORDBOOK_TEST_ORD)
  it('parses mutated properties like a live ord', async () => {
    const node = await startNode('bitcoind')
    const { regtest } = node
    await regtest.mine(120)
    const seed = Number(process.env.ORDBOOK_SEED ?? Math.floor(Math.random() * 1e9))
    const dice = new Dice(seed)
    const maker = new PropertyMaker(dice)
    const key = new Uint8Array(32).fill(3)
    const script = taprootScriptOf(key)
    const propertiesById = new Map<string, { properties: Uint8Array; encoding: string | null }>()
    // ord parses a reveal again for each inscription, so use small reveals.
    for (let block = 0; block < Number(process.env.ORDBOOK_BLOCKS ?? 4); block++) {
      const split = await regtest.pay(Array.from({ length: 50 }, () => ({ valueSats: 200_000, script })))
      await regtest.mine()
      const transactions = Array.from({ length: 50 }, (_, n) => {
        const batch = Array.from({ length: 40 }, () => {
          const properties = maker.make()
          return dice.chance(5)
            ? { properties: new Uint8Array(brotliCompressSync(properties)), encoding: 'br' }
            : { properties, encoding: dice.chance(1) ? 'gzip' : null }
        })
        const { commit, reveal } = buildInscribe(
          { txid: txidOf(split), vout: n + 1, valueSats: 200_000, script },
          batch.map(
            ({ properties, encoding }): NewInscription => ({
              contentType: 'text/plain',
              body: new Uint8Array(),
              properties,
              ...(encoding ? { propertyEncoding: encoding } : {}),
            }),
          ),
          { privateKey: key, feeRateSatVb: 2, outputs: [{ valueSats: 10_000, script }] },
        )
        for (const [i, each] of batch.entries()) propertiesById.set(`${txidOf(reveal)}i${i}`, each)
        return [commit, reveal]
      })
      await regtest.mineExactly(transactions.flat())
    }
    const ord = await startOrd({ node, regtest } as Parameters<typeof startOrd>[0])
    await ord.sync()
    const ids = [...propertiesById.keys()]
    const cases: Case[] = []
    const differences: unknown[] = []
    for (let at = 0; at < ids.length; at += 100) {
      const response = await fetch(`${ord.url}/inscriptions`, {
        method: 'POST',
        headers: { accept: 'application/json', 'content-type': 'application/json' },
        body: JSON.stringify(ids.slice(at, at + 100)),
      })
      // A JavaScript number would round 64-bit integers.
      const exact = (_: string, value: unknown, { source }: { source?: string }) =>
        typeof value === 'number' ? source : value
      const answers = JSON.parse(await response.text(), exact as (key: string, value: unknown) => unknown)
      for (const { id, properties } of answers) {
        const { properties: bytes, encoding } = propertiesById.get(id)!
        const hex = bytesToHex(bytes)
        const read = summarizeOrd(properties)
        cases.push([hex, encoding, read])
        if (summarize(hex, encoding) !== read)
          differences.push({ hex, encoding, ours: summarize(hex, encoding), read })
      }
    }
    const nothing = summarize('', null)
    const empty = cases.filter(([, , read]) => read === nothing).length
    console.log(`seed ${seed}: ${cases.length} properties, ${empty} are empty, ${differences.length} differ`)
    if (process.env.ORDBOOK_RECORD) writeFileSync(RECORD, gzipSync(JSON.stringify(cases), { level: 9 }))
    expect(differences.slice(0, 10)).toEqual([])
    expect(cases).toHaveLength(propertiesById.size)
    await ord.stop()
    await node.stop()
  }, 600_000)

import { Agent } from 'node:https'
import { bytesToHex, equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { sha256, verifySchnorr } from '@ordbook/bitcoin/keys.ts'
import { SIGHASH } from '@ordbook/bitcoin/sighash.ts'
import { buildFill } from '@ordbook/bitcoin/trade/collection-offer.ts'
import { bidText, type FillRequest } from '@ordbook/bitcoin/trade/fill-check.ts'
import { type Coin, positionsOf, sighashOf } from '@ordbook/bitcoin/trade/layout.ts'
import { parse } from '@ordbook/process/parse.ts'
import { guardianCalls, type Release } from '@ordbook/signer/requests.ts'
import { readSecret } from '@ordbook/signer/secret.ts'
import { post } from '@ordbook/signer/transport.ts'
import { decode, encode } from '@ordbook/signer/wire.ts'
import { remoteGuardian } from '@ordbook/signer-host/guardian/client.ts'
import { socketLink } from '@ordbook/signer-host/socket-link.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sampled } from '../support/effort.ts'
import { startNode, type TestNode } from '../support/node.ts'
import { KeyProcess } from './support/key-process.ts'
import { garbled, mutated, randomFrom } from './support/mutate.ts'
import { signedTrades } from './support/signer-requests.ts'

/**
 * Sends valid and malformed requests to a guardian with a node and a few inscriptions. It may release a secret only for the trade that a
 * maker requested: the inscription is in that coin, the maker receives it, and the offer is neither expired nor cancelled.
 */
const REQUESTS = sampled(1500, 100_000, 500)
const INSCRIPTIONS = 6
const guardian = new KeyProcess('guardian')
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
const market = {
  cosignKey: new Uint8Array(32).fill(2),
  coins: {
    kind: 'p2tr' as const,
    publicKey: new Uint8Array(32).fill(2),
    internalKey: null,
    redeemScript: null,
  },
  coinScript: Uint8Array.of(0x51, 0x20, ...new Uint8Array(32).fill(2)),
}
let node: TestNode
beforeAll(async () => {
  node = await startNode('devnet')
  await node.regtest.mine(110)
  await guardian.start({ BITCOIN_RPC_URL: node.url, LOG_LEVEL: 'silent' })
})
afterAll(async () => {
  agent.destroy()
  await guardian.remove()
  await node?.stop()
})

/** Creates a seller's inscriptions on the node, and bids on them in every form that a guardian accepts. */
async function trades(salt: string) {
  const requests = signedTrades(market, salt)
  const ids = await node.regtest.inscribe(
    Array.from({ length: INSCRIPTIONS }, (_, n) => ({
      inscription: { contentType: 'text/plain', body: new TextEncoder().encode(`${salt} ${n}`) },
      owner: requests.sellerScript,
      postageSats: 10_000,
    })),
  )
  const coins = ids.map((id): Coin => {
    const coin = { txid: id.slice(0, 64), vout: 0, valueSats: 10_000, script: requests.sellerScript }
    return requests.keep(coin)
  })
  return { ...requests, ids, inscribed: coins }
}

it(`releases only requested secrets in ${REQUESTS} fuzzed requests`, async () => {
  const seed = Number(process.env.ORDBOOK_TEST_SEED ?? Date.now() % 1e9)
  const random = randomFrom(seed)
  const link = socketLink(guardian.socket, readSecret(guardian.secretFile))
  const { key, lock } = await remoteGuardian(link, {
    unreachable: (message, cause) => new Error(message, { cause }),
    seen: null,
  })
  const seeds = await trades(`guardian ${seed}`)
  const bids = seeds.ids.map((id, n) =>
    seeds.openBid(key, id, n === INSCRIPTIONS - 1 ? Date.now() - 1000 : Date.now() + 86_400_000),
  )
  const fills: FillRequest[] = []
  for (const [n, bid] of bids.entries())
    fills.push(
      seeds.fillOf(bid, await lock(bid), {
        inscriptionId: seeds.ids[n]!,
        inscriptionCoin: seeds.inscribed[n]!,
      }),
    )
  // According to the node, this inscription is in another coin.
  const misplacedBid = seeds.openBid(key, seeds.ids[0]!, Date.now() + 86_400_000)
  fills.push(
    seeds.fillOf(misplacedBid, await lock(misplacedBid), {
      inscriptionId: seeds.ids[0]!,
      inscriptionCoin: seeds.inscribed[1]!,
    }),
  )
  const base: [call: string, request: unknown][] = [
    ...bids.map((bid): [string, unknown] => ['lock', bid]),
    ...fills.map((fill): [string, unknown] => ['release', fill]),
    ['revoke', [{ id: 'ab'.repeat(32), expiresAt: 1_800_000_000_000 }]],
    ['key', {}],
  ]
  const others = base.map(([, request]) => request)
  const hashes = new Map<string, string>()
  const revoked = new Set<string>()
  const counts = { seed, requests: 0, released: 0, locked: 0, refused: 0 }
  for (let n = 0; n < REQUESTS; n++) {
    const [call, request] = base[random(base.length)]!
    const kind = random(10)
    const sentRequest = kind < 2 ? request : mutated(request, random, others)
    // Makers cancel their offers one by one in the second half of the run.
    const isTakingBack = call === 'revoke' && n > REQUESTS / 2
    const bid = fills[random(fills.length)]!
    const revokedOffers = [{ id: bytesToHex(bid.terms.offer.secretHash), expiresAt: bid.asked.expiresAt }]
    const sent = isTakingBack ? revokedOffers : sentRequest
    const encoded = encode({ request: sent, seen: null })
    const { status, body } = await post(link, call, kind === 9 ? garbled(encoded, random) : encoded, {
      agent,
    })
    counts.requests++
    // If the node lacks a transaction of the request, the guardian returns 500 and signs nothing.
    expect([200, 403, 500], `${call}: ${body.slice(0, 300)}`).toContain(status)
    if (status !== 200) {
      counts.refused++
      continue
    }
    const { result } = decode(body) as { result: unknown }
    parse(guardianCalls[call as keyof typeof guardianCalls].answer, result, call)
    if (kind === 9) continue
    // Decode as the guardian does: {"hex": "00"} becomes bytes.
    const { request: read } = decode(encoded) as { request: unknown }
    if (call === 'revoke') for (const { id } of read as { id: string }[]) revoked.add(id)
    if (call === 'lock') {
      counts.locked++
      const { terms, asked: criteria } = read as (typeof bids)[number]
      const text = bidText(terms, criteria)
      const hash = bytesToHex(result as Uint8Array)
      expect(hashes.get(text) ?? hash).toBe(hash)
      hashes.set(text, hash)
      expect([...hashes.values()].filter((each) => each === hash)).toHaveLength(1)
    }
    if (call !== 'release') continue
    counts.released++
    const { terms, asked: criteria, inscriptionId, satOffset } = read as FillRequest
    const { guardianSignature, secret: released } = result as Release
    expect(equalBytes(sha256(released), terms.offer.secretHash)).toBe(true)
    // The maker requested this trade when the secret was created, and the bid has not expired.
    expect(bytesToHex(terms.offer.secretHash)).toBe(
      hashes.get(bidText(terms.offer, criteria)) ??
        bytesToHex(await lock({ terms: openOf(terms.offer), asked: criteria })),
    )
    expect(criteria.expiresAt).toBeGreaterThan(Date.now() - 60_000)
    expect(revoked).not.toContain(bytesToHex(terms.offer.secretHash))
    // The coin matches the node, and the maker's first output receives it.
    const at = seeds.ids.indexOf(inscriptionId)
    const { txid, vout, valueSats, script } = terms.inscriptionCoin
    expect({ txid, vout, valueSats, script }).toEqual(seeds.inscribed[at])
    expect(satOffset).toBe(0)
    const { settlement } = buildFill(terms)
    const [first] = settlement.outputs
    expect(bytesToHex(first!.script)).toBe(bytesToHex(terms.offer.makerScript))
    expect(first!.valueSats).toBe(valueSats)
    const index = positionsOf(settlement.inputs, 'funding')[0]!
    expect(verifySchnorr(guardianSignature, sighashOf(settlement, index, SIGHASH.DEFAULT), key)).toBe(true)
  }
  console.log(JSON.stringify(counts))
  expect(counts.released).toBeGreaterThan(REQUESTS / 200)
  expect(counts.refused).toBeGreaterThan(REQUESTS / 4)
})

const openOf = ({ secretHash: _, ...open }: FillRequest['terms']['offer']) => open

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { KeySpend } from '@ordbook/bitcoin/address.ts'
import { CheckFailed } from '@ordbook/sdk/index.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sampled } from '../support/effort.ts'
import { setUpMarket } from '../support/market.ts'
import type { Lie } from './exchange.ts'
import { applyLie, liesAbout, sampleOf } from './lies.ts'
import { type LyingMarket, startLyingMarket } from './proxy.ts'
import { escrowFlowsOf } from './support/escrow-flows.ts'
import { behind, flowsOf, liarAgainst } from './support/flows.ts'

/**
 * Applies every kind of lie to every kind of trade and payment address. The wallet must never be asked to sign one, and each trade must
 * succeed without lies.
 */
const SEED = Number(process.env.ORDBOOK_LIES_SEED ?? 1)
const FAMILIES = process.env.ORDBOOK_LIES_FAMILIES?.split(',')
const LIES_PER_FLOW = sampled(16, 10_000, 2)
const ALL_KINDS: KeySpend['kind'][] = ['p2wpkh', 'p2sh-p2wpkh', 'p2tr']
const KINDS = sampled<KeySpend['kind'][]>(ALL_KINDS, ALL_KINDS, ['p2wpkh'])
const MIN_LIES = FAMILIES ? 1 : sampled(500, 500, 20)

/** Hides the OpenAPI documents so that the suite does not validate lies against them. */
const withoutDocuments = (request: IncomingMessage, response: ServerResponse): boolean => {
  if (!/\/openapi[a-z-]*\.json$/.test(request.url ?? '')) return false
  response.writeHead(404).end()
  return true
}

const market = setUpMarket({ ANCHOR_POOL: '60' })
let proxy: LyingMarket
let lieCount = 0
beforeAll(async () => {
  proxy = await startLyingMarket({
    target: () => market.server.url,
    reads: true,
    control: withoutDocuments,
  })
})
afterAll(() => proxy?.stop())

async function* allFlowsOf(kind: KeySpend['kind']) {
  yield* flowsOf(market, kind)
  yield* escrowFlowsOf(market, kind)
}

describe.each(KINDS)('wallet that pays from %s', (kind) => {
  it('signs nothing if the market lies', async () => {
    const fallen: string[] = []
    const counts: Record<string, number> = {}
    for await (const flow of allFlowsOf(kind)) {
      Object.assign(market.server.context.config, { feeRateMinSatVb: 1 }, flow.while)
      const liar = await liarAgainst(market, flow.trader, flow.spare)
      proxy.replay = true
      const remaining = new Map<string, Lie[]>()
      let lie: Lie | null
      proxy.choose = (exchange) => {
        const { operation } = exchange
        const isRead = ({ family, name }: Lie) =>
          (family !== 'reads' || !flow.unread?.test(name)) && (!FAMILIES || FAMILIES.includes(family))
        if (!remaining.has(operation))
          remaining.set(
            operation,
            sampleOf(liesAbout(exchange, liar).filter(isRead), ({ family }) => family, LIES_PER_FLOW, SEED),
          )
        const queue = remaining.get(operation)!
        while (!lie && queue.length > 0) {
          const next = queue.shift()!
          if (applyLie(next, exchange) !== null) return (lie = next)
        }
        return null
      }
      do {
        lie = null
        const before = proxy.told.length
        const client = behind(proxy, flow, lieCount % 2 === 0)
        const error = await flow.attempt(client).then(
          () => null,
          (cause: Error) => cause,
        )
        const isSigned = client.wallet.asked.length > 0
        if (!lie) {
          expect(error).toBeNull()
          expect(isSigned).toBe(true)
          continue
        }
        expect(proxy.told).toHaveLength(before + 1)
        lieCount++
        counts[flow.name] = (counts[flow.name] ?? 0) + 1
        const { family, name, check } = lie as Lie
        const how = [
          ...(isSigned ? ['was signed'] : []),
          ...(proxy.told.at(-1)!.believed ? ['was submitted'] : []),
          ...(error instanceof CheckFailed && error.name !== 'BadSignature'
            ? []
            : [`ended in ${error?.name}: ${error?.message.slice(0, 100)}`]),
          ...(check && !check.test(error?.message ?? '') ? [`was rejected by ${error?.message}`] : []),
        ]
        if (how.length > 0) fallen.push(`${flow.name}: ${family}: ${name} ${how.join(', ')}`)
      } while (lie)
    }
    console.log(`lies to a wallet that pays by ${kind}: ${JSON.stringify(counts)}`)
    expect(fallen).toEqual([])
  })
})

it(`has at least ${MIN_LIES} lies`, () => {
  console.log(`${lieCount} lies`)
  expect(lieCount).toBeGreaterThanOrEqual(MIN_LIES)
})

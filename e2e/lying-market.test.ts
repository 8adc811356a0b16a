import type { IncomingMessage, ServerResponse } from 'node:http'
import type { KeySpend } from '@ordbook/bitcoin/address.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Lie } from './lying-market/exchange.ts'
import { liesAbout, sampleOf, tell } from './lying-market/lies.ts'
import { type LyingMarket, startLyingMarket } from './lying-market/proxy.ts'
import { sampled } from './support/effort.ts'
import { behind, flowsOf, liarAgainst } from './support/liar-flows.ts'
import { startMarket, type TestMarket } from './support/market.ts'

/**
 * A market that lies in every way that the mutations know, about every kind of trade and payment address. The wallet judges:
 * it is asked for no signature. Without a lie each trade goes through.
 */
const SEED = Number(process.env.ORDBOOK_LIES_SEED ?? 1)
const LIES_PER_FLOW = sampled(16, 10_000)
const KINDS: KeySpend['kind'][] = ['p2wpkh', 'p2sh-p2wpkh', 'p2tr']
const LEAST_LIES = 500

/** The suites hold every answer against its document; lies are for the wallet to find. */
const withoutDocuments = (request: IncomingMessage, response: ServerResponse): boolean => {
  if (!/\/openapi[a-z-]*\.json$/.test(request.url ?? '')) return false
  response.writeHead(404).end()
  return true
}

let market: TestMarket
let proxy: LyingMarket
let told = 0
beforeAll(async () => {
  market = await startMarket({ ANCHOR_POOL: '60' })
  proxy = await startLyingMarket({ target: () => market.server.url, control: withoutDocuments })
})
afterAll(async () => {
  await proxy?.stop()
  await market?.stop()
})

describe.each(KINDS)('a wallet that pays by %s', (kind) => {
  it('signs nothing for a market that lies', async () => {
    const fallen: string[] = []
    for await (const flow of flowsOf(market, kind)) {
      Object.assign(market.server.context.config, { feeRateMinSatVb: 1 }, flow.while)
      const liar = await liarAgainst(market, flow.trader, flow.spare)
      const client = behind(proxy, flow, told % 2 === 0)
      proxy.replay = true
      let lies: Lie[] | undefined
      let lie: Lie | undefined
      proxy.choose = (exchange) => {
        lies ??= sampleOf(liesAbout(exchange, liar), LIES_PER_FLOW, SEED)
        do lie = lies.shift()
        while (lie && tell(lie, exchange) === null)
        return lie ?? null
      }
      do {
        const before = proxy.told.length
        const asked = client.wallet.asked.length
        const error = await flow.attempt(client).then(
          () => null,
          (cause: Error) => cause,
        )
        // The last attempt of a flow is about an honest answer.
        if (!lie) {
          expect(error).toBeNull()
          expect(client.wallet.asked.length).toBeGreaterThan(asked)
          continue
        }
        expect(proxy.told).toHaveLength(before + 1)
        told++
        const how = [
          ...(client.wallet.asked.length > asked ? ['was signed'] : []),
          ...(proxy.told.at(-1)!.believed ? ['was submitted'] : []),
          ...(error?.name === 'CheckFailed' || error?.name === 'OverBudget'
            ? []
            : [`ended in ${error?.name}: ${error?.message.slice(0, 100)}`]),
        ]
        if (how.length > 0) fallen.push(`${flow.name}: ${lie.family}: ${lie.name} ${how.join(', ')}`)
      } while (lie)
    }
    console.log(`${told} lies told`)
    expect(fallen).toEqual([])
  })
})

it(`told at least ${LEAST_LIES} lies`, () => expect(told).toBeGreaterThanOrEqual(LEAST_LIES))

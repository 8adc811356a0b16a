import type { KeySpend } from '@ordbook/bitcoin/address.ts'
import { BELIEFS } from '@ordbook/sdk/verify/beliefs.ts'
import { afterEach, expect, it, vi } from 'vitest'
import { sampled } from '../support/effort.ts'
import { setUpMarket } from '../support/market.ts'
import { sampleOf } from './lies.ts'
import { beliefOf, type Case, casesOf, isWellFormed, Rehearsed } from './stage.ts'
import { commandFlowsOf } from './support/command-flows.ts'
import { escrowFlowsOf } from './support/escrow-flows.ts'
import { BY_NODE, type Flow, flowsOf, liarAgainst } from './support/flows.ts'
import { storefrontFlowsOf } from './support/storefront-flows.ts'

/**
 * Lies about every belief of the SDK, the command and the storefront's trading code. The client must reject each lie that could change what
 * is signed, and sign the honest trade afterwards.
 */
const SEED = Number(process.env.ORDBOOK_LIES_SEED ?? 1)
const LIES_PER_FLOW = sampled(4, 60, 2)
const LEAST = sampled(60, 1000, 30)
const KIND: KeySpend['kind'] = 'p2wpkh'

vi.mock('../../web-ui/src/signing/review.tsx', () => ({ review: async () => {} }))

const market = setUpMarket({ ANCHOR_POOL: '120' })
afterEach(() => vi.unstubAllGlobals())

async function* sdkFlowsOf(): AsyncGenerator<Flow & { spare: string[] }> {
  yield* flowsOf(market, KIND)
  yield* escrowFlowsOf(market, KIND)
}

/** With other coins the market generates another secret, and therefore another address, for a bid. */
const asksForAnotherSecret = ({ stage }: Rehearsed, { answered }: Case) =>
  answered.called === 'GET /coins' &&
  stage.answers.some(({ called }) => called.endsWith('/collection-offers/preflight'))

const counted = () => ({ refused: 0, same: 0, better: 0, honest: 0 })
const totals = counted()

it.each([
  ['the SDK', sdkFlowsOf],
  ['the command', () => commandFlowsOf(market)],
  ["the storefront's trading code", () => storefrontFlowsOf(market)],
])('signs honest trades and no lies: %s', async (client, flows) => {
  const fallen: string[] = []
  const counts = counted()
  const byBelief: Record<string, Omit<ReturnType<typeof counted>, 'honest'>> = {}
  for await (const flow of flows()) {
    if (flow.name === BY_NODE) {
      await flow.attempt(flow.trader)
      continue
    }
    const trade = await Rehearsed.of(market, flow, ({ fetch }) => vi.stubGlobal('fetch', fetch))
    const liar = await liarAgainst(market, flow.trader, flow.spare)
    const lies = sampleOf(
      casesOf(trade.stage, flow, liar),
      (each) => beliefOf(each) ?? 'reads',
      3 * LIES_PER_FLOW,
      SEED,
    )
      .filter((each) => isWellFormed(each) && !asksForAnotherSecret(trade, each))
      .slice(0, LIES_PER_FLOW)
    for (const lie of lies) {
      const { outcome, belief, faults } = await trade.judge(lie)
      const kind = outcome === 'other' ? 'better' : outcome
      const name = belief === null ? 'reads' : `${belief} (${BELIEFS[belief].status})`
      byBelief[name] ??= { refused: 0, same: 0, better: 0 }
      byBelief[name][kind]++
      // Responses have no belief if no signature depends on them.
      if (belief !== null) counts[kind]++
      if (faults.length > 0)
        fallen.push(`${flow.name}: ${lie.answered.called} ${lie.change.name} ${faults.join(', ')}`)
      await trade.playHonestly()
      counts.honest++
    }
    await trade.finish()
    vi.unstubAllGlobals()
  }
  console.log(`lies to ${client}: ${JSON.stringify(counts)}`)
  console.table(byBelief)
  for (const kind of ['refused', 'same', 'better', 'honest'] as const) totals[kind] += counts[kind]
  expect(fallen).toEqual([])
})

it(`checks at least ${LEAST} lies and honest trades`, () => {
  console.log(`all clients: ${JSON.stringify(totals)}`)
  expect(totals.refused).toBeGreaterThanOrEqual(LEAST)
  expect(totals.honest).toBeGreaterThanOrEqual(LEAST)
})

import type { KeySpend } from '@ordbook/bitcoin/address.ts'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { sampled } from '../support/effort.ts'
import { setUpMarket } from '../support/market.ts'
import { shuffled } from './lies.ts'
import { casesOf, isTyped, Rehearsed } from './stage.ts'
import { escrowFlowsOf } from './support/escrow-flows.ts'
import { BY_NODE, flowsOf, liarAgainst } from './support/flows.ts'

/**
 * Changes every field of every response one at a time, and computes the effect of the resulting signing requests. Honest responses are
 * replayed in between and must be signed.
 */
const SEED = Number(process.env.ORDBOOK_LIES_SEED ?? 1)
const CASES_PER_FLOW = sampled(60, 100_000, 12)
const ALL_KINDS: KeySpend['kind'][] = ['p2wpkh', 'p2sh-p2wpkh', 'p2tr']
const KINDS = sampled<KeySpend['kind'][]>(['p2wpkh', 'p2tr'], ALL_KINDS, ['p2tr'])
/** Number of lies between two honest replays. */
const LIES_PER_HONEST = sampled(5, 10)

const market = setUpMarket({ ANCHOR_POOL: '60' })
afterEach(() => vi.unstubAllGlobals())

async function* allFlowsOf(kind: KeySpend['kind']) {
  yield* flowsOf(market, kind)
  yield* escrowFlowsOf(market, kind)
}

describe.each(KINDS)('wallet that pays from %s', (kind) => {
  it('rejects every harmful change to a response', async () => {
    const fallen: string[] = []
    const counts = { cases: 0, refused: 0, same: 0, other: 0, honest: 0 }
    for await (const flow of allFlowsOf(kind)) {
      if (flow.name === BY_NODE) {
        await flow.attempt(flow.trader)
        continue
      }
      const trade = await Rehearsed.of(market, flow, ({ fetch }) => vi.stubGlobal('fetch', fetch))
      const liar = await liarAgainst(market, flow.trader, flow.spare)
      const cases = casesOf(trade.stage, flow, liar)
      for (const [n, each] of shuffled(cases, SEED).slice(0, CASES_PER_FLOW).entries()) {
        const { outcome, faults, error } = await trade.judge(each)
        counts.cases++
        counts[outcome]++
        if (!isTyped(error))
          faults.push(`ended in ${(error as Error).name}: ${(error as Error).message.slice(0, 100)}`)
        if (faults.length > 0)
          fallen.push(`${flow.name}: ${each.answered.called} ${each.change.name} ${faults.join(', ')}`)
        if (n % LIES_PER_HONEST !== 0) continue
        await trade.playHonestly()
        counts.honest++
      }
      await trade.finish()
      console.log(`${kind}, ${flow.name}: ${cases.length} changes, so far ${JSON.stringify(counts)}`)
      vi.unstubAllGlobals()
    }
    console.log(`changes for a wallet that pays by ${kind}: ${JSON.stringify(counts)}`)
    expect(fallen).toEqual([])
  })
})

import type { KeySpend } from '@ordbook/bitcoin/address.ts'
import { keysOf } from '@ordbook/sdk/keys.ts'
import { BELIEFS } from '@ordbook/sdk/verify/beliefs.ts'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { sampled } from '../support/effort.ts'
import { setUpMarket } from '../support/market.ts'
import { shuffled } from './lies.ts'
import { memberOf } from './members.ts'
import { casesOf, isAllowed, isTyped, meaningOf, membersOf, play, Stage } from './stage.ts'
import { escrowFlowsOf } from './support/escrow-flows.ts'
import { flowsOf, liarAgainst } from './support/flows.ts'

/**
 * Changes one member of one answer at a time, over every member of every answer of every trade, and reads from what the wallet is asked to
 * sign what would happen. Between the lies the honest answers are played again, and signed each time.
 */
const SEED = Number(process.env.ORDBOOK_LIES_SEED ?? 1)
const CASES_PER_FLOW = sampled(60, 100_000, 12)
const ALL_KINDS: KeySpend['kind'][] = ['p2wpkh', 'p2sh-p2wpkh', 'p2tr']
const KINDS = sampled<KeySpend['kind'][]>(['p2wpkh', 'p2tr'], ALL_KINDS, ['p2tr'])
/** Between a lie and the next honest answer. */
const LIES_PER_HONEST = sampled(5, 10)
/** The node, and not the market, is told of an exit. */
const BY_NODE = 'exit'

const market = setUpMarket({ ANCHOR_POOL: '60' })
afterEach(() => vi.unstubAllGlobals())

async function* allFlowsOf(kind: KeySpend['kind']) {
  yield* flowsOf(market, kind)
  yield* escrowFlowsOf(market, kind)
}

describe.each(KINDS)('a wallet that pays by %s', (kind) => {
  it('signs nothing worse than it agreed to, whatever member of an answer is changed', async () => {
    const fallen: string[] = []
    const counts = { cases: 0, refused: 0, same: 0, other: 0, honest: 0 }
    for await (const flow of allFlowsOf(kind)) {
      Object.assign(market.server.context.config, { feeRateMinSatVb: 1 }, flow.while)
      const stage = new Stage()
      vi.stubGlobal('fetch', stage.fetch)
      stage.isOpen = true
      const keys = await keysOf({ ...flow.trader })
      stage.isOpen = flow.name === BY_NODE
      const first = await play(market.server.url, flow, keys)
      if (flow.name === BY_NODE) continue
      expect(first.effects.length, `${flow.name}: ${first.error}`).toBeGreaterThan(0)
      const honest = first.effects.map(meaningOf)
      const liar = await liarAgainst(market, flow.trader, flow.spare)
      const cases = casesOf(stage, flow, liar)
      for (const [n, each] of shuffled(cases, SEED).slice(0, CASES_PER_FLOW).entries()) {
        stage.change = each
        const { effects, error } = await play(market.server.url, flow, keys)
        const meanings = effects.map(meaningOf)
        const isSame = effects.length > 0 && meanings.every((meaning) => honest.includes(meaning))
        const outcome = effects.length === 0 ? 'refused' : isSame ? 'same' : 'other'
        counts.cases++
        counts[outcome]++
        const members = membersOf(each.answered.called)
        const member = memberOf(each.change.path, members)
        const status = member === null ? null : BELIEFS[members[member] as keyof typeof BELIEFS].status
        const faults = [
          ...(isTyped(error)
            ? []
            : [`ended in ${(error as Error).name}: ${(error as Error).message.slice(0, 100)}`]),
          ...(outcome === 'other' && !effects.every((effect) => isAllowed(effect, first.effects))
            ? [`was signed: ${meanings.join()} in place of ${honest.join()}`]
            : []),
          ...(outcome === 'other' && status !== null && status !== 'shown'
            ? [`is ${status} by the list, and changed what was signed`]
            : []),
        ]
        if (faults.length > 0)
          fallen.push(`${flow.name}: ${each.answered.called} ${each.change.name} ${faults.join(', ')}`)
        if (n % LIES_PER_HONEST !== 0) continue
        stage.change = null
        const again = await play(market.server.url, flow, keys)
        expect(again.effects.map(meaningOf)).toEqual(honest)
        counts.honest++
      }
      // The market takes the honest trade, which the next one needs.
      stage.isOpen = true
      expect((await play(market.server.url, flow, keys)).error, flow.name).toBeNull()
      vi.unstubAllGlobals()
    }
    console.log(`changes told to a wallet that pays by ${kind}: ${JSON.stringify(counts)}`)
    expect(fallen).toEqual([])
  })
})

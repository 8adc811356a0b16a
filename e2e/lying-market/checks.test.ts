import { afterEach, expect, it, vi } from 'vitest'
import { isThorough, sampled } from '../support/effort.ts'
import { setUpMarket } from '../support/market.ts'
import { applyLie, liesAbout, sampleOf, shuffled } from './lies.ts'
import { operationOf } from './proxy.ts'
import { beliefOf, type Case, casesOf, isWellFormed, Rehearsed, type Stage } from './stage.ts'
import { ELSEWHERE, KERNEL, SECOND } from './support/check-notes.ts'
import { checksOf, removal } from './support/checks.ts'
import { escrowFlowsOf } from './support/escrow-flows.ts'
import { BY_NODE, type Flow, flowsOf, liarAgainst } from './support/flows.ts'

vi.mock('@ordbook/sdk/verify/assert.ts', async (original) => {
  const { asCheckFailed } = await original<typeof import('@ordbook/sdk/verify/assert.ts')>()
  const { callerOf, rejectsAt } = await import('./support/checks.ts')
  const { CheckFailed } = await import('@ordbook/sdk/errors.ts')
  const removable: (holds: boolean, reason: string | Error) => void = (holds, reason) => {
    if (!holds && rejectsAt(callerOf(1))) throw typeof reason === 'string' ? new CheckFailed(reason) : reason
  }
  return { assert: removable, asCheckFailed }
})
vi.mock('../../bitcoin/src/prepared-psbt.ts', async (original) => {
  const actual = await original<typeof import('@ordbook/bitcoin/prepared-psbt.ts')>()
  const { rejectsAt } = await import('./support/checks.ts')
  const assertPreparedPsbt: typeof actual.assertPreparedPsbt = (base64, ...expected) => {
    try {
      return actual.assertPreparedPsbt(base64, ...expected)
    } catch (error) {
      if (rejectsAt('assertPreparedPsbt')) throw error
      return actual.readPreparedPsbt(base64)
    }
  }
  return { ...actual, assertPreparedPsbt }
})
vi.mock('../../bitcoin/src/trade/check.ts', async (original) => {
  const actual = await original<typeof import('@ordbook/bitcoin/trade/check.ts')>()
  const { rejectsAt } = await import('./support/checks.ts')
  const checkSettlement: typeof actual.checkSettlement = (...settlement) => {
    try {
      actual.checkSettlement(...settlement)
    } catch (error) {
      if (rejectsAt('checkSettlement')) throw error
    }
  }
  return { ...actual, checkSettlement }
})

/**
 * Disables one check of the SDK at a time and repeats the lies that it rejected. At least one of them must then be signed, unless the check
 * is listed as redundant.
 */
const SEED = Number(process.env.ORDBOOK_LIES_SEED ?? 1)
const CHANGES_PER_FLOW = sampled(200, 200, 80)
const LIES_PER_FLOW = sampled(250, 250, 100)
const FLOWS = sampled(1, 100)
const LIES_PER_CHECK = sampled(40, 40, 15)
/** Minimum number of checks in a sample that turn out to be necessary. */
const RED_IN_SAMPLE = sampled(8, 8, 5)

const market = setUpMarket({ ANCHOR_POOL: '120' })
afterEach(() => vi.unstubAllGlobals())

interface Result {
  families: Set<string>
  told: number
  signed: string[]
  next: Record<string, number>
}
const results = new Map<string, Result>()

/** A lie. `isWritten`: written by hand, so the wallet must not sign at all. */
interface Told {
  each: Case
  family: string
  isWritten: boolean
}

function liesOf(
  stage: Stage,
  liar: Awaited<ReturnType<typeof liarAgainst>>,
  flow: Flow & { spare: string[] },
): Told[] {
  const changes = sampleOf(
    casesOf(stage, flow, liar),
    (each) => beliefOf(each) ?? 'reads',
    2 * CHANGES_PER_FLOW,
    SEED,
  )
  const written = stage.answers.flatMap((answered) => {
    const [method, path] = answered.called.split(' ') as [string, string]
    const exchange = {
      operation: operationOf(method, path),
      request: answered.request,
      answer: JSON.parse(answered.text),
    }
    return sampleOf(liesAbout(exchange, liar), ({ family }) => family, LIES_PER_FLOW, SEED)
      .filter((lie) => applyLie(lie, exchange) !== null && !flow.unread?.test(lie.name))
      .map((lie) => ({
        family: lie.family,
        each: { answered, change: { path: [], name: lie.name, apply: lie.tell } },
        isWritten: true,
      }))
  })
  return [
    ...written,
    ...changes.filter(isWellFormed).map((each) => ({
      each,
      family: beliefOf(each) ?? 'reads',
      isWritten: false,
    })),
  ]
}

async function tellWithout(check: string, told: readonly Told[], trade: Rehearsed): Promise<void> {
  const result = results.get(check) ?? { families: new Set(), told: 0, signed: [], next: {} }
  results.set(check, result)
  for (const { each, family, isWritten } of shuffled(told, SEED).slice(0, LIES_PER_CHECK)) {
    Object.assign(removal, { removed: check, refusedBy: null })
    const { outcome, faults, error } = await trade.judge(each)
    result.families.add(family)
    result.told++
    if (faults.length > 0 || (isWritten && outcome !== 'refused')) result.signed.push(each.change.name)
    else {
      const by = removal.refusedBy ?? (outcome === 'refused' ? (error as Error).message : outcome)
      result.next[by] = (result.next[by] ?? 0) + 1
    }
  }
  removal.removed = null
}

it('signs a lie for each disabled check', async () => {
  async function* flows() {
    yield* flowsOf(market, 'p2wpkh')
    yield* escrowFlowsOf(market, 'p2wpkh')
  }
  let played = 0
  for await (const flow of flows()) {
    if (++played > FLOWS) break
    if (flow.name === BY_NODE || flow.name === 'buy from dust') {
      await flow.attempt(flow.trader)
      continue
    }
    const trade = await Rehearsed.of(market, flow, ({ fetch }) => vi.stubGlobal('fetch', fetch))
    const liar = await liarAgainst(market, flow.trader, flow.spare)
    const byCheck = new Map<string, Told[]>()
    for (const told of liesOf(trade.stage, liar, flow)) {
      removal.refusedBy = null
      await trade.judge(told.each)
      const { refusedBy } = removal
      if (refusedBy !== null) byCheck.set(refusedBy, [...(byCheck.get(refusedBy) ?? []), told])
    }
    for (const [check, told] of byCheck) await tellWithout(check, told, trade)
    await trade.finish()
    vi.unstubAllGlobals()
  }
  const checks = [...(await checksOf()), ...KERNEL.map((name) => ({ at: name, name }))]
  const found = checks.map(({ at, name }) => ({ name, ...results.get(at) }))
  console.table(
    found.map(({ name, families, told, signed, next }) => ({
      check: name,
      families: [...(families ?? [])].join(', '),
      'lies signed without it': told === undefined ? '' : `${signed!.length} of ${told}`,
      'refused next by': Object.keys(next ?? {}).join(', '),
    })),
  )
  const red = found.filter(({ signed = [] }) => signed.length > 0).map(({ name }) => name)
  console.log(`${red.length} of ${checks.length} checks are necessary`)
  // A sample runs one trade, which does not reach every check.
  if (!isThorough) return expect(red.length).toBeGreaterThanOrEqual(RED_IN_SAMPLE)
  const unreachedChecks = found.map(({ name }) => name).filter((name) => !red.includes(name))
  expect(unreachedChecks.filter((name) => !(name in SECOND) && !(name in ELSEWHERE))).toEqual([])
})

import type { KeySpend } from '@ordbook/bitcoin/address.ts'
import { CheckFailed, Client, OverBudget } from '@ordbook/sdk/index.ts'
import { keysOf } from '@ordbook/sdk/keys.ts'
import { operations } from '@ordbook/sdk/operations.ts'
import { BELIEFS, MEMBERS } from '@ordbook/sdk/verify/beliefs.ts'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { sampled } from '../support/effort.ts'
import { setUpMarket } from '../support/market.ts'
import { type Effect, effectsOf } from './effects.ts'
import { stepsOf, valuesOf } from './exchange.ts'
import { shuffled } from './lies.ts'
import { type Change, changesOf, memberOf } from './members.ts'
import { recording } from './recording-wallet.ts'
import { escrowFlowsOf } from './support/escrow-flows.ts'
import { type Flow, flowsOf, liarAgainst } from './support/flows.ts'

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
/** What the agreements of these trades allow the network at most, in sats. */
const MOST_NETWORK_SATS = 20_000n
/** The node, and not the market, is told of an exit. */
const BY_NODE = 'exit'

const market = setUpMarket({ ANCHOR_POOL: '60' })
const honestFetch = globalThis.fetch
afterEach(() => vi.unstubAllGlobals())

interface Answered {
  key: string
  /** Method, and path below the surface. */
  called: string
  text: string
}

/** The members of an operation by their beliefs; empty for answers that no signature follows. */
function membersOf(called: string): Readonly<Record<string, string>> {
  for (const [id, members] of Object.entries(MEMBERS)) {
    const route = operations[id as keyof typeof operations].replace(/\{\w+\}/g, '[^/]+')
    if (new RegExp(`^${route}$`).test(called)) return members
  }
  return {}
}

/** Plays recorded answers to a trade, one of them changed, and stops it before its submit. */
class Stage {
  readonly answers: Answered[] = []
  private readonly byKey = new Map<string, Answered>()
  change: { answered: Answered; change: Change } | null = null
  /** Passes everything to the market. */
  isOpen = false

  readonly fetch: typeof fetch = async (input, init) => {
    if (this.isOpen) return honestFetch(input, init)
    const url = String(input)
    const body = typeof init?.body === 'string' ? init.body : ''
    if (body !== '' && stepsOf(JSON.parse(body)).length > 0) return jsonOf(409, { error: 'not submitted' })
    const key = `${init?.method} ${url} ${body}`
    const answered = this.byKey.get(key) ?? (await this.record(key, url, init))
    if (answered === null) return honestFetch(input, init)
    if (this.change?.answered !== answered) return jsonOf(200, answered.text)
    const told = JSON.parse(answered.text)
    this.change.change.apply(told)
    return jsonOf(200, told)
  }

  private async record(key: string, url: string, init?: RequestInit): Promise<Answered | null> {
    const response = await honestFetch(url, init)
    if (response.status !== 200) return null
    const called = `${init?.method} ${new URL(url).pathname.replace(/^\/(api|web)\/v1/, '')}`
    const answered = { key, called, text: await response.text() }
    if (this.change === null) this.answers.push(answered)
    this.byKey.set(key, answered)
    return answered
  }
}

const jsonOf = (status: number, body: unknown) =>
  new Response(typeof body === 'string' ? body : JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json' },
  })

/** Runs a trade on the stage; gives what the wallet was asked to sign, and the error that ended it. */
async function play(flow: Flow, keys: Awaited<ReturnType<typeof keysOf>>) {
  const client = new Client(`${market.server.url}${flow.web ? '/web/v1' : '/api/v1'}`)
  client.token = flow.trader.client.token
  client.headers = flow.trader.client.headers
  const wallet = recording(flow.trader.wallet, false)
  const trader = { ...keys, client, wallet, walletBindingId: flow.trader.walletBindingId }
  const error: unknown = await flow.attempt(trader).then(
    () => null,
    (problem) => problem,
  )
  const { ordinalsScript, paymentScript } = flow.trader.wallet
  return { effects: effectsOf(wallet.asked, [ordinalsScript, paymentScript]), error }
}

const isTyped = (error: unknown) =>
  error === null ||
  error instanceof CheckFailed ||
  error instanceof OverBudget ||
  (error as Error).name === 'ApiError'

/** What an effect means to the wallet, apart from how the transaction looks. */
const meaningOf = ({ spends, costSats, landings }: Effect) =>
  JSON.stringify([spends, String(costSats), landings])

/** Whether an effect is no worse than the honest one of the same coins, within the limits of the agreement. */
function isAllowed(effect: Effect, honest: readonly Effect[]): boolean {
  const like = honest.find(({ spends }) => spends.join() === effect.spends.join())
  return (
    like !== undefined &&
    effect.costSats <= like.costSats + MOST_NETWORK_SATS &&
    effect.landings.join() === like.landings.join()
  )
}

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
      const first = await play(flow, keys)
      if (flow.name === BY_NODE) continue
      expect(first.effects.length, `${flow.name}: ${first.error}`).toBeGreaterThan(0)
      const honest = first.effects.map(meaningOf)
      const liar = await liarAgainst(market, flow.trader, flow.spare)
      const texts = stage.answers.flatMap(({ text }) =>
        [...valuesOf(JSON.parse(text))].flatMap(({ value }) => (typeof value === 'string' ? [value] : [])),
      )
      const known = [...new Set([...texts.filter((text) => text.length < 100), ...flow.spare, liar.address])]
      const cases = stage.answers.flatMap((answered) =>
        [...changesOf(JSON.parse(answered.text), known, liar.script)].map((change) => ({ answered, change })),
      )
      for (const [n, each] of shuffled(cases, SEED).slice(0, CASES_PER_FLOW).entries()) {
        stage.change = each
        const { effects, error } = await play(flow, keys)
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
        const again = await play(flow, keys)
        expect(again.effects.map(meaningOf)).toEqual(honest)
        counts.honest++
      }
      // The market takes the honest trade, which the next one needs.
      stage.isOpen = true
      expect((await play(flow, keys)).error, flow.name).toBeNull()
      vi.unstubAllGlobals()
    }
    console.log(`changes told to a wallet that pays by ${kind}: ${JSON.stringify(counts)}`)
    expect(fallen).toEqual([])
  })
})

import { setImmediate } from 'node:timers/promises'
import { assertAnswerSchema, CheckFailed, Client, SubmitUncertain } from '@ordbook/sdk/index.ts'
import { keysOf } from '@ordbook/sdk/keys.ts'
import { type OperationId, operations } from '@ordbook/sdk/operations.ts'
import { BELIEFS, MEMBERS } from '@ordbook/sdk/verify/beliefs.ts'
import { expect } from 'vitest'
import type { TestMarket } from '../support/market.ts'
import { type Effect, effectsOf } from './effects.ts'
import { type Exchange, type Liar, type Lie, stepsOf, valuesOf } from './exchange.ts'
import { type Change, changesOf, memberOf } from './members.ts'
import { recording } from './recording-wallet.ts'
import type { Flow } from './support/flows.ts'

const honestFetch = globalThis.fetch
const MAX_NETWORK_SATS = 20_000n

export interface Answered {
  key: string
  /** Method, and path without `/api/v1` or `/web/v1`. */
  called: string
  request: unknown
  text: string
}

export interface Case {
  answered: Answered
  change: Change
}

function operationOf(called: string): OperationId {
  const found = Object.entries(operations).find(([, route]) =>
    new RegExp(`^${route.replace(/\{\w+\}/g, '[^/]+')}$`).test(called),
  )
  if (!found) throw new Error(`${called} is not an operation`)
  return found[0] as OperationId
}

function membersOf(called: string): Readonly<Record<string, string>> {
  const id = operationOf(called)
  return id in MEMBERS ? MEMBERS[id as keyof typeof MEMBERS] : {}
}

export function isWellFormed({ answered, change }: Case): boolean {
  const changedBody = JSON.parse(answered.text)
  if (change.apply(changedBody)) return false
  try {
    assertAnswerSchema(operationOf(answered.called), changedBody)
    return true
  } catch {
    return false
  }
}

/** Returns the belief that the changed field affects, or null if it cannot affect a signature. */
export function beliefOf({ answered, change }: Case): keyof typeof BELIEFS | null {
  const members = membersOf(answered.called)
  const member = memberOf(change.path, members)
  return member === null ? null : (members[member] as keyof typeof BELIEFS)
}

/** Replays a trade's recorded responses with one of them changed. Rejects the submit. */
export class Stage {
  readonly answers: Answered[] = []
  private readonly byKey = new Map<string, Answered>()
  private readonly origin: string
  change: Case | null = null
  isOpen = false

  constructor(origin: string) {
    this.origin = origin
  }

  readonly fetch: typeof fetch = async (input, init) => {
    const url = String(input)
    if (this.isOpen || !url.startsWith(this.origin)) return honestFetch(input, init)
    const body = typeof init?.body === 'string' ? init.body : ''
    const request = body === '' ? null : JSON.parse(body)
    if (stepsOf(request).length > 0 || typeof request?.transaction === 'string')
      return jsonOf(409, { error: 'not submitted' })
    const key = `${init?.method} ${url} ${body}`
    const answered = this.byKey.get(key) ?? (await this.record({ key, request }, url, init))
    if (answered === null) return honestFetch(input, init)
    if (this.change?.answered !== answered) return jsonOf(200, answered.text)
    const changedBody = JSON.parse(answered.text)
    const instead = this.change.change.apply(changedBody)
    return jsonOf(200, instead ? instead.raw : changedBody)
  }

  private async record(
    { key, request }: Pick<Answered, 'key' | 'request'>,
    url: string,
    init?: RequestInit,
  ): Promise<Answered | null> {
    const response = await honestFetch(url, init)
    if (response.status !== 200) return null
    const called = `${init?.method} ${new URL(url).pathname.replace(/^\/(api|web)\/v1/, '')}`
    const answered = { key, called, request, text: await response.text() }
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

/** Effects of all PSBTs to sign in a trade, and the error that ended it. */
export interface Played {
  effects: Effect[]
  error: unknown
}

async function play(origin: string, flow: Flow, keys: Awaited<ReturnType<typeof keysOf>>): Promise<Played> {
  // Yield to the event loop: replay does no I/O, and the market runs in this process.
  await setImmediate()
  const client = new Client(`${origin}${flow.web ? '/web/v1' : '/api/v1'}`)
  client.checkAnswer = assertAnswerSchema
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

export class Rehearsed {
  readonly stage: Stage
  readonly first: Played
  private readonly flow: Flow
  private readonly again: () => Promise<Played>
  private readonly honest: readonly string[]

  private constructor(flow: Flow, stage: Stage, first: Played, again: () => Promise<Played>) {
    this.flow = flow
    this.stage = stage
    this.first = first
    this.again = again
    this.honest = first.effects.map(meaningOf)
  }

  /** Records a trade. `swap` must replace the global `fetch` with the stage's. */
  static async of(market: TestMarket, flow: Flow, swap: (stage: Stage) => void): Promise<Rehearsed> {
    Object.assign(market.server.context.config, { feeRateMinSatVb: 1 }, flow.while)
    const stage = new Stage(market.server.url)
    swap(stage)
    stage.isOpen = true
    const keys = await keysOf({ ...flow.trader })
    stage.isOpen = false
    const playAgain = () => play(market.server.url, flow, keys)
    const first = await playAgain()
    expect(first.effects.length, `${flow.name}: ${first.error}`).toBeGreaterThan(0)
    return new Rehearsed(flow, stage, first, playAgain)
  }

  /** Replays the trade with one response changed and classifies the signatures. */
  async judge(each: Case): Promise<Judged> {
    this.stage.change = each
    const { effects, error } = await this.again()
    this.stage.change = null
    const meanings = effects.map(meaningOf)
    const isSame = effects.length > 0 && meanings.every((meaning) => this.honest.includes(meaning))
    const outcome = effects.length === 0 ? 'refused' : isSame ? 'same' : 'other'
    const belief = beliefOf(each)
    const faults: string[] = []
    // Within the agreement's limits, the market may choose values that are only displayed. It may also pay the wallet more.
    const isChoice = belief === null || BELIEFS[belief].status === 'shown'
    const mostMoreSats = isChoice ? (this.flow.maxNetworkSats ?? MAX_NETWORK_SATS) : 0n
    const isOfCoins = this.flow.chooses?.test(each.answered.called) === true
    const isWorse = (effect: Effect, n: number) =>
      !this.first.effects.some(
        (honest, i) =>
          (honest.spends.join() === effect.spends.join() || (isOfCoins && i === n)) &&
          isAllowed(effect, honest, mostMoreSats),
      )
    if (outcome === 'other' && effects.some(isWorse))
      faults.push(`was signed: ${meanings.join()} in place of ${this.honest.join()}`)
    if (outcome === 'same' && isAlwaysRefused(belief))
      faults.push('is a false statement that a client proves, and the trade was signed')
    return { outcome, belief, faults, error }
  }

  async playHonestly(): Promise<void> {
    const { effects } = await this.again()
    expect(effects.map(meaningOf)).toEqual(this.honest)
  }

  async finish(): Promise<void> {
    this.stage.isOpen = true
    const { error } = await this.again()
    if (error !== null) throw error
  }
}

export interface Judged {
  /** `same`: the wallet signs the honest transactions. `other`: it signs something else. */
  outcome: 'refused' | 'same' | 'other'
  belief: keyof typeof BELIEFS | null
  faults: string[]
  error: unknown
}

/** Returns true if the client must reject every false value. Some changes to PSBTs do not affect the wallet. */
const isAlwaysRefused = (belief: keyof typeof BELIEFS | null): boolean =>
  belief !== null && BELIEFS[belief].status === 'proven' && belief !== 'psbt'

export const isTyped = (error: unknown) =>
  error === null ||
  error instanceof CheckFailed ||
  error instanceof SubmitUncertain ||
  (error as Error).name === 'ApiError'

const meaningOf = ({ spends, costSats, landings }: Effect) =>
  JSON.stringify([spends, String(costSats), landings])

/** Returns true if an effect costs at most `mostMoreSats` more than the honest one, and its first sats go to the same scripts. */
const isAllowed = (effect: Effect, honest: Effect, mostMoreSats: bigint): boolean =>
  effect.costSats <= honest.costSats + mostMoreSats && effect.landings.join() === honest.landings.join()

/** Returns all single-field changes to the recorded responses. */
export function casesOf(stage: Stage, flow: { spare: readonly string[] }, liar: Liar): Case[] {
  const texts = stage.answers.flatMap(({ text }) =>
    [...valuesOf(JSON.parse(text))].flatMap(({ value }) => (typeof value === 'string' ? [value] : [])),
  )
  const knownStrings = [
    ...new Set([...texts.filter((text) => text.length < 100), ...flow.spare, liar.address]),
  ]
  return stage.answers.flatMap((answered) =>
    [...changesOf(JSON.parse(answered.text), knownStrings, liar.script)].map((change) => ({
      answered,
      change,
    })),
  )
}

/** Returns changes to fields that a client must verify. */
export const changesOfProven = ({ operation, request, answer }: Exchange, liar: Liar): Lie[] =>
  [...changesOf(answer, [], liar.script)]
    .map((change) => ({
      answered: { key: '', called: operation, request, text: JSON.stringify(answer) },
      change,
    }))
    .filter((each) => isAlwaysRefused(beliefOf(each)) && isWellFormed(each))
    .map(({ change }) => ({ name: change.name, family: 'members', tell: change.apply }))

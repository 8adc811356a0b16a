import { CheckFailed, Client, demandForm } from '@ordbook/sdk/index.ts'
import type { keysOf } from '@ordbook/sdk/keys.ts'
import { operations } from '@ordbook/sdk/operations.ts'
import { MEMBERS } from '@ordbook/sdk/verify/beliefs.ts'
import { type Effect, effectsOf } from './effects.ts'
import { type Liar, stepsOf, valuesOf } from './exchange.ts'
import { type Change, changesOf } from './members.ts'
import { recording } from './recording-wallet.ts'
import type { Flow } from './support/flows.ts'

const honestFetch = globalThis.fetch
/** What the agreements of these trades allow the network at most, in sats. */
const MOST_NETWORK_SATS = 20_000n

export interface Answered {
  key: string
  /** Method, and path below the surface. */
  called: string
  text: string
}

/** The members of an operation by their beliefs; empty for answers that no signature follows. */
export function membersOf(called: string): Readonly<Record<string, string>> {
  for (const [id, members] of Object.entries(MEMBERS)) {
    const route = operations[id as keyof typeof operations].replace(/\{\w+\}/g, '[^/]+')
    if (new RegExp(`^${route}$`).test(called)) return members
  }
  return {}
}

/** Replays recorded answers to a trade, with one of them changed, and refuses its submit. */
export class Stage {
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
export async function play(origin: string, flow: Flow, keys: Awaited<ReturnType<typeof keysOf>>) {
  const client = new Client(`${origin}${flow.web ? '/web/v1' : '/api/v1'}`)
  client.checkAnswer = demandForm
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

export const isTyped = (error: unknown) =>
  error === null || error instanceof CheckFailed || (error as Error).name === 'ApiError'

/** What an effect means to the wallet, apart from how the transaction looks. */
export const meaningOf = ({ spends, costSats, landings }: Effect) =>
  JSON.stringify([spends, String(costSats), landings])

/** Whether an effect is no worse than the honest one of the same coins, within the limits of the agreement. */
export function isAllowed(effect: Effect, honest: readonly Effect[]): boolean {
  const like = honest.find(({ spends }) => spends.join() === effect.spends.join())
  return (
    like !== undefined &&
    effect.costSats <= like.costSats + MOST_NETWORK_SATS &&
    effect.landings.join() === like.landings.join()
  )
}

/** Every change of one member of the answers that a stage has recorded. */
export function casesOf(stage: Stage, flow: { spare: readonly string[] }, liar: Liar) {
  const texts = stage.answers.flatMap(({ text }) =>
    [...valuesOf(JSON.parse(text))].flatMap(({ value }) => (typeof value === 'string' ? [value] : [])),
  )
  const known = [...new Set([...texts.filter((text) => text.length < 100), ...flow.spare, liar.address])]
  return stage.answers.flatMap((answered) =>
    [...changesOf(JSON.parse(answered.text), known, liar.script)].map((change) => ({ answered, change })),
  )
}

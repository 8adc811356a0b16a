import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type AddressNetwork,
  addressOfScript,
  p2trScript,
  scriptOfAddress,
} from '@ordbook/bitcoin/address.ts'
import { bytesToHex, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { sha256, xOnlyKeyOf } from '@ordbook/bitcoin/keys.ts'
import type { Exchange, Liar, Lie } from './exchange.ts'
import { applyLie, liesAbout, shuffled } from './lies.ts'
import { type LyingMarket, startLyingMarket } from './proxy.ts'

export interface WalletAddresses {
  ordinalsAddress: string
  paymentAddress: string
}

/** A market that lies: applies one lie after another. `/lying-market` serves its report. */
export interface Conducted extends LyingMarket {
  report(): Report
}

export interface Report {
  target: string
  seed: number
  honest: boolean
  now: { operation: string; family: string; lie: string } | null
  /** Number of lies so far, and the lies that the client believed. The test fails if there are any. */
  told: number
  believed: { operation: string; family: string; lie: string }[]
  left: Record<string, number>
}

const PREFIX = '/lying-market'
const MAX_BODY = 10_000

/**
 * Starts a lying market in front of `target`. The seed determines the order of the lies. Reads the wallet's addresses from the sign-in
 * unless `wallet` is set.
 */
export async function conduct(options: {
  target: string
  port?: number
  seed: number
  wallet?: WalletAddresses
  reads?: boolean
  /** Substring of the families, operations or lies to include. */
  only?: string
}): Promise<Conducted> {
  const { seed, only } = options
  const target = options.target.replace(/\/+$/, '')
  const keys = { ordinals: '', payment: '' }
  let wallet = options.wallet
  let honest = false
  let wished: string | null = null
  const toldByOperation = new Map<string, Set<string>>()
  const remaining: Record<string, number> = {}

  const report = (): Report => {
    const last = market.told.at(-1)
    const summary = ({ operation, family, lie }: NonNullable<typeof last>) => ({ operation, family, lie })
    return {
      target,
      seed,
      honest,
      now: last ? summary(last) : null,
      told: market.told.length,
      believed: market.told.filter((each) => each.believed).map(summary),
      left: remaining,
    }
  }
  const control = (request: IncomingMessage, response: ServerResponse): boolean => {
    const path = new URL(request.url!, 'http://proxy').pathname
    if (path !== PREFIX) return false
    if (request.method !== 'POST') return reply(response, 200, report())
    readBody(request).then(
      (body) => {
        if (typeof body.honest === 'boolean') honest = body.honest
        if (typeof body.lie === 'string' || body.lie === null) wished = body.lie
        reply(response, 200, report())
      },
      () => reply(response, 400, { error: 'Send {"honest": true or false} or {"lie": "its name" or null}.' }),
    )
    return true
  }
  const market = await startLyingMarket({
    target: () => target,
    reads: options.reads ?? false,
    ...(options.port === undefined ? {} : { port: options.port }),
    control,
  })
  market.watch = (_method, _path, body: any) => {
    if (typeof body?.ordinalsAddress === 'string' && typeof body.paymentAddress === 'string') wallet = body
    if (typeof body?.ordinalsPublicKey === 'string') keys.ordinals = body.ordinalsPublicKey
    if (typeof body?.paymentPublicKey === 'string') keys.payment = body.paymentPublicKey
  }
  market.choose = (exchange: Exchange): Lie | null => {
    if (honest || !wallet) return null
    const liar = liarAgainst(wallet, keys, seed)
    const lies = shuffled(liesAbout(exchange, liar), seed).filter(
      (lie) => !only || [exchange.operation, lie.family, lie.name].some((name) => name.includes(only)),
    )
    if (wished !== null) return lies.find((lie) => lie.name === wished) ?? null
    const before = toldByOperation.get(exchange.operation) ?? new Set()
    const fresh = lies.filter((lie) => !before.has(lie.name) && applyLie(lie, exchange) !== null)
    const [lie] = fresh
    remaining[exchange.operation] = Math.max(0, fresh.length - 1)
    toldByOperation.set(exchange.operation, lie ? before.add(lie.name) : before)
    return lie ?? null
  }
  return Object.assign(market, { report })
}

/** Builds a liar from the wallet's addresses. Its coins are invented. */
function liarAgainst(
  { ordinalsAddress, paymentAddress }: WalletAddresses,
  keys: { ordinals: string; payment: string },
  seed: number,
): Liar {
  const network = networkOf(ordinalsAddress)
  const secretOf = (what: string) => sha256(new TextEncoder().encode(`lying market ${seed} ${what}`))
  const key = xOnlyKeyOf(secretOf('key'))
  const script = p2trScript(key)
  const ordinals = scriptOfAddress(ordinalsAddress, network)
  const payment = scriptOfAddress(paymentAddress, network)
  const txid = bytesToHex(secretOf('inscription'))
  return {
    key,
    script,
    address: addressOfScript(script, network)!,
    coin: { txid: bytesToHex(secretOf('coin')), vout: 1, valueSats: 90_000, script },
    victim: {
      ordinals: {
        address: ordinalsAddress,
        script: ordinals,
        publicKey: keys.ordinals || bytesToHex(ordinals.slice(-32)),
      },
      payment: {
        address: paymentAddress,
        script: payment,
        publicKey: keys.payment || bytesToHex(hexToBytes(`02${bytesToHex(secretOf('payment'))}`)),
      },
      spareCoins: [{ txid: bytesToHex(secretOf('spare')), vout: 0, valueSats: 3_000_000, script: payment }],
      spareInscriptions: [{ txid, vout: 0, valueSats: 10_000, script: ordinals, inscriptionId: `${txid}i0` }],
    },
  }
}

const networkOf = (address: string): AddressNetwork =>
  /^bc1/i.test(address) ? 'mainnet' : /^bcrt1/i.test(address) ? 'regtest' : 'testnet'

function reply(response: ServerResponse, status: number, body: unknown): true {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
  response.end(JSON.stringify(body, null, 2))
  return true
}

async function readBody(request: IncomingMessage): Promise<{ honest?: unknown; lie?: unknown }> {
  let text = ''
  for await (const chunk of request) {
    text += chunk
    if (text.length > MAX_BODY) throw new Error('the request is too long')
  }
  return JSON.parse(text)
}

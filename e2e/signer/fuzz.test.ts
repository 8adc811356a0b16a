import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bytesToHex, equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { verifySchnorr } from '@ordbook/bitcoin/keys.ts'
import { type LogHead, verifyLogHead } from '@ordbook/bitcoin/log-head.ts'
import { SIGHASH, tapLeafHash, taprootSighash } from '@ordbook/bitcoin/sighash.ts'
import { generationOf } from '@ordbook/bitcoin/trade/generation.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import { decodeTransaction, type Tx, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { parse } from '@ordbook/process/parse.ts'
import type { Link } from '@ordbook/signer/link.ts'
import { type Floor, type Signer, signerCalls } from '@ordbook/signer/requests.ts'
import { readSecret } from '@ordbook/signer/secret.ts'
import { post } from '@ordbook/signer/transport.ts'
import { decode, encode } from '@ordbook/signer/wire.ts'
import { remoteSigner } from '@ordbook/signer-host/client.ts'
import { socketLink } from '@ordbook/signer-host/socket-link.ts'
import { afterEach, expect, it } from 'vitest'
import { sampled } from '../support/effort.ts'
import { until } from '../support/market.ts'
import { garbled, mutated, randomFrom } from './support/mutate.ts'
import { validRequests } from './support/signer-requests.ts'

/**
 * Sends valid and malformed requests to a signer, and checks each signature against the real coins: fees stay within the caps, no leg is
 * below its minimum generation, and no generation has two prices.
 */
const REQUESTS = sampled(1500, 100_000, 500)
/** Requests per signer process. Each process starts with unused caps. */
const BATCH_SIZE = 2500
const CALL_SATS = 20_000
const DAY_SATS = 60_000

let child: ChildProcess | undefined
let directory: string | undefined
const agent = new Agent({ keepAlive: true, maxSockets: 1 })

async function start(): Promise<{ signer: Signer; link: Link }> {
  directory = mkdtempSync(join(tmpdir(), 'ordbook-fuzz-'))
  const socket = join(directory, 'signer.sock')
  child = spawn(process.execPath, [join(import.meta.dirname, '../../signer-host/src/main.ts')], {
    env: {
      ...process.env,
      DATA_DIR: directory,
      SIGNER_SOCKET: socket,
      SIGNER_MAX_FEE_PER_CALL_SATS: String(CALL_SATS),
      SIGNER_MAX_FEE_PER_DAY_SATS: String(DAY_SATS),
      LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await until('the signer', async () => existsSync(socket))
  const link = socketLink(socket, readSecret(join(directory, 'signer.secret')))
  return { signer: await remoteSigner(link), link }
}

async function stop(): Promise<void> {
  if (child && child.exitCode === null) {
    const exited = new Promise((done) => child!.once('exit', done))
    child.kill('SIGKILL')
    await exited
  }
  child = undefined
  if (directory) rmSync(directory, { recursive: true, force: true })
}
afterEach(stop)

/** Validates a signer's signatures as the chain would. */
class Ledger {
  readonly coins = new Map<string, Coin>()
  readonly floors = new Map<string, number>()
  readonly prices = new Map<string, string>()
  readonly burnt = new Map<string, number>()
  /** Number of transactions with valid market signatures. */
  valid = 0
  private readonly signer: Signer

  constructor(signer: Signer) {
    this.signer = signer
  }

  /** Records a signed transaction. Ignores it if it spends an unknown coin or misstates a coin, because no node would accept it. */
  book(tx: Tx): void {
    const prevouts = tx.inputs.map(({ txid, vout }) => this.coins.get(`${txid}:${vout}`))
    if (!prevouts.every((prevout) => prevout !== undefined)) return
    const { coinScript, cosignKey } = this.signer.keys
    const isSigned = (index: number, signature: Uint8Array, key: Uint8Array, leaf?: Uint8Array) =>
      verifySchnorr(
        signature,
        taprootSighash(
          tx,
          index,
          prevouts,
          SIGHASH.DEFAULT,
          leaf ? { leafHash: tapLeafHash(leaf) } : undefined,
        ),
        key,
      )
    let inSats = 0
    for (const [index, coin] of prevouts.entries()) {
      const { witness } = tx.inputs[index]!
      if (equalBytes(coin.script, coinScript)) {
        if (!isSigned(index, witness[0]!, coinScript.slice(2))) return
        inSats += coin.valueSats
      } else if (witness.length === 4 && !isSigned(index, witness[0]!, cosignKey, witness[2]!)) return
    }
    this.valid++
    const outSats = tx.outputs
      .filter((output) => equalBytes(output.script, coinScript))
      .reduce((sum, output) => sum + output.valueSats, 0)
    const burntSats = Math.max(0, inSats - outSats)
    expect(burntSats).toBeLessThanOrEqual(CALL_SATS)
    this.burnt.set(txidOf(tx), burntSats)
    for (const [index, input] of tx.inputs.entries()) this.checkLeg(tx, index, input.witness)
  }

  /** Checks a sale or counter leg signed with SINGLE or ALL, and ANYONECANPAY. */
  private checkLeg(tx: Tx, index: number, witness: readonly Uint8Array[]): void {
    const sighash = witness.length === 4 ? witness[1]!.at(-1)! : 0
    if (sighash < 0x80) return
    const { txid, vout, sequence } = tx.inputs[index]!
    const outpoint = `${txid}:${vout}`
    const generation = generationOf(sequence)
    expect(generation).toBeGreaterThanOrEqual(this.floors.get(outpoint) ?? 0)
    const paid = sighash === SIGHASH.SINGLE_ANYONECANPAY ? [tx.outputs[index]!] : tx.outputs
    const price = paid.map((each) => `${each.valueSats} ${bytesToHex(each.script)}`).join()
    expect(this.prices.get(`${outpoint} ${generation}`) ?? price).toBe(price)
    this.prices.set(`${outpoint} ${generation}`, price)
  }

  burntSats(): number {
    return [...this.burnt.values()].reduce((sum, sats) => sum + sats, 0)
  }
}

/** Returns the sats counted in a signer's journal, by txid. */
function countedIn(journal: string): Map<string, number> {
  const counted = new Map<string, number>()
  for (const [, txid, sats] of readFileSync(journal, 'latin1').matchAll(/^spent (\S+) (\d+) /gm))
    counted.set(txid!, Math.max(Number(sats), counted.get(txid!) ?? 0))
  return counted
}

it(`signs nothing beyond its caps in ${REQUESTS} fuzzed requests`, async () => {
  const seed = Number(process.env.ORDBOOK_TEST_SEED ?? Date.now() % 1e9)
  const random = randomFrom(seed)
  const counts = { seed, requests: 0, signed: 0, valid: 0, refused: 0, burntSats: 0 }
  for (let done = 0; done < REQUESTS; ) {
    const { signer, link } = await start()
    const ledger = new Ledger(signer)
    const send = (call: string, text: string) => post(link, call, text, { agent })
    let base = validRequests(signer.keys, `${seed} ${done}`)
    for (let n = 0; n < BATCH_SIZE && done < REQUESTS; n++, done++) {
      if (n % 100 === 0) base = validRequests(signer.keys, `${seed} ${done}`)
      for (const [outpoint, coin] of base.coins) ledger.coins.set(outpoint, coin)
      const [call, request] = base.calls[random(base.calls.length)]!
      const others = base.calls.map(([, each]) => each)
      const kind = random(10)
      const sentRequest = kind === 0 ? request : mutated(request, random, others)
      // Some requests raise the minimum generations of coins in valid requests.
      const raised: unknown =
        call === 'raiseFloors' && random(4) === 0
          ? [{ outpoint: [...base.coins.keys()][random(base.coins.size)], floor: random(4) }]
          : sentRequest
      const encoded = encode({ request: raised, seen: null })
      const name = random(40) === 0 ? ['__proto__', 'toString', 'mark', ''][random(4)]! : call
      const text = kind === 9 ? garbled(encoded, random) : encoded
      const { status, body } = await send(name, text)
      counts.requests++
      expect([200, 403, 404], `${call}: ${body.slice(0, 300)}`).toContain(status)
      if (status !== 200) {
        counts.refused++
        continue
      }
      const { result } = decode(body) as { result: unknown }
      const { answer } = signerCalls[call as keyof typeof signerCalls]
      parse(answer, result, call)
      if (call === 'raiseFloors')
        for (const { outpoint, floor } of (decode(text) as { request: Floor[] }).request)
          ledger.floors.set(outpoint, Math.max(floor, ledger.floors.get(outpoint) ?? 0))
      if (!call.startsWith('sign')) continue
      counts.signed++
      if (call === 'signLogHead') {
        const { request: head } = decode(text) as { request: LogHead }
        expect(verifyLogHead(head, result as Uint8Array, signer.keys.cosignKey)).toBe(true)
        continue
      }
      for (const { txid, hex } of [result].flat() as { txid: string; hex: string }[]) {
        const tx = decodeTransaction(hex)
        expect(txidOf(tx)).toBe(txid)
        ledger.book(tx)
        const counted = countedIn(join(directory!, 'signer.journal')).get(txid) ?? 0
        expect(ledger.burnt.get(txid) ?? 0, `${call} ${encode(raised)}`).toBeLessThanOrEqual(counted)
      }
      expect(ledger.burntSats()).toBeLessThanOrEqual(DAY_SATS)
    }
    counts.valid += ledger.valid
    counts.burntSats += ledger.burntSats()
    await stop()
  }
  console.log(JSON.stringify(counts))
  expect(counts.valid).toBeGreaterThan(REQUESTS / 200)
  expect(counts.refused).toBeGreaterThan(REQUESTS / 2)
})

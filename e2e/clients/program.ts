import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { InputToSign, LocalWallet } from '@ordbook/sdk/wallet.ts'
import type { TestMarket } from '../support/market.ts'
import { problemOf } from './compare.ts'
import { startRecorder } from './recorder.ts'
import type { World } from './world.ts'

interface Settlement {
  inscriptionId: string
  settlementTxid: string
  /** Balance change in sats, from the preflight. */
  buyerSats: number
  sellerSats: number
}
type Who = 'reader' | 'seller' | 'buyer'
type Said =
  | { ask: 'message'; who: Who; address: string; message: string }
  | { ask: 'sign'; who: Who; psbtBase64: string; inputsToSign: InputToSign[] }
  | { ask: 'coins'; who: Who }
  | { ask: 'read'; answer: unknown }
  | { ask?: undefined; settlements: Settlement[] }

export interface Result {
  /** Reads whose parsed response equals the market's. */
  reads: string[]
  settlements: Settlement[]
  /** Differences between parsed responses and the market's, and the program's stderr if it failed. */
  problems: string[]
}

/**
 * Runs a program that reads for one wallet and trades for two. It prints a JSON line per request and reads a line in response. Stops it
 * after two minutes.
 */
export async function runProgram(
  market: TestMarket,
  script: string,
  {
    slug,
    ids,
    world,
    ...traders
  }: { slug: string; ids: readonly string[]; world: World } & Record<'seller' | 'buyer', LocalWallet>,
): Promise<Result> {
  const wallets = { ...traders, reader: world.reader }
  const result: Result = { reads: [], settlements: [], problems: [] }
  const recorder = await startRecorder(market.base)
  const child = spawn('bash', [script], {
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: 120_000,
    killSignal: 'SIGKILL',
  })
  const ended = new Promise<number | null>((done, fail) => child.once('error', fail).once('close', done))
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  // The exit code reports a program that ends early.
  child.stdin.on('error', () => {})
  const write = (line: object) => child.stdin.write(`${JSON.stringify(line)}\n`)
  const keysOf = (name: Who) => {
    const { ordinalsAddress, paymentAddress, ordinalsPublicKey, paymentPublicKey } = wallets[name]
    return { name, ordinalsAddress, paymentAddress, ordinalsPublicKey, paymentPublicKey }
  }
  const answerTo = async (said: Exclude<Said, { settlements: unknown }>) => {
    if (said.ask === 'read') {
      const problem = problemOf(recorder.last(), said.answer)
      if (problem) result.problems.push(problem)
      else result.reads.push(recorder.last().operation)
      return {}
    }
    const wallet = wallets[said.who]
    if (said.ask === 'message') return { signature: await wallet.signMessage(said.address, said.message) }
    if (said.ask === 'sign') return { psbtBase64: await wallet.signPsbt(said.psbtBase64, said.inputsToSign) }
    await market.mine()
    const coins = await market.regtest.coinsOf(wallet.paymentScript)
    return { coins: coins.map(({ txid, vout, valueSats }) => ({ txid, vout, valueSats })) }
  }
  try {
    const reads = { slug: world.slug, id: world.id, reader: keysOf('reader') }
    write({ base: recorder.base, slug, ids, reads, seller: keysOf('seller'), buyer: keysOf('buyer') })
    for await (const line of createInterface({ input: child.stdout })) {
      const message: Said = JSON.parse(line)
      if (message.ask) write(await answerTo(message))
      else result.settlements = message.settlements
    }
  } finally {
    child.kill('SIGKILL')
    recorder.stop()
  }
  const code = await ended
  if (code !== 0 && result.settlements.length === 0) result.problems.push(`exited with ${code}: ${errors}`)
  return result
}

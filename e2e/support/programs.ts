import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LocalWallet } from '@ordbook/sdk'
import { enter, type TestMarket, type TestTrader, until } from './market.ts'

export type KeyedTrader = TestTrader & { keysFile: string }

/** Creates traders with two payment coins each, funded in one block. */
export async function keyedTraders(market: TestMarket, count: number): Promise<KeyedTrader[]> {
  const wallets = Array.from({ length: count }, () => {
    const keys = { ordinals: randomBytes(32), payment: randomBytes(32) }
    const wallet = new LocalWallet(
      { ordinals: new Uint8Array(keys.ordinals), payment: new Uint8Array(keys.payment) },
      { network: 'regtest', paymentKind: 'p2wpkh' },
    )
    const keysFile = join(market.dataDir, `${wallet.ordinalsAddress}.json`)
    const text = { ordinals: keys.ordinals.toString('hex'), payment: keys.payment.toString('hex') }
    writeFileSync(keysFile, JSON.stringify(text), { mode: 0o600 })
    return { wallet, keysFile }
  })
  const coins = wallets.flatMap(({ wallet }) =>
    [1, 2].map(() => ({ valueSats: 5_000_000, script: wallet.paymentScript })),
  )
  await market.regtest.pay(coins)
  await market.mine()
  const traders: KeyedTrader[] = []
  for (const { wallet, keysFile } of wallets)
    traders.push({ ...(await enter(market.base, wallet)), keysFile })
  return traders
}

/** A running program from `sdk/examples`. */
export class Program {
  output = ''
  private readonly name: string
  private readonly child: ChildProcess
  private readonly ended: Promise<void>

  constructor(market: TestMarket, name: string, args: readonly string[], env: Record<string, string> = {}) {
    this.name = name
    this.child = spawn(process.execPath, [join(import.meta.dirname, '../../sdk/examples', name), ...args], {
      env: { ...process.env, MARKET: market.server.url, NODE_URL: market.node.url, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [this.child.stdout!, this.child.stderr!])
      stream.on('data', (text) => (this.output += text))
    this.ended = new Promise((done) => this.child.once('close', () => done()))
  }

  get lines(): any[] {
    const completeLines = this.output.slice(0, this.output.lastIndexOf('\n') + 1)
    return completeLines.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))
  }

  /** Waits for a matching line. Throws with the output if the program exits first, or after 20 seconds. */
  async line(matches: (line: any) => unknown): Promise<any> {
    try {
      return await until('the line', async () => {
        const found = this.lines.find(matches)
        if (!found && this.child.exitCode !== null) throw new Error('the program exited')
        return found
      })
    } catch (error) {
      throw new Error(`${this.name}: ${(error as Error).message}\n${this.output}`)
    }
  }

  /** Stops the program with SIGTERM. Returns its exit code. */
  async stop(): Promise<number | null> {
    if (this.child.exitCode === null) this.child.kill('SIGTERM')
    return this.end()
  }

  /** Waits for its exit code. Kills it after a minute. */
  async end(): Promise<number | null> {
    const timeout = setTimeout(() => this.kill(), 60_000)
    await this.ended
    clearTimeout(timeout)
    if (this.child.exitCode !== 0) console.error(`${this.name} exited:\n${this.output}`)
    return this.child.exitCode
  }

  kill(): void {
    this.child.kill('SIGKILL')
  }
}

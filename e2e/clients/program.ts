import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { InputToSign, LocalWallet } from '@ordbook/sdk/wallet.ts'
import type { TestMarket } from '../support/market.ts'

interface Settlement {
  inscriptionId: string
  settlementTxid: string
  /** Balance change in sats, from the preflight. */
  buyerSats: number
  sellerSats: number
}
type Side = 'seller' | 'buyer'
type Said =
  | { ask: 'message'; who: Side; address: string; message: string }
  | { ask: 'sign'; who: Side; psbtBase64: string; inputsToSign: InputToSign[] }
  | { ask: 'coins'; who: Side }
  | { ask?: undefined; settlements: Settlement[] }

/**
 * Runs a program that trades for two wallets, and returns its settlements. It prints a JSON line per request and reads a line in response.
 * Throws with its stderr if it fails or takes two minutes.
 */
export async function runProgram(
  market: TestMarket,
  command: string,
  args: readonly string[],
  { slug, ids, ...wallets }: { slug: string; ids: readonly string[] } & Record<Side, LocalWallet>,
): Promise<Settlement[]> {
  const child = spawn(command, args, {
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
  const keysOf = (name: Side) => {
    const { ordinalsAddress, paymentAddress, ordinalsPublicKey, paymentPublicKey } = wallets[name]
    return { name, ordinalsAddress, paymentAddress, ordinalsPublicKey, paymentPublicKey }
  }
  const answerTo = async (said: Exclude<Said, { settlements: unknown }>) => {
    const wallet = wallets[said.who]
    if (said.ask === 'message') return { signature: await wallet.signMessage(said.address, said.message) }
    if (said.ask === 'sign') return { psbtBase64: await wallet.signPsbt(said.psbtBase64, said.inputsToSign) }
    await market.mine()
    const coins = await market.regtest.coinsOf(wallet.paymentScript)
    return { coins: coins.map(({ txid, vout, valueSats }) => ({ txid, vout, valueSats })) }
  }
  let settlements: Settlement[] | undefined
  try {
    write({ base: market.base, slug, ids, seller: keysOf('seller'), buyer: keysOf('buyer') })
    for await (const line of createInterface({ input: child.stdout })) {
      const message: Said = JSON.parse(line)
      if (message.ask) write(await answerTo(message))
      else settlements = message.settlements
    }
  } finally {
    child.kill('SIGKILL')
  }
  const code = await ended
  if (!settlements) throw new Error(`${command} exited with ${code}: ${errors}`)
  return settlements
}

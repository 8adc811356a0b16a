import { readFileSync } from 'node:fs'
import { hexToBytes } from '@ordbook/bitcoin'
import { type CoreNode, coreNode, LocalWallet } from '@ordbook/sdk'
import { demoWallets } from '@ordbook/sdk/demo-wallets'

/**
 * The settings of all examples, from the environment:
 * - MARKET: the market, by default the demo of `npm start`
 * - NODE_URL: a Bitcoin Core node with user and password; beside the demo, `npm run -s demo -- node` prints it
 * - KEYS: a file, readable by its owner alone, with `{"ordinals": HEX, "payment": HEX}`; by default a demo wallet has public ones
 * - WALLET: `first` (default) or `second` demo wallet
 */
export const market = process.env.MARKET ?? 'http://127.0.0.1:4000'

/** The limits of every trade in the examples: fees and royalty as a share of the price, the fee of a swap, and the network fee. */
export const bounds = { maxFeeBps: 500, maxSwapFeeSats: 10_000, maxNetworkSats: 50_000 }

export function ownNode(): CoreNode {
  const url = process.env.NODE_URL
  if (!url) throw new Error('NODE_URL is missing: http://USER:PASSWORD@HOST:PORT of a Bitcoin Core node')
  return coreNode(url)
}

export function ownWallet(): LocalWallet {
  const { KEYS, WALLET } = process.env
  const { first, second } = demoWallets('regtest')
  if (!KEYS) return WALLET === 'second' ? second : first
  const { ordinals, payment } = JSON.parse(readFileSync(KEYS, 'utf8'))
  return new LocalWallet(
    { ordinals: hexToBytes(ordinals), payment: hexToBytes(payment) },
    { network: 'regtest', paymentKind: 'p2wpkh' },
  )
}

/** The arguments of a program, as many as `usage` names. */
export function readArguments(usage: string): string[] {
  const given = process.argv.slice(2)
  if (given.length === usage.split(' ').length) return given
  console.error(`usage: npx node ${process.argv[1]} ${usage}`)
  return process.exit(2)
}

/** Fires at Ctrl-C and when a supervisor stops the program. */
export function untilStopped(): AbortSignal {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  return stop.signal
}

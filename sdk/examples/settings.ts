import { readFileSync } from 'node:fs'
import { hexToBytes } from '@ordbook/bitcoin'
import { type CoreNode, coreNode, LocalWallet } from '@ordbook/sdk'
import { demoWallets } from '@ordbook/sdk/demo-wallets'

/**
 * Settings of all examples, from the environment:
 * - MARKET: URL of the market; default: the demo of `npm start`
 * - NODE_URL: URL of a Bitcoin Core node, with user and password; for the demo, `npm run -s demo -- node` prints it
 * - KEYS: a file with `{"ordinals": HEX, "payment": HEX}`, readable only by its owner; default: a demo wallet, whose keys are public
 * - WALLET: `first` (default) or `second` demo wallet
 */
export const market = process.env.MARKET ?? 'http://127.0.0.1:4000'

/** Limits of every trade: fees and royalties in 1/10,000 of the price, the market fee of a swap, and the network fee. */
export const bounds = { maxFeeBps: 500, maxSwapFeeSats: 10_000, maxNetworkSats: 50_000 }

export function ownNode(): CoreNode {
  const url = process.env.NODE_URL
  if (!url)
    throw new Error('NODE_URL is missing. Set it to http://USER:PASSWORD@HOST:PORT of a Bitcoin Core node.')
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

/** Returns the arguments of the program. Exits with the usage if their number is wrong. */
export function readArguments(usage: string): string[] {
  const args = process.argv.slice(2)
  if (args.length === usage.split(' ').length) return args
  console.error(`usage: npx node ${process.argv[1]} ${usage}`)
  return process.exit(2)
}

/** Returns a signal that aborts on SIGINT and SIGTERM. */
export function untilStopped(): AbortSignal {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  return stop.signal
}

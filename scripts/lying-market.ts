import { conduct } from '../e2e/lying-market/conductor.ts'
import { integerIn, readCommand, refuse } from './command.ts'

/**
 * `npm run lying-market -- --target URL`: a market that lies, before an honest one, for authors of wallets and bots
 * (docs/how-to/test-against-a-lying-market.md). Ends with code 1 where a client submitted what a lie had it sign.
 */
const USAGE = `usage: npm run lying-market -- [--target URL] [--port N] [--seed N] [--only LIE] [--reads]
                                  [--ordinals-address ADDRESS --payment-address ADDRESS]

Starts a market that lies, before the honest one at --target (default http://127.0.0.1:4000), at --port (default 4010).
The same --seed (default 1) tells the same lies; --only tells one, and --reads lies in reads too. docs/how-to/test-against-a-lying-market.md says more.`
const { values } = readCommand(USAGE, {
  options: {
    target: { type: 'string', default: 'http://127.0.0.1:4000' },
    port: { type: 'string', default: '4010' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    reads: { type: 'boolean', default: false },
    'ordinals-address': { type: 'string' },
    'payment-address': { type: 'string' },
  },
})
const { 'ordinals-address': ordinalsAddress, 'payment-address': paymentAddress } = values
function numberOf(name: 'port' | 'seed', most: number): number {
  try {
    return integerIn(values[name], `--${name}`, 0, most)
  } catch (error) {
    return refuse(USAGE, (error as Error).message)
  }
}
const market = await conduct({
  target: values.target,
  port: numberOf('port', 65_535),
  seed: numberOf('seed', 2 ** 32 - 1),
  reads: values.reads,
  ...(values.only === undefined ? {} : { only: values.only }),
  ...(ordinalsAddress && paymentAddress ? { wallet: { ordinalsAddress, paymentAddress } } : {}),
})
console.log(`lying at ${market.url} before ${values.target}; which lie: ${market.url}/lying-market`)
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, async () => {
    const { told, believed } = market.report()
    for (const { operation, lie } of believed) console.error(`believed: ${operation}: ${lie}`)
    console.log(`${told} lies told, ${believed.length} believed`)
    await market.stop()
    process.exit(believed.length > 0 ? 1 : 0)
  })

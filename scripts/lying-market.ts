import { conduct } from '../e2e/lying-market/conductor.ts'
import { exitWithUsage, integerIn, readCommand } from './command.ts'

/**
 * `npm run lying-market -- --target URL`: a lying market in front of an honest one, for authors of wallets and bots
 * (docs/how-to/test-against-a-lying-market.md). Exits with code 1 if a client signs and submits a lie.
 */
const USAGE = `usage: npm run lying-market -- [--target URL] [--port N] [--seed N] [--only LIE] [--reads]
                                  [--ordinals-address ADDRESS --payment-address ADDRESS]

Start a lying market at --port (default 4010), in front of the honest market at --target (default http://127.0.0.1:4000).
The same --seed (default 1) repeats the same lies. --only limits it to one lie, --reads includes reads. See docs/how-to/test-against-a-lying-market.md.`
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
    return exitWithUsage(USAGE, (error as Error).message)
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
console.log(`lying at ${market.url} in front of ${values.target}; current lie: ${market.url}/lying-market`)
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, async () => {
    const { told, believed } = market.report()
    for (const { operation, lie } of believed) console.error(`believed: ${operation}: ${lie}`)
    console.log(`${told} lies told, ${believed.length} believed`)
    await market.stop()
    process.exit(believed.length > 0 ? 1 : 0)
  })

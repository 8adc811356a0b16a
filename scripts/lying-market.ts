import { parseArgs } from 'node:util'
import { conduct } from '../e2e/lying-market/conductor.ts'

/**
 * `npm run lying-market -- --target URL`: a market that lies, before an honest one, for authors of wallets and bots
 * (docs/lying-market.md). Ends with code 1 where a client submitted what a lie had it sign.
 */
const { values } = parseArgs({
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
const market = await conduct({
  target: values.target,
  port: Number(values.port),
  seed: Number(values.seed),
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

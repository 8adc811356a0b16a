import { afterAll, describe, expect, it } from 'vitest'
import { sampled } from '../support/effort.ts'
import { setUpMarket } from '../support/market.ts'
import { ATTACKS } from './attacks.ts'
import { ESCROW_ATTACKS } from './escrow-attacks.ts'
import { POLICIES } from './policies.ts'
import { assertBalanced, sceneAt } from './scene.ts'

/**
 * Attacks on a real node. A quick run tries each attack under one mempool policy, and `npm run test:suite -- red-team` under all of them.
 * `e2e/red-team/README.md` lists attacks in other suites.
 */
const EVERYWHERE = sampled(0, 1) === 1
const table: string[] = []
afterAll(() => console.log(table.join('\n')))

describe.each(POLICIES.map((policy, n) => ({ ...policy, n })))(
  'on $name',
  ({ n, name, flags, notTraded }) => {
    const market = setUpMarket({ ANCHOR_POOL: '60' }, 'bitcoind', { nodeFlags: flags })

    it('reports disabled trades', async () => {
      await market.server.context.policy.refresh()
      const status = (await (await fetch(`${market.server.url}/status`)).json()) as {
        notTraded: { trade: string }[]
      }
      expect(status.notTraded.map((each) => each.trade)).toEqual(notTraded)
    })

    it.each([...ATTACKS, ...ESCROW_ATTACKS].filter((_, i) => EVERYWHERE || i % POLICIES.length === n))(
      '$name',
      async ({ name: attack, run }) => {
        const scene = await sceneAt(market)
        const refusedBy = await run(scene)
        table.push(`${attack} | ${name} | ${refusedBy}`)
        await assertBalanced(scene)
      },
    )
  },
)

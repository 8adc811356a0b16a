import { expect, it } from 'vitest'
import { Client } from './client.ts'
import { CheckFailed } from './errors.ts'
import { listCoins, proveByOrd } from './payment-coins.ts'
import { scriptedMarket } from './scripted-market.ts'

const coins = [1, 2].map((vout) => ({ txid: 'ab'.repeat(32), vout, valueSats: 10_000 }))
const walletBindingId = '00000000-0000-4000-8000-000000000000'

it('leaves coins unproven without a proof', async () => {
  const { origin } = await scriptedMarket(() => ({ body: { coins } }))
  const found = await listCoins({ client: new Client(`${origin}/web/v1`), walletBindingId })
  expect(found).toMatchObject({ plain: [], inscribed: [], unproven: coins.map((coin) => ({ coin })) })
})

it('rejects coins with inscriptions or runes', async () => {
  const answers = [
    { inscriptions: [], runes: null, value: 10_000 },
    { inscriptions: [], runes: { UNCOMMON: { amount: 1 } }, value: 10_000 },
    { inscriptions: [], runes: {}, value: 9_999 },
    { inscriptions: 'none', runes: {}, value: 10_000 },
    { inscriptions: [`${'cd'.repeat(32)}i0`], runes: {}, value: 10_000 },
  ]
  const { origin } = await scriptedMarket(({ path }) => ({
    body: JSON.stringify(answers[Number(path.split(':')[1])]),
  }))
  const all = answers.map((_, vout) => ({ ...coins[0]!, vout }))
  const { plain, inscribed, unproven } = await proveByOrd(origin)(all)
  expect(plain).toEqual([all[0]])
  expect(inscribed.map(({ coin }) => coin)).toEqual([all[4]])
  expect(unproven.map(({ coin }) => coin)).toEqual([all[1], all[2], all[3]])
})

it('leaves coins unproven after the time limit', async () => {
  const { origin } = await scriptedMarket(() => ({ body: null, isHanging: true }))
  const { unproven } = await proveByOrd(origin, { mostMillisecondsInAll: 200 })(coins)
  expect(unproven.map(({ coin }) => coin)).toEqual(coins)
})

it('throws CheckFailed for an oversized response', async () => {
  const { origin } = await scriptedMarket(() => ({ body: 'x'.repeat(33_000_000) }))
  await expect(proveByOrd(origin)(coins)).rejects.toThrow(CheckFailed)
})

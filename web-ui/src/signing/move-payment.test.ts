import { expect, it } from 'vitest'
import { paymentOfMove } from './move-payment.ts'

const coin = (valueSats: number, vout = 0) => ({ txid: 'ab'.repeat(32), vout, valueSats })

it('chooses the fewest coins', () => {
  const coins = [coin(600, 1), coin(50_000, 2), coin(900, 3)]
  expect(paymentOfMove(coins, 1, 1)).toEqual({ coins: [coins[1]], maxNetworkSats: 60 + 180 + 92 + 546 })
  expect(paymentOfMove([coin(600, 1), coin(900, 3)], 1, 1)).toMatchObject({
    coins: [coin(900, 3)],
  })
  expect(paymentOfMove([coin(600, 1), coin(500, 3)], 1, 1)).toMatchObject({
    coins: [coin(600, 1), coin(500, 3)],
    maxNetworkSats: 60 + 180 + 2 * 92 + 546,
  })
})

it('returns all coins if they are too few', () => {
  expect(paymentOfMove([coin(600)], 5, 20).coins).toEqual([coin(600)])
})

it('rejects an implausible fee rate', () => {
  expect(() => paymentOfMove([coin(50_000)], 1, 2000)).toThrow('Nothing was signed')
  expect(() => paymentOfMove([coin(50_000)], 1, Number.NaN)).toThrow('Nothing was signed')
})

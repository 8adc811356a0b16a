import type { Client } from '@ordbook/sdk/client.ts'
import { CheckFailed } from '@ordbook/sdk/errors.ts'
import type { LocalWallet } from '@ordbook/sdk/wallet.ts'
import { expect } from 'vitest'
import type { TestTrader } from '../../support/market.ts'

/** A trader whose market changes its response to one operation. The wallet counts signing requests. */
export function cheated<T = { steps: unknown[] }>(
  trader: TestTrader,
  operation: string,
  alter: (answer: T) => unknown,
): TestTrader & { asked: () => number } {
  let requestCount = 0
  const { client, wallet } = trader
  const watched = new Proxy(wallet, {
    get(target, member) {
      const value: unknown = Reflect.get(target, member)
      if (typeof value !== 'function') return value
      return (...input: unknown[]) => {
        if (member === 'signPsbt' || member === 'signPsbts') requestCount++
        return value.apply(target, input)
      }
    },
  })
  const call = async (id: string, input: never) => {
    const answer = await client.call(id as 'getMe', input)
    return id === operation ? alter(answer as T) : answer
  }
  const altered = Object.assign(Object.create(client) as Client, { call })
  return { ...trader, client: altered, wallet: watched as LocalWallet, asked: () => requestCount }
}

/** Asserts that the SDK fails for this reason before it asks the wallet. */
export async function rejectsUnsigned(
  trader: ReturnType<typeof cheated>,
  attempt: (trader: TestTrader) => Promise<unknown>,
  reason: RegExp,
): Promise<void> {
  const error = await attempt(trader).then(
    () => null,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(CheckFailed)
  expect((error as Error).message).toMatch(reason)
  expect(trader.asked()).toBe(0)
}

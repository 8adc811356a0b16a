import { expect, it } from 'vitest'
import { type PinnedKeys, pinMarketKeys } from './pinned-keys.ts'

it("throws if a market's keys change", async () => {
  const shown = { cosignKey: 'aa', guardianKey: 'bb', marketAddress: 'bcrt1market' }
  let stored: PinnedKeys | null = null
  const client = { call: async () => shown } as never
  const store = {
    read: () => stored,
    write: (keys: PinnedKeys) => {
      stored = keys
    },
    changed: () => new Error('other keys'),
  }
  expect(await pinMarketKeys(client, store)).toEqual(shown)
  expect(stored).toEqual({ cosignKey: 'aa', guardianKey: 'bb' })
  shown.marketAddress = 'bcrt1other'
  expect(await pinMarketKeys(client, store)).toEqual(shown)
  for (const key of ['cosignKey', 'guardianKey'] as const) {
    const before = shown[key]
    shown[key] = 'cc'
    await expect(pinMarketKeys(client, store)).rejects.toThrow('other keys')
    shown[key] = before
  }
  expect(stored).toEqual({ cosignKey: 'aa', guardianKey: 'bb' })
})

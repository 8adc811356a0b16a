import type { CoreNode } from '@ordbook/sdk'
import { CheckFailed } from '@ordbook/sdk/verify'
import { expect, it, vi } from 'vitest'
import { type Config, configOf } from './config.ts'
import { Output } from './output.ts'
import { TradeSession } from './trade-session.ts'

const ID = `${'11'.repeat(32)}i0`
const OUTPOINT = { txid: '22'.repeat(32), vout: 0, valueSats: 546 }
const wallet = { kind: 'core', url: 'http://user:password@127.0.0.1:8332/wallet/a' }
const cannotFind = async () => {
  throw new CheckFailed('the node cannot find it')
}

/** Reads the item with these settings, and with a node of these methods. */
async function read(settings: object, node: Partial<CoreNode>) {
  const config: Config = configOf({ market: 'https://market.example', ...settings }, 'file')
  const out = new Output(true)
  const notes: unknown[] = []
  out.note = (text) => void notes.push(text)
  const desk = new TradeSession(() => config, out, { isDryRun: false, isSure: false })
  expect(desk.node === null).toBe(Object.keys(node).length === 0)
  vi.spyOn(desk, 'node', 'get').mockReturnValue(desk.node && (node as CoreNode))
  const answers: Record<string, object> = {
    listItems: { items: [] },
    getInscription: { name: 'Lamp', outpoint: OUTPOINT, satOffset: 7, escrow: null },
  }
  vi.spyOn(desk.client, 'call').mockImplementation(async (name: string) => answers[name] as never)
  const items = await desk.items([ID])
  return { coins: items.map(({ coin }) => coin), notes }
}

it('proves the coin of an item by the node of a Core wallet', async () => {
  await expect(read({ wallet }, { output: async () => null })).rejects.toThrow('is spent')
})

it('notes a coin that the node of a Core wallet cannot look up', async () => {
  const output = async () => ({ valueSats: 546, script: new Uint8Array() })
  const { coins, notes } = await read({ wallet }, { output, transaction: cannotFind })
  expect(coins).toEqual([{ ...OUTPOINT, offset: 7 }])
  expect(notes).toEqual([`unproven coin of ${ID}: the node cannot find it`])
})

it('rejects a coin that the configured node cannot look up', async () => {
  const output = async () => ({ valueSats: 546, script: new Uint8Array() })
  const node = 'http://127.0.0.1:8332'
  await expect(read({ node }, { output, transaction: cannotFind })).rejects.toThrow('cannot find it')
})

it('notes a coin without a node', async () => {
  const { coins, notes } = await read({}, {})
  expect(coins).toEqual([{ ...OUTPOINT, offset: 7 }])
  expect(notes).toEqual([`unproven coin of ${ID}: no node is configured`])
})

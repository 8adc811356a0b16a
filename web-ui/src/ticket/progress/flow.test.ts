import { expect, it } from 'vitest'
import { flowOfSent, flowOfTicket, isAbout } from './flow.ts'
import { begin, failed, stepped } from './machine.ts'

const item = { inscriptionId: `${'a'.repeat(64)}i0`, name: 'Lamp #0', goes: 'arrives' as const }
const about = { title: 'Buy Lamp #0', items: [item], settles: true }
const sent = { txid: 'b'.repeat(64), title: about.title, items: about.items }
const settlement = (state: 'sending' | 'mempool' | 'confirmed' | 'failed') =>
  ({ kind: 'purchase', state, blockHeight: 7, confirmations: 1 }) as Parameters<typeof flowOfSent>[1]
const running = stepped(begin(null, 'Buying Lamp #0'), { at: 'check' }, about)!
const of = (ticket: typeof running) => flowOfTicket({ ...ticket, subject: 'cart' })

it('is one action from the ticket to the block', () => {
  const signing = stepped(running, { at: 'sign', wallet: 'Lamp', signed: 0, of: 1 })!
  expect(of(running)).toMatchObject({ state: 'working', title: 'Buying Lamp #0', text: 'checking' })
  expect(of(signing)).toMatchObject({ state: 'wallet', text: 'waiting for your wallet' })
  expect(flowOfSent(sent, undefined)).toMatchObject({ state: 'working', text: 'sending' })
  expect(flowOfSent(sent, settlement('mempool'))).toMatchObject({ state: 'working', title: 'Buy Lamp #0' })
  expect(flowOfSent(sent, settlement('confirmed'))).toMatchObject({
    state: 'done',
    title: 'Lamp #0 is yours.',
  })
  expect(flowOfSent(sent, settlement('failed'))).toMatchObject({ state: 'failed' })
})

it('cancelling is not a failure', () => {
  expect(of(failed(running, 'Cancelled.', true))).toMatchObject({ state: 'cancelled', text: 'Cancelled.' })
  expect(of(failed(running, 'No node.'))).toMatchObject({ state: 'failed', text: 'No node.' })
})

it('belongs to each of its items', () => {
  expect(isAbout(item.inscriptionId, flowOfSent(sent, undefined))).toBe(true)
  expect(isAbout(item.inscriptionId, { key: `list ${item.inscriptionId}`, items: [] })).toBe(true)
  expect(isAbout(`${'c'.repeat(64)}i0`, flowOfSent(sent, undefined))).toBe(false)
})

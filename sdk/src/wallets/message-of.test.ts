import fc from 'fast-check'
import { expect, it } from 'vitest'
import { messageOf } from './message-of.ts'

it.each([
  ['a string', 'locked', 'locked'],
  ['an error', new Error('locked'), 'locked'],
  [
    'an object as message',
    { message: { code: 7, message: 'psbt: expected string' } },
    'psbt: expected string',
  ],
  ['a response with an error', { error: { code: -32602, message: 'Invalid params' } }, 'Invalid params'],
  ['a list of issues', { message: [{ message: 'psbt' }, { message: 'address' }] }, 'psbt; address'],
  ['no message', { code: 7, message: 7 }, ''],
  ['an empty object', {}, ''],
  ['undefined', undefined, ''],
])('returns the message of %s', (_, error, words) => {
  expect(messageOf(error)).toBe(words)
})

it('truncates messages to 300 characters', () => {
  const circle: Record<string, unknown> = {}
  circle.message = circle
  expect(messageOf(circle)).toBe('')
  fc.assert(
    fc.property(fc.anything(), (error) => {
      const words = messageOf(error)
      expect(words.length).toBeLessThanOrEqual(300)
      expect(words).not.toContain('[object Object]')
    }),
  )
})

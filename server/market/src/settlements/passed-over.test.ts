import { expect, it } from 'vitest'
import { PassedOver } from './passed-over.ts'

it('returns the reason that applies', () => {
  const passedOver = new PassedOver()
  expect(passedOver.text()).toBe('')
  passedOver.add('inscribed')
  expect(passedOver.text()).toBe(' (1 coin was passed over: 1 holds an inscription)')
  passedOver.add('inscribed')
  expect(passedOver.text()).toBe(' (2 coins were passed over: 2 hold inscriptions)')
  passedOver.add('spent')
  expect(passedOver.text()).toBe(' (3 coins were passed over: 2 hold inscriptions, 1 is spent or unknown)')
  expect(passedOver.count).toBe(3)
})

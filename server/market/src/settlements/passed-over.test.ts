import { expect, it } from 'vitest'
import { PassedOver } from './passed-over.ts'

it('counts skipped coins by reason', () => {
  const passedOver = new PassedOver()
  expect(passedOver.text()).toBe('')
  passedOver.add('inscribed')
  expect(passedOver.text()).toBe(' (1 coin was skipped: 1 contains an inscription)')
  passedOver.add('inscribed')
  expect(passedOver.text()).toBe(' (2 coins were skipped: 2 contain inscriptions)')
  passedOver.add('spent')
  expect(passedOver.text()).toBe(' (3 coins were skipped: 2 contain inscriptions, 1 is spent or unknown)')
  expect(passedOver.count).toBe(3)
})

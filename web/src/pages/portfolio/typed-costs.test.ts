import { expect, it } from 'vitest'
import { costsIn } from './typed-costs.ts'

const id = `${'ab'.repeat(32)}i0`

it('drops costs that are not whole sats', () => {
  expect(costsIn({ [id]: 0, [`${'cd'.repeat(32)}i12`]: 84_200 })).toEqual({
    [id]: 0,
    [`${'cd'.repeat(32)}i12`]: 84_200,
  })
  for (const broken of [null, [], 'text', 7, { [id]: '5' }, { [id]: -1 }, { [id]: 1.5 }, { [id]: 3e15 }])
    expect(costsIn(broken)).toEqual({})
  expect(costsIn(JSON.parse('{"__proto__": 5, "constructor": 6}'))).toEqual({})
})

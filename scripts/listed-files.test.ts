import { expect, it } from 'vitest'
import { listedFiles } from './listed-files.ts'

it('listedFiles throws for a path without files', () => {
  expect(listedFiles(['package.json', 'e2e/purchases/trade*.test.ts'])).toHaveLength(2)
  expect(() => listedFiles(['package.json', 'e2e/gone.test.ts', 'e2e/gone*/*.test.ts'])).toThrow(
    'No such test files: e2e/gone.test.ts, e2e/gone*/*.test.ts',
  )
})

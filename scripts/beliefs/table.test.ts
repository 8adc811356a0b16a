import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../run.ts'
import { withBeliefs } from './table.ts'

it('the table in docs/how-to/verify-in-a-wallet.md is up to date', () => {
  const guide = readFileSync(join(ROOT, 'docs/how-to/verify-in-a-wallet.md'), 'utf8')
  expect(guide, 'run npm run generate -- beliefs').toBe(withBeliefs(guide))
})

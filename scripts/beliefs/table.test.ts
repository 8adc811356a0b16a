import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../run.ts'
import { withBeliefs } from './table.ts'

it('is printed in the guide for wallet authors as the SDK has it', () => {
  const guide = readFileSync(join(ROOT, 'docs/how-to/verify-in-a-wallet.md'), 'utf8')
  expect(guide, 'run npm run generate -- beliefs').toBe(withBeliefs(guide))
})

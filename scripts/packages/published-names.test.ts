import { expect, it } from 'vitest'
import { withPublishedNames } from './published-names.ts'

it('withPublishedNames rewrites relative imports to .js', () => {
  const compiled = [
    "import { a } from './a.ts'; import { sats } from '@ordbook/bitcoin/trade/sats.ts'",
    'export * from "../b.ts"',
    "type Coin = import('./coin.ts').Coin",
    "export const load = () => import('@ordbook/contract/c.ts')",
  ].join('\n')
  expect(withPublishedNames('sdk/x.d.ts', compiled)).toBe(
    [
      "import { a } from './a.js'; import { sats } from '@ordbook/bitcoin/trade/sats'",
      "export * from '../b.js'",
      "type Coin = import('./coin.js').Coin",
      "export const load = () => import('@ordbook/contract/c')",
    ].join('\n'),
  )
})

it('withPublishedNames leaves other text unchanged', () => {
  const compiled = [
    "import { sha256 } from '@noble/hashes/sha2.js'",
    '/** See `./sats.ts`. */',
    "export const text = \"from './sats.ts'\" + './sats.ts'",
  ].join('\n')
  expect(withPublishedNames('x.js', compiled)).toBe(compiled)
})

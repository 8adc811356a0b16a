import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { criteriaText, eligibleRoot } from '@ordbook/bitcoin/trade/criteria.ts'
import { expect, it } from 'vitest'
import { ROOT } from '../run.ts'
import { printSigningPage } from './page.ts'

const PAGE = readFileSync(join(ROOT, 'docs/reference/signing.md'), 'utf8')

it('the tables in docs/reference/signing.md are up to date', () => {
  expect(PAGE, 'run npm run generate -- signing').toBe(printSigningPage(PAGE))
})

it('the page shows criteria in their canonical form', () => {
  const [, all, traits] = /```json\n(.+)\n(.+)\n```/.exec(PAGE)!
  expect(criteriaText('harbour-lamps', { kind: 'all' })).toBe(all)
  const group = { type: 'Glass', values: ['Red', 'Blue', 'Red'] }
  expect(criteriaText('harbour-lamps', { kind: 'traits', traits: [group, group] })).toBe(traits)
  const sorted = JSON.parse(
    criteriaText('a', {
      kind: 'traits',
      traits: ['b', 'a', 'B'].map((type) => ({ type, values: ['z', 'é', 'Z'] })),
    }),
  )
  expect(sorted.target.traits).toEqual(['B', 'a', 'b'].map((type) => ({ type, values: ['Z', 'z', 'é'] })))
})

it('the eligible root is computed as the page describes', () => {
  const sha256 = (...parts: Uint8Array[]) =>
    parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest()
  const tagged = (name: string) => {
    const tag = sha256(
      Buffer.from(/`(ordbook\/eligible\/v1\/\w+)`/.exec(PAGE.slice(PAGE.indexOf(name)))![1]!),
    )
    return (...parts: Uint8Array[]) => sha256(tag, tag, ...parts)
  }
  const [leaf, node] = [tagged('A leaf is'), tagged('A node is')]
  const ids = ['10', '2', '1'].map((n) => `${'ab'.repeat(32)}i${n}`)
  const [first, second, third] = ids.toSorted().map((id) => leaf(Buffer.from(id)))
  expect(eligibleRoot([...ids, ids[0]!])).toBe(node(node(first!, second!), third!).toString('hex'))
})

import { expect, it } from 'vitest'
import { judgeCopies, judgeLock } from './judge.ts'

const holder = { version: '1.0.0', optionalDependencies: { '@tool/linux': '1.0.0' } }

it.each(['node_modules/@tool/linux', 'node_modules/tool/node_modules/@tool/linux'])('accepts %s', (place) => {
  expect(judgeLock({ packages: { 'node_modules/tool': holder, [place]: { version: '1.0.0' } } })).toEqual([])
})

it.each([
  ['no entry', {}],
  ['an entry without a version', { 'node_modules/@tool/linux': {} }],
  [
    'one that only another package finds',
    { 'node_modules/other/node_modules/@tool/linux': { version: '1.0.0' } },
  ],
])('rejects %s', (_, more) => {
  expect(judgeLock({ packages: { 'node_modules/tool': holder, ...more } })).toEqual([
    'package-lock.json: @tool/linux, optional for node_modules/tool, has no entry',
  ])
})

it('judgeCopies rejects two copies of a library that must be loaded once', () => {
  const one = { 'node_modules/react': { version: '18.3.2' }, 'node_modules/pg': {}, 'a/node_modules/pg': {} }
  expect(judgeCopies({ packages: one })).toEqual([])
  expect(judgeCopies({ packages: { ...one, 'web/node_modules/react': { version: '19.3.1' } } })).toEqual([
    'package-lock.json: react has several copies: node_modules/react, web/node_modules/react',
  ])
})

import { expect, it } from 'vitest'
import { checkCopies, checkLock } from './problems.ts'

const holder = { version: '1.0.0', optionalDependencies: { '@tool/linux': '1.0.0' } }

it.each(['node_modules/@tool/linux', 'node_modules/tool/node_modules/@tool/linux'])(
  'checkLock accepts %s',
  (place) => {
    expect(checkLock({ packages: { 'node_modules/tool': holder, [place]: { version: '1.0.0' } } })).toEqual(
      [],
    )
  },
)

it.each([
  ['a missing entry', {}],
  ['an entry without a version', { 'node_modules/@tool/linux': {} }],
  ['an entry below another package', { 'node_modules/other/node_modules/@tool/linux': { version: '1.0.0' } }],
])('checkLock rejects %s', (_, more) => {
  expect(checkLock({ packages: { 'node_modules/tool': holder, ...more } })).toEqual([
    'package-lock.json: @tool/linux, optional for node_modules/tool, has no entry',
  ])
})

it('checkCopies rejects two copies of react', () => {
  const one = { 'node_modules/react': { version: '18.3.2' }, 'node_modules/pg': {}, 'a/node_modules/pg': {} }
  expect(checkCopies({ packages: one })).toEqual([])
  expect(checkCopies({ packages: { ...one, 'web/node_modules/react': { version: '19.3.1' } } })).toEqual([
    'package-lock.json: react has several copies: node_modules/react, web/node_modules/react',
  ])
})

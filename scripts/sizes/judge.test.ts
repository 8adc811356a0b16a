import { expect, it } from 'vitest'
import { judgeSizes } from './judge.ts'

const lines = (count: number) => Array.from({ length: count }, (_, at) => `const a${at} = ${at}\n`).join('')
const found = (text: string, file = 'server/src/a.ts') =>
  judgeSizes(new Map([[file, text], ...['b', 'c'].map((name) => [`${name}.ts`, 'export {}\n'] as const)]))
    .problems

it('accepts files and functions at their bounds', () => {
  expect(found(lines(400))).toEqual([])
  expect(found(`function long() {\n${lines(78)}}\n`)).toEqual([])
})

it.each(['server/src/a.ts', 'web/src/a.css', 'server/src/db/migrations/a.sql'])(
  'refuses 401 lines in %s',
  (file) =>
    expect(found(lines(401), file)).toEqual([`${file}: 401 lines, at most 400: split it by what it does`]),
)

it.each([
  ['a declaration', `function long() {\n${lines(79)}}\n`, 'long'],
  ['a declaration that is exported', `export async function long() {\n${lines(79)}}\n`, 'long'],
  ['a method', `class A { long() {\n${lines(79)}} }\n`, 'a function'],
  ['an arrow', `export const long = () => {\n${lines(79)}}\n`, 'a function'],
  ['a nested function', `const short = [() => {\n${lines(79)}}]\n`, 'a function'],
])('refuses 81 lines in %s', (_, text, name) =>
  expect(found(text)).toEqual([`server/src/a.ts:1: ${name} has 81 lines, at most 80`]),
)

it('refuses a median file of 100 lines', () => {
  const files = [3, 100, 400].map((count) => [`${count}.ts`, lines(count)] as const)
  expect(judgeSizes(new Map(files)).problems).toEqual(['the median file has 100 lines, expected below 100'])
})

it('refuses a source that no parser reads', () => {
  expect(() => found('function {')).toThrow('server/src/a.ts')
})

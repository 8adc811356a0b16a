import { expect, it } from 'vitest'
import { fullFolders, longFunctions } from './problems.ts'

const rows = (count: number, line: string) => Array(count).fill(line).join('\n')

/** Sources whose function has this many lines. */
const SOURCES: Record<string, (lines: number) => string> = {
  declaration: (lines) => `export function f() {\n${rows(lines - 2, '  g()')}\n}`,
  arrow: (lines) => `export const f = () => {\n${rows(lines - 2, '  g()')}\n}`,
  method: (lines) => `export class C {\n  f() {\n${rows(lines - 2, '    g()')}\n  }\n}`,
  JSX: (lines) => `export function F() {\n  return <p>\n${rows(lines - 4, '    <br />')}\n  </p>\n}`,
  template: (lines) => `export const f = () => \`\n${rows(lines - 2, 'select')}\n\``,
}
it.each(Object.entries(SOURCES))('longFunctions reports a long function: %s', (_, source) => {
  expect(longFunctions('a.tsx', source(80))).toEqual([])
  expect(longFunctions('a.tsx', source(81))).toEqual([
    expect.stringMatching(/^a\.tsx:[12]: a function has 81 lines, the maximum is 80$/),
  ])
})

it('fullFolders reports folders of more than 25 files, without their subfolders', () => {
  const files = (folder: string, count: number) =>
    Array.from({ length: count }, (_, n) => `${folder}/${n}.ts`)
  expect(fullFolders([...files('a', 25), ...files('a/b', 25)])).toEqual([])
  expect(fullFolders([...files('a', 26), ...files('a/b', 1)])).toEqual(['a: 26 files, the maximum is 25'])
})

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readObject, writeOwn } from './own-files.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ordbook-own-files-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

it('does not write through a link at the name of an earlier partial file', () => {
  const [path, target] = [join(folder, 'state.json'), join(folder, 'target')]
  writeFileSync(target, 'unchanged')
  symlinkSync(target, `${path}.${process.pid}`)
  writeOwn(path, 'secret')
  expect(readFileSync(target, 'utf8')).toBe('unchanged')
  expect(readFileSync(path, 'utf8')).toBe('secret')
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

it('leaves no partial file behind if it cannot replace the file', () => {
  expect(() => writeOwn(folder, 'secret')).toThrow()
  expect(
    readdirSync(join(folder, '..')).filter((name) => name.startsWith(`${folder.split('/').at(-1)}.`)),
  ).toEqual([])
})

it('does not print the content of a file that is not JSON', () => {
  const path = join(folder, 'config.json')
  for (const text of ['secret', '{"node": "http://a", secret: 1}', '{"node": "secret']) {
    writeFileSync(path, text)
    expect(() => readObject(path)).toThrow(/config\.json is not JSON: (?!.*secret)/s)
  }
})

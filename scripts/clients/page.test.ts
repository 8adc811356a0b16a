import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { MATRIX } from '../../e2e/clients/matrix.ts'
import { ROOT } from '../run.ts'
import { printApiPage } from './page.ts'

it('the table in docs/reference/api.md is up to date', () => {
  const page = readFileSync(join(ROOT, 'docs/reference/api.md'), 'utf8')
  expect(page, 'run npm run generate -- clients').toBe(printApiPage(page))
})

it('MATRIX has the pinned version of every program', () => {
  const programs = join(ROOT, 'e2e/clients/programs')
  const folders = readdirSync(programs, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  expect(MATRIX.map(({ id }) => id).toSorted()).toEqual(folders.map(({ name }) => name).toSorted())
  for (const { id, version } of MATRIX) {
    const name = id.replace(/^(openapi-generator)-.*/, '$1')
    const files =
      name === id ? readdirSync(join(programs, id)).map((file) => `${id}/${file}`) : [`${name}.txt`]
    const lines = files.flatMap((file) => readFileSync(join(programs, file), 'utf8').split('\n'))
    const pin = new RegExp(`\\b${name}\\b.*[ ="v]${version.replaceAll('.', '[.]')}\\b`)
    expect(
      lines.some((line) => pin.test(line)),
      `${id} ${version}`,
    ).toBe(true)
  }
})

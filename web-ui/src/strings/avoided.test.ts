import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

/** Terms that pages must not show. */
const AVOIDED =
  /\b(purse|sell into|sells into|settle[sd]?|settling|a trade of it|waits for a block|once a block has it|stands)\b/i

const literals = (source: string) =>
  source.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '').match(/'(?:[^'\\\n]|\\.)*'|`[^`]*`/g) ?? []

const root = join(import.meta.dirname, '../../..')
const files = ['web-ui/src', 'web/src'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /(^|\/)(strings\/([a-z]+\/)?[a-z-]+|([a-z-]+-)?strings)\.ts$/.test(name))
    .map((name) => join(folder, name)),
)

it.each(files)('%s uses only terms of the glossary', (name) => {
  const texts = literals(readFileSync(join(root, name), 'utf8'))
  expect(texts.filter((text) => AVOIDED.test(text))).toEqual([])
})

it('finds an avoided word', () => {
  expect(
    literals("const a = { b: 'Your offer stands.' } // the comment stands").filter((text) =>
      AVOIDED.test(text),
    ),
  ).toEqual(["'Your offer stands.'"])
})

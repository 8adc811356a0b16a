import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const sourceOf = (name: string) => readFileSync(join(import.meta.dirname, `${name}.ts`), 'utf8')

/** Editors print a named result, but inline the members of a response that is only derived from the contract. */
it.each(['trade', 'offers', 'collection-offers', 'escrows', 'swaps'])(
  'verbs of %s return a named result',
  (file) => {
    const functions = sourceOf(file)
      .split(/^export (?:async )?function /m)
      .slice(1)
    const verbs = functions.filter((text) => !/^prepare|^coinOfItem/.test(text))
    const names = verbs.map((text) => /^\w+\([\s\S]*?\): Promise<(\w+)> \{$/m.exec(text)?.[1])
    expect(names.length).toBeGreaterThan(1)
    for (const [n, name] of names.entries()) {
      const verb = verbs[n]!.slice(0, verbs[n]!.indexOf('('))
      expect(sourceOf('results'), `${verb}: ${name}`).toContain(`export interface ${name} extends Answer<`)
      expect(sourceOf('index'), `${verb}: ${name}`).toMatch(new RegExp(`^ +${name},$`, 'm'))
    }
  },
)

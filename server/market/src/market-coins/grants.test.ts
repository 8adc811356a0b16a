import { globSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'

/** Only grants.ts may call these. */
const SERVER = join(import.meta.dirname, '../../..')
const OWN = relative(SERVER, import.meta.dirname)
const GRANTING = ['nameCoins', 'holdCoins', 'reassignCoins', 'listSmallest']
const CHECKS = ['assertMayStrand', 'assertMayEnd']

const sources = globSync('*/src/**/*.ts', { cwd: SERVER })
  .filter((file) => !file.endsWith('.test.ts'))
  .map((file) => ({ file, text: readFileSync(join(SERVER, file), 'utf8') }))
const uses = (name: string) =>
  sources.filter(({ text }) => new RegExp(`\\b${name}\\b`).test(text)).map(({ file }) => relative(OWN, file))

describe('market coins', () => {
  it.each(GRANTING)('%s is called only by grants.ts', (name) => {
    expect(uses(name).toSorted()).toEqual(['grants.ts', 'queries.ts'])
  })

  it.each(CHECKS)('%s is called only by grants.ts', (name) => {
    expect(uses(name).toSorted()).toEqual(['budgets.ts', 'grants.ts'])
  })

  it('market_coins is written only from its own folder', () => {
    const outside = sources.filter(({ file }) => !file.startsWith(OWN))
    const writers = outside.filter(({ text }) =>
      /(update|insert into|delete from)\s+market_coins\b/.test(text),
    )
    expect(writers.map(({ file }) => file)).toEqual([])
  })

  it('calls allowTransfers before transfers are signed', () => {
    // These calls sign transfers.
    const signers = sources.filter(({ text }) => /signer\.sign(Settlement|Counter)\(/.test(text))
    expect(signers.map(({ file }) => file).toSorted()).toEqual([
      'market/src/offers/accept-counter.ts',
      'market/src/purchases/buy.ts',
    ])
    for (const { text } of signers)
      expect(text.search(/await allowTransfers\(/)).toBeLessThan(
        text.search(/signer\.sign(Settlement|Counter)\(/),
      )
    for (const { text } of signers) expect(text).toMatch(/await allowTransfers\(/)
  })
})

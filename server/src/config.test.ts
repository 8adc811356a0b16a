import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { holderVariables } from '@ordbook/signer/config.ts'
import { describe, expect, it } from 'vitest'
import { ConfigError, readConfig, variables } from './config.ts'

describe('configuration', () => {
  it('has a default for everything', () => {
    expect(readConfig({})).toMatchObject({
      port: 4000,
      chain: 'regtest',
      roles: ['api', 'follower', 'jobs'],
      databaseUrl: null,
    })
  })

  it('names every variable that cannot be read, what was found and what is expected', () => {
    const read = () =>
      readConfig({
        PORT: '70000',
        ROLES: 'api,cook',
        DATABASE_URL: 'mysql://me:secret@host/db',
        CHAIN: 'doge',
      })
    expect(read).toThrow(ConfigError)
    expect(read).toThrow('PORT: found "70000", expected an integer from 0 to 65535')
    expect(read).toThrow('ROLES: found "api,cook", expected a comma-separated list of api, follower, jobs')
    expect(read).toThrow(
      'DATABASE_URL: found something else, expected a URL that begins with postgres:// or postgresql://',
    )
    expect(read).not.toThrow('secret')
  })

  it('keeps the moves that a reorg needs', () => {
    expect(() => readConfig({ MOVES_RETENTION_BLOCKS: '99' })).toThrow('at least UNDO_BLOCKS')
    expect(readConfig({ MOVES_RETENTION_BLOCKS: '99', UNDO_BLOCKS: '99' }).movesRetentionBlocks).toBe(99)
  })

  it('is documented, variable by variable', () => {
    const text = readFileSync(join(import.meta.dirname, '../../docs/reference/settings.md'), 'utf8')
    for (const [name, { about }] of Object.entries({ ...variables, ...holderVariables })) {
      expect(text).toContain(`| \`${name}\` `)
      expect(text).toContain(about)
    }
  })
})

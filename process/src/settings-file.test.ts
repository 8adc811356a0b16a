import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { mergeSettings } from './settings-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'ordbook-settings-file-'))
const path = join(folder, 'server.env')
afterAll(() => rmSync(folder, { recursive: true }))
const KNOWN = ['MARKET_NAME', 'SELLER_FEE_BPS', 'PUBLIC_URL', 'DATABASE_URL', 'PGX_SETTINGS']

/** Merges a file with this text. Returns the settings and the problems. */
function merge(text: string, environment: Record<string, string> = {}) {
  writeFileSync(path, text)
  const problems: string[] = []
  const settings = mergeSettings(KNOWN, { SETTINGS_FILE: path, ...environment }, problems)
  return { settings, problems: problems.map((problem) => problem.replace(`${path}, `, '')) }
}

describe('settings file', () => {
  it('reads values with and without quotes', () => {
    const text = `# comment\r\n; comment\n\n  MARKET_NAME="Bob's market" \nSELLER_FEE_BPS=150\r\nPUBLIC_URL='https://market.example/#"'\nDATABASE_URL=postgres://me:a#b=c@host/db\n`
    expect(merge(text)).toEqual({
      settings: {
        MARKET_NAME: "Bob's market",
        SELLER_FEE_BPS: '150',
        PUBLIC_URL: 'https://market.example/#"',
        DATABASE_URL: 'postgres://me:a#b=c@host/db',
      },
      problems: [],
    })
  })

  it.each([
    ['SELLER_FEE_BPS 100', 'line 1: expected NAME=VALUE'],
    ['export SELLER_FEE_BPS=100', 'line 1: expected NAME=VALUE'],
    ['SELLER_FEE_BPS = 100', 'line 1: expected NAME=VALUE'],
    [
      'SELLER_FEE_BPS=100 # one percent',
      'line 1: SELLER_FEE_BPS: the value has quotes, a backslash or a comment',
    ],
    ["MARKET_NAME=Bob's", 'line 1: MARKET_NAME: the value has quotes'],
    ['MARKET_NAME="$HOME"', 'line 1: MARKET_NAME: the value has quotes'],
    ['MARKET_NAME="open', 'line 1: MARKET_NAME: the value has quotes'],
    ['PUBLIC_URL=a\\\nb', 'line 1: PUBLIC_URL: the value has quotes, a backslash'],
    ['PUBLIC_URL=a\nPUBLIC_URL=a', 'line 2: PUBLIC_URL is set twice'],
    ['SETTINGS_FILE=/etc/other', 'line 1: SETTINGS_FILE is not a setting'],
    ['CHAIN=main', 'line 1: CHAIN is not a setting of this process. Correct the name'],
    ['PUBLIC_ULR=a', 'line 1: PUBLIC_ULR is not a setting. The nearest setting is PUBLIC_URL. Correct'],
    ['NODE_OPTIONS=--inspect', 'Variables of other programs belong in the environment of the process'],
  ])('refuses the line %s', (text, problem) => {
    expect(merge(text).problems[0]).toContain(problem)
  })

  it('refuses a setting that the environment sets differently', () => {
    const { problems } = merge('DATABASE_URL=postgres://a\n', { DATABASE_URL: 'postgres://me:secret@b' })
    expect(problems).toEqual([
      `DATABASE_URL: the environment and ${path} have different values. Remove one of them`,
    ])
    expect(merge('SELLER_FEE_BPS=1\n', { SELLER_FEE_BPS: '1' }).problems).toEqual([])
  })

  it('treats empty values as unset', () => {
    const { settings, problems } = merge('MARKET_NAME=\nSELLER_FEE_BPS=1\n', {
      MARKET_NAME: 'Eve',
      SELLER_FEE_BPS: '',
    })
    expect(settings).toEqual({ MARKET_NAME: 'Eve', SELLER_FEE_BPS: '1' })
    expect(problems).toEqual([])
  })

  it('reports a file that cannot be read', () => {
    const problems: string[] = []
    mergeSettings(KNOWN, { SETTINGS_FILE: join(folder, 'missing.env') }, problems)
    expect(problems).toEqual([expect.stringContaining('SETTINGS_FILE: cannot read')])
  })
})

describe('environment', () => {
  it.each(['HOME', 'PATH', 'PG_SETTINGS', 'PGX_SETTING', 'npm_config_x', 'PUBLIC', 'SELLER_FEES'])(
    'ignores %s',
    (name) => {
      expect(merge('', { [name]: '1' }).problems).toEqual([])
    },
  )

  it('names the nearest setting', () => {
    expect(merge('', { PUBLIC_ULR: 'x' }).problems).toEqual([
      'PUBLIC_ULR: this variable of the environment is not a setting. The nearest setting is PUBLIC_URL. Correct the name or unset the variable',
    ])
  })
})

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig, variables as serverVariables } from '@ordbook/db/settings/config.ts'
import { readRendererConfig, variables as rendererVariables } from '@ordbook/previews/config.ts'
import { distance, type Environment } from '@ordbook/process/settings-file.ts'
import type { Variable } from '@ordbook/process/variables.ts'
import { variables as keyVariables, readKeyConfig } from '@ordbook/signer-host/config.ts'
import { afterAll, describe, expect, it } from 'vitest'
import { textOf } from './text.ts'

type Table = Readonly<Record<string, Variable<unknown>>>
const PROGRAMS: readonly [name: string, table: Table, read: (environment: Environment) => unknown][] = [
  ['server', serverVariables, (environment) => readConfig(environment)],
  ['key process', keyVariables, (environment) => readKeyConfig(environment)],
  [
    'preview renderer',
    rendererVariables,
    (environment) => readRendererConfig({ PREVIEW_SOCKET: '/run/p', ...environment }),
  ],
]
const folder = mkdtempSync(join(tmpdir(), 'ordbook-settings-'))
afterAll(() => rmSync(folder, { recursive: true }))

function inFile(text: string): Environment {
  const path = join(folder, 'server.env')
  writeFileSync(path, text)
  return { SETTINGS_FILE: path }
}

/** Returns the message of a refusal, or an empty text. */
function refusal(read: () => unknown): string {
  try {
    read()
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

/** Returns names that are one deletion, insertion, substitution or swap of neighbours from a name. */
function typosOf(name: string): string[] {
  const at = [...name].map((_, i) => [name.slice(0, i), name.slice(i)] as const)
  return [
    ...at.map(([head, tail]) => head + tail.slice(1)),
    ...at.map(([head, tail]) => `${head}X${tail}`).slice(0, 3),
    ...at.map(([head, tail]) => `${head}X${tail.slice(1)}`).slice(-3),
    ...at.map(([head, tail]) => head + (tail[1] ?? '') + tail[0] + tail.slice(2)),
  ].filter((typo) => typo !== name && /^[A-Z]/.test(typo))
}

/** Returns values that a variable must refuse, derived from the values that it expects. */
function wrongValuesOf({ expected, fallback, read }: Variable<unknown>): string[] {
  const [, low, high] = /^an? (?:integer|number) from (\S+) to (\S+)$/.exec(expected) ?? []
  const numbers = low === undefined ? [] : [String(Number(low) - 1), String(Number(high) + 1), '0x10', '1e3']
  const accepted = textOf(fallback)
  const wrong = [...numbers, ' ', 'not, valid!', `${accepted ?? 'x'} # comment`, '1,5', '-']
  return wrong.filter((value) => read(value) === undefined)
}

/** Settings with any text as value: names and paths of files. The step that uses the file reports a wrong path. */
const ANY_TEXT =
  /^(MARKET_NAME|DATA_DIR|CHROMIUM|DONATION_(NAME|ADDRESS)|PREVIEW_SOCKET|TLS_.*_FILE|.*_SECRET_FILE|HEALTH_SOCKET|(SIGNER|GUARDIAN)_SOCKET|BLOCKED_ADDRESSES|PINNED_ADDRESSES)$/

describe.each(PROGRAMS)('settings of the %s', (_, table, read) => {
  const names = Object.keys(table)

  /** Expects a line of the message for each typo, with a setting that is one edit away. */
  function expectNearest(typos: readonly string[], message: string, pattern: RegExp): void {
    const nearest = new Map(
      message.split('\n').map((line) => pattern.exec(line)?.slice(1) as [string, string]),
    )
    expect(nearest.size).toBe(typos.length)
    for (const typo of typos) expect(distance(typo, nearest.get(typo)!), typo).toBe(1)
  }

  it('refuses a typo of every setting in the file', () => {
    const typos = [...new Set(names.flatMap(typosOf))]
    expect(typos.length).toBeGreaterThan(names.length * 10)
    const message = refusal(() => read(inFile(typos.map((typo) => `${typo}=1\n`).join(''))))
    expectNearest(typos, message, /line \d+: (\w+) is not a setting\. The nearest setting is (\w+)\. Correct/)
  })

  it('refuses a typo of every setting in the environment', () => {
    const typos = [...new Set([...names, 'SETTINGS_FILE'].flatMap(typosOf))]
    const message = refusal(() => read(Object.fromEntries(typos.map((typo) => [typo, '1']))))
    expectNearest(
      typos.filter((typo) => typo.length >= 8),
      message,
      /^(\w+): this variable of the environment is not a setting\. The nearest setting is (\w+)\. Correct/,
    )
  })

  it('reports the values that are expected instead of a wrong one', () => {
    for (const [name, variable] of Object.entries(table)) {
      const wrong = wrongValuesOf(variable)
      if (!ANY_TEXT.test(name)) expect(wrong.length, name).toBeGreaterThan(1)
      for (const value of wrong)
        for (const environment of [{ [name]: value }, inFile(`${name}='${value}'\n`)]) {
          if (value === ' ' && 'SETTINGS_FILE' in environment) continue
          const message = refusal(() => read(environment))
          expect(message).toMatch(new RegExp(`^${name}: found .*, expected `, 'm'))
          expect(message).toContain(`expected ${variable.expected}`)
        }
    }
  })

  it.each(['systemd', 'container', 'ci', 'login-shell'])('starts in the environment of %s', (place) => {
    const text = readFileSync(join(import.meta.dirname, 'environments', `${place}.env`), 'utf8')
    const lines = text.trimEnd().split('\n')
    const environment = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2)))
    expect(Object.keys(environment).length).toBeGreaterThan(30)
    expect(refusal(() => read(environment))).toBe('')
  })
})

it('no setting is a typo of another', () => {
  const all = [...new Set(PROGRAMS.flatMap(([, table]) => Object.keys(table)))].filter(
    (name) => name.length >= 8,
  )
  const near = all.flatMap((a) => all.filter((b) => distance(a, b) === 1).map((b) => [a, b]))
  expect(near).toEqual([])
})

it('covers at least 40 wrong values', () => {
  const tables = PROGRAMS.flatMap(([, table]) => Object.values(table))
  expect(tables.flatMap(wrongValuesOf).length).toBeGreaterThan(40)
})

it.each([
  ['BLOCKED_ADDRESSES', 'bc1qnonsense', 'found "bc1qnonsense", expected an address of regtest'],
  ['PINNED_ADDRESSES', 'bc1qnonsense', 'found "bc1qnonsense", expected an address of regtest'],
  ['HOST', 'http://127.0.0.1', 'expected an IP address or a host name'],
  [
    'FIAT_PER_BTC',
    'file:///rate',
    'expected a number from 0 to 1000000000, or a URL that begins with http:// or https://',
  ],
  ['FIAT_CURRENCY', 'dollars', 'expected a currency code such as USD or EUR'],
  ['METRICS_TOKEN', 'my secret', 'found an invalid value, expected a text of ASCII characters'],
])('refuses %s=%s', (name, value, message) => {
  const found = refusal(() => readConfig({ [name]: value }))
  expect(found).toContain(message)
  if (name === 'METRICS_TOKEN') expect(found).not.toContain(value)
})

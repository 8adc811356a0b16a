import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { optionsOf } from '../../cli/src/command.ts'
import { MARKET_COMMANDS } from '../../cli/src/operator.ts'
import { PROGRAMS, type Program } from '../../cli/src/programs.ts'
import { VERBS } from '../../cli/src/verbs.ts'
import { ROOT } from '../run.ts'
import { printCompletion } from './completion.ts'
import { programHelps } from './help.ts'
import { escapeRoff, printManPage, roffOf } from './man-page.ts'

let helps: ReadonlyMap<Program, string>
let page: string
let completion: string
beforeAll(() => {
  helps = programHelps()
  page = printManPage(helps, '1.2.3')
  completion = printCompletion(helps)
}, 120_000)

/** Returns what bash offers for the last words of command lines. */
function complete(...lines: string[][]): string[][] {
  const calls = lines.map(
    (words) =>
      `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _ordbook; echo "\${COMPREPLY[*]}"`,
  )
  const { status, stdout, stderr } = spawnSync('bash', ['--norc', '--noprofile'], {
    input: [completion, 'complete -p ordbook >&2', ...calls].join('\n'),
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([0, 'complete -o default -F _ordbook ordbook\n'])
  return stdout
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => line.split(' ').filter(Boolean))
}

/** Returns the options in the source of a program. */
function declaredOptions(program: Program): string[] {
  const source = readFileSync(join(ROOT, PROGRAMS[program]), 'utf8')
  return [...source.matchAll(/'?([a-z-]+)'?: \{ type: '(?:string|boolean)'/g)].map(([, name]) => `--${name}`)
}

const verbs = Object.entries(VERBS)
const commands = Object.keys(MARKET_COMMANDS)

describe('the completion', () => {
  it('offers all verbs and operator commands', () => {
    const [all, some, market, one] = complete(
      ['ordbook', ''],
      ['ordbook', 're'],
      ['ordbook', 'market', ''],
      ['ordbook', 'market', 'doc'],
    )
    expect(all).toEqual([...Object.keys(VERBS), 'market', '--help', '--version'])
    expect(some).toEqual(['relist'])
    expect(market).toEqual([...commands, '--help'])
    expect(one).toEqual(['doctor'])
  })

  it('offers the options of every verb', () => {
    const offered = complete(...verbs.map(([name]) => ['ordbook', name, 'x', '--']))
    for (const [n, [name, verb]] of verbs.entries())
      expect(offered[n], name).toEqual(Object.keys(optionsOf(verb)).map((option) => `--${option}`))
  })

  it('offers the options of every operator command', () => {
    const offered = complete(...commands.map((name) => ['ordbook', 'market', name, '-']))
    const byCommand = Object.fromEntries(commands.map((name, n) => [name, offered[n]]))
    expect(byCommand).toMatchObject({
      server: [],
      pool: ['--reason', '--help'],
      doctor: ['--json', '--mirror', '--of', '--help'],
      export: ['--help'],
      mirror: ['--market', '--most-gigabytes', '--help'],
      maintenance: ['--notice', '--help'],
    })
    for (const program of helps.keys()) {
      const ofProgram = commands.filter((name) => MARKET_COMMANDS[name]!.some(([each]) => each === program))
      for (const option of declaredOptions(program))
        expect(
          ofProgram.flatMap((name) => byCommand[name]),
          program,
        ).toContain(option)
    }
  })

  it('leaves other words to the completion of files', () => {
    expect(complete(['ordbook', 'market', 'backup', ''], ['ordbook', 'setup', '--seed-file', ''])).toEqual([
      [],
      [],
    ])
  })
})

describe('the man page', () => {
  const plain = (text: string) => text.replaceAll(/\s+/g, ' ')

  it('has each verb, operator command and option', () => {
    const text = page.replaceAll('\\-', '-').replaceAll(/\\f[BR]/g, '')
    for (const [name, verb] of verbs) {
      const [, section] = text.split(`\n.SS ${name}\n`)
      for (const option of Object.keys(verb.options))
        expect(section!.split('\n.S')[0], `${name} --${option}`).toMatch(new RegExp(`--${option}(?![\\w-])`))
      expect(plain(text)).toContain(verb.summary.replaceAll("'", '\\(aq'))
    }
    for (const option of ['market', 'node', 'ord', 'json', 'wide', 'dry-run', 'yes', 'help'])
      expect(text.split('\n.SH VERBS')[0]).toContain(`--${option}`)
    const [, market] = text.split('\n.SH OPERATOR COMMANDS\n')
    for (const name of commands) expect(market).toMatch(new RegExp(`\\b${name}\\b`))
    for (const program of helps.keys())
      for (const option of declaredOptions(program)) expect(market, program).toContain(option)
  })

  it('has only known requests, with balanced indents', () => {
    const requests = page.match(/^[.'].*$/gm)!.map((line) => line.split(' ')[0]!)
    expect(new Set(requests)).toEqual(
      new Set(['.TH', '.nh', '.ad', '.SH', '.SS', '.TP', '.PP', '.br', '.RS', '.RE']),
    )
    const count = (name: string) => requests.filter((each) => each === name).length
    expect(count('.RS')).toBe(count('.RE'))
  })

  it('escapes what roff would interpret', () => {
    expect(["'a-\\b", '.c', '…'].map(escapeRoff)).toEqual(['\\(aqa\\-\\eb', '\\&.c', '\\[u2026]'])
    expect(roffOf('  --postage AMOUNT Sats\n  --transaction HEX\n                  Raw')).toEqual([
      '.TP',
      '\\fB\\-\\-postage AMOUNT\\fR',
      'Sats',
      '.TP',
      '\\fB\\-\\-transaction HEX\\fR',
      'Raw',
    ])
  })

  it.skipIf(spawnSync('groff', ['--version']).error)('renders without warnings', () => {
    const options = ['-man', '-Tutf8', '-ww', '-rLL=2000n', '-P-cbou']
    const { status, stdout, stderr } = spawnSync('groff', options, { input: page, encoding: 'utf8' })
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toContain('ordbook accept ID OFFER --price AMOUNT')
    expect(stdout).toMatch(/^ +3 +temporary: the market is unavailable/m)
    expect(stdout).toMatch(/^ +--max-network AMOUNT\n? +Maximum network fee$/m)
  })
})

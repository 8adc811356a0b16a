import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { COMMON_HELP } from '../../cli/src/command.ts'
import { MARKET_COMMANDS, MARKET_USAGE } from '../../cli/src/operator.ts'
import type { Program } from '../../cli/src/programs.ts'
import { VERBS } from '../../cli/src/verbs.ts'
import { ROOT } from '../run.ts'

/** Deeper lines continue the description of an item. */
const DEEPEST_ITEM = 7

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
}

/** Escapes a text for roff, as one line that is not a request. */
export function escapeRoff(text: string): string {
  const escaped = text
    .replaceAll(/[\\\-'`^~]/g, (character) => ESCAPES[character]!)
    .replaceAll(
      /[^ -~]/gu,
      (character) => `\\[u${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}]`,
    )
  return /^[. ]/.test(escaped) ? `\\&${escaped}` : escaped
}

const bold = (text: string) => `\\fB${escapeRoff(text)}\\fR`
const item = (term: string) => ['.TP', bold(term)]

/** Formats the help of a command. The items of its lists become tagged paragraphs, and filled paragraphs follow empty lines. */
export function roffOf(help: string): string[] {
  const lines: string[] = []
  let depth = 0
  const indent = (to: number) => {
    for (; depth < to; depth++) lines.push('.RS')
    for (; depth > to; depth--) lines.push('.RE')
  }
  let wasList = false
  for (const line of help.split('\n')) {
    const usage = /^(?:usage:| {6}) (ordbook .*)$/.exec(line)?.[1]
    // Two spaces separate term and description, or one after a long option.
    const [, spaces = '', term = '', ...texts] =
      /^( *)(\S.*?)(?: {2,}(\S.*)|(?<=^ *--\S+ [A-Z]+) (\S.*))?$/.exec(line) ?? []
    const text = texts.find(Boolean)
    if (usage) lines.push('.br', bold(usage))
    else if (term === '') lines.push('.PP')
    else if (spaces.length > DEEPEST_ITEM)
      lines.push(...(line.trim().startsWith('--') ? ['.br'] : []), escapeRoff(line.trim()))
    else if (spaces.length > 0 || text) {
      indent(spaces.length > 2 ? 1 : 0)
      lines.push(...item(term), ...(text ? [escapeRoff(text)] : []))
    } else {
      indent(0)
      lines.push(...(wasList ? ['.PP'] : []), escapeRoff(term))
    }
    wasList = spaces.length > 0 || text !== undefined
  }
  indent(0)
  return lines
}

/** Returns the rows of the first table of a section of a Markdown page, without its head, as plain text. */
function rowsOf(page: string, section: string): string[][] {
  const [, text] = page.split(`\n## ${section}\n`)
  const [, , ...rows] = text?.replace(/\n## [\s\S]*/, '').match(/^\|.*\|$/gm) ?? []
  if (rows.length === 0) throw new Error(`The page has no table in ${section}`)
  return rows.map((row) =>
    row
      .replaceAll(/`|\]\([^)]*\)|\[/g, '')
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

/** Prints the man page of `ordbook`: the help of all verbs and operator commands, with exit codes and files of docs/reference/command.md. */
export function printManPage(helps: ReadonlyMap<Program, string>, version: string): string {
  const page = readFileSync(join(ROOT, 'docs/reference/command.md'), 'utf8')
  const listOf = (section: string) =>
    rowsOf(page, section).flatMap(([term = '', text = '']) => [...item(term), escapeRoff(text)])
  return [
    `.TH ORDBOOK 1 "" "ordbook ${version}" "User Commands"`,
    // No hyphenation, and no justified lines.
    '.nh',
    '.ad l',
    '.SH NAME',
    'ordbook \\- trade Bitcoin ordinals, and run a market',
    '.SH SYNOPSIS',
    bold('ordbook VERB ARGUMENTS'),
    '.br',
    bold('ordbook market COMMAND'),
    '.br',
    bold('ordbook --version'),
    '.SH OPTIONS',
    'These options exist for all verbs.',
    ...roffOf(`${COMMON_HELP}\n  -h, --help  Show the help of the verb`),
    '.SH VERBS',
    ...Object.entries(VERBS).flatMap(([name, { usage, summary, details = '' }]) => [
      `.SS ${escapeRoff(name)}`,
      ...roffOf(`usage: ordbook ${name} ${usage}`.trimEnd()),
      '.PP',
      ...roffOf(`${summary}\n\n${details}`.trimEnd()),
    ]),
    '.SH OPERATOR COMMANDS',
    ...roffOf(MARKET_USAGE),
    ...[...helps].flatMap(([program, help]) => [
      `.SS ${escapeRoff(Object.hasOwn(MARKET_COMMANDS, program) ? `market ${program}` : 'Other commands of market')}`,
      ...roffOf(help),
    ]),
    '.SH EXIT STATUS',
    ...listOf('Exit codes'),
    '.SH FILES',
    ...listOf('Files'),
    '',
  ].join('\n')
}

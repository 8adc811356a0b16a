import { readFileSync } from 'node:fs'

export type Environment = Readonly<Record<string, string | undefined>>

/** Variable with the path of the settings file. */
export const SETTINGS_FILE = 'SETTINGS_FILE'

/** Shorter variables of the environment are never compared with settings: too many programs have their own. */
const MIN_COMPARED = 8
const NEVER_COMPARED = /^(HOME$|PATH$|PG|npm_)/

/**
 * Returns the environment with the settings of its SETTINGS_FILE added. Adds a line to `problems` for each name that is no setting, each
 * line that cannot be parsed, and each setting that file and environment set differently. `known` are the settings of the program.
 */
export function mergeSettings(
  known: readonly string[],
  environment: Environment,
  problems: string[],
): Environment {
  checkEnvironment(known, environment, problems)
  const { [SETTINGS_FILE]: path, ...others } = environment
  if (!path) return others
  const merged: Record<string, string | undefined> = others
  for (const [name, text] of readSettingsFile(path, known, problems)) {
    if (merged[name] && merged[name] !== text)
      problems.push(`${name}: the environment and ${path} have different values. Remove one of them`)
    merged[name] = text
  }
  return merged
}

/** Parses a settings file. Returns its settings without empty values. Adds a line to `problems` for each error. */
export function readSettingsFile(
  path: string,
  known: readonly string[],
  problems: string[],
): Map<string, string> {
  const settings = new Map<string, string>()
  const seen = new Set<string>()
  for (const [index, line] of linesOf(path, problems).entries()) {
    const refuse = (problem: string) => problems.push(`${path}, line ${index + 1}: ${problem}`)
    if (/^\s*([#;].*)?$/.test(line)) continue
    const [, name, text] = /^\s*(\w+)=(.*)$/.exec(line) ?? []
    if (name === undefined || text === undefined) {
      refuse('expected NAME=VALUE, a comment that begins with #, or an empty line')
      continue
    }
    const value = unquote(text.trim())
    if (!known.includes(name))
      refuse(
        `${name} is not a setting${hintOf(name, known)}. Correct the name or remove the line. Variables of other programs belong in the environment of the process`,
      )
    else if (seen.has(name)) refuse(`${name} is set twice. Remove one of the lines`)
    else if (value === null)
      refuse(
        `${name}: the value has quotes, a backslash or a comment. Put the whole value in single quotes, and comments on separate lines`,
      )
    else if (value !== '') settings.set(name, value)
    seen.add(name)
  }
  return settings
}

function linesOf(path: string, problems: string[]): string[] {
  try {
    return readFileSync(path, 'utf8').split(/\r?\n/)
  } catch (error) {
    problems.push(`${SETTINGS_FILE}: cannot read ${path}: ${(error as Error).message}`)
    return []
  }
}

/** Returns a value without its quotes, or null if systemd, a shell and other readers would not agree on it. */
function unquote(text: string): string | null {
  const [, single, double] = /^(?:'([^']*)'|"([^"\\$`]*)")$/.exec(text) ?? []
  return single ?? double ?? (/['"\\]|\s[#;]/.test(text) ? null : text)
}

/** Refuses a variable that is probably a misspelled setting: one edit or one swap from it. */
function checkEnvironment(known: readonly string[], environment: Environment, problems: string[]): void {
  const names = [...known, SETTINGS_FILE]
  for (const name of Object.keys(environment)) {
    if (name.length < MIN_COMPARED || NEVER_COMPARED.test(name) || names.includes(name)) continue
    const setting = nearest(name, names)
    if (distance(name, setting) === 1)
      problems.push(
        `${name}: this variable of the environment is not a setting. The nearest setting is ${setting}. Correct the name or unset the variable`,
      )
  }
}

/** Names the nearest setting. A name that is far from all of them is probably a setting of another process of the market. */
function hintOf(name: string, known: readonly string[]): string {
  const setting = nearest(name, known)
  return distance(name, setting) > name.length / 2
    ? ' of this process'
    : `. The nearest setting is ${setting}`
}

/** Returns the setting with the smallest distance from a name; of equals the first. */
function nearest(name: string, known: readonly string[]): string {
  let best = { setting: known[0]!, edits: Number.POSITIVE_INFINITY }
  for (const setting of known) {
    // The difference in length is a lower bound.
    if (Math.abs(setting.length - name.length) >= best.edits) continue
    const edits = distance(name, setting)
    if (edits < best.edits) best = { setting, edits }
  }
  return best.setting
}

/** Counts the insertions, deletions, substitutions and swaps of neighbours between two names (optimal string alignment). */
export function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const substitution = rows[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      row[j] = Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, substitution)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        row[j] = Math.min(row[j]!, rows[i - 2]![j - 2]! + 1)
    }
    rows.push(row)
  }
  return rows[a.length]![b.length]!
}

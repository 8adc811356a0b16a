import { dirname, join, normalize } from 'node:path'
import { WORKSPACES } from '../workspaces.ts'
import { readSource, type Source } from './read.ts'
import {
  FOREIGN,
  GROUPS,
  type Layers,
  MAY_CONTAIN_SQL,
  MAY_CONTAIN_SQL_TEXT,
  MODULES,
  PACKAGES,
  TYPES_ONLY,
} from './rules.ts'

/** Checks sources by path. Returns a line for each violation. */
export function checkImports(texts: ReadonlyMap<string, string>): string[] {
  const sources = new Map([...texts].map(([file, text]) => [file, readSource(file, text)]))
  return [...brokenLaws(), ...[...sources].flatMap(([file, source]) => judgeFile(file, source))]
}

function unfold(list: string): string[] {
  return list.split(', ').flatMap((name) => (GROUPS[name] ? unfold(GROUPS[name]) : name === '' ? [] : [name]))
}

const lookUp = (rooms: Layers): ReadonlyMap<string, ReadonlySet<string>> =>
  new Map(rooms.flatMap(([names, allowed]) => unfold(names).map((name) => [name, new Set(unfold(allowed))])))
const packages = lookUp(PACKAGES)
const rooms = new Map(Object.entries(MODULES).map(([name, list]) => [name, lookUp(list)]))

/** A row may only list modules from rows above it. */
function brokenLaws(): string[] {
  return [PACKAGES, ...Object.values(MODULES)].flatMap((list) => {
    const before = new Set<string>()
    return list.flatMap(([names, allowed]) => {
      const misplaced = unfold(allowed).filter((name) => !before.has(name))
      for (const name of unfold(names)) before.add(name)
      return misplaced.map(
        (name) => `scripts/imports/rules.ts: ${names} may import ${name}, which is not in a row above`,
      )
    })
  })
}

function packageOf(file: string): string | null {
  for (const [name, folder] of WORKSPACES) if (file.startsWith(`${folder}/src/`)) return name
  return null
}
const roomOf = (file: string) => /\/src\/([^/]+)/.exec(file)![1]!

/** Returns the source file of an import; null for third-party packages and styles. */
function fileOf(from: string, target: string): string | null {
  if (!/\.tsx?$/.test(target)) return null
  if (target.startsWith('.')) return normalize(join(dirname(from), target))
  const [, name, path] = /^@ordbook\/([a-z-]+)\/(.*)$/.exec(target) ?? []
  return name ? `${WORKSPACES.get(name) ?? name}/src/${path}` : null
}

function judgeFile(file: string, { imports, sqlLines, computedLines }: Source): string[] {
  const name = packageOf(file)
  if (name === null || !packages.has(name))
    return [`${file}: scripts/imports/rules.ts does not list this package`]
  const room = roomOf(file)
  const problems: string[] = []
  const modules = rooms.get(name)
  if (modules && !modules.has(room)) problems.push(`${file}: scripts/imports/rules.ts does not list ${room}`)
  for (const { target, isType, line } of imports) {
    const at = `${file}:${line}`
    const to = fileOf(file, target)
    if (to === null) {
      if (target.startsWith('@ordbook/'))
        problems.push(`${at}: ${target} is a published name: import the file by its .ts name`)
      const foreign = FOREIGN[target]
      if (foreign && file.startsWith('server/') && !unfold(foreign).includes(name))
        problems.push(`${at}: only ${foreign} may import ${target}`)
      continue
    }
    const other = packageOf(to)
    if (other !== name) {
      if (!other || !packages.get(name)!.has(other))
        problems.push(`${at}: ${name} may not import ${other ?? target}`)
      if (!isType && TYPES_ONLY.some(([from, only]) => from === name && only === other))
        problems.push(`${at}: ${name} may import only types from ${other}`)
    } else if (modules && roomOf(to) !== room && !modules.get(room)?.has(roomOf(to)))
      problems.push(`${at}: ${room} may not import ${roomOf(to)}`)
  }
  if (file.startsWith('server/') && !MAY_CONTAIN_SQL.test(file))
    for (const line of sqlLines)
      problems.push(`${file}:${line}: only ${MAY_CONTAIN_SQL_TEXT} may contain SQL`)
  for (const line of computedLines)
    problems.push(`${file}:${line}: a computed import, which cannot be checked`)
  return problems
}

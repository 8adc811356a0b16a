import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'

/** Maximum length of a reason in a check's name. */
const MAX_NAME = 60
const root = join(import.meta.dirname, '../../../sdk/src')

export interface Check {
  at: string
  name: string
}

/** Finds all calls of `assert` in the SDK. */
export async function checksOf(): Promise<Check[]> {
  const checks: Check[] = []
  const files = [
    ...(await Array.fromAsync(glob('verify/*.ts', { cwd: root }))),
    'offers.ts',
    'collection-offers.ts',
  ]
  for (const file of files) {
    if (file.endsWith('.test.ts')) continue
    const text = readFileSync(join(root, file), 'utf8')
    new Visitor({
      CallExpression({ callee, arguments: [, reason], start }) {
        if (callee.type !== 'Identifier' || callee.name !== 'assert' || !reason) return
        const line = text.slice(0, start).split('\n').length
        const name = text.slice(reason.start, reason.end).replace(/\s+/g, ' ').slice(0, MAX_NAME)
        checks.push({ at: `${basename(file)}:${line}`, name: `${basename(file)}: ${name}` })
      },
    }).visit(parseSync(file, text).program)
  }
  return checks
}

/** Returns the location of a caller `depth` calls up, as `file.ts:line`. */
export function callerOf(depth: number): string {
  const lines = new Error().stack!.split('\n')
  const [, file, line] = /([\w-]+\.ts)[^:]*:(\d+):\d+/.exec(lines[depth + 2] ?? '') ?? []
  return `${file}:${line}`
}

export const removal: { removed: string | null; refusedBy: string | null } = {
  removed: null,
  refusedBy: null,
}

/** Returns false if the check is disabled, otherwise true. */
export function rejectsAt(at: string): boolean {
  if (at === removal.removed) return false
  removal.refusedBy = at
  return true
}

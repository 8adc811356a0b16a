import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { exitWithUsage, readCommand } from './command.ts'
import { codeLines, KINDS, type Kind, kindOf, packageOf } from './lines/count.ts'
import { ROOT } from './run.ts'

const USAGE = 'usage: npx node scripts/count-lines.ts [COMMIT]   (default: the files of this checkout)'
const [commit, ...more] = readCommand(USAGE, { allowPositionals: true }).positionals
if (more.length > 0) exitWithUsage(USAGE, 'expected one commit')
const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 28 })
const files = git(...(commit ? ['ls-tree', '-r', '--name-only', commit] : ['ls-files']))
  .split('\n')
  .filter(Boolean)
const read = (file: string) =>
  commit ? git('show', `${commit}:${file}`) : readFileSync(join(ROOT, file), 'utf8')

const packages = files
  .filter((file) => file.endsWith('/package.json'))
  .map((file) => file.replace('/package.json', ''))
const counted = new Map<string, Record<Kind, number>>()
const total = { TypeScript: 0, SQL: 0, shell: 0, tests: 0 }
for (const file of files) {
  const kind = kindOf(file)
  if (!kind) continue
  const name = packageOf(file, packages)
  const row = counted.get(name) ?? { TypeScript: 0, SQL: 0, shell: 0, tests: 0 }
  const lines = codeLines(file, read(file))
  row[kind] += lines
  total[kind] += lines
  counted.set(name, row)
}
for (const [name, row] of [...[...counted].sort(), ['all', total] as const])
  console.log([name.padEnd(16), ...KINDS.map((kind) => `${kind} ${row[kind]}`.padStart(18))].join(''))

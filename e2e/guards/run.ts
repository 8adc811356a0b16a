import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process, { argv, execPath, exit } from 'node:process'
import { type Guard, guards } from './guards.ts'

/**
 * Breaks each guard and runs its test file, which must fail. Arguments select guards by name. Temporarily changes the sources of this
 * checkout.
 */
const ROOT = join(import.meta.dirname, '../..')
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs')

interface Result {
  numTotalTests: number
  numFailedTests: number
  testResults: { message: string; assertionResults: { status: string; fullName: string }[] }[]
}

async function runTests({ project, test }: Guard): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'ordbook-guards-'))
  const report = join(folder, 'report.json')
  try {
    const command = [VITEST, 'run', '--project', project, test, '--bail=1']
    const reporter = ['--reporter=json', `--outputFile=${report}`]
    await once(spawn(execPath, [...command, ...reporter], { cwd: ROOT, stdio: 'ignore' }), 'exit')
    return JSON.parse(readFileSync(report, 'utf8')) as Result
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns the source with and without the guard. Throws unless the text occurs exactly once. */
function sourceOf({ name, file, find, replace }: Guard) {
  const path = join(ROOT, file)
  const source = readFileSync(path, 'utf8')
  const count = source.split(find).length - 1
  if (count !== 1) throw new Error(`${name}: expected the text once in ${file}, found it ${count} times`)
  return { path, whole: source, broken: source.replace(find, () => replace) }
}

/** Returns the first test that fails without the guard, or null. */
async function findFailure(guard: Guard): Promise<string | null> {
  const { path, whole, broken } = sourceOf(guard)
  const restore = () => writeFileSync(path, whole)
  process.once('exit', restore)
  writeFileSync(path, broken)
  try {
    const { testResults } = await runTests(guard)
    const failed = testResults
      .flatMap((testResult) => testResult.assertionResults)
      .find((assertionResult) => assertionResult.status === 'failed')
    return failed?.fullName ?? null
  } finally {
    restore()
    process.off('exit', restore)
  }
}

const words = argv.slice(2)
const chosen = guards.filter(
  ({ group, name }) => words.length === 0 || words.some((word) => `${group} ${name}`.includes(word)),
)
for (const guard of chosen) sourceOf(guard)
// Without these handlers a signal would skip the restore at exit.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => exit(1))

const passing = new Set<string>()
let caught = 0
for (const guard of chosen) {
  if (!passing.has(guard.test)) {
    const { numTotalTests, numFailedTests, testResults } = await runTests(guard)
    if (numTotalTests === 0 || numFailedTests > 0 || testResults.some((testResult) => testResult.message))
      throw new Error(`${guard.test} fails with all guards in place`)
    passing.add(guard.test)
  }
  const failure = await findFailure(guard)
  if (failure !== null) caught++
  console.log(`${failure === null ? 'NOT CAUGHT' : 'caught'}: ${guard.group}: ${guard.name}`)
  if (failure !== null) console.log(`  by ${guard.test}: ${failure}`)
}
console.log(`${caught} of ${chosen.length} guards were caught`)
exit(chosen.length > 0 && caught === chosen.length ? 0 : 1)

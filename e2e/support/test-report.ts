import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { Type } from 'typebox'
import { parseAs } from '../../scripts/parse.ts'

/**
 * Summarises reports of vitest's JSON reporter: counts, longest files, tests that passed only after a retry, failed tests. Prints failures
 * last, because logs are truncated at the start. Exits with 1 if a test failed or was skipped, or if no test ran.
 */
const REPORT = Type.Object({
  numPassedTests: Type.Number(),
  numFailedTests: Type.Number(),
  numPendingTests: Type.Number(),
  numTodoTests: Type.Number(),
  testResults: Type.Array(
    Type.Object({
      name: Type.String(),
      status: Type.String(),
      message: Type.String(),
      startTime: Type.Number(),
      endTime: Type.Number(),
      assertionResults: Type.Array(
        Type.Object({
          fullName: Type.String(),
          status: Type.String(),
          failureMessages: Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()])),
        }),
      ),
    }),
  ),
})
const LINES = 12
const LONGEST = 30

const folder = process.argv[2]
if (!folder) throw new Error('usage: node e2e/support/test-report.ts FOLDER')
const sum = { passed: 0, failed: 0, skipped: 0 }
const lasted: { file: string; seconds: number }[] = []
const repeated: string[] = []
const failed: string[] = []
const shorten = (text: string) =>
  text
    .split('\n')
    .filter((line) => !/^\s+at .*(node_modules|<anonymous>)/.test(line))
    .slice(0, LINES)
    .join('\n    ')

for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
  const report = parseAs(REPORT, JSON.parse(readFileSync(join(folder, file), 'utf8')))
  sum.passed += report.numPassedTests
  sum.failed += report.numFailedTests
  sum.skipped += report.numPendingTests + report.numTodoTests
  for (const { name, status, message, startTime, endTime, assertionResults } of report.testResults) {
    lasted.push({ file: relative('.', name), seconds: Math.round((endTime - startTime) / 1000) })
    if (status === 'failed' && message) failed.push(`${name}\n    ${shorten(message)}`)
    for (const test of assertionResults) {
      const errors = test.failureMessages ?? []
      const summary = [`${name}: ${test.fullName}`, ...errors.map(shorten)].join('\n    ')
      if (test.status === 'failed') failed.push(summary)
      else if (errors.length > 0) repeated.push(summary)
    }
  }
}
const longest = lasted.toSorted((a, b) => b.seconds - a.seconds).slice(0, LONGEST)
console.log(`longest files:\n  ${longest.map(({ file, seconds }) => `${seconds} s ${file}`).join('\n  ')}`)
if (repeated.length > 0) console.log(`passed only after a retry:\n  ${repeated.join('\n  ')}`)
if (failed.length > 0) console.log(`failed:\n  ${failed.join('\n  ')}`)
console.log(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`)
if (failed.length > 0 || sum.failed > 0 || sum.skipped > 0 || sum.passed === 0) process.exitCode = 1

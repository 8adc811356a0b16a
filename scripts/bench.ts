import { exitWithUsage } from './command.ts'
import { run } from './run.ts'

const BENCHMARKS: Readonly<Record<string, readonly string[]>> = {
  reads: ['node', 'scripts/bench/reads.ts'],
  writes: ['node', 'scripts/bench/writes.ts'],
  ingest: ['node', '--expose-gc', 'scripts/bench/ingest.ts'],
  adopt: ['node', 'scripts/bench/adopt.ts'],
  ord: ['node', 'scripts/bench/compare-ord.ts'],
  hostile: ['node', 'scripts/bench/hostile.ts'],
  idle: ['node', 'scripts/bench/idle.ts'],
  visitors: ['node', 'scripts/bench/visitors.ts'],
  pages: ['bash', 'scripts/bench/pages'],
  rehearsal: ['node', 'scripts/bench/rehearsal.ts'],
  utxos: ['node', 'scripts/bench/utxos.ts'],
}
const USAGE = `usage: npm run bench [-- NAME] [ARGUMENTS]

Run a benchmark: ${Object.keys(BENCHMARKS).join(', ')}. The default is reads. NAME --help lists its arguments`

const [first, ...rest] = process.argv.slice(2)
if (first === '--help' || first === '-h') console.log(USAGE)
else if (first === undefined || first.startsWith('-'))
  process.exitCode = run([...BENCHMARKS.reads!, ...process.argv.slice(2)])
else if (Object.hasOwn(BENCHMARKS, first)) process.exitCode = run([...BENCHMARKS[first]!, ...rest])
else exitWithUsage(USAGE, `${first}: unknown benchmark`)

import { cpus } from 'node:os'
import { ordinary } from '../../e2e/indexer/support/attacks/ordinary.ts'
import { own } from '../../e2e/indexer/support/attacks/own.ts'
import { reviewed } from '../../e2e/indexer/support/attacks/reviewed.ts'
import { type Bomb, bombs } from '../../e2e/indexer/support/hostile.ts'
import { integerIn, readCommand } from '../command.ts'
import { type Measured, Victim } from './hostile-victim.ts'

const USAGE = `usage: npm run bench -- hostile [--only NAME] [--runs N] [--longest SECONDS]

Compare hostile blocks with ordinary blocks that have the same bytes, inputs, inscriptions and moves, on a bitcoind: time until the
index has them, latency of the API, memory, and whether /status is right. Prints medians of N runs (default 5). A run that takes longer
than SECONDS (default 120) ends the benchmark. Exits with code 1 if a block is above its limit.`

const { values } = readCommand(USAGE, {
  options: { only: { type: 'string' }, runs: { type: 'string' }, longest: { type: 'string' } },
})
const only = values.only ?? ''
const runs = integerIn(values.runs ?? '5', '--runs', 1, 100)
const longestSeconds = integerIn(values.longest ?? '120', '--longest', 1, 3600)

/** Limits of a hostile block: `TIMES` the time of its ordinary blocks or `MILLISECONDS` more, and `LATENCY` times the latency. */
const TIMES = 3
const MILLISECONDS = 100
const LATENCY = 2
/** Latencies below this are noise of the machine. */
const NOISE_MILLISECONDS = 10
/** Items of a collection in ordinary blocks; hostile blocks have all in one. */
const ITEMS = 10
const WARM_UP = { bytes: 200_000, inputs: 500, inscriptions: 500, moves: 250 }
const BOTH = Number.MAX_SAFE_INTEGER

const median = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]!
const p99 = (numbers: readonly number[]) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * 0.99)] ?? Number.NaN

const COLUMNS = [
  ...[
    'block',
    'kB',
    'inputs',
    'inscriptions',
    'moves',
    'ms',
    'ordinary, ms',
    'ratio',
    'p99, ms',
    'ordinary p99, ms',
  ],
  ...['memory, MB', 'ordinary, MB', '/status true', 'pass'],
]
const line = (cells: readonly unknown[]) => console.log(`| ${cells.join(' | ')} |`)

/** Prints the row of a bomb. Returns whether it is within its limits. */
function report(name: string, hostile: Measured, usual: Measured): boolean {
  const [ms, usualMs] = [median(hostile.milliseconds), median(usual.milliseconds)]
  const [latency, usualLatency] = [p99(hostile.latencies), p99(usual.latencies)]
  const passes =
    ms <= Math.max(TIMES * usualMs, usualMs + MILLISECONDS) &&
    latency <= LATENCY * Math.max(usualLatency, NOISE_MILLISECONDS) &&
    hostile.lies.length === 0
  const { bytes, inputs, inscriptions, moves } = hostile.contents
  line([
    name,
    Math.round(bytes / 1000),
    inputs,
    inscriptions,
    moves,
    ms.toFixed(0),
    usualMs.toFixed(0),
    (ms / usualMs).toFixed(2),
    latency.toFixed(1),
    usualLatency.toFixed(1),
    hostile.megabytes,
    usual.megabytes,
    hostile.lies.length === 0 ? 'yes' : 'no',
    passes ? 'yes' : 'NO',
  ])
  for (const lie of hostile.lies.slice(0, 3)) console.log(`  ${lie}`)
  return passes
}

const chosen: Bomb[] = [...bombs, ...[...reviewed, ...own].map(({ make, sizes }) => make(sizes[0]))].filter(
  (bomb) => bomb.name.includes(only),
)
const began = performance.now()
const victim = await Victim.start(longestSeconds * 1000)
let failed = 0
try {
  console.log(`${cpus().length} cores, ${runs} runs\n`)
  line(COLUMNS)
  line(COLUMNS.map((_, n) => (n === 0 ? '---' : '---:')))
  // The first blocks are slower than later ones.
  await victim.measure(ordinary(chosen[0]!, WARM_UP), { runs, items: ITEMS })
  for (const bomb of chosen) {
    const hostile = await victim.measure(bomb, { runs, items: BOTH })
    const usual = await victim.measure(ordinary(bomb, hostile.contents), { runs, items: ITEMS })
    if (!report(bomb.name, hostile, usual)) failed++
  }
} finally {
  await victim.stop()
}
console.log(
  `\n${chosen.length - failed} of ${chosen.length} within their limits, ${((performance.now() - began) / 60_000).toFixed(1)} minutes`,
)
process.exit(failed > 0 ? 1 : 0)

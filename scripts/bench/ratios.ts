import { readFileSync, writeFileSync } from 'node:fs'
import { type Static, Type } from 'typebox'
import { parseAs } from '../parse.ts'

/** The ratios of one run of `npm run bench`. Unlike absolute figures, ratios can be compared across releases and machines. */
const RATIO = Type.Number({ exclusiveMinimum: 0 })
const closed = { additionalProperties: false }
const RATIOS = Type.Object(
  {
    inscriptions: Type.Integer({ minimum: 1 }),
    reads: Type.Record(
      Type.String(),
      Type.Object(
        {
          /** Requests per second from the cache, relative to the constant route. */
          kept: RATIO,
          /** Requests per second without a cache, relative to the constant route. */
          fresh: RATIO,
          /** A fresh page about 10,000 rows deep, relative to the first page, if it exists. */
          deep: Type.Optional(RATIO),
        },
        closed,
      ),
    ),
  },
  closed,
)

export type Ratios = Static<typeof RATIOS>

const KINDS = ['kept', 'fresh', 'deep'] as const
type Kind = (typeof KINDS)[number]

/** Factor by which a single read may be slower. Two runs of the same code differ by up to 1.4. */
const NOISE_OF_ONE = 1.5
/** Factor for the geometric mean of all reads. Two runs of the same code differ by 1.03. */
const NOISE_OF_ALL = 1.15
/** Minimum number of reads for a meaningful mean. */
const FEWEST_FOR_MEAN = 6

/** Reads saved ratios. Throws if the file is malformed. */
export function readRatios(file: string): Ratios {
  try {
    return parseAs(RATIOS, JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    throw new Error(`${file} does not contain the ratios of a run: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

/** Saves the ratios of a run with three significant digits. */
export function saveRatios(file: string, ratios: Ratios): void {
  const rounded = (_key: string, value: unknown) =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(3)) : value
  writeFileSync(file, `${JSON.stringify(ratios, rounded, 2)}\n`)
}

/** Returns a table of the ratios, and a message for each read and mean that became slower by more than the noise. */
export function compareRatios(before: Ratios, now: Ratios): { table: string; worse: string[] } {
  const lines = [
    '| read | kept: before | kept: now | fresh: before | fresh: now | deep: before | deep: now |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: |',
  ]
  const regressions: string[] = []
  const changes: Record<Kind, number[]> = { kept: [], fresh: [], deep: [] }
  for (const [name, read] of Object.entries(now.reads)) {
    const former = before.reads[name]
    lines.push(
      `| ${[name, ...KINDS.flatMap((kind) => [show(former?.[kind]), show(read[kind])])].join(' | ')} |`,
    )
    for (const kind of KINDS) {
      const [was, is] = [former?.[kind], read[kind]]
      if (was === undefined || is === undefined) continue
      changes[kind].push(is / was)
      if (is * NOISE_OF_ONE < was)
        regressions.push(
          `${name}, ${kind}: ${show(was)} became ${show(is)}, ${(was / is).toFixed(1)} times slower`,
        )
    }
  }
  for (const kind of KINDS) {
    const mean = Math.exp(changes[kind].reduce((sum, each) => sum + Math.log(each), 0) / changes[kind].length)
    if (changes[kind].length >= FEWEST_FOR_MEAN && mean * NOISE_OF_ALL < 1)
      regressions.push(`all reads, ${kind}: ${(1 / mean).toFixed(2)} times slower in the geometric mean`)
  }
  return { table: lines.join('\n'), worse: regressions }
}

const show = (ratio: number | undefined) => ratio?.toPrecision(2) ?? '–'

import type { Exchange, Liar, Lie } from './exchange.ts'
import { liesAboutContents } from './lies/along.ts'
import { liesAboutCoins } from './lies/coins.ts'
import { liesAboutEntries } from './lies/entries.ts'
import { liesAboutEscrows } from './lies/escrow.ts'
import { liesAboutFields } from './lies/fields.ts'
import { liesAboutPayments } from './lies/payments.ts'
import { liesAboutReads, ROWS } from './lies/reads.ts'
import { liesAboutRequests, liesAboutSighashes } from './lies/requests.ts'
import { liesAboutShape } from './lies/shape.ts'
import { liesAboutSteps } from './lies/steps.ts'
import { liesAboutTransactions } from './lies/transaction.ts'
import { liesInWords } from './lies/words.ts'

const FAMILIES = [
  liesAboutSteps,
  liesAboutRequests,
  liesAboutSighashes,
  liesAboutTransactions,
  liesAboutCoins,
  liesAboutFields,
  liesAboutEntries,
  liesAboutEscrows,
  liesInWords,
  liesAboutShape,
  liesAboutReads,
  liesAboutPayments,
  liesAboutContents,
]

/** Returns all lies about an honest response in a fixed order. Some change nothing; `tell` returns null for these. */
export function liesAbout(exchange: Exchange, liar: Liar): Lie[] {
  // Clients read only some fields of these rows.
  if (exchange.operation === ROWS) return [...liesAboutReads(exchange, liar)]
  return FAMILIES.flatMap((family) => [...family(exchange, liar)])
}

/** Applies a lie. Returns the body, or null if the lie changes nothing. */
export function applyLie(lie: Lie, { answer }: Exchange): string | null {
  const copy = structuredClone(answer)
  const instead = lie.tell(copy)
  const body = instead ? instead.raw : JSON.stringify(copy)
  return body === JSON.stringify(answer) ? null : body
}

/** Seeded shuffle (mulberry32). */
export function shuffled<T>(list: readonly T[], seed: number): T[] {
  let state = seed >>> 0
  const random = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  return list
    .map((each) => ({ each, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ each }) => each)
}

/** Samples `count` elements evenly across families. */
export function sampleOf<T>(
  all: readonly T[],
  familyOf: (each: T) => string,
  count: number,
  seed: number,
): T[] {
  const queues = Object.values(Object.groupBy(shuffled(all, seed), familyOf))
  const sample: T[] = []
  while (sample.length < Math.min(count, all.length))
    for (const queue of queues) {
      const each = queue!.shift()
      if (each && sample.length < count) sample.push(each)
    }
  return sample
}

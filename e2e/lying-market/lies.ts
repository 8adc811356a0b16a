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

/**
 * Every lie about an honest answer, each a change of that answer alone, always in the same order. Lies that change nothing are
 * left out: about some answers a lie is the truth.
 */
export function liesAbout(exchange: Exchange, liar: Liar): Lie[] {
  // A client may leave out of the rows what it does not need of them.
  if (exchange.operation === ROWS) return [...liesAboutReads(exchange, liar)]
  return FAMILIES.flatMap((family) => [...family(exchange, liar)])
}

/** Tells a lie; null where it would be the truth. */
export function tell(lie: Lie, { answer }: Exchange): string | null {
  const copy = structuredClone(answer)
  const instead = lie.tell(copy)
  const body = instead ? instead.raw : JSON.stringify(copy)
  return body === JSON.stringify(answer) ? null : body
}

/** Shuffles by a seed (mulberry32), the same for the same seed. */
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

/** So many of each family in turn, until there are `count`: a sample that no large family fills alone. */
export function sampleOf<T>(
  all: readonly T[],
  familyOf: (each: T) => string,
  count: number,
  seed: number,
): T[] {
  const queues = Object.values(Object.groupBy(shuffled(all, seed), familyOf))
  const taken: T[] = []
  while (taken.length < Math.min(count, all.length))
    for (const queue of queues) {
      const each = queue!.shift()
      if (each && taken.length < count) taken.push(each)
    }
  return taken
}

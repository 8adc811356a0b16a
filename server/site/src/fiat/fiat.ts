import type { AnswerOf } from '@ordbook/contract/operation.ts'
import type { getMarket as operation } from '@ordbook/contract/storefront/market.ts'
import { inTransaction, type Sql } from '@ordbook/db/driver/connect.ts'
import type { Context } from '@ordbook/market/context.ts'
import { fetchRate } from './fetch-rate.ts'
import { afterPoll, isUsable, type Rate } from './rate.ts'
import { findRate, saveRate } from './rate-queries.ts'

const POLL_MILLISECONDS = 60_000
/** Maximum age of the rate in an API process. */
const CACHE_MILLISECONDS = 10_000

type Fiat = AnswerOf<typeof operation>['fiat']

/**
 * Returns the job that polls the rate source. Requests run between the runs of the job, so that a slow source delays no other job. Throws
 * the error of a failed request in every run until a request succeeds.
 */
export function rateJob(sql: Sql, { config, clock }: Pick<Context, 'config' | 'clock'>): () => Promise<void> {
  const { fiatPerBtc: source, fiatCurrency: currency } = config
  let next = 0
  let result: Promise<{ rate: Rate } | { error: Error }> | null = null
  let isReady = false
  let failure: Error | null = null
  return async () => {
    if (typeof source === 'number') return
    if (result && isReady) {
      const polled = await result
      if ('rate' in polled)
        await inTransaction(sql, async (tx) =>
          saveRate(tx, afterPoll(await findRate(tx), currency, polled.rate)),
        )
      failure = 'error' in polled ? polled.error : null
      result = null
    }
    if (!result && performance.now() >= next) {
      next = performance.now() + POLL_MILLISECONDS
      isReady = false
      result = fetchRate(source, currency, clock)
        .then(
          (rate) => ({ rate }),
          (error: Error) => ({ error }),
        )
        .finally(() => {
          isReady = true
        })
    }
    if (failure) throw failure
  }
}

/** Returns a function that returns the second currency of pages: null without a rate, or if it is older than a day. */
export function fiatOf({
  config,
  reads,
  clock,
}: Pick<Context, 'config' | 'reads' | 'clock'>): () => Promise<Fiat> {
  const { fiatPerBtc: source, fiatCurrency: currency } = config
  if (typeof source === 'number')
    return async () => (source > 0 ? { currency, perBtc: source, at: null } : null)
  let known: ReturnType<typeof findRate> = Promise.resolve(null)
  let next = 0
  return async () => {
    if (performance.now() >= next) {
      next = performance.now() + CACHE_MILLISECONDS
      known = findRate(reads)
      known.catch(() => (next = 0))
    }
    const rate = await known.catch(() => null)
    return isUsable(rate, currency, clock())
      ? { currency, perBtc: rate.perBtc, at: rate.at.toISOString() }
      : null
  }
}

import { splitCredentials, textOf } from '@ordbook/process/http.ts'
import { type Rate, rateIn } from './rate.ts'

const DEADLINE_MILLISECONDS = 5000
const MAX_BYTES = 16_384

/** Reads a rate. Follows no redirects. Throws an Error with the reason. */
export async function fetchRate(
  url: string,
  currency: string,
  now: () => Date,
  deadline = DEADLINE_MILLISECONDS,
): Promise<Rate> {
  const { url: bare, authorization } = splitCredentials(url)
  try {
    const response = await fetch(bare, {
      redirect: 'error',
      signal: AbortSignal.timeout(deadline),
      headers: { accept: 'application/json', ...(authorization ? { authorization } : {}) },
    })
    if (response.status !== 200) throw new Error(`status ${response.status}`)
    return rateIn(await textOf(response, MAX_BYTES), currency, now())
  } catch (cause) {
    throw new Error(`FIAT_PER_BTC: no rate from ${bare.origin}: ${(cause as Error).message}`, { cause })
  }
}

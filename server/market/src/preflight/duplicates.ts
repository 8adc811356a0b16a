import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { invalid } from '@ordbook/db/process/errors.ts'

/** Throws invalid if a list contains a value twice: `duplicate inscriptionId 6f…i0 in items`. `name` names the values. */
export function assertUnique(values: readonly string[], name: string, list: string): void {
  const seen = new Set<string>()
  for (const value of values) {
    if (seen.has(value)) throw invalid('duplicate-entry', `duplicate ${name} ${value} in ${list}`)
    seen.add(value)
  }
}

/** Throws invalid if a request contains a listing or an inscription twice. */
export function refuseDuplicateListings(
  listings: readonly { listingId: string; inscriptionId: string }[],
): void {
  assertUnique(
    listings.map((each) => each.listingId.toLowerCase()),
    'listingId',
    'listings',
  )
  assertUnique(
    listings.map((each) => each.inscriptionId),
    'inscriptionId',
    'listings',
  )
}

/** Inscriptions of one sat share a coin and change hands together: a request names one of them. Throws invalid for two. */
export function refuseShared(coins: readonly Outpoint[]): void {
  const names = coins.map(formatOutpoint)
  const [shared] = names.filter((name, n) => names.indexOf(name) !== n)
  if (shared)
    throw invalid(
      'inscriptions-share-coin',
      `Two of these inscriptions are in one coin (${shared}): name one of them`,
    )
}

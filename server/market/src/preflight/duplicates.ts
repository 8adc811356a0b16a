import { formatOutpoint, type Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { invalid } from '@ordbook/db/process/errors.ts'

/** Throws `invalid` if a list contains a value twice, such as "Duplicate inscriptionId 6f…i0 in items." */
export function assertUnique(values: readonly string[], name: string, list: string): void {
  const seen = new Set<string>()
  for (const value of values) {
    if (seen.has(value)) throw invalid('duplicate-entry', `Duplicate ${name} ${value} in ${list}.`)
    seen.add(value)
  }
}

export function rejectDuplicateListings(
  listings: readonly { listingId: string; inscriptionId: string }[],
): void {
  assertUnique(
    listings.map((listing) => listing.listingId.toLowerCase()),
    'listingId',
    'listings',
  )
  assertUnique(
    listings.map((listing) => listing.inscriptionId),
    'inscriptionId',
    'listings',
  )
}

/** Throws `invalid` for two inscriptions in one coin, which can only be traded together. */
export function rejectSharedCoins(coins: readonly Outpoint[]): void {
  const outpoints = coins.map(formatOutpoint)
  const [shared] = outpoints.filter((outpoint, n) => outpoints.indexOf(outpoint) !== n)
  if (shared)
    throw invalid(
      'inscriptions-share-coin',
      `Two of these inscriptions are in the same coin (${shared}). Include only one of them.`,
    )
}

interface BidLevel {
  offers: readonly { offerId: string; sharesCoinWith: readonly string[] }[]
}

/** Bids that share coins. `isOne`: only one of them can be filled; otherwise some. */
export interface Bracket {
  from: number
  to: number
  members: ReadonlySet<number>
  offers: number
  isOne: boolean
}

/** Groups bids that share coins, best first. */
export function bracketsOf(levels: readonly BidLevel[]): Bracket[] {
  const levelOf = new Map(
    levels.flatMap(({ offers }, n) => offers.map(({ offerId }) => [offerId, n] as const)),
  )
  const sharing = new Map<string, Set<string>>()
  const link = (one: string, other: string) => {
    const known = sharing.get(one) ?? new Set()
    sharing.set(one, known.add(other))
  }
  for (const { offerId, sharesCoinWith } of levels.flatMap(({ offers }) => offers))
    for (const other of sharesCoinWith)
      if (levelOf.has(other)) {
        link(offerId, other)
        link(other, offerId)
      }
  const brackets: Bracket[] = []
  const seen = new Set<string>()
  for (const start of sharing.keys()) {
    if (seen.has(start)) continue
    const group = new Set([start])
    for (const each of group) for (const other of sharing.get(each)!) group.add(other)
    for (const each of group) seen.add(each)
    const members = new Set([...group].map((id) => levelOf.get(id)!))
    brackets.push({
      from: Math.min(...members),
      to: Math.max(...members),
      members,
      offers: group.size,
      isOne: [...group].every((id) => sharing.get(id)!.size === group.size - 1),
    })
  }
  return brackets.toSorted((a, b) => a.from - b.from)
}

/** Returns, for each bracket of a row, true if the row is a member. */
export const lanesAt = (brackets: readonly Bracket[], row: number): boolean[] =>
  brackets.filter(({ from, to }) => from <= row && row <= to).map(({ members }) => members.has(row))

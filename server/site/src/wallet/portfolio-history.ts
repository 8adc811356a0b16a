interface Transfer {
  inscriptionId: string
  at: Date
  isAway: boolean
}

interface Portfolio {
  /** Ascending. The last is now. */
  times: readonly Date[]
  /** Items held now. */
  held: readonly string[]
  /** Latest first. */
  transfers: readonly Transfer[]
  /** Value of an item at a time, or null if unknown. */
  valueAt(inscriptionId: string, n: number): number | null
}

/** Lists the items held at a time: before its next transfer, an item was held if that transfer went away. */
export function heldAt({ held, transfers }: Pick<Portfolio, 'held' | 'transfers'>, at: Date): string[] {
  const items = new Set(held)
  for (const transfer of transfers) {
    if (transfer.at <= at) break
    if (transfer.isAway) items.add(transfer.inscriptionId)
    else items.delete(transfer.inscriptionId)
  }
  return [...items]
}

/**
 * Returns the value of a portfolio from the first time at which the value of an item is known. The change is that of items held at the
 * start and now (prices), and that of the others (items bought and sold). Items of unknown value are not in a value.
 */
export function historyOf(portfolio: Portfolio) {
  const { times, valueAt } = portfolio
  const points = times.map((at, n) => {
    // The time of the latest block may be after now.
    const items = n === times.length - 1 ? portfolio.held : heldAt(portfolio, at)
    const values = new Map(items.map((id) => [id, valueAt(id, n)]))
    return { at, values, sats: sum(values.values()) }
  })
  const isKnown = ({ values }: (typeof points)[number]) =>
    [...values.values()].some((value) => value !== null)
  const first = points.find(isKnown)
  const last = points.at(-1)!
  const valued = [...last.values.values()].filter((value) => value !== null)
  const start = first ?? last
  const bought = [...last.values].filter(([id]) => !start.values.has(id))
  const sold = [...start.values].filter(([id]) => !last.values.has(id))
  const itemChangeSats = sum(bought.map(([, value]) => value)) - sum(sold.map(([, value]) => value))
  return {
    valueSats: last.sats,
    valuedCount: valued.length,
    unvaluedCount: last.values.size - valued.length,
    priceChangeSats: last.sats - start.sats - itemChangeSats,
    itemChangeSats,
    points: first ? points.slice(points.indexOf(first)).map(({ at, sats }) => ({ at, valueSats: sats })) : [],
  }
}

function sum(values: Iterable<number | null>): number {
  let total = 0
  for (const value of values) total += value ?? 0
  return total
}

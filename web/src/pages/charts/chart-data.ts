interface Step {
  at: string
  sats: number | null
}
interface Sale {
  at: string
  priceSats: number
  inscriptionId: string
}
interface Part {
  at: string
  sats: number
}

const secondsOf = (at: string) => Date.parse(at) / 1000
/** Minimum distance of points. Sales of one block would otherwise overlap. */
const APART = 0.001

type Prices = (number | null)[]

/** Returns times in seconds, floors, sales and sales of the item `own`. */
export function floorAndSales(
  floor: readonly Step[],
  sales: readonly Sale[],
  { until, own }: { until: Date; own?: string | undefined },
): [times: number[], floor: Prices, sales: Prices, ownSales: Prices] {
  const steps = floor.map(({ at, sats }) => ({ time: secondsOf(at), sats }))
  const sold = sales.map(({ at, priceSats, inscriptionId }) => ({
    time: secondsOf(at),
    price: priceSats as number | null,
    isOwn: inscriptionId === own,
  }))
  const rows = [
    ...steps.map(({ time }) => ({ time, price: null, isOwn: false })),
    ...sold,
    { time: until.getTime() / 1000, price: null, isOwn: false },
  ].toSorted((a, b) => a.time - b.time)
  let next = 0
  let currentFloor: number | null = null
  let last = Number.NEGATIVE_INFINITY
  const times: number[] = []
  const floors: (number | null)[] = []
  for (const { time } of rows) {
    while (next < steps.length && steps[next]!.time <= time) currentFloor = steps[next++]!.sats
    last = Math.max(time, last + APART)
    times.push(last)
    floors.push(currentFloor)
  }
  const salesOf = (own: boolean) => rows.map(({ price, isOwn }) => (isOwn === own ? price : null))
  return [times, floors, salesOf(false), salesOf(true)]
}

/** Returns time and volume of every interval. */
export function volumeBars(
  parts: readonly Part[],
  { from, until, partSeconds }: { from: string; until: Date; partSeconds: number },
): [times: number[], volumes: number[]] {
  const first = secondsOf(from)
  const count = Math.max(1, Math.ceil((until.getTime() / 1000 - first) / partSeconds))
  const volumes = new Array<number>(count).fill(0)
  for (const { at, sats } of parts) {
    const place = Math.round((secondsOf(at) - first) / partSeconds)
    if (place >= 0 && place < count) volumes[place]! += sats
  }
  return [volumes.map((_, n) => first + n * partSeconds), volumes]
}

interface Ranked {
  rank: number
  priceSats: number
}

/** Returns ranks, listing prices and sale prices. Points of equal rank are shifted by `APART`. */
export function rankedPrices(
  listings: readonly Ranked[],
  sales: readonly Ranked[],
): [ranks: number[], listings: (number | null)[], sales: (number | null)[]] {
  const rows = [
    ...listings.map(({ rank, priceSats }) => ({ rank, listed: priceSats as number | null, sold: null })),
    ...sales.map(({ rank, priceSats }) => ({ rank, listed: null, sold: priceSats as number | null })),
  ].toSorted((a, b) => a.rank - b.rank)
  let last = 0
  const ranks = rows.map(({ rank }) => (last = Math.max(rank, last + APART)))
  return [ranks, rows.map(({ listed }) => listed), rows.map(({ sold }) => sold)]
}

/** Returns the number of sales per hour of the day, in local time. */
export function salesByHour(sales: readonly { at: string }[]): number[] {
  const hours = new Array<number>(24).fill(0)
  for (const { at } of sales) hours[new Date(at).getHours()]! += 1
  return hours
}

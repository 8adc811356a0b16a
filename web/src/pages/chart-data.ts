interface Step {
  at: string
  sats: number | null
}
interface Sale {
  at: string
  priceSats: number
}
interface Part {
  at: string
  sats: number
}

const secondsOf = (at: string) => Date.parse(at) / 1000
/** Sales of one block have one time. So far apart each of them is a point of its own. */
const APART_SECONDS = 0.001

/** Times in seconds, the floor at each of them, and the sale at each that is one: the columns of a chart. A floor stays until the next step. */
export function floorAndSales(
  floor: readonly Step[],
  sales: readonly Sale[],
  until: Date,
): [times: number[], floor: (number | null)[], sales: (number | null)[]] {
  const steps = floor.map(({ at, sats }) => ({ time: secondsOf(at), sats }))
  const sold = sales.map(({ at, priceSats }) => ({ time: secondsOf(at), priceSats }))
  const rows = [
    ...steps.map(({ time }) => ({ time, price: null })),
    ...sold.map(({ time, priceSats }) => ({ time, price: priceSats as number | null })),
    { time: until.getTime() / 1000, price: null },
  ].toSorted((a, b) => a.time - b.time)
  let next = 0
  let held: number | null = null
  let last = Number.NEGATIVE_INFINITY
  const times: number[] = []
  const floors: (number | null)[] = []
  for (const { time } of rows) {
    while (next < steps.length && steps[next]!.time <= time) held = steps[next++]!.sats
    last = Math.max(time, last + APART_SECONDS)
    times.push(last)
    floors.push(held)
  }
  return [times, floors, rows.map(({ price }) => price)]
}

/** Times and volumes of all parts of a window, those without a sale too: the columns of a chart of bars. */
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

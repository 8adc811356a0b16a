import { estimateOf as estimate } from '../holdings/item-worth.ts'

/** Prices of an item to choose from, in sats; null if unknown. */
export interface References {
  inscriptionId: string
  slug: string
  /** Of the collection. */
  floorSats: number | null
  traitFloorSats: number | null
  bestBidSats: number | null
}

export const TOOLS = ['floor', 'trait', 'bid', 'ladder'] as const
export type Tool = (typeof TOOLS)[number]

/** From this price on, prices have five decimals in BTC. */
const FIVE_DECIMALS_FROM = 100_000

/** Returns the step of the prices that the tools fill in. */
export const stepOf = (sats: number): number => (sats < FIVE_DECIMALS_FROM ? 10 : 1000)

/** Adjusts a price by a percentage with one decimal, and rounds it up to the step. */
export function adjusted(sats: number, percent: number): number {
  const exact = (sats * (1000 + Math.round(percent * 10))) / 1000
  const step = stepOf(exact)
  return Math.ceil(exact / step) * step
}

const estimateOf = ({ floorSats, traitFloorSats }: References) =>
  estimate({ traitFloorSats, collectionFloorSats: floorSats })

const referenceOf = (of: References, tool: Exclude<Tool, 'ladder'>): number | null => {
  if (tool === 'bid') return of.bestBidSats
  return tool === 'floor' ? of.floorSats : estimateOf(of)
}

/**
 * Returns a price per inscription. Items without the reference price keep theirs. A ladder begins at the floor of each collection and rises
 * by `stepSats` per item, the item of the lowest estimated value first.
 */
export function pricesBy(
  tool: Tool,
  items: readonly References[],
  { percent, stepSats }: { percent: number; stepSats: number },
): ReadonlyMap<string, number> {
  if (tool !== 'ladder')
    return new Map(
      items.flatMap((of) => {
        const sats = referenceOf(of, tool)
        return sats === null ? [] : [[of.inscriptionId, adjusted(sats, percent)]]
      }),
    )
  const ladders = [...Map.groupBy(items, ({ slug }) => slug).values()]
  return new Map(
    ladders.flatMap((ladder) =>
      ladder
        .toSorted((a, b) => (estimateOf(a) ?? 0) - (estimateOf(b) ?? 0))
        .flatMap((of, n) =>
          of.floorSats === null
            ? []
            : [[of.inscriptionId, adjusted(adjusted(of.floorSats, percent) + n * stepSats, 0)] as const],
        ),
    ),
  )
}

const PERCENT = /^([+−-])(\d{1,3}(?:[.,]\d)?)%$/
const WORDS: Readonly<Record<string, Exclude<Tool, 'ladder'>>> = {
  floor: 'floor',
  trait: 'trait',
  bid: 'bid',
}

/**
 * Returns the price of a shorthand: `floor`, `trait`, `bid`, or a percentage such as `+5%` on `fromSats`, otherwise on the estimated
 * value. Null if the text is no shorthand, or the reference price is unknown.
 */
export function shorthand(text: string, of: References, fromSats: number | null): number | null {
  const plain = text.replace(/\s/g, '').toLowerCase()
  const tool = WORDS[plain]
  if (tool) {
    const sats = referenceOf(of, tool)
    return sats === null ? null : adjusted(sats, 0)
  }
  const percent = percentIn(plain)
  const base = fromSats ?? estimateOf(of)
  return percent === null || base === null ? null : adjusted(base, percent)
}

/** Parses a percentage with a sign, such as `+2.5%`. */
function percentIn(text: string): number | null {
  const found = PERCENT.exec(text)
  if (!found) return null
  const size = Number(found[2]!.replace(',', '.'))
  const percent = found[1] === '+' ? size : -size
  return percent <= -100 ? null : percent
}

/** Parses the adjustment of the tools: `5`, `+2.5` or `-1`. Null if it is none, or not above −100. */
export const adjustmentIn = (text: string): number | null => {
  const plain = text.replace(/[\s%]/g, '')
  if (plain === '') return 0
  return percentIn(`${/^\d/.test(plain) ? '+' : ''}${plain}%`)
}

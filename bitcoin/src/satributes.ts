import { subsidyAt } from './inscription-flow.ts'

export interface SatRules {
  halvingInterval: number
  /** Whether to include satributes of early mainnet blocks. */
  isMain: boolean
}

const DIFFICULTY_INTERVAL = 2016
/** Halvings per cycle (ord handbook, "Ordinal Theory"). */
const CYCLE = 6
const COIN = 100_000_000

type Rarity = 'common' | 'uncommon' | 'rare' | 'epic' | 'legendary' | 'mythic'

/** Returns the block height of a sat and its offset in the subsidy. Throws RangeError above the supply. */
export function birthOf(sat: number, halvingInterval: number): { height: number; offset: number } {
  let first = 0
  for (let epoch = 0; ; epoch++) {
    const subsidySats = subsidyAt(epoch * halvingInterval, halvingInterval)
    if (subsidySats === 0) throw new RangeError(`${sat} is not a sat number`)
    const inEpoch = subsidySats * halvingInterval
    if (sat < first + inEpoch) {
      const height = epoch * halvingInterval + Math.floor((sat - first) / subsidySats)
      return { height, offset: (sat - first) % subsidySats }
    }
    first += inEpoch
  }
}

/** Returns the first `most` rare sats in a range (`to` is exclusive). */
export function rareSatsIn(from: number, to: number, halvingInterval: number, most = 10): number[] {
  const rare: number[] = []
  for (let sat = from; sat < to && rare.length < most; ) {
    const { height, offset } = birthOf(sat, halvingInterval)
    if (offset === 0) rare.push(sat)
    sat += subsidyAt(height, halvingInterval) - offset
  }
  return rare
}

/** Computes the rarity of a sat (ord handbook, "Ordinal Theory"). */
function rarityOf(sat: number, halvingInterval: number): Rarity {
  const { height, offset } = birthOf(sat, halvingInterval)
  if (offset > 0) return 'common'
  if (height === 0) return 'mythic'
  const halving = height % halvingInterval === 0
  const adjustment = height % DIFFICULTY_INTERVAL === 0
  if (halving && adjustment && height % (halvingInterval * CYCLE) === 0) return 'legendary'
  return halving ? 'epic' : adjustment ? 'rare' : 'uncommon'
}

/** Blocks mined by Satoshi Nakamoto whose sats were spent. */
const NAKAMOTO = new Set([
  9, 286, 688, 877, 1760, 2459, 2485, 3479, 5326, 9443, 9925, 10_645, 14_450, 15_625, 15_817, 19_093, 23_014,
  28_593, 29_097,
])
const VINTAGE_BLOCKS = 1000

/** Returns the satributes of a sat number. Does not include `pizza`, which requires a list of ranges. */
export function satributesOf(sat: number, rules: SatRules): string[] {
  const { halvingInterval, isMain } = rules
  const { height, offset } = birthOf(sat, halvingInterval)
  const named: string[] = []
  const rarity = rarityOf(sat, halvingInterval)
  if (rarity !== 'common') named.push(rarity)
  const isLast = offset === subsidyAt(height, halvingInterval) - 1
  if (isLast && subsidyAt(height + 1, halvingInterval) > 0)
    named.push(`black_${rarityOf(sat + 1, halvingInterval)}`)
  if (sat % COIN === 0) named.push('alpha')
  if (sat % COIN === COIN - 1) named.push('omega')
  if (isMain) {
    if (height === 9) named.push('block9')
    if (height === 78) named.push('block78')
    if (NAKAMOTO.has(height)) named.push('nakamoto')
    if (height < VINTAGE_BLOCKS) named.push('vintage')
  }
  const digits = String(sat)
  if (digits === [...digits].reverse().join('')) named.push('palindrome')
  return named
}

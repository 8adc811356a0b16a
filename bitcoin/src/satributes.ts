import { subsidyAt } from './inscription-flow.ts'

/** The rules for rare sats of a chain: ord's constants, and whether mainnet's historical names apply. */
export interface SatRules {
  /** Blocks between two halvings. */
  halvingInterval: number
  /** Sats of mainnet's early history have names. */
  isMain: boolean
}

/** Blocks between two adjustments of the difficulty. */
const DIFFICULTY_INTERVAL = 2016
/** Halvings in a cycle, after which halving and adjustment fall together again. */
const CYCLE = 6
const COIN = 100_000_000

type Rarity = 'common' | 'uncommon' | 'rare' | 'epic' | 'legendary' | 'mythic'

/** Height of the block that creates a sat, and the sat's offset in the subsidy. */
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

/** The rare sats from one number up to another, exclusive: the first `most` of them. */
export function rareSatsIn(from: number, to: number, halvingInterval: number, most = 10): number[] {
  const rare: number[] = []
  for (let sat = from; sat < to && rare.length < most; ) {
    const { height, offset } = birthOf(sat, halvingInterval)
    if (offset === 0) rare.push(sat)
    sat += subsidyAt(height, halvingInterval) - offset
  }
  return rare
}

/** Rarity of a sat (ord handbook, "Ordinal Theory", rarity). */
function rarityOf(sat: number, halvingInterval: number): Rarity {
  const { height, offset } = birthOf(sat, halvingInterval)
  if (offset > 0) return 'common'
  if (height === 0) return 'mythic'
  const halving = height % halvingInterval === 0
  const adjustment = height % DIFFICULTY_INTERVAL === 0
  if (halving && adjustment && height % (halvingInterval * CYCLE) === 0) return 'legendary'
  return halving ? 'epic' : adjustment ? 'rare' : 'uncommon'
}

/** Blocks that Satoshi Nakamoto is known to have mined because their sats were spent by him. */
const NAKAMOTO = new Set([
  9, 286, 688, 877, 1760, 2459, 2485, 3479, 5326, 9443, 9925, 10_645, 14_450, 15_625, 15_817, 19_093, 23_014,
  28_593, 29_097,
])
/** Of the first thousand blocks. */
const VINTAGE_BLOCKS = 1000

/**
 * Satributes that follow from the sat's number: its rarity; `black_...` for the last sat of a block, by the rarity of the next sat; first
 * and last sat of a bitcoin; palindromes; on mainnet, early blocks. `pizza` is not included, because it needs a list of ranges.
 */
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

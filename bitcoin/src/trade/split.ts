import { dustLimitOf, type KeySpend } from '../address.ts'
import { equalBytes } from '../bytes.ts'
import { payWith } from '../coins.ts'
import { BitcoinError } from '../errors.ts'
import { groupBy } from '../group-by.ts'
import { runestoneTo } from '../runestone.ts'
import { landingOf, offsetOfInput } from '../sat-flow.ts'
import { sumSats } from '../sats.ts'
import type { LocatedInscription } from '../trace-contents.ts'
import { type Coin, feeOfLayout, type Layout, type LayoutInput, type LayoutOutput } from './layout.ts'
import { insufficient, MINIMUM_CHANGE_SATS, type Payer, withChange } from './payment.ts'

/** Terms of a split of a coin with several inscriptions. */
export interface SplitTerms {
  coin: Coin
  /** Owner's key for the coin. */
  spend: KeySpend
  contents: readonly LocatedInscription[]
  /** Ids of the inscriptions to separate. Those on the same sat stay together. */
  named: readonly string[]
  /** Owner's address. */
  ordinalsScript: Uint8Array
  /** Owner's plain coins. They pay the fee and fill small outputs. */
  from: Payer
  /** Sats in each new coin. If unset, each new coin extends to the next inscription. */
  postageSats?: number
  /** Moves the runes of the coin to a separate coin. */
  hasRunes?: boolean
  feeRateSatVb: number
}

export interface Split {
  layout: Layout
  vsize: number
  feeSats: number
  changeSats: number
  /** Sats added to the first and last output, and those of the runes' coin. */
  paddingSats: number
}

/** Adjacent sats that go to one output: one named sat, or any number of others. */
interface Group {
  first: number
  last: number
  inscriptionIds: string[]
  isNamed: boolean
  /** Minimum output value. */
  leastSats: number
}

/** A range of the coin's sats. Payment coins can extend it beyond both ends. */
interface Piece {
  from: number
  to: number
  /** Whether it contains a named sat. */
  isNamed: boolean
}

/**
 * Builds a transaction that moves each named inscription to a separate coin. Inputs: a payment coin if the first output needs more sats,
 * the coin, and payment coins. Outputs: the coin's sats in order to `ordinalsScript`, the runes' coin with its runestone, then change. Throws
 * `nothing-to-split`, `sats-too-close`, `inscription-misplaced` or `coins-insufficient`.
 */
export function buildSplit(terms: SplitTerms): Split {
  const { coin, from, ordinalsScript, feeRateSatVb } = terms
  const { pieces, frontSats, backSats } = piecesOf(terms)
  const outputs = pieces.map(
    ({ from: start, to, isNamed }): LayoutOutput => ({
      role: isNamed ? 'inscription' : 'change',
      valueSats: to - start,
      script: ordinalsScript,
    }),
  )
  const front = frontSats === 0 ? null : frontOf(terms, frontSats)
  if (front) outputs[0]!.valueSats += front.joinedSats
  const behind = from.payments.filter((payment) => payment !== front?.coin)
  if (front && behind.length === 0)
    throw new BitcoinError(
      'coins-insufficient',
      'the split requires two payment coins: one before the coin, and one after it for the fee',
    )
  const base: Layout = {
    version: 2,
    inputs: [
      ...(front ? [paymentOf(front.coin, from.payer)] : []),
      { role: 'inscription', coin, signer: 'seller', spend: { by: 'key', ...terms.spend } },
    ],
    outputs: [...(front?.outputs ?? []), ...outputs],
  }
  const runesSats = terms.hasRunes ? dustLimitOf(ordinalsScript) : 0
  if (terms.hasRunes)
    base.outputs.push(
      { role: 'runes', valueSats: runesSats, script: ordinalsScript },
      { role: 'runestone', valueSats: 0, script: runestoneTo(base.outputs.length) },
    )
  const { built } = payWith(behind, (payments) =>
    withChange(
      { ...base, inputs: [...base.inputs, ...payments.map((payment) => paymentOf(payment, from.payer))] },
      { payments, changeScript: from.changeScript },
      backSats + runesSats,
      feeRateSatVb,
    ),
  )
  checkSplit(terms, built.layout)
  return { ...built, paddingSats: frontSats + (front?.joinedSats ?? 0) + backSats + runesSats }
}

/**
 * Checks a split independently of the builder. Each named sat must be alone in an output of at least `postageSats`, all outputs must pay
 * the owner, and runes must go to an output without inscriptions. Throws `inscription-misplaced`, `output-below-dust` or `amounts-differ`.
 */
export function checkSplit(terms: SplitTerms, layout: Layout): void {
  const { coin, contents, named, ordinalsScript, from, postageSats = 0 } = terms
  const index = layout.inputs.findIndex(
    ({ coin: { txid, vout } }) => txid === coin.txid && vout === coin.vout,
  )
  const start = offsetOfInput(
    index,
    layout.inputs.map((input) => input.coin.valueSats),
  )
  const misplaced = (id: string) =>
    new BitcoinError('inscription-misplaced', `the split does not move ${id} to a separate coin of its owner`)
  const arrivals = contents.map(({ inscriptionId, offset }) => {
    const landing = landingOf(start + offset, layout.outputs)
    const output = 'vout' in landing ? layout.outputs[landing.vout] : undefined
    if (!('vout' in landing) || !output || !equalBytes(output.script, ordinalsScript))
      throw misplaced(inscriptionId)
    return { inscriptionId, offset, vout: landing.vout, valueSats: output.valueSats }
  })
  for (const arrival of arrivals.filter(({ inscriptionId }) => named.includes(inscriptionId))) {
    const isAlone = arrivals.every(({ vout, offset }) => vout !== arrival.vout || offset === arrival.offset)
    if (!isAlone || arrival.valueSats < postageSats) throw misplaced(arrival.inscriptionId)
  }
  if (terms.hasRunes) checkRunes(layout, ordinalsScript, new Set(arrivals.map(({ vout }) => vout)))
  for (const [vout, { role, script, valueSats }] of layout.outputs.entries()) {
    if (role === 'runestone' && terms.hasRunes && valueSats === 0) continue
    if (valueSats < dustLimitOf(script))
      throw new BitcoinError('output-below-dust', `output ${vout} is below the dust limit`, { index: vout })
    if (!equalBytes(script, ordinalsScript) && !equalBytes(script, from.changeScript))
      throw new BitcoinError('amounts-differ', `output ${vout} does not pay the owner`)
  }
  if (feeOfLayout(layout) < 0) throw new BitcoinError('amounts-differ', 'the outputs exceed the inputs')
}

/** The only runestone must point to an output of the owner without inscriptions. */
function checkRunes({ outputs }: Layout, ordinalsScript: Uint8Array, inscribed: ReadonlySet<number>): void {
  const stones = outputs.filter(({ role }) => role === 'runestone')
  const isSafe = outputs.some(
    ({ script }, vout) =>
      equalBytes(script, ordinalsScript) &&
      !inscribed.has(vout) &&
      stones.length === 1 &&
      equalBytes(stones[0]!.script, runestoneTo(vout)),
  )
  if (!isSafe)
    throw new BitcoinError('amounts-differ', 'the split does not move the runes to a separate coin')
}

/** Groups inscriptions in sat order. */
function groupsOf({ coin, contents, named, ordinalsScript, postageSats, hasRunes }: SplitTerms): Group[] {
  const dustSats = dustLimitOf(ordinalsScript)
  const missing = named.find((id) => !contents.some(({ inscriptionId }) => inscriptionId === id))
  if (missing !== undefined) throw new BitcoinError('inscription-misplaced', `${missing} is not in the coin`)
  const sats = groupBy(contents, ({ offset }) => offset)
  const groups: Group[] = []
  for (const [offset, inside] of [...sats].toSorted(([a], [b]) => a - b)) {
    if (!(offset >= 0 && offset < coin.valueSats))
      throw new BitcoinError('inscription-misplaced', `the coin has no sat at offset ${offset}`)
    const inscriptionIds = inside.map((content) => content.inscriptionId)
    const isNamed = inscriptionIds.some((id) => named.includes(id))
    const before = groups.at(-1)
    if (before && !before.isNamed && !isNamed) {
      before.last = offset
      before.inscriptionIds.push(...inscriptionIds)
    } else {
      const leastSats = isNamed ? Math.max(postageSats ?? 0, dustSats) : dustSats
      groups.push({ first: offset, last: offset, inscriptionIds, isNamed, leastSats })
    }
  }
  if (groups.length < (hasRunes ? 1 : 2))
    throw new BitcoinError(
      'nothing-to-split',
      named.length === 0
        ? 'name at least one inscription to split off'
        : 'all inscriptions of the coin are on the same sat',
    )
  return groups
}

/**
 * Cuts the coin into pieces. Cuts as late as possible, so that inscriptions are at offset 0. Payment coins can add sats only at both ends.
 * Throws `sats-too-close`.
 */
function piecesOf(terms: SplitTerms): { pieces: Piece[]; frontSats: number; backSats: number } {
  const { coin, postageSats } = terms
  const groups = groupsOf(terms)
  earliestCut(groups, Number.NEGATIVE_INFINITY)
  const frontSats = Math.max(
    0,
    groups[0]!.leastSats - (latestCuts(groups, Number.POSITIVE_INFINITY)[0] ?? Infinity),
  )
  const endSats = Math.max(coin.valueSats, earliestCut(groups, -frontSats) + groups.at(-1)!.leastSats)
  const cuts = [-frontSats, ...latestCuts(groups, endSats), endSats]
  const pieces: Piece[] = []
  for (const [n, group] of groups.entries()) {
    const whole: Piece = { from: cuts[n]!, to: cuts[n + 1]!, isNamed: group.isNamed }
    for (const piece of group.isNamed && postageSats !== undefined ? trimmed(whole, group, terms) : [whole]) {
      const before = pieces.at(-1)
      if (before && !before.isNamed && !piece.isNamed) before.to = piece.to
      else pieces.push(piece)
    }
  }
  return { pieces, frontSats, backSats: endSats - coin.valueSats }
}

/** Returns the latest cuts for an end at `endSats`. */
function latestCuts(groups: readonly Group[], endSats: number): number[] {
  const cuts: number[] = []
  let end = endSats
  for (const { first, leastSats } of groups.slice(1).reverse()) {
    end = Math.min(first, end - leastSats)
    cuts.unshift(end)
  }
  return cuts
}

/** Returns the earliest last cut for a start at `startSats`. Throws `sats-too-close`. */
function earliestCut(groups: readonly Group[], startSats: number): number {
  let cut = startSats
  /** First group of the current run without spare sats. */
  let tight = 0
  for (const [n, { last, leastSats }] of groups.slice(0, -1).entries()) {
    if (cut + leastSats <= last + 1) tight = n + 1
    cut = Math.max(cut + leastSats, last + 1)
    if (cut > groups[n + 1]!.first) throw tooClose(groups, tight, n + 1)
  }
  return cut
}

/** Builds the error for groups that are too close. */
function tooClose(groups: readonly Group[], tight: number, bound: number): BitcoinError {
  const close = groups.slice(tight, bound)
  const inscriptionIds = close.flatMap((each) => each.inscriptionIds)
  const [before, behind] = [groups[tight - 1]!, groups[bound]!]
  const roomSats = behind.first - before.last - 1
  const neededSats = sumSats(close.map(({ leastSats }) => leastSats))
  // The most inscriptions that one transaction can split off.
  const ahead = groups.slice(0, bound - 1).flatMap((each) => each.inscriptionIds)
  return new BitcoinError(
    'sats-too-close',
    `${inscriptionIds.join(', ')} cannot be separated in one transaction: there are ${roomSats} sats between ${before.inscriptionIds.at(-1)} and ${behind.inscriptionIds[0]}, but ${close.length === 1 ? 'its coin needs' : 'their coins need'} ${neededSats}. Split off ${ahead.join(', ')} first, and the other inscriptions in a second transaction`,
    { inscriptionIds: inscriptionIds.join(','), splitFirst: ahead.join(','), roomSats, neededSats },
  )
}

/** Cuts a piece to the postage. Excess sats become separate pieces if possible. */
function trimmed(whole: Piece, { first }: Group, { ordinalsScript, postageSats }: SplitTerms): Piece[] {
  const dustSats = dustLimitOf(ordinalsScript)
  const from = first - whole.from >= dustSats && whole.to - first >= postageSats! ? first : whole.from
  const kept = Math.max(from + postageSats!, first + 1)
  const to = whole.to - kept >= dustSats ? kept : whole.to
  return [
    { from: whole.from, to: from, isNamed: false },
    { from, to, isNamed: true },
    { from: to, to: whole.to, isNamed: false },
  ].filter((piece) => piece.to > piece.from)
}

/** Chooses the smallest payment coin for the front, and the outputs for its remaining sats. */
function frontOf(
  { from, ordinalsScript }: SplitTerms,
  frontSats: number,
): { coin: Coin; outputs: LayoutOutput[]; joinedSats: number } {
  const [coin] = from.payments
    .filter(({ valueSats }) => valueSats >= frontSats)
    .toSorted((a, b) => a.valueSats - b.valueSats)
  if (!coin) throw insufficient(frontSats - Math.max(0, ...from.payments.map((payment) => payment.valueSats)))
  const dustSats = dustLimitOf(ordinalsScript)
  const restSats = coin.valueSats - frontSats
  if (restSats < dustSats + MINIMUM_CHANGE_SATS) return { coin, outputs: [], joinedSats: restSats }
  return {
    coin,
    outputs: [
      { role: 'change', valueSats: dustSats, script: ordinalsScript },
      { role: 'change', valueSats: restSats - dustSats, script: from.changeScript },
    ],
    joinedSats: 0,
  }
}

const paymentOf = (coin: Coin, payer: KeySpend): LayoutInput => ({
  role: 'payment',
  coin,
  signer: 'seller',
  spend: { by: 'key', ...payer },
})

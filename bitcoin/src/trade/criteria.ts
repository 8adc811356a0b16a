import { bytesToHex, equalBytes, hexToBytes } from '../bytes.ts'
import { sha256, taggedHash } from '../keys.ts'

/** Items that an offer accepts: all, or those with a listed value in each trait group. */
export type OfferTarget = { kind: 'all' } | { kind: 'traits'; traits: readonly TraitGroup[] }

interface TraitGroup {
  type: string
  values: readonly string[]
}

const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
const unique = (values: readonly string[]) => [...new Set(values)].toSorted(byText)

/** Sorts groups and values, and removes duplicates. */
export function canonicalTarget(target: OfferTarget): OfferTarget {
  if (target.kind === 'all') return { kind: 'all' }
  const groups = target.traits.map(({ type, values }) => ({ type, values: unique(values) }))
  const text = (group: TraitGroup) => JSON.stringify([group.type, group.values])
  const once = [...new Map(groups.map((group) => [text(group), group])).values()]
  return { kind: 'traits', traits: once.toSorted((a, b) => byText(text(a), text(b))) }
}

/** Returns canonical JSON of the criteria: sorted keys, no white space. */
export function criteriaText(collectionSlug: string, target: OfferTarget): string {
  const canonical = canonicalTarget(target)
  const shown =
    canonical.kind === 'all'
      ? { kind: 'all' }
      : { kind: 'traits', traits: canonical.traits.map(({ type, values }) => ({ type, values })) }
  return JSON.stringify({ collection: collectionSlug, target: shown, v: 1 })
}

/** Returns the SHA-256 of the criteria in hex. */
export function criteriaHash(text: string): string {
  return bytesToHex(sha256(new TextEncoder().encode(text)))
}

/** Merkle siblings from the leaf to the root. */
export type EligibleProof = { side: 'left' | 'right'; hash: string }[]

const leafOf = (inscriptionId: string) =>
  taggedHash('ordbook/eligible/v1/leaf', new TextEncoder().encode(inscriptionId))
const nodeOf = (left: Uint8Array, right: Uint8Array) => taggedHash('ordbook/eligible/v1/node', left, right)

/** Returns the levels of a Merkle tree over sorted ids, leaves first. A node without a sibling moves up unchanged. */
function levelsOf(inscriptionIds: readonly string[]): Uint8Array[][] {
  const levels = [unique(inscriptionIds).map(leafOf)]
  for (let level = levels[0]!; level.length > 1; level = levels.at(-1)!) {
    const next: Uint8Array[] = []
    for (let at = 0; at < level.length; at += 2)
      next.push(at + 1 < level.length ? nodeOf(level[at]!, level[at + 1]!) : level[at]!)
    levels.push(next)
  }
  return levels
}

/** Returns the Merkle root in hex. Throws RangeError for an empty set. */
export function eligibleRoot(inscriptionIds: readonly string[]): string {
  const root = levelsOf(inscriptionIds).at(-1)![0]
  if (!root) throw new RangeError('no inscription is eligible')
  return bytesToHex(root)
}

/** Returns the Merkle proof of an inscription, or null if it is not in the set. */
export function proofOf(inscriptionIds: readonly string[], inscriptionId: string): EligibleProof | null {
  let at = unique(inscriptionIds).indexOf(inscriptionId)
  if (at === -1) return null
  const proof: EligibleProof = []
  for (const level of levelsOf(inscriptionIds)) {
    const sibling = level[at ^ 1]
    if (sibling) proof.push({ side: at % 2 === 1 ? 'left' : 'right', hash: bytesToHex(sibling) })
    at >>= 1
  }
  return proof
}

/** Verifies a Merkle proof. */
export function isEligible(root: string, inscriptionId: string, proof: EligibleProof): boolean {
  let hash = leafOf(inscriptionId)
  for (const step of proof) {
    const sibling = hexToBytes(step.hash)
    hash = step.side === 'left' ? nodeOf(sibling, hash) : nodeOf(hash, sibling)
  }
  return equalBytes(hash, hexToBytes(root))
}

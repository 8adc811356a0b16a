import { bytesToHex, equalBytes, hexToBytes } from '../bytes.ts'
import { sha256, taggedHash } from '../keys.ts'

/** Items that an offer accepts: any item, or items that match one listed value of each trait group. */
export type OfferTarget = { kind: 'all' } | { kind: 'traits'; traits: readonly TraitGroup[] }

interface TraitGroup {
  type: string
  values: readonly string[]
}

const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
const unique = (values: readonly string[]) => [...new Set(values)].toSorted(byText)

/** Returns the canonical form of a target: groups sorted by type without duplicates, values sorted and unique. */
export function canonicalTarget(target: OfferTarget): OfferTarget {
  if (target.kind === 'all') return { kind: 'all' }
  const groups = target.traits.map(({ type, values }) => ({ type, values: unique(values) }))
  const text = (group: TraitGroup) => JSON.stringify([group.type, group.values])
  const once = [...new Map(groups.map((group) => [text(group), group])).values()]
  return { kind: 'traits', traits: once.toSorted((a, b) => byText(text(a), text(b))) }
}

/** Returns the canonical JSON of criteria, which is hashed: sorted keys, no white space. */
export function criteriaText(collectionSlug: string, target: OfferTarget): string {
  const canonical = canonicalTarget(target)
  const shown =
    canonical.kind === 'all'
      ? { kind: 'all' }
      : { kind: 'traits', traits: canonical.traits.map(({ type, values }) => ({ type, values })) }
  return JSON.stringify({ collection: collectionSlug, target: shown, v: 1 })
}

/** Returns the SHA-256 of the criteria's UTF-8 bytes in hex. */
export function criteriaHash(text: string): string {
  return bytesToHex(sha256(new TextEncoder().encode(text)))
}

/** Merkle siblings from the leaf to the root. */
export type EligibleProof = { side: 'left' | 'right'; hash: string }[]

const leafOf = (inscriptionId: string) =>
  taggedHash('ordbook/eligible/v1/leaf', new TextEncoder().encode(inscriptionId))
const nodeOf = (left: Uint8Array, right: Uint8Array) => taggedHash('ordbook/eligible/v1/node', left, right)

/** Returns all levels of the tree over sorted inscription ids, leaves first. A node without a sibling moves up unchanged. */
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

/** Returns the Merkle root over sorted inscription ids, in hex. Throws RangeError for an empty set. */
export function eligibleRoot(inscriptionIds: readonly string[]): string {
  const root = levelsOf(inscriptionIds).at(-1)![0]
  if (!root) throw new RangeError('no inscription is eligible')
  return bytesToHex(root)
}

/** Returns the proof that an inscription is in the set, or null if it is not. */
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

/** Returns true if the proof leads from the inscription to the root. */
export function isEligible(root: string, inscriptionId: string, proof: EligibleProof): boolean {
  let hash = leafOf(inscriptionId)
  for (const step of proof) {
    const sibling = hexToBytes(step.hash)
    hash = step.side === 'left' ? nodeOf(sibling, hash) : nodeOf(hash, sibling)
  }
  return equalBytes(hash, hexToBytes(root))
}

import { bytesToHex, equalBytes, hexToBytes } from '../bytes.ts'
import { sha256, taggedHash } from '../keys.ts'

/** Items that a collection offer accepts: any item, or items with one listed value of each trait group. */
export type OfferTarget = { kind: 'all' } | { kind: 'traits'; traits: readonly TraitGroup[] }

interface TraitGroup {
  type: string
  values: readonly string[]
}

const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
const unique = (values: readonly string[]) => [...new Set(values)].toSorted(byText)

/** The same target in its one form: groups by type, one each, values sorted and unique. */
export function canonicalTarget(target: OfferTarget): OfferTarget {
  if (target.kind === 'all') return { kind: 'all' }
  const groups = target.traits.map(({ type, values }) => ({ type, values: unique(values) }))
  const text = (group: TraitGroup) => JSON.stringify([group.type, group.values])
  const once = [...new Map(groups.map((group) => [text(group), group])).values()]
  return { kind: 'traits', traits: once.toSorted((a, b) => byText(text(a), text(b))) }
}

/** The criteria as the text that is hashed: sorted keys, no blanks. */
export function criteriaText(collectionSlug: string, target: OfferTarget): string {
  const canonical = canonicalTarget(target)
  const shown =
    canonical.kind === 'all'
      ? { kind: 'all' }
      : { kind: 'traits', traits: canonical.traits.map(({ type, values }) => ({ type, values })) }
  return JSON.stringify({ collection: collectionSlug, target: shown, v: 1 })
}

/** SHA-256 of the criteria's UTF-8 bytes, hex. */
export function criteriaHash(text: string): string {
  return bytesToHex(sha256(new TextEncoder().encode(text)))
}

/** Siblings on the way from a leaf to the root, nearest first. */
export type EligibleProof = { side: 'left' | 'right'; hash: string }[]

const leafOf = (inscriptionId: string) =>
  taggedHash('ordbook/eligible/v1/leaf', new TextEncoder().encode(inscriptionId))
const nodeOf = (left: Uint8Array, right: Uint8Array) => taggedHash('ordbook/eligible/v1/node', left, right)

/** Every level of the tree over sorted inscription ids, leaves first; a node without a partner moves up as it is. */
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

/** The commitment to a set of inscriptions, hex: a Merkle root over their sorted ids. Throws RangeError when empty. */
export function eligibleRoot(inscriptionIds: readonly string[]): string {
  const root = levelsOf(inscriptionIds).at(-1)![0]
  if (!root) throw new RangeError('no inscription is eligible')
  return bytesToHex(root)
}

/** The proof that an inscription is in the set; null when it is not. */
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

/** True when the proof leads from the inscription to the root. */
export function isEligible(root: string, inscriptionId: string, proof: EligibleProof): boolean {
  let hash = leafOf(inscriptionId)
  for (const step of proof) {
    const sibling = hexToBytes(step.hash)
    hash = step.side === 'left' ? nodeOf(sibling, hash) : nodeOf(hash, sibling)
  }
  return equalBytes(hash, hexToBytes(root))
}

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalTarget, criteriaHash, criteriaText, eligibleRoot, isEligible, proofOf } from './criteria.ts'

const idOf = (n: number) => `${n.toString(16).padStart(64, '0')}i0`

describe('criteriaText', () => {
  it('ignores the order of groups and values', () => {
    expect(criteriaText('lamps', { kind: 'all' })).toBe(
      '{"collection":"lamps","target":{"kind":"all"},"v":1}',
    )
    const one = {
      kind: 'traits' as const,
      traits: [
        { values: ['b', 'a', 'b'], type: 'Hat' },
        { type: 'Eyes', values: ['x'] },
      ],
    }
    const other = {
      kind: 'traits' as const,
      traits: [
        { type: 'Eyes', values: ['x'] },
        { type: 'Hat', values: ['a', 'b'] },
        { type: 'Eyes', values: ['x', 'x'] },
      ],
    }
    expect(criteriaText('lamps', one)).toBe(
      '{"collection":"lamps","target":{"kind":"traits","traits":[{"type":"Eyes","values":["x"]},{"type":"Hat","values":["a","b"]}]},"v":1}',
    )
    expect(criteriaText('lamps', other)).toBe(criteriaText('lamps', one))
    expect(canonicalTarget(other)).toEqual(canonicalTarget(one))
    // printf %s '{"collection":"lamps","target":{"kind":"all"},"v":1}' | sha256sum
    expect(criteriaHash(criteriaText('lamps', { kind: 'all' }))).toBe(
      'fdf6bbc36405fa34575f98a539a849a4e315ecc14c57f2a3424dc045d4e42702',
    )
  })
})

describe('eligibleRoot', () => {
  it('proves membership of each inscription', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 70 }), fc.nat(), (count, pick) => {
        const ids = Array.from({ length: count }, (_, n) => idOf(n * 7 + 1))
        const root = eligibleRoot(ids)
        expect(eligibleRoot([...ids].reverse())).toBe(root)
        const id = ids[pick % count]!
        const proof = proofOf(ids, id)!
        expect(isEligible(root, id, proof)).toBe(true)
        expect(proofOf(ids, idOf(5))).toBeNull()
        expect(isEligible(root, idOf(5), proof)).toBe(false)
        if (count > 1) {
          expect(isEligible(eligibleRoot(ids.slice(1)), ids[0]!, proofOf(ids, ids[0]!)!)).toBe(false)
          const [first, ...rest] = proof
          const wrongSide = [
            { ...first!, side: first!.side === 'left' ? ('right' as const) : ('left' as const) },
            ...rest,
          ]
          expect(isEligible(root, id, wrongSide)).toBe(false)
        }
      }),
      { numRuns: 60 },
    )
  })

  it('rejects an empty set', () => {
    expect(() => eligibleRoot([])).toThrow(RangeError)
  })
})

import { expect, it } from 'vitest'
import { areTerms, assertFilled, type OwnTerms, type WantedLeg } from './swap-terms.ts'

const anyOf = (quantity: number): WantedLeg => ({ collectionSlug: 'any', quantity, target: { kind: 'all' } })
const oneOf = (...inscriptionIds: string[]): WantedLeg => ({
  collectionSlug: 'named',
  quantity: 1,
  target: { kind: 'inscriptions', inscriptionIds },
})
const areFilled = (wantedLegs: WantedLeg[], arriving: string[], agreed: string[] = []) => {
  try {
    assertFilled({ wantedLegs }, arriving, agreed)
    return true
  } catch (error) {
    expect(error).toMatchObject({ code: 'other-terms' })
    return false
  }
}

it('accepts inscriptions that match the legs', () => {
  expect(areFilled([], [])).toBe(true)
  expect(areFilled([oneOf('a', 'b')], ['b'])).toBe(true)
  expect(areFilled([oneOf('a'), anyOf(2)], ['x', 'a', 'y'], ['y', 'x', 'z'])).toBe(true)
})

it('rejects inscriptions that do not match the legs', () => {
  expect(areFilled([oneOf('a')], [])).toBe(false)
  expect(areFilled([oneOf('a')], ['b'], ['b'])).toBe(false)
  expect(areFilled([anyOf(1)], ['x'])).toBe(false)
  expect(areFilled([anyOf(2)], ['x'], ['x'])).toBe(false)
  expect(areFilled([], ['x'], ['x'])).toBe(false)
  expect(areFilled([oneOf('a')], ['a', 'a'])).toBe(false)
})

it('rejects malformed terms', () => {
  const terms: OwnTerms = { gives: ['g'], giveSats: 0, wantedLegs: [oneOf('a'), anyOf(1)], wantSats: 5 }
  expect(areTerms(JSON.parse(JSON.stringify(terms)))).toBe(true)
  for (const other of [
    null,
    {},
    { ...terms, gives: [1] },
    { ...terms, giveSats: -1 },
    { ...terms, wantSats: '5' },
    { ...terms, wantedLegs: [{ ...anyOf(1), target: { kind: 'traits' } }] },
    { ...terms, wantedLegs: [null] },
  ])
    expect(areTerms(other)).toBe(false)
})

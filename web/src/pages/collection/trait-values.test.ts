import { describe, expect, it } from 'vitest'
import { matchingValues, orderValues, rowsInView } from './trait-values.ts'

const values = (...texts: string[]) => texts.map((value, n) => ({ value, count: texts.length - n }))
const texts = (found: readonly { value: string }[]) => found.map((each) => each.value)

describe('values of a trait', () => {
  it('sorts numbers numerically', () => {
    expect(texts(orderValues(values('100', '1', '10', '9', '101')))).toEqual(['1', '9', '10', '100', '101'])
    expect(texts(orderValues(values('20%', '5%')))).toEqual(['5%', '20%'])
  })

  it('keeps words in order of frequency', () => {
    expect(texts(orderValues(values('None', '3', 'Cap')))).toEqual(['None', '3', 'Cap'])
  })

  it('finds values by substring', () => {
    const all = values('Red Cap', 'Blue cap', 'None')
    expect(texts(matchingValues(all, ' CAP '))).toEqual(['Red Cap', 'Blue cap'])
    expect(matchingValues(all, ' ')).toBe(all)
  })

  it('returns the visible rows', () => {
    const list = { height: 288, rowHeight: 32, count: 781 }
    for (let scrolled = 0; scrolled <= 781 * 32 - 288; scrolled += 7) {
      const { from, to } = rowsInView(scrolled, list)
      expect(from * 32).toBeLessThanOrEqual(scrolled)
      expect(to * 32).toBeGreaterThanOrEqual(scrolled + 288)
      expect(to - from).toBeLessThanOrEqual(40)
    }
    // A shorter list keeps its scroll position.
    expect(rowsInView(20_000, { ...list, count: 3 })).toEqual({ from: 0, to: 3 })
  })
})

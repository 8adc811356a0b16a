import { describe, expect, it } from 'vitest'
import { CheckFailed } from './errors.ts'
import { coinOfItem } from './trade.ts'

const txid = 'ab'.repeat(32)
const item = {
  locationTxid: txid,
  locationVout: 3,
  locationSatpoint: `${txid}:3:77`,
  locationValueSats: 10_000,
}

describe('coinOfItem', () => {
  it("parses the item's location", () => {
    expect(coinOfItem(item)).toEqual({ txid, vout: 3, valueSats: 10_000, offset: 77 })
    const { locationValueSats: _, ...without } = item
    expect(coinOfItem(without, 546).valueSats).toBe(546)
  })

  it.each([
    { locationTxid: null },
    { locationVout: null },
    { locationSatpoint: null },
    { locationValueSats: undefined },
  ])('throws for the incomplete item %j', (gap) => {
    const { locationValueSats, ...rest } = { ...item, ...gap }
    const known = locationValueSats === undefined ? rest : { ...rest, locationValueSats }
    expect(() => coinOfItem(known)).toThrow(CheckFailed)
  })
})

import { scriptOfPublicKey } from '@ordbook/bitcoin/address.ts'
import { publicKeyOf, sha256 } from '@ordbook/bitcoin/keys.ts'
import { expect, it } from 'vitest'
import type { Agreement, TradedItem } from './agreement.ts'
import type { Flow } from './flows.ts'
import { afterText, type BilledFees, purposeText, review } from './texts.ts'

const script = scriptOfPublicKey(publicKeyOf(sha256(new Uint8Array(1))), 'p2tr')
const item = { inscriptionId: 'it', name: 'Lamp #1' } as TradedItem
const flow = (purpose: Flow['purpose'], sats: number): Flow => ({
  purpose,
  to: 'market',
  sats,
  script,
  inscriptionIds: ['it'],
  outputs: 1,
})
const NO_FEES: BilledFees = {
  buyerFeeSats: 0,
  sellerFeeSats: 0,
  buyerRoyaltySats: 0,
  sellerRoyaltySats: 0,
  royaltyBps: null,
  feeRateSatVb: null,
  cpfpSats: 0,
}
const BUY: Agreement = { kind: 'buy', bought: [{ item, priceSats: 90_000 }] }
const SELL: Agreement = { kind: 'sell', item, priceSats: 90_000 }

it.each<[string, Agreement, Flow[], Partial<BilledFees>, string]>([
  ['only the transfer', BUY, [flow('fees', 330)], {}, 'Seller transfer'],
  [
    'both fees',
    BUY,
    [flow('fees', 2130)],
    { buyerFeeSats: 900 },
    'Buyer fee, seller fee and seller transfer',
  ],
  ['the buyer fee', BUY, [flow('fees', 1230)], { buyerFeeSats: 900 }, 'Buyer fee and seller transfer'],
  ['a sale', SELL, [flow('fees', 900)], { sellerFeeSats: 900 }, 'Seller fee'],
  ['a payout without deductions', BUY, [flow('payout', 1), flow('fees', 330)], {}, 'Price and postage'],
  [
    'a payout with deductions',
    BUY,
    [flow('payout', 1), flow('fees', 1230), flow('royalty', 500)],
    { buyerRoyaltySats: 100 },
    'Price and postage, less seller fee and royalty',
  ],
  [
    'a royalty that only the buyer pays',
    BUY,
    [flow('payout', 1), flow('fees', 330), flow('royalty', 500)],
    { buyerRoyaltySats: 500 },
    'Price and postage',
  ],
])('names the parts of an amount: %s', (_, agreement, flows, fees, expected) => {
  const nameOf = () => item.name
  expect(
    purposeText(agreement, flows[0]!, { market: 'ordbook', nameOf, fees: { ...NO_FEES, ...fees }, flows }),
  ).toBe(expected)
})

it.each([
  [[], ''],
  [[{ kind: 'marketplaceFee', sats: -900 }], ', after fees'],
  [[{ kind: 'creatorRoyalty', sats: -900 }], ', after royalty'],
  [
    [
      { kind: 'marketplaceFee', sats: -900 },
      { kind: 'creatorRoyalty', sats: -500 },
    ],
    ', after fees and royalty',
  ],
])('names only what is deducted: %j', (bill, expected) => {
  expect(afterText([{ kind: 'price', sats: 90_000 }, ...bill])).toBe(expected)
})

it('says how many outputs a row has', () => {
  expect([1, 4].map((outputs) => review.outputsOf(outputs, 'payout'))).toEqual(['', '4 outputs'])
  expect([0, 1].map((outputs) => review.outputsOf(outputs, 'returned'))).toEqual(['in the same outputs', ''])
  expect(review.outputsOf(0, 'network')).toBe('')
})

it.each([
  [{ completes: true, hasFee: false, pays: false }, 'the other side pays the fees'],
  [{ completes: false, hasFee: true, pays: true }, 'all fees included'],
  [{ completes: false, hasFee: false, pays: true }, 'network fee included, no trade fee'],
  [{ completes: false, hasFee: true, pays: false }, 'after all fees'],
  [{ completes: false, hasFee: false, pays: false }, 'after the network fee, no trade fee'],
])('names the fees of one side of a trade: %j', (side, expected) => {
  expect(review.tradeFees(side)).toBe(expected)
})

it('uses the plural of the contents', () => {
  expect(review.know.leaves(['Beast #902'])).toBe('I know that Beast #902 leaves with the item.')
  expect(review.know.arrives(['Beast #902', '1,250 SPARK'])).toBe(
    'I know that Beast #902 and 1,250 SPARK arrive in the same coin.',
  )
})

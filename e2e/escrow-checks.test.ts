import { randomBytes } from 'node:crypto'
import { base64OfBytes, bytesOfBase64 } from '@ordbook/bitcoin/bytes.ts'
import { moveEscrows, type OwnEscrow, type RelistAgreement, reclaim, relist } from '@ordbook/sdk/index.ts'
import type { Answer } from '@ordbook/sdk/operations.ts'
import { RawPSBTV0 } from '@scure/btc-signer/psbt.js'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { cheated, refusesUnsigned } from './support/cheated.ts'
import { escrowsOf, isHome, strand } from './support/escrows.ts'
import { keyHolder, listAll, startMarket, type TestMarket, type TestTrader, until } from './support/market.ts'
import { coinsOf } from './support/offers.ts'

/** Relist, move and reclaim through the SDK, which rebuilds what they ask to sign; and lies about each, which it refuses unsigned. */
let market: TestMarket
let owner: TestTrader
let ids: string[]
beforeAll(async () => {
  market = await startMarket()
  owner = (await keyHolder(market)).trader
  const made = await market.collection(owner.wallet, 3)
  ids = made.ids
  await listAll(market, owner, made.slug, ids, 50_000)
  const attacker = await keyHolder(market)
  await strand(market, attacker.trader, attacker.keys.payment, made.slug, ids)
  await market.mine()
  await until('the escrows', async () => {
    const found = await escrowsOf(owner)
    return found.length === 3 && found.every((each) => each.state === 'resting')
  })
})
afterAll(() => market?.stop())

async function escrowOf(id: string): Promise<OwnEscrow> {
  const row = (await escrowsOf(owner)).find((each) => each.inscriptionIds.includes(id))!
  const { txid, vout, valueSats, escrowForm } = row
  return { txid, vout, valueSats, escrowForm, offset: 0 }
}

type Psbt = ReturnType<typeof RawPSBTV0.decode>
const altered =
  <A extends { steps: { psbtBase64: string }[] }>(change: (psbt: Psbt) => void) =>
  (answer: A): A => {
    const psbt = RawPSBTV0.decode(bytesOfBase64(answer.steps[0]!.psbtBase64)!)
    change(psbt)
    answer.steps[0]!.psbtBase64 = base64OfBytes(RawPSBTV0.encode(psbt))
    return answer
  }
const away = Uint8Array.of(0x51, 0x20, ...randomBytes(32))

it('a listing from escrow is the leg that was agreed', async () => {
  const agreement: RelistAgreement = {
    inscriptionId: ids[0]!,
    priceSats: 80_000,
    escrow: await escrowOf(ids[0]!),
    maxFeeBps: 100,
  }
  const lies: [RegExp, (answer: Answer<'preflightRelist'>) => unknown][] = [
    [
      /pays .* agreed were at least/,
      altered(({ global }) => (global.unsignedTx!.outputs[0]!.amount -= 900n)),
    ],
    [
      /not the one that was agreed/,
      altered(({ global }) => (global.unsignedTx!.outputs[0]!.script = away as never)),
    ],
    [
      /another generation than announced/,
      altered(({ global }) => (global.unsignedTx!.inputs[0]!.sequence = 0xfffffffd)),
    ],
    [/sighash/, altered(({ inputs }) => (inputs[0]!.sighashType = 130))],
    [
      /another generation than announced/,
      (answer) => {
        answer.items[0]!.generation = 0
        return answer
      },
    ],
    [
      /another inscription/,
      (answer) => {
        answer.items[0]!.inscriptionId = ids[1]!
        return answer
      },
    ],
    [/another number/, (answer) => ({ ...answer, steps: [...answer.steps, answer.steps[0]!] })],
  ]
  for (const [reason, lie] of lies)
    await refusesUnsigned(
      cheated(owner, 'preflightRelist', lie),
      (one) => relist(one, [{ ...agreement, lastGeneration: 0 }]),
      reason,
    )
  await refusesUnsigned(
    cheated(owner, 'preflightRelist', (answer) => answer),
    (one) => relist(one, [{ ...agreement, lastGeneration: 1_000_000 }]),
    /generation of one that was signed before/,
  )
  const { listings } = await relist(owner, [agreement], 30)
  expect(listings[0]!.inscriptionId).toBe(ids[0])
  const { listings: book } = await owner.client.call('listListings', { query: { inscriptionId: ids[0]! } })
  expect(book[0]).toMatchObject({ priceSats: 80_000, listingId: listings[0]!.listingId })
})

it('a reclaim brings each inscription home and spends coins of the market alone', async () => {
  const escrows = [await escrowOf(ids[1]!)]
  const lies: [RegExp, (answer: Answer<'preflightReclaim'>) => unknown][] = [
    [
      /not the one that was agreed/,
      altered(({ global }) => (global.unsignedTx!.outputs[0]!.script = away as never)),
    ],
    [/not the one that was agreed/, altered(({ global }) => (global.unsignedTx!.outputs[0]!.amount -= 1n))],
    [
      /not a coin of the market|internal key of input 1/,
      altered(({ inputs }) => (inputs[1]!.witnessUtxo!.script = away as never)),
    ],
    [/misstates the transaction/, (answer) => ({ ...answer, feeSats: answer.feeSats + 1 })],
  ]
  for (const [reason, lie] of lies)
    await refusesUnsigned(cheated(owner, 'preflightReclaim', lie), (one) => reclaim(one, escrows), reason)
  await reclaim(owner, escrows)
  await market.mine()
  expect(await isHome(market, ids[1]!, owner)).toBe(true)
})

it('a move makes escrows of the owner and costs what was agreed', async () => {
  const escrows = [await escrowOf(ids[2]!)]
  const agreement = { escrows, coins: await coinsOf(market, owner), maxNetworkSats: 20_000 }
  const lies: [RegExp, (answer: Answer<'preflightMove'>) => unknown][] = [
    [
      /not the one that was agreed/,
      altered(({ global }) => (global.unsignedTx!.outputs[0]!.script = away as never)),
    ],
    [
      /not the one that was agreed/,
      altered(({ global }) => (global.unsignedTx!.outputs[1]!.amount -= 30_000n)),
    ],
    [/misstates the transaction or its cost/, (answer) => ({ ...answer, costSats: answer.costSats - 1 })],
    [/not the one|misstates/, (answer) => ({ ...answer, feeRateSatVb: answer.feeRateSatVb + 500 })],
  ]
  for (const [reason, lie] of lies)
    await refusesUnsigned(cheated(owner, 'preflightMove', lie), (one) => moveEscrows(one, agreement), reason)
  await refusesUnsigned(
    cheated(owner, 'preflightMove', (answer) => answer),
    (one) => moveEscrows(one, { ...agreement, maxNetworkSats: 10 }),
    /agreed were at most 10/,
  )
  const moved = await moveEscrows(owner, agreement)
  expect(moved.costSats).toBeGreaterThan(0)
  await market.mine()
  expect(await escrowOf(ids[2]!)).toMatchObject(moved.escrows[0]!)
})

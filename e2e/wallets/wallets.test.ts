import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { SIGHASH } from '@ordbook/bitcoin/sighash.ts'
import {
  buildReclaim,
  buildSaleLeg,
  escrowCoinOf,
  type ListingTerms,
} from '@ordbook/bitcoin/trade/listing.ts'
import { exitEscrow } from '@ordbook/sdk/exit-escrow.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  completed,
  cosignKey,
  type Kit,
  LEG,
  ownerOf,
  settlementOf,
  signedBy,
  startKit,
  transferOf,
} from '../escrows/support/escrow-kit.ts'
import { startNode } from '../support/node.ts'
import { ABLE_ENGINES } from './engines.ts'

let kit: Kit
const buyer = ownerOf('buyer')
beforeAll(async () => {
  const node = await startNode('bitcoind')
  await node.restart('SIGTERM', ['-disablewallet=0'])
  kit = await startKit(node)
})
afterAll(() => kit?.node.stop())

it.each(ABLE_ENGINES)('$name trades with escrow', async ({ make }) => {
  const owner = await make(kit.node)
  const [sold, reclaimed, left] = await kit.terms(owner, ['wallet', 'wallet', 'wallet'])
  const legOf = async (terms: ListingTerms) => (await signedBy(owner, buildSaleLeg(terms), LEG)).get(0)!

  const first = await legOf(sold!)
  for (const terms of [sold!, reclaimed!, left!]) await kit.send(await transferOf(owner, terms))
  await kit.regtest.mine()

  const repriced: ListingTerms = { ...sold!, generation: 1, payoutSats: sold!.payoutSats + 5000 }
  const leg = await legOf(repriced)
  const [stale, settlement] = [
    await settlementOf(kit, buyer, [{ terms: repriced, leg: first, confirmed: true }]),
    await settlementOf(kit, buyer, [{ terms: repriced, leg, confirmed: true }]),
  ]
  expect(await kit.says(stale)).toMatch(/Schnorr signature/)
  await kit.send(settlement)

  const layout = buildReclaim([reclaimed!], await kit.anchors(1))
  await kit.send(completed(layout, await signedBy(owner, layout, { indexes: [0], sighash: SIGHASH.ALL })))

  const { txid, vout, valueSats } = escrowCoinOf(left!)
  const { tx } = await exitEscrow(owner.wallet, {
    escrows: [{ txid, vout, valueSats, form: 'wallet', cosignKey: bytesToHex(cosignKey) }],
    coins: await kit.coins(owner.wallet.paymentScript, [20_000]),
    feeRateSatVb: 3,
  })
  await kit.send(tx)
  await kit.regtest.mine()
  for (const terms of [sold!, reclaimed!, left!]) expect(await kit.isUnspent(escrowCoinOf(terms))).toBe(false)
})

import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { signSchnorr } from '@ordbook/bitcoin/keys.ts'
import { SIGHASH } from '@ordbook/bitcoin/sighash.ts'
import { bidOutputOf, buildFill } from '@ordbook/bitcoin/trade/collection-offer.ts'
import { criteriaText, eligibleRoot, proofOf } from '@ordbook/bitcoin/trade/criteria.ts'
import type { FillRequest } from '@ordbook/bitcoin/trade/fill-check.ts'
import { sighashOf } from '@ordbook/bitcoin/trade/layout.ts'
import { decodeTransaction, hexOfTransaction } from '@ordbook/bitcoin/transaction.ts'
import { unavailable } from '@ordbook/db/process/errors.ts'
import { openGuardian } from '@ordbook/market/keys/open-guardian.ts'
import { bid, cancelBid, exitBid, fill, prepareBid, prepareFill } from '@ordbook/sdk/index.ts'
import type { Guardian } from '@ordbook/signer/guardian/guardian.ts'
import type { Release } from '@ordbook/signer/requests.ts'
import { readSecret } from '@ordbook/signer/secret.ts'
import { socketLink } from '@ordbook/signer-host/socket-link.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { keyHolder, setUpMarket, type TestTrader, testConfig, until } from '../support/market.ts'
import { coinsOf, selling } from '../support/offers.ts'

/** The guardian holds the second key for collection offers, in a separate process that uses only a node. */
const ALL = { kind: 'all' } as const
const directory = mkdtempSync(join(tmpdir(), 'ordbook-guardian-'))
const socket = join(directory, 'guardian.sock')
const secretFile = join(directory, 'shared.secret')
let child: ChildProcess
const market = setUpMarket()
let seller: TestTrader
let maker: TestTrader
let guardian: Guardian
let slug: string
let ids: string[]

async function startGuardian(): Promise<void> {
  child = spawn(process.execPath, [join(import.meta.dirname, '../../signer-host/src/guardian/main.ts')], {
    env: {
      ...process.env,
      DATA_DIR: directory,
      GUARDIAN_SOCKET: socket,
      GUARDIAN_SECRET_FILE: secretFile,
      BITCOIN_RPC_URL: market.node.url,
      LOG_LEVEL: 'silent',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  guardian = await until('the guardian', async () => {
    if (!existsSync(socket)) return null
    const link = socketLink(socket, readSecret(secretFile))
    return openGuardian(testConfig(), async () => false, { link, known: null, seen: null }).catch(() => null)
  })
}

beforeAll(async () => {
  await startGuardian()
  market.server.context.guardian = guardian
  seller = await market.trader()
  maker = await market.trader('p2wpkh', 40_000_000)
  ;({ slug, ids } = await market.collection(seller.wallet, 8))
})
afterAll(() => {
  child?.kill()
  rmSync(directory, { recursive: true, force: true })
})

const makeBid = async () =>
  (await bid(maker, slug, { target: ALL, priceSats: 40_000, coins: await coinsOf(market, maker) })).offers[0]!

/** Captures the server's request to the guardian, for reuse by a cheating server. */
async function takenFill(offerId: string, id: string): Promise<FillRequest> {
  const { context } = market.server
  let captured: FillRequest | undefined
  context.guardian = {
    ...guardian,
    async release(request) {
      captured = request
      throw unavailable('signer-unavailable', 'taken by a test')
    },
  }
  try {
    await fill(seller, slug, offerId, await selling(market, id, 40_000, 250)).catch(() => {})
    return captured!
  } finally {
    context.guardian = guardian
  }
}

it('settles a fill for a server without secrets', async () => {
  const { offerId } = await makeBid()
  const sold = await fill(seller, slug, offerId, await selling(market, ids[0]!, 40_000, 250))
  await market.mine()
  expect(await market.coinOf(ids[0]!)).toMatchObject({
    txid: sold.settlementTxid,
    script: maker.wallet.ordinalsScript,
  })
})

it('verifies every claim of the server', async () => {
  const { offerId } = await makeBid()
  const request = await takenFill(offerId, ids[1]!)
  const expectRefused = (change: (request: FillRequest) => unknown, reason: RegExp) => {
    const changed = structuredClone(request)
    change(changed)
    return expect(guardian.release(changed)).rejects.toThrow(reason)
  }
  const foreign = `${'ab'.repeat(32)}i0`
  // Another eligible set that includes the item, other criteria, or another expiry: each has a different secret.
  await expectRefused((each) => {
    each.asked.eligibleRoot = eligibleRoot([foreign])
    each.inscriptionId = foreign
    each.proof = proofOf([foreign], foreign)!
  }, /secret/)
  await expectRefused((each) => (each.asked.criteria = criteriaText('elsewhere', ALL)), /secret/)
  await expectRefused((each) => (each.asked.expiresAt += 1), /secret/)
  await expectRefused((each) => (each.terms.offer.priceSats += 1), /./)
  // The item is eligible, but in another coin according to the guardian's node.
  await expectRefused((each) => {
    each.inscriptionId = ids[2]!
    each.proof = proofOf(ids, ids[2]!)!
  }, /is not in the coin/)
  await expectRefused((each) => (each.satOffset = 1), /is not in the coin/)
  await expectRefused((each) => (each.proof = []), /is not eligible for this offer/)
  await expectRefused((each) => (each.sellerSignature = each.sellerSignature.slice(1)), /./)
  await expectRefused((each) => (each.asked.expiresAt = 1), /expired/)
  expect((await guardian.release(request)).secret).toHaveLength(32)
  await cancelBid(maker, slug, offerId)
})

it('keeps cancels across a restart', async () => {
  const { offerId } = await makeBid()
  const request = await takenFill(offerId, ids[1]!)
  await cancelBid(maker, slug, offerId)
  await expect(guardian.release(request)).rejects.toThrow(/the maker cancelled the offer/)
  child.kill()
  await new Promise((done) => child.once('exit', done))
  await expect(makeBid()).rejects.toMatchObject({ status: 503 })
  await startGuardian()
  market.server.context.guardian = guardian
  await expect(guardian.release(request)).rejects.toThrow(/the maker cancelled the offer/)
})

it('prevents market and observers from spending', async () => {
  const { offerId, fundingParentTxid } = await makeBid()
  const request = await takenFill(offerId, ids[1]!)
  const released = await guardian.release(request)
  const { signer } = market.server.context
  const [parent, settlement] = await signer.signFill({ ...request, ...released })
  const settlementTx = decodeTransaction(settlement!.hex)
  const refusal = async (change: (tx: typeof settlementTx) => void): Promise<string> => {
    const tx = structuredClone(settlementTx)
    change(tx)
    const answer = await market.regtest.call<any>('submitpackage', [parent!.hex, hexOfTransaction(tx)])
    const reasons = Object.values<any>(answer['tx-results']).map((each) => each.error)
    return [answer.package_msg, ...reasons].join('; ')
  }
  // Nodes reject the funding parent alone, because it pays no fee.
  await expect(market.regtest.call('sendrawtransaction', parent!.hex)).rejects.toThrow(
    /min relay fee not met/,
  )
  const [cosigned, guarded, secret] = settlementTx.inputs[1]!.witness as [Uint8Array, Uint8Array, Uint8Array]
  const wrong = new Uint8Array(32).fill(7)
  const refusals = {
    'without the secret': await refusal((tx) => (tx.inputs[1]!.witness[2] = wrong)),
    'without the guardian': await refusal((tx) => (tx.inputs[1]!.witness[1] = new Uint8Array())),
    'the market for the guardian': await refusal((tx) => (tx.inputs[1]!.witness[1] = cosigned)),
    'without the market': await refusal((tx) => (tx.inputs[1]!.witness[0] = guarded)),
    'a payout that is moved': await refusal((tx) => (tx.outputs[1]!.valueSats -= 1)),
    'an inscription that is moved': await refusal((tx) => (tx.outputs[0]!.script = tx.outputs[1]!.script)),
  }
  for (const [attempt, reason] of Object.entries(refusals))
    expect(reason, attempt).toMatch(/OP_EQUALVERIFY|Schnorr|script|CHECKSIG|verify/i)
  expect(secret).toHaveLength(32)
  expect(await market.regtest.call<string[]>('getrawmempool')).not.toContain(fundingParentTxid)
  console.log(JSON.stringify({ node: market.node.kind, refusals }))
  // The signer verifies the request as well.
  const lied = structuredClone({ ...request, ...released })
  lied.proof = []
  await expect(signer.signFill(lied)).rejects.toThrow(/is not eligible for this offer/)
  const unguarded: FillRequest & Release = { ...structuredClone(request), ...released }
  const { settlement: layout } = buildFill(request.terms)
  unguarded.guardianSignature = signSchnorr(sighashOf(layout, 1, SIGHASH.DEFAULT), wrong)
  await expect(signer.signFill(unguarded)).rejects.toThrow(/signature of input 1/)
  await cancelBid(maker, slug, offerId)
})

it('lets a maker withdraw from a confirmed funding parent', async () => {
  const { trader, keys } = await keyHolder(market)
  const agreement = { target: ALL, priceSats: 40_000, coins: await coinsOf(market, trader) }
  const { body, answer } = await prepareBid(trader, slug, agreement)
  await trader.client.call('submitCollectionWideOffer', { params: { slug }, body })
  const { offerId, terms, signatures } = (
    await market.sql<{ offerId: string; terms: any; signatures: any }[]>`
      select offer_id, terms, signatures from collection_offers where funding_txid = ${answer.offers[0]!.expectedFundingParentTxid}`
  )[0]!
  const { unpack } = await import('@ordbook/db/driver/pack.ts')
  const { buildFundingParent } = await import('@ordbook/bitcoin/trade/collection-offer.ts')
  const { keySigned } = await import('@ordbook/bitcoin/trade/layout.ts')
  const parent = keySigned(buildFundingParent(unpack(terms)), unpack(signatures))
  await market.regtest.mineExactly([parent])
  await market.server.sync()
  const [row] = await market.sql<{ state: string }[]>`
    select state from collection_offers where offer_id = ${offerId}`
  expect(row!.state).toBe('invalidated')
  const offered = bidOutputOf(unpack(terms))
  const { guardianKey, marketKey, secretHash } = offered
  const [coin] = await market.regtest.coinsOf(offered.script)
  const exit = exitBid({
    ordinalsPrivateKey: keys.ordinals,
    keys: { guardianKey, marketKey, secretHash },
    bid: coin!,
    feeRateSatVb: 2,
  })
  await market.regtest.call('sendrawtransaction', hexOfTransaction(exit))
  await market.mine()
  const coins = await market.regtest.coinsOf(trader.wallet.ordinalsScript)
  expect(coins.map((coin) => coin.valueSats)).toEqual([40_000 - 222])
  expect(hexToBytes(answer.offers[0]!.offerScriptHex)).toEqual(offered.script)
  await expect(
    prepareFill(seller, slug, offerId, await selling(market, ids[1]!, 40_000, 250)),
  ).rejects.toMatchObject({ status: 409 })
})

import { base64OfBytes, bytesOfBase64 } from '@ordbook/bitcoin/bytes.ts'
import { buildPayment } from '@ordbook/bitcoin/inscribe.ts'
import { signSchnorr, tweakPrivateKey } from '@ordbook/bitcoin/keys.ts'
import { SIGHASH, taprootSighash } from '@ordbook/bitcoin/sighash.ts'
import { decodeTransaction, hexOfTransaction, type Tx, type TxOutput } from '@ordbook/bitcoin/transaction.ts'
import { type ApiError, buy, delist, prepareListing, preparePurchase } from '@ordbook/sdk/index.ts'
import { Transaction } from '@scure/btc-signer'
import { beforeAll, expect, it } from 'vitest'
import {
  agreementFor,
  keyHolder,
  listAll,
  setUpMarket,
  signedPackage,
  type TestTrader,
  until,
} from '../support/market.ts'

const market = setUpMarket({ ANCHOR_POOL: '120', tuning: { anchorSpendDelaySeconds: 0 } })
let seller: TestTrader
let sellerKey: Uint8Array
let buyer: TestTrader
let observer: TestTrader
let observerKey: Uint8Array
beforeAll(async () => {
  const [first, second] = [await keyHolder(market), await keyHolder(market)]
  seller = first.trader
  sellerKey = first.keys.ordinals
  observer = second.trader
  observerKey = second.keys.payment
  buyer = await market.trader()
})

async function listed(count = 1): Promise<{ slug: string; ids: string[]; listings: Map<string, string> }> {
  const { slug, ids } = await market.collection(seller.wallet, count)
  await market.anchors(2 * count + 2)
  return { slug, ids, listings: await listAll(market, seller, slug, ids, 50_000) }
}

/** Returns the node's verdict. Several transactions are tested as a package. */
async function nodeSays(...txs: (Tx | string)[]): Promise<string> {
  const hexes = txs.map((tx) => (typeof tx === 'string' ? tx : hexOfTransaction(tx)))
  const results = await market.regtest.call<
    { allowed?: boolean; 'reject-reason'?: string; 'package-error'?: string }[]
  >('testmempoolaccept', hexes)
  const refused = results.find((result) => !result.allowed)
  return refused ? (refused['reject-reason'] ?? refused['package-error'] ?? 'not validated') : 'allowed'
}

async function serverSays(call: Promise<unknown>): Promise<string> {
  try {
    await call
    return '200'
  } catch (error) {
    const { status, message } = error as ApiError
    return `${status} ${message}`
  }
}

const printAnswers = (attack: string, answers: Record<string, string>) =>
  console.log(
    `${market.node.kind} ${attack}: ${Object.entries(answers)
      .map(([who, text]) => `${who}: ${text}`)
      .join('; ')}`,
  )

const reparse = (psbtBase64: string) =>
  Transaction.fromPSBT(bytesOfBase64(psbtBase64)!, {
    allowUnknownInputs: true,
    allowUnknownOutputs: true,
    disableScriptCheck: true,
  })
const withPsbt = <B extends { signedSteps: { psbtBase64: string }[] }>(body: B, psbtBase64: string): B => ({
  ...body,
  signedSteps: [{ ...body.signedSteps[0]!, psbtBase64 }],
})

it('rejects a copied package with another buyer', async () => {
  const { slug, ids } = await listed()
  const { signed } = await signedPackage(market, buyer, slug, ids)
  const [transfer, settlement] = signed.map((each) => decodeTransaction(each.hex))
  const index = settlement!.inputs.findIndex((input) => input.witness.length === 4)
  // Combine the seller's leg and the market's signature with the observer's payment.
  const [coin] = await market.regtest.coinsOf(observer.wallet.paymentScript)
  const payout = settlement!.outputs[index]!
  const observersCopy: Tx = {
    ...settlement!,
    inputs: [
      {
        ...settlement!.inputs[0]!,
        txid: coin!.txid,
        vout: coin!.vout,
        scriptSig: new Uint8Array(),
        witness: [],
      },
      settlement!.inputs[index]!,
    ],
    outputs: [
      { valueSats: coin!.valueSats - payout.valueSats - 5000, script: observer.wallet.paymentScript },
      payout,
      { valueSats: 10_000, script: observer.wallet.ordinalsScript },
    ],
  }
  const escrow: TxOutput = transfer!.outputs[0]!
  const hash = taprootSighash(observersCopy, 0, [coin!, escrow], SIGHASH.DEFAULT)
  observersCopy.inputs[0]!.witness = [signSchnorr(hash, tweakPrivateKey(observerKey))]
  const alone: Tx = {
    ...observersCopy,
    inputs: [observersCopy.inputs[0]!],
    outputs: [observersCopy.outputs[0]!],
  }
  alone.inputs = [{ ...alone.inputs[0]! }]
  alone.outputs = [{ ...alone.outputs[0]!, valueSats: coin!.valueSats - 1000 }]
  const aloneHash = taprootSighash(alone, 0, [coin!], SIGHASH.DEFAULT)
  alone.inputs[0]!.witness = [signSchnorr(aloneHash, tweakPrivateKey(observerKey))]
  expect(await nodeSays(alone)).toBe('allowed')
  const node = await nodeSays(transfer!, observersCopy)
  printAnswers('observer replaces the buyer', { node })
  expect(node).toMatch(/Schnorr signature/i)
  expect(await nodeSays(transfer!, settlement!)).toBe('allowed')
})

it('ends the listing of a seller who double-spends', async () => {
  const { slug, ids } = await listed(2)
  const fees = [
    await market.regtest.fund(seller.wallet.ordinalsScript, 200_000),
    await market.regtest.fund(seller.wallet.ordinalsScript, 200_000),
  ]
  await market.server.sync()
  const spendAway = async (id: string, feeRateSatVb: number) => {
    const coins = [await market.coinOf(id), fees.pop()!]
    const destination = [{ valueSats: 10_000, script: seller.wallet.paymentScript }]
    return buildPayment(coins, destination, { privateKey: sellerKey, feeRateSatVb })
  }
  const early = await preparePurchase(buyer, slug, await agreementFor(market, buyer, [ids[0]!]))
  await market.regtest.call('sendrawtransaction', hexOfTransaction(await spendAway(ids[0]!, 3)))
  const server = await serverSays(buyer.client.call('submitPurchase', { params: { slug }, body: early.body }))
  // If the server has already seen the move in the mempool, its message names only the state.
  expect(server).toMatch(/^409 Listing .* is no longer available/)

  const bought = await buy(buyer, slug, await agreementFor(market, buyer, [ids[1]!]))
  const conflict = await spendAway(ids[1]!, 60)
  const node = await nodeSays(conflict)
  // Until the sale confirms, the seller can replace it at a higher fee. The buyer then pays nothing.
  expect(node).toBe('allowed')
  await market.regtest.call('sendrawtransaction', hexOfTransaction(conflict))
  expect(await market.regtest.call<string[]>('getrawmempool')).not.toContain(bought.settlementTxid)
  await market.mine()
  const listing = await until('the purchase to end', async () => {
    const [row] = await market.sql<{ state: string; purchase: string }[]>`
      select l.state, s.state as purchase from settlements s join purchase_listings p on p.purchase_id = s.settlement_id
        join listings l using (listing_id) where s.settlement_txid = ${bought.settlementTxid}`
    return row?.purchase === 'failed' && row
  })
  expect(listing.state).toBe('invalidated')
  const coins = await market.regtest.coinsOf(buyer.wallet.paymentScript)
  expect(coins.length).toBeGreaterThan(0)
  printAnswers('seller double-spends', {
    server,
    'node, against the package': node,
    'in the end': 'the buyer pays nothing',
  })
})

it('rejects old signatures after a delisting', async () => {
  const { slug, ids, listings } = await listed()
  const { signed, body } = await signedPackage(market, buyer, slug, ids)
  await delist(seller, slug, [{ inscriptionId: ids[0]!, listingId: listings.get(ids[0]!)! }])
  const server = await serverSays(buyer.client.call('submitPurchase', { params: { slug }, body }))
  expect(server).toMatch(/^409 .*no longer available/)
  const listingId = listings.get(ids[0]!)!
  await until('the anchor to be spent', async () =>
    (await seller.client.call('getOrder', { params: { listingId } })).events.some(
      (event) => event.guarantee === 'anchor-spent',
    ),
  )
  // The event is recorded before the spend is broadcast.
  await until(
    'the anchor spend to reach the mempool',
    async () => (await nodeSays(signed[0]!.hex)) !== 'allowed',
  )
  await market.mine()
  const node = await nodeSays(signed[0]!.hex)
  expect(node).toMatch(/missing|spent/)
  printAnswers('stale signatures after delist', { server, 'node, to a market that cheats': node })
})

it('rejects altered outputs', async () => {
  const { slug, ids } = await listed()
  const { signed, body } = await signedPackage(market, buyer, slug, ids)
  const [transfer, settlement] = signed.map((each) => decodeTransaction(each.hex))
  const payout = settlement!.inputs.findIndex((input) => input.witness.length === 4)
  const altered = structuredClone(settlement!)
  altered.outputs[payout]!.valueSats -= 1000
  altered.outputs.at(-1)!.valueSats += 1000
  const node = await nodeSays(transfer!, altered)
  expect(node).toMatch(/signature|script/i)

  const psbt = reparse(body.signedSteps[0]!.psbtBase64)
  const last = psbt.outputsLength - 1
  psbt.updateOutput(last, { amount: psbt.getOutput(last).amount! - 1n }, true)
  const server = await serverSays(
    buyer.client.call('submitPurchase', {
      params: { slug },
      body: withPsbt(body, base64OfBytes(psbt.toPSBT(0))),
    }),
  )
  expect(server).toMatch(/^400 .*differs from the prepared one/)
  printAnswers('altered outputs', { node, server })
})

it('rejects signatures with another sighash', async () => {
  const { slug, ids } = await listed()
  const { body } = await signedPackage(market, observer, slug, ids)
  // Sign the observer's P2TR input so that others can change the outputs.
  const resign = (sighash: number) => {
    const psbt = reparse(body.signedSteps[0]!.psbtBase64)
    const tx = decodeTransaction(Buffer.from(psbt.unsignedTx).toString('hex'))
    const prevouts = tx.inputs.map((_, i) => {
      const { amount, script } = psbt.getInput(i).witnessUtxo!
      return { valueSats: Number(amount), script }
    })
    return { psbt, hash: taprootSighash(tx, 0, prevouts, sighash) }
  }
  const answers: Record<string, string> = {}
  for (const sighash of [SIGHASH.NONE, SIGHASH.SINGLE_ANYONECANPAY, 0x81]) {
    const { psbt, hash } = resign(sighash)
    const signature = Uint8Array.of(...signSchnorr(hash, tweakPrivateKey(observerKey)), sighash)
    psbt.updateInput(0, { tapKeySig: signature, sighashType: sighash }, true)
    const altered = withPsbt(body, base64OfBytes(psbt.toPSBT(0)))
    const server = await serverSays(
      observer.client.call('submitPurchase', { params: { slug }, body: altered }),
    )
    expect(server).toMatch(/^400 .*sighash/)
    answers[`server, to ${sighash}`] = server
  }
  printAnswers('another sighash', answers)
})

it("rejects other wallets' inputs", async () => {
  const { slug, ids } = await listed()
  const agreement = await agreementFor(market, buyer, ids)
  const [theirs] = await market.regtest.coinsOf(observer.wallet.paymentScript)
  const preflightError = await serverSays(
    buyer.client.call('preflightPurchase', {
      params: { slug },
      body: {
        walletBindingId: buyer.walletBindingId,
        paymentPublicKey: buyer.wallet.paymentPublicKey,
        listings: agreement.items.map(({ listingId, inscriptionId }) => ({ listingId, inscriptionId })),
        spendableUtxos: [{ txid: theirs!.txid, vout: theirs!.vout, valueSats: theirs!.valueSats }],
      },
    }),
  )
  expect(preflightError).toMatch(
    /^400 spendableUtxos: .*1 coin was skipped: 1 is not at the payment address\)/,
  )
  const { body } = await preparePurchase(buyer, slug, agreement)
  const psbt = reparse(body.signedSteps[0]!.psbtBase64)
  psbt.addInput(
    {
      txid: theirs!.txid,
      index: theirs!.vout,
      witnessUtxo: { amount: BigInt(theirs!.valueSats), script: theirs!.script },
    },
    true,
  )
  const submitted = await serverSays(
    buyer.client.call('submitPurchase', {
      params: { slug },
      body: withPsbt(body, base64OfBytes(psbt.toPSBT(0))),
    }),
  )
  expect(submitted).toMatch(/^400 .*differs from the prepared one/)
  printAnswers('foreign inputs', { 'server, in preflight': preflightError, 'server, in submit': submitted })
})

it('rejects inflated fees', async () => {
  const { slug, ids } = await listed()
  const { signed, body } = await signedPackage(market, buyer, slug, ids)
  const [transfer, settlement] = signed.map((each) => decodeTransaction(each.hex))
  const burnt = structuredClone(settlement!)
  burnt.outputs.at(-1)!.valueSats -= 5000
  const node = await nodeSays(transfer!, burnt)
  expect(node).toMatch(/signature|script/i)
  const [coin] = body.selectedPaymentUtxos
  const swollen = { ...coin!, valueSats: coin!.valueSats + 50_000 }
  const server = await serverSays(
    buyer.client.call('preflightPurchase', {
      params: { slug },
      body: {
        walletBindingId: body.walletBindingId,
        paymentPublicKey: body.paymentPublicKey,
        listings: body.listings,
        spendableUtxos: [swollen],
      },
    }),
  )
  expect(server).toMatch(/^400 spendableUtxos/)
  printAnswers('fee inflation', { node, server })
})

it('returns the same response to a repeated submit', async () => {
  const { slug, ids } = await listed()
  const { body } = await preparePurchase(buyer, slug, await agreementFor(market, buyer, ids))
  const submit = (trader: TestTrader, changes = {}) =>
    trader.client.call('submitPurchase', { params: { slug }, body: { ...body, ...changes } })
  const first = await submit(buyer)
  expect(await submit(buyer)).toEqual(first)
  const stranger = await serverSays(submit(observer))
  expect(stranger).toMatch(/^403/)
  const claimed = await serverSays(submit(observer, { walletBindingId: observer.walletBindingId }))
  expect(claimed).toMatch(/^40[09]/)
  await market.mine()
  expect(await submit(buyer)).toEqual(first)
  const { sales } = await buyer.client.call('listSales', { query: { collectionSlug: slug } })
  expect(sales).toHaveLength(1)
  const node = await nodeSays(
    (await market.regtest.call<string>('getrawtransaction', first.settlementTxid)) as string,
  )
  expect(node).toMatch(/already|known|missing|spent/)
  printAnswers('replayed submit', {
    'server, to the buyer': 'the same answer',
    'server, to others': claimed,
    node,
  })
})

it('rejects the handle of another purchase', async () => {
  const { slug, ids } = await listed(2)
  const one = await preparePurchase(buyer, slug, await agreementFor(market, buyer, [ids[0]!]))
  const two = await preparePurchase(buyer, slug, await agreementFor(market, buyer, [ids[1]!]))
  const observersPurchase = await preparePurchase(
    observer,
    slug,
    await agreementFor(market, observer, [ids[0]!]),
  )
  const submit = (purchaseAnchorUtxoId: string) =>
    serverSays(
      buyer.client.call('submitPurchase', { params: { slug }, body: { ...one.body, purchaseAnchorUtxoId } }),
    )
  const ownHandle = await submit(two.body.purchaseAnchorUtxoId)
  expect(ownHandle).toMatch(/^400 .*differs from the preflight/)
  const foreign = await submit(observersPurchase.body.purchaseAnchorUtxoId)
  expect(foreign).toMatch(/^409 purchaseAnchorUtxoId is unknown or has expired/)

  const { slug: other, ids: mine } = await market.collection(seller.wallet, 2)
  await market.anchors(6)
  const { body } = await prepareListing(
    seller,
    other,
    await Promise.all(
      mine.map(async (inscriptionId) => ({
        inscriptionId,
        priceSats: 50_000,
        coin: await market.coinOf(inscriptionId),
        maxFeeBps: 100,
      })),
    ),
  )
  const [first, second] = body.anchors
  const swapped = [
    { ...first!, anchorUtxoId: second!.anchorUtxoId },
    { ...second!, anchorUtxoId: first!.anchorUtxoId },
  ]
  const listing = await serverSays(
    seller.client.call('submitListing', { params: { slug: other }, body: { ...body, anchors: swapped } }),
  )
  expect(listing).toMatch(/^400 .*issued for another inscription/)
  printAnswers('swapped handles', {
    'server, own': ownHandle,
    'server, foreign': foreign,
    'server, listing': listing,
  })
  const bought = await market.sql`select 1 from settlements where state = 'intended' or state = 'broadcast'`
  expect(bought).toHaveLength(0)
})

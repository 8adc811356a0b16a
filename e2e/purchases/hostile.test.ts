import { base64OfBytes, bytesOfBase64 } from '@ordbook/bitcoin/bytes.ts'
import { Client } from '@ordbook/sdk/client.ts'
import {
  type ApiError,
  CheckFailed,
  delist,
  keysOf,
  prepareListing,
  preparePurchase,
  signIn,
  verifyPurchase,
} from '@ordbook/sdk/index.ts'
import { Transaction } from '@scure/btc-signer'
import { describe, expect, it, vi } from 'vitest'
import {
  agreementFor,
  enter,
  freshWallet,
  listAll,
  setUpMarket,
  setUpTrader,
  type TestTrader,
} from '../support/market.ts'

const market = setUpMarket()
const seller = setUpTrader(market, 'p2tr')
const buyer = setUpTrader(market)
const stranger = setUpTrader(market, 'p2sh-p2wpkh')

async function refusal(call: Promise<unknown>): Promise<{ status: number; message: string }> {
  try {
    await call
  } catch (error) {
    const { status, message } = error as ApiError
    return { status, message }
  }
  return { status: 200, message: 'was not refused' }
}

async function snapshot() {
  const rows = await market.sql`
    select 'listing' as what, listing_id::text as id, state from listings
    union all select kind, settlement_id::text, state from settlements
    union all select 'sale', sale_id::text, '' from sales order by 1, 2`
  return { rows: [...rows], mempool: await market.regtest.call('getrawmempool') }
}

const reparse = (psbtBase64: string) =>
  Transaction.fromPSBT(bytesOfBase64(psbtBase64)!, {
    allowUnknownInputs: true,
    allowUnknownOutputs: true,
    disableScriptCheck: true,
  })
const toBase64 = (psbt: Transaction) => base64OfBytes(psbt.toPSBT(0))

describe('sign-in', () => {
  it('rejects wrong, foreign, replayed and expired signatures', async () => {
    const client = new Client(market.base)
    const { wallet } = buyer
    const start = () =>
      client.call('createAuthChallenge', {
        body: { ordinalsAddress: wallet.ordinalsAddress, paymentAddress: wallet.paymentAddress },
      })
    const { authRequestId, challenges } = await start()
    const answer = async (sign: (message: string, address: string) => Promise<string>) => ({
      authRequestId,
      verifications: await Promise.all(
        challenges.map(async ({ challengeId, address, message }) => ({
          challengeId,
          address,
          signature: await sign(message, address),
        })),
      ),
    })
    const verify = (body: Awaited<ReturnType<typeof answer>>) => client.call('verifyAuthChallenge', { body })
    const right = (message: string, address: string) => wallet.signMessage(address, message)

    expect(
      await refusal(verify(await answer((message, address) => right(`${message} `, address)))),
    ).toMatchObject({ status: 401 })
    const foreign = freshWallet()
    expect(
      await refusal(verify(await answer((message) => foreign.signMessage(foreign.ordinalsAddress, message)))),
    ).toMatchObject({ status: 401 })
    expect(await refusal(verify(await answer(async () => 'abcd')))).toMatchObject({ status: 401 })
    expect(await refusal(verify(await answer(async () => 'zz!')))).toMatchObject({ status: 400 })
    const whole = await answer(right)
    expect(await refusal(verify({ ...whole, verifications: whole.verifications.slice(0, 1) }))).toMatchObject(
      { status: 400 },
    )
    expect(await refusal(verify({ ...whole, authRequestId: crypto.randomUUID() }))).toMatchObject({
      status: 404,
    })
    const other = await start()
    expect(await refusal(verify({ ...whole, authRequestId: other.authRequestId }))).toMatchObject({
      status: 404,
    })
    const swapped = whole.verifications.map((verification, i, all) => ({
      ...verification,
      address: all[1 - i]!.address,
    }))
    expect(await refusal(verify({ ...whole, verifications: swapped }))).toMatchObject({ status: 400 })
    await market.sql`update auth_requests set expires_at = now() - interval '1 second' where auth_request_id = ${other.authRequestId}`
    expect(
      await refusal(
        verify({
          authRequestId: other.authRequestId,
          verifications: await Promise.all(
            other.challenges.map(async ({ challengeId, address, message }) => ({
              challengeId,
              address,
              signature: await right(message, address),
            })),
          ),
        }),
      ),
    ).toMatchObject({ status: 410 })
    // One of two concurrent requests succeeds and uses up the challenge.
    const both = await Promise.all([refusal(verify(whole)), refusal(verify(whole))])
    expect(both.map((each) => each.status).toSorted()).toEqual([200, 409])
    expect(await refusal(verify(whole))).toMatchObject({ status: 409 })
  })

  it('accepts base64 signatures', async () => {
    const poor = freshWallet()
    const client = new Client(market.base)
    expect(await refusal(signIn(client, poor, new URL(market.base).host))).toMatchObject({ status: 403 })
    const rich = freshWallet()
    await market.regtest.fund(rich.paymentScript, 100_000)
    const signs = {
      ...rich,
      signPsbt: rich.signPsbt.bind(rich),
      signMessage: async (address: string, message: string) =>
        Buffer.from(await rich.signMessage(address, message), 'hex').toString('base64'),
    }
    await signIn(client, signs, new URL(market.base).host)
    expect((await client.call('getMe')).walletBindings).toHaveLength(1)
    // Only clients that sign for both addresses may learn that they belong together.
    const other = freshWallet()
    const half = {
      ...rich,
      paymentAddress: other.paymentAddress,
      signPsbt: rich.signPsbt.bind(rich),
      signMessage: (address: string, message: string) =>
        (address === rich.ordinalsAddress ? rich : other).signMessage(address, message),
    }
    expect(await refusal(signIn(new Client(market.base), half, new URL(market.base).host))).toMatchObject({
      status: 403,
    })
    expect((await enter(market.base, rich)).walletBindingId).toBe(
      (await client.call('getMe')).walletBindings[0]!.walletBindingId,
    )
  })

  it('rejects invalid tokens', async () => {
    const client = new Client(market.base)
    expect(await refusal(client.call('getMe'))).toEqual({
      status: 401,
      message: 'A bearer session token is required.',
    })
    client.token = 'nonsense'
    expect(await refusal(client.call('getMe'))).toEqual({
      status: 401,
      message: 'The bearer session token is invalid or has expired.',
    })
    const { node } = market.server.context
    const scan = node.unspentOf.bind(node)
    node.unspentOf = () => Promise.reject(new Error('no answer'))
    const wallet = freshWallet()
    expect(await refusal(signIn(client, wallet, new URL(market.base).host))).toEqual({
      status: 503,
      message: 'Failed to check the funds of this wallet. Retry later.',
    })
    node.unspentOf = scan
  })
})

describe('listing', () => {
  it('rejects mutated, replayed and foreign listings', async () => {
    const { slug, ids } = await market.collection(seller.wallet, 3)
    const agreements = []
    for (const inscriptionId of ids.slice(0, 2))
      agreements.push({
        inscriptionId,
        priceSats: 40_000,
        coin: await market.coinOf(inscriptionId),
        maxFeeBps: 100,
      })
    const { body } = await prepareListing(seller, slug, agreements)
    const before = await snapshot()
    const submit = (changed: Partial<typeof body>, as = seller) =>
      refusal(as.client.call('submitListing', { params: { slug }, body: { ...body, ...changed } }))
    const withStep = (item: number, index: number, change: (psbtBase64: string) => string) => ({
      signed: body.signed.map((each, i) => ({
        ...each,
        psbts: each.psbts.map((step) =>
          i === item && step.stepIndex === index ? { ...step, psbtBase64: change(step.psbtBase64) } : step,
        ),
      })),
    })
    const tamper = (change: (psbt: Transaction) => void) => (psbtBase64: string) => {
      const psbt = reparse(psbtBase64)
      change(psbt)
      return toBase64(psbt)
    }
    const flip = (signature: Uint8Array) => signature.map((byte, i) => (i === 10 ? byte ^ 1 : byte))

    expect(await submit({ items: body.items.map((item) => ({ ...item, priceSats: 41_000 })) })).toMatchObject(
      { status: 400 },
    )
    expect(await submit({ ordinalsPublicKey: stranger.wallet.ordinalsPublicKey })).toMatchObject({
      status: 400,
    })
    const [one, two] = body.anchors
    expect(
      await submit({
        anchors: [
          { ...one!, anchorUtxoId: two!.anchorUtxoId },
          { ...two!, anchorUtxoId: one!.anchorUtxoId },
        ],
      }),
    ).toMatchObject({ status: 400 })
    expect(await submit({ anchors: [one!, { ...two!, anchorUtxoId: one!.anchorUtxoId }] })).toMatchObject({
      status: 400,
    })
    expect(await submit({ anchors: [one!, { ...two!, anchorUtxoId: crypto.randomUUID() }] })).toMatchObject({
      status: 409,
    })
    expect(await submit({ walletBindingId: stranger.walletBindingId })).toMatchObject({ status: 403 })
    expect(await submit({}, stranger)).toMatchObject({ status: 403 })
    expect(
      await submit(
        withStep(
          0,
          0,
          tamper((psbt) => psbt.updateInput(0, { tapKeySig: flip(psbt.getInput(0).tapKeySig!) }, true)),
        ),
      ),
    ).toMatchObject({ status: 400, message: expect.stringContaining('not valid') })
    const unsigned = tamper((psbt) =>
      psbt.updateInput(0, { tapKeySig: undefined, tapScriptSig: undefined }, true),
    )
    expect(await submit(withStep(0, 0, unsigned))).toMatchObject({
      status: 400,
      message: expect.stringContaining('not signed'),
    })
    expect(await submit(withStep(1, 1, unsigned))).toMatchObject({
      status: 400,
      message: expect.stringContaining('not signed'),
    })
    const other = body.signed[1]!.psbts.find((step) => step.stepIndex === 1)!.psbtBase64
    expect(await submit(withStep(0, 1, () => other))).toMatchObject({
      status: 400,
      message: expect.stringContaining('differs from the'),
    })
    expect(
      await submit({ signedRecoveryPsbt: { ...body.signedRecoveryPsbt, psbtBase64: other } }),
    ).toMatchObject({ status: 400 })
    expect(await submit(withStep(0, 0, () => 'AAAA'))).toMatchObject({ status: 400 })
    const repaid = tamper((psbt) => psbt.updateOutput(0, { amount: 1_000_000n }, true))
    expect(await submit(withStep(0, 1, repaid))).toMatchObject({
      status: 400,
      message: expect.stringContaining('differs from the'),
    })
    expect(await snapshot()).toEqual(before)

    const first = await seller.client.call('submitListing', { params: { slug }, body })
    expect(await seller.client.call('submitListing', { params: { slug }, body })).toEqual(first)
    const preflight = (items: { inscriptionId: string; priceSats: number }[], as = seller) =>
      refusal(
        as.client.call('preflightListing', {
          params: { slug },
          body: {
            walletBindingId: as.walletBindingId,
            ordinalsPublicKey: as.wallet.ordinalsPublicKey,
            items,
          },
        }),
      )
    const item = { inscriptionId: ids[2]!, priceSats: 40_000 }
    expect(await preflight([item], stranger)).toMatchObject({ status: 403 })
    expect(await preflight([{ ...item, priceSats: 999 }])).toMatchObject({ status: 400 })
    expect(await preflight([item, item])).toMatchObject({ status: 400 })
    expect(await preflight([{ ...item, inscriptionId: `${'0'.repeat(64)}i0` }])).toMatchObject({
      status: 400,
    })
  })

  it('rejects a sighash that was not requested', async () => {
    const { slug, ids } = await market.collection(seller.wallet, 1)
    const coin = await market.coinOf(ids[0]!)
    const { body } = await prepareListing(seller, slug, [
      { inscriptionId: ids[0]!, priceSats: 40_000, coin, maxFeeBps: 100 },
    ])
    const request = {
      walletBindingId: body.walletBindingId,
      ordinalsPublicKey: body.ordinalsPublicKey,
      items: body.items,
    }
    const fresh = await seller.client.call('preflightListing', { params: { slug }, body: request })
    const steps = []
    for (const step of fresh.listings[0]!.psbts) {
      const psbt = reparse(step.psbtBase64)
      psbt.updateInput(0, { sighashType: 1 }, true)
      const wrong = step.stepIndex === 0 ? 1 : 131
      if (step.stepIndex === 1) psbt.updateInput(0, { sighashType: 131 }, true)
      steps.push({
        ...step,
        psbtBase64: await seller.wallet.signPsbt(toBase64(psbt), [
          { ...step.inputsToSign[0]!, sigHash: wrong },
        ]),
      })
    }
    const { recoveryPsbt } = fresh
    const signedRecoveryPsbt = {
      ...recoveryPsbt,
      psbtBase64: await seller.wallet.signPsbt(recoveryPsbt.psbtBase64, recoveryPsbt.inputsToSign),
    }
    const anchors = [{ inscriptionId: ids[0]!, anchorUtxoId: fresh.listings[0]!.anchorUtxoId }]
    const signed = [{ inscriptionId: ids[0]!, psbts: steps }]
    expect(
      await refusal(
        seller.client.call('submitListing', {
          params: { slug },
          body: { ...request, anchors, signed, signedRecoveryPsbt },
        }),
      ),
    ).toMatchObject({ status: 400, message: expect.stringContaining('sighash') })
    // The second preflight has replaced the handle in this body.
    expect(await refusal(seller.client.call('submitListing', { params: { slug }, body }))).toMatchObject({
      status: 409,
    })
  })
})

describe('purchase', () => {
  it('rejects mutated, replayed and expired purchases', async () => {
    const { slug, ids } = await market.collection(seller.wallet, 2)
    await listAll(market, seller, slug, ids, 60_000)
    const agreement = await agreementFor(market, buyer, [ids[0]!])
    const { body } = await preparePurchase(buyer, slug, agreement)
    const before = await snapshot()
    const submit = (changed: Partial<typeof body>, as = buyer) =>
      refusal(as.client.call('submitPurchase', { params: { slug }, body: { ...body, ...changed } }))
    const withPsbt = (change: (psbt: Transaction) => void) => {
      const psbt = reparse(body.signedSteps[0]!.psbtBase64)
      change(psbt)
      return { signedSteps: [{ ...body.signedSteps[0]!, psbtBase64: toBase64(psbt) }] }
    }

    expect(await submit({ walletBindingId: stranger.walletBindingId })).toMatchObject({ status: 403 })
    const echo = (as: TestTrader) => ({
      walletBindingId: as.walletBindingId,
      paymentPublicKey: as.wallet.paymentPublicKey,
    })
    expect(await submit(echo(stranger), stranger)).toMatchObject({ status: 409 })
    expect(await submit({ purchaseAnchorUtxoId: crypto.randomUUID() })).toMatchObject({ status: 409 })
    expect(await submit({ spendableUtxos: body.spendableUtxos!.slice(1) })).toMatchObject({ status: 400 })
    expect(await submit({ roundUpDonation: true })).toMatchObject({ status: 409 })
    expect(await submit({ paymentPublicKey: seller.wallet.paymentPublicKey })).toMatchObject({ status: 400 })
    const [coin] = body.selectedPaymentUtxos
    expect(
      await submit({ selectedPaymentUtxos: [{ ...coin!, valueSats: coin!.valueSats - 1 }] }),
    ).toMatchObject({ status: 400 })
    const second = (await agreementFor(market, buyer, [ids[1]!])).items[0]!
    expect(
      await submit({ listings: [{ listingId: second.listingId, inscriptionId: second.inscriptionId }] }),
    ).toMatchObject({ status: 400 })
    expect(await submit({ listings: [{ ...body.listings[0]!, inscriptionId: ids[1]! }] })).toMatchObject({
      status: 400,
    })
    expect(
      await submit(withPsbt((psbt) => psbt.updateInput(0, { partialSig: undefined }, true))),
    ).toMatchObject({ status: 400, message: expect.stringContaining('not signed') })
    for (let i = 0; i < reparse(body.signedSteps[0]!.psbtBase64).outputsLength; i++)
      expect(
        await submit(
          withPsbt((psbt) => psbt.updateOutput(i, { amount: psbt.getOutput(i).amount! + 1n }, true)),
        ),
      ).toMatchObject({ status: 400, message: expect.stringContaining('differs from the') })
    const flipped = withPsbt((psbt) => {
      const [[key, signature]] = psbt.getInput(0).partialSig! as [[Uint8Array, Uint8Array]]
      psbt.updateInput(0, { partialSig: undefined }, true)
      psbt.updateInput(
        0,
        { partialSig: [[key, signature.map((byte, at) => (at === 20 ? byte ^ 1 : byte))]] },
        true,
      )
    })
    expect(await submit(flipped)).toMatchObject({
      status: 400,
      message: expect.stringContaining('not valid'),
    })
    expect(await snapshot()).toEqual(before)

    const first = await buyer.client.call('submitPurchase', { params: { slug }, body })
    expect(await buyer.client.call('submitPurchase', { params: { slug }, body })).toEqual(first)
    expect(await refusal(preparePurchase(buyer, slug, agreement))).toMatchObject({ status: 409 })
    await market.mine()
    expect(await buyer.client.call('submitPurchase', { params: { slug }, body })).toEqual(first)
  })

  it('rejects purchases of ended listings', async () => {
    const { slug, ids } = await market.collection(seller.wallet, 4)
    const listed = await listAll(market, seller, slug, ids, 60_000)
    const prepare = async (id: string) =>
      (await preparePurchase(buyer, slug, await agreementFor(market, buyer, [id]))).body
    const submit = (body: Awaited<ReturnType<typeof prepare>>) =>
      refusal(buyer.client.call('submitPurchase', { params: { slug }, body }))

    const delisted = await prepare(ids[0]!)
    const taken = [{ inscriptionId: ids[0]!, listingId: listed.get(ids[0]!)! }]
    expect(await refusal(delist(stranger, slug, taken))).toMatchObject({ status: 403 })
    await delist(seller, slug, taken)
    expect(await delist(seller, slug, taken)).toEqual({ listings: taken })
    expect(await submit(delisted)).toMatchObject({ status: 409 })

    const expired = await prepare(ids[1]!)
    await market.sql`update listings set expires_at = now() where listing_id = ${listed.get(ids[1]!)!}`
    expect(await submit(expired)).toMatchObject({ status: 409 })

    const late = await prepare(ids[2]!)
    await market.sql`update preflights set expires_at = now() where handle = ${late.purchaseAnchorUtxoId}`
    expect(await submit(late)).toMatchObject({ status: 409 })

    // Move the inscription outside the market. An unconfirmed transaction is enough.
    const movedItem = await prepare(ids[3]!)
    const coin = await market.coinOf(ids[3]!)
    const move = new Transaction()
    const [payment] = await market.regtest.coinsOf(seller.wallet.paymentScript)
    for (const each of [coin, payment!])
      move.addInput({
        txid: each.txid,
        index: each.vout,
        witnessUtxo: { amount: BigInt(each.valueSats), script: each.script },
        tapInternalKey: Buffer.from(
          each === coin ? seller.wallet.ordinalsPublicKey : seller.wallet.paymentPublicKey,
          'hex',
        ).subarray(1),
      })
    move.addOutput({ amount: BigInt(coin.valueSats), script: stranger.wallet.ordinalsScript })
    move.addOutput({ amount: BigInt(payment!.valueSats) - 2000n, script: seller.wallet.paymentScript })
    let psbt = await seller.wallet.signPsbt(toBase64(move), [
      { address: seller.wallet.ordinalsAddress, signingIndexes: [0] },
    ])
    psbt = await seller.wallet.signPsbt(psbt, [
      { address: seller.wallet.paymentAddress, signingIndexes: [1] },
    ])
    const final = reparse(psbt)
    final.finalize()
    await market.regtest.call('sendrawtransaction', final.hex)
    expect(await submit(movedItem)).toMatchObject({ status: 409 })
    await market.mine()
    const { listings } = await buyer.client.call('listListings', { query: { inscriptionId: ids[3]! } })
    expect(listings).toEqual([])
    const item = (await buyer.client.call('listCollectionInscriptions', { params: { slug } })).items[3]!
    expect(item).toMatchObject({ listingState: null, owner: stranger.wallet.ordinalsAddress })
  })

  it('reports why coins cannot pay for a purchase', async () => {
    const { slug, ids } = await market.collection(seller.wallet, 1)
    await listAll(market, seller, slug, ids, 60_000)
    const { items, coins } = await agreementFor(market, buyer, ids)
    const preflight = (spendableUtxos: { txid: string; vout: number; valueSats: number }[] | undefined) =>
      refusal(
        buyer.client.call('preflightPurchase', {
          params: { slug },
          body: {
            walletBindingId: buyer.walletBindingId,
            paymentPublicKey: buyer.wallet.paymentPublicKey,
            listings: items.map(({ listingId, inscriptionId }) => ({ listingId, inscriptionId })),
            ...(spendableUtxos ? { spendableUtxos } : {}),
          },
        }),
      )
    const plain = coins.map(({ txid, vout, valueSats }) => ({ txid, vout, valueSats }))
    expect(await preflight(undefined)).toMatchObject({ status: 400 })
    expect(await preflight([])).toMatchObject({ status: 400 })
    expect(await preflight([plain[0]!, plain[0]!])).toMatchObject({ status: 400 })
    expect(await preflight(plain.map((coin) => ({ ...coin, valueSats: coin.valueSats + 1 })))).toMatchObject({
      status: 400,
      message: expect.stringContaining('skipped: 2 have other values than in the request'),
    })
    const foreign = (await market.regtest.coinsOf(stranger.wallet.paymentScript)).map(
      ({ txid, vout, valueSats }) => ({ txid, vout, valueSats }),
    )
    expect(await preflight(foreign)).toMatchObject({ status: 400 })
    expect(await preflight([{ txid: '0'.repeat(64), vout: 0, valueSats: 1_000_000 }])).toMatchObject({
      status: 400,
    })
    const inscribedCoin = await market.coinOf(ids[0]!)
    expect(
      await preflight([
        { txid: inscribedCoin.txid, vout: inscribedCoin.vout, valueSats: inscribedCoin.valueSats },
      ]),
    ).toMatchObject({
      status: 400,
    })
  })

  it('detects a cheating market before signing', async () => {
    const { slug, ids } = await market.collection(seller.wallet, 1)
    await listAll(market, seller, slug, ids, 60_000)
    const agreement = await agreementFor(market, buyer, ids)
    const { answer } = await preparePurchase(buyer, slug, agreement)
    const keys = await keysOf(buyer)
    const cheat = (change: (psbt: Transaction) => void) => {
      const psbt = reparse(answer.steps[0]!.psbtBase64)
      change(psbt)
      return { ...answer, steps: [{ ...answer.steps[0]!, psbtBase64: toBase64(psbt) }] }
    }
    expect(() => verifyPurchase(buyer.wallet, keys, agreement, answer)).not.toThrow()
    const { outputsLength } = reparse(answer.steps[0]!.psbtBase64)
    for (let i = 0; i < outputsLength; i++)
      expect(() =>
        verifyPurchase(
          buyer.wallet,
          keys,
          agreement,
          cheat((psbt) => psbt.updateOutput(i, { script: stranger.wallet.paymentScript }, true)),
        ),
      ).toThrow(CheckFailed)
    const dearer = { ...agreement, items: agreement.items.map((item) => ({ ...item, priceSats: 10_000 })) }
    expect(() => verifyPurchase(buyer.wallet, keys, { ...dearer, maxNetworkSats: 5000 }, answer)).toThrow(
      /instead of the agreed 10000/,
    )
    const others = {
      ...agreement,
      items: agreement.items.map((item) => ({ ...item, coin: { ...item.coin, vout: 7 } })),
    }
    expect(() => verifyPurchase(buyer.wallet, keys, others, answer)).toThrow(
      /the purchase does not spend the coin of/,
    )
  })
})

describe('wrong signature after the first input', () => {
  const spoil = (psbtBase64: string, index: number) => {
    const psbt = reparse(psbtBase64)
    const flip = (signature: Uint8Array) => signature.map((byte, i) => (i === 10 ? byte ^ 1 : byte))
    const { tapKeySig, tapScriptSig } = psbt.getInput(index)
    psbt.updateInput(index, { tapKeySig: undefined, tapScriptSig: undefined }, true)
    if (tapKeySig) psbt.updateInput(index, { tapKeySig: flip(tapKeySig) }, true)
    if (tapScriptSig)
      psbt.updateInput(
        index,
        { tapScriptSig: tapScriptSig.map(([leaf, signature]) => [leaf, flip(signature)]) },
        true,
      )
    return toBase64(psbt)
  }
  const invalid = { status: 400, code: 'signature-invalid' }

  it('rejects a wrong second signature before calling the signer', async () => {
    const { slug, ids } = await market.collection(seller.wallet, 1)
    await listAll(market, seller, slug, ids, 60_000)
    const payer = await market.trader('p2tr', 100_000)
    const { body } = await preparePurchase(payer, slug, await agreementFor(market, payer, ids))
    expect(body.selectedPaymentUtxos).toHaveLength(2)
    const submit = (signedSteps = body.signedSteps) =>
      payer.client.call('submitPurchase', { params: { slug }, body: { ...body, signedSteps } })
    const signSettlement = vi.spyOn(market.server.context.signer, 'signSettlement')
    try {
      const [step] = body.signedSteps
      await expect(submit([{ ...step!, psbtBase64: spoil(step!.psbtBase64, 1) }])).rejects.toMatchObject({
        ...invalid,
        message: expect.stringContaining('signature of input 1'),
      })
      expect(signSettlement).not.toHaveBeenCalled()
      await submit()
      expect(signSettlement).toHaveBeenCalledOnce()
    } finally {
      signSettlement.mockRestore()
    }
    await market.mine()
  })

  it('rejects a batch with one wrong signature', async () => {
    const { slug, ids } = await market.collection(seller.wallet, 2)
    const agreements = []
    for (const inscriptionId of ids)
      agreements.push({
        inscriptionId,
        priceSats: 40_000,
        coin: await market.coinOf(inscriptionId),
        maxFeeBps: 100,
      })
    const { body } = await prepareListing(seller, slug, agreements)
    const submit = (changed: Partial<typeof body>) =>
      seller.client.call('submitListing', { params: { slug }, body: { ...body, ...changed } })
    for (const stepIndex of [0, 1]) {
      const signed = body.signed.map((each, item) => ({
        ...each,
        psbts: each.psbts.map((step) =>
          item === 1 && step.stepIndex === stepIndex
            ? { ...step, psbtBase64: spoil(step.psbtBase64, 0) }
            : step,
        ),
      }))
      await expect(submit({ signed })).rejects.toMatchObject({
        ...invalid,
        message: expect.stringContaining(`signed[1] step ${stepIndex}`),
      })
    }
    const { signedRecoveryPsbt } = body
    await expect(
      submit({
        signedRecoveryPsbt: {
          ...signedRecoveryPsbt,
          psbtBase64: spoil(signedRecoveryPsbt.psbtBase64, 1),
        },
      }),
    ).rejects.toMatchObject({ ...invalid, message: expect.stringContaining('signature of input 1') })
    expect((await submit({})).listings).toHaveLength(2)
  })
})

import { createInterface } from 'node:readline'
import createClient from 'openapi-fetch'
import type { components, paths } from './client.d.ts'

/** Calls all reads and trades. The parent process holds the keys, signs and returns the wallets' coins. */
type Schemas = components['schemas']
interface Keys {
  name: 'reader' | 'seller' | 'buyer'
  ordinalsAddress: string
  paymentAddress: string
  ordinalsPublicKey: string
  paymentPublicKey: string
}
interface Order {
  base: string
  slug: string
  ids: [string, string, string]
  reads: { slug: string; id: string; reader: Keys }
  seller: Keys
  buyer: Keys
}

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const read = async () => JSON.parse((await lines.next()).value ?? 'null')
const write = (said: object) => console.log(JSON.stringify(said))

async function ask<Told>(question: object): Promise<Told> {
  write(question)
  return read()
}

function done<Data>({ data, error }: { data?: Data; error?: Schemas['ErrorResponse'] }): Data {
  if (data === undefined) throw new Error(error?.error ?? 'the response has no body')
  return data
}

async function signed<Step extends Pick<Schemas['PsbtStep'], 'psbtBase64' | 'inputsToSign'>>(
  { name: who }: Keys,
  step: Step,
): Promise<Step> {
  const { psbtBase64, inputsToSign } = step
  const answer = await ask<{ psbtBase64: string }>({ ask: 'sign', who, psbtBase64, inputsToSign })
  return { ...step, psbtBase64: answer.psbtBase64 }
}
const signedAll = async <Step extends Schemas['PsbtStep']>(keys: Keys, steps: Step[]): Promise<Step[]> => {
  const all = []
  for (const step of steps) all.push(await signed(keys, step))
  return all
}
const coinsOf = async ({ name: who }: Keys) =>
  (await ask<{ coins: Schemas['SpendableUtxo'][] }>({ ask: 'coins', who })).coins

async function signIn(base: string, keys: Keys) {
  const { name: who, ordinalsAddress, paymentAddress } = keys
  const client = createClient<paths>({ baseUrl: base })
  const begun = done(await client.POST('/auth/challenge', { body: { ordinalsAddress, paymentAddress } }))
  const verifications = []
  for (const { challengeId, address, message } of begun.challenges) {
    const { signature } = await ask<{ signature: string }>({ ask: 'message', who, address, message })
    verifications.push({ challengeId, address, signature })
  }
  const body = { authRequestId: begun.authRequestId, verifications }
  const session = done(await client.POST('/auth/verify', { body }))
  client.use({
    onRequest({ request }) {
      request.headers.set('authorization', `Bearer ${session.sessionToken}`)
    },
  })
  return { client, keys, walletBindingId: session.walletBindings[0]!.walletBindingId }
}
type Trader = Awaited<ReturnType<typeof signIn>>

async function readAll({ client, walletBindingId }: Trader, slug: string, id: string) {
  const report = async (answer: Promise<{ data?: object; error?: Schemas['ErrorResponse'] }>) =>
    ask({ ask: 'read', answer: done(await answer) })
  const ofCollection = { params: { path: { slug } } }
  const ofItem = { params: { path: { id } } }
  await report(client.GET('/me'))
  await report(client.GET('/collection-stats/floors', { params: { query: { slugs: slug } } }))
  await report(client.GET('/collection/{slug}/inscriptions', ofCollection))
  await report(client.GET('/listings'))
  await report(client.GET('/sales'))
  await report(client.GET('/trading'))
  await report(client.GET('/inscriptions/{id}/offers', ofItem))
  await report(client.GET('/inscriptions/{id}/offers/history', ofItem))
  for (const view of ['owned', 'sent', 'history'] as const)
    await report(client.GET('/me/offers', { params: { query: { view } } }))
  await report(client.GET('/collection/{slug}/collection-offers', ofCollection))
  await report(client.GET('/collection/{slug}/my/sent-collection-offers', ofCollection))
  const target = { kind: 'traits' as const, traits: [{ type: 'Hat', values: ['Cap'] }] }
  const previews = '/collection/{slug}/collection-offers'
  await report(client.POST(`${previews}/target-preview`, { ...ofCollection, body: { target } }))
  const body = { walletBindingId, target: { kind: 'all' as const }, priceSats: 20_000 }
  await report(client.POST(`${previews}/replacement-warning`, { ...ofCollection, body }))
}

async function list({ client, keys, walletBindingId }: Trader, slug: string, inscriptionId: string) {
  const request = {
    walletBindingId,
    ordinalsPublicKey: keys.ordinalsPublicKey,
    items: [{ inscriptionId, priceSats: 50_000 }],
  }
  const params = { path: { slug } }
  const prepared = done(await client.POST('/collection/{slug}/listings/preflight', { params, body: request }))
  const all = []
  for (const { inscriptionId, psbts } of prepared.listings)
    all.push({ inscriptionId, psbts: await signedAll(keys, psbts) })
  const body = {
    ...request,
    durationDays: 7 as const,
    anchors: prepared.listings.map(({ inscriptionId, anchorUtxoId }) => ({ inscriptionId, anchorUtxoId })),
    signed: all,
    signedRecoveryPsbt: await signed(keys, prepared.recoveryPsbt),
  }
  done(await client.POST('/collection/{slug}/listings/submit', { params, body }))
}

async function buy({ client, keys, walletBindingId }: Trader, slug: string, inscriptionId: string) {
  const { listings } = done(await client.GET('/listings', { params: { query: { inscriptionId } } }))
  const params = { path: { slug } }
  const request = {
    walletBindingId,
    paymentPublicKey: keys.paymentPublicKey,
    listings: [{ listingId: listings[0]!.listingId, inscriptionId }],
    spendableUtxos: await coinsOf(keys),
  }
  const prepared = done(
    await client.POST('/collection/{slug}/purchases/preflight', { params, body: request }),
  )
  const { purchaseAnchorUtxoId, selectedPaymentUtxos, steps, totalBuyerCostSats } = prepared
  const signedSteps = await signedAll(keys, steps)
  const body = { ...request, purchaseAnchorUtxoId, selectedPaymentUtxos, signedSteps }
  const { settlementTxid } = done(await client.POST('/collection/{slug}/purchases/submit', { params, body }))
  const { sellerReceiveSats, inscriptionUtxoValueSats } = prepared.listings[0]!
  return {
    settlementTxid,
    buyerSats: -totalBuyerCostSats,
    sellerSats: sellerReceiveSats + inscriptionUtxoValueSats,
  }
}

async function offer({ client, keys, walletBindingId }: Trader, slug: string, inscriptionId: string) {
  const params = { path: { slug } }
  const request = {
    walletBindingId,
    paymentPublicKey: keys.paymentPublicKey,
    inscriptionIds: [inscriptionId],
    priceSats: 60_000,
    validityHours: 24 as const,
    spendableUtxos: await coinsOf(keys),
  }
  const prepared = done(await client.POST('/collection/{slug}/offers/preflight', { params, body: request }))
  const signedItems = []
  for (const { inscriptionId, expectedSettlementTxid, steps } of prepared.items)
    signedItems.push({
      inscriptionId,
      expectedSettlementTxid,
      signedSteps: await signedAll(keys, steps),
    })
  const body = { ...request, selectedPaymentUtxos: prepared.selectedPaymentUtxos, signedItems }
  const { items } = done(await client.POST('/collection/{slug}/offers/submit', { params, body }))
  return { offerId: items[0]!.offerId, terms: prepared.items[0]! }
}

async function accept({ client, keys, walletBindingId }: Trader, id: string, offerId: string) {
  const params = { path: { id, offerId } }
  const request = { walletBindingId, ordinalsPublicKey: keys.ordinalsPublicKey }
  const prepared = done(
    await client.POST('/inscriptions/{id}/offers/{offerId}/accept/preflight', { params, body: request }),
  )
  const { targetFeeRateSatVb, expectedSettlementTxid, expectedPayoutTxid } = prepared
  const signedSteps = await signedAll(keys, prepared.steps)
  const body = { ...request, targetFeeRateSatVb, expectedSettlementTxid, expectedPayoutTxid, signedSteps }
  return done(await client.POST('/inscriptions/{id}/offers/{offerId}/accept/submit', { params, body }))
}

async function bid({ client, keys, walletBindingId }: Trader, slug: string) {
  const params = { path: { slug } }
  const request = {
    walletBindingId,
    ordinalsPublicKey: keys.ordinalsPublicKey,
    paymentPublicKey: keys.paymentPublicKey,
    target: { kind: 'all' as const },
    priceSats: 70_000,
    spendableUtxos: await coinsOf(keys),
  }
  const prepared = done(
    await client.POST('/collection/{slug}/collection-offers/preflight', { params, body: request }),
  )
  const offers = []
  for (const entry of prepared.offers) {
    const { priceSats, selectedPaymentUtxos, expectedFundingParentTxid, fundingParentVout, preflightToken } =
      entry
    offers.push({
      priceSats,
      selectedPaymentUtxos,
      expectedFundingParentTxid,
      fundingParentVout,
      preflightToken,
      signedFundingParentStep: await signed(keys, entry.fundingParentStep),
    })
  }
  const answer = done(
    await client.POST('/collection/{slug}/collection-offers/submit', {
      params,
      body: { ...request, offers },
    }),
  )
  return answer.offers[0]!
}

async function fill(
  { client, keys, walletBindingId }: Trader,
  slug: string,
  inscriptionId: string,
  { offerId, priceSats }: { offerId: string; priceSats: number },
) {
  const params = { path: { slug, offerId } }
  const request = { walletBindingId, ordinalsPublicKey: keys.ordinalsPublicKey, offerId, inscriptionId }
  const prepared = done(
    await client.POST('/collection/{slug}/collection-offers/{offerId}/fill/preflight', {
      params,
      body: request,
    }),
  )
  const { targetFeeRateSatVb, expectedSettlementTxid, admissionAnchorUtxoId } = prepared
  const body = {
    ...request,
    targetFeeRateSatVb,
    expectedSettlementTxid,
    admissionAnchorUtxoId,
    signedSellerStep: await signed(keys, prepared.sellerStep),
  }
  const { settlementTxid } = done(
    await client.POST('/collection/{slug}/collection-offers/{offerId}/fill/submit', { params, body }),
  )
  return {
    settlementTxid,
    buyerSats: -priceSats,
    sellerSats: prepared.sellerReceiveSats - prepared.estimatedNetworkFeeSats,
  }
}

const { base, slug, ids, reads, ...keys }: Order = await read()
await readAll(await signIn(base, reads.reader), reads.slug, reads.id)
const seller = await signIn(base, keys.seller)
const buyer = await signIn(base, keys.buyer)
await list(seller, slug, ids[0])
const bought = await buy(buyer, slug, ids[0])
const { offerId, terms } = await offer(buyer, slug, ids[1])
const accepted = await accept(seller, ids[1], offerId)
const filled = await fill(seller, slug, ids[2], await bid(buyer, slug))
write({
  settlements: [
    { inscriptionId: ids[0], ...bought },
    {
      inscriptionId: ids[1],
      settlementTxid: accepted.settlementTxid,
      buyerSats: -(terms.buyerPayTotalSats + terms.inscriptionUtxoValueSats + terms.estimatedNetworkFeeSats),
      sellerSats: terms.sellerReceiveSats + terms.inscriptionUtxoValueSats,
    },
    { inscriptionId: ids[2], ...filled },
  ],
})
process.exit(0)

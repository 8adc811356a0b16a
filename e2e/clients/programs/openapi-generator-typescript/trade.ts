import { createInterface } from 'node:readline'
import * as m from './client/index.js'

/** Calls all reads, lists and buys. The parent process holds the keys, signs and returns the wallets' coins. */
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
  ids: [string]
  reads: { slug: string; id: string; reader: Keys }
  seller: Keys
  buyer: Keys
}

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const receive = async () => JSON.parse((await lines.next()).value ?? 'null')

async function ask<Told>(question: object): Promise<Told> {
  console.log(JSON.stringify(question))
  return receive()
}

async function signed<Step extends Pick<m.PsbtStep, 'psbtBase64' | 'inputsToSign'>>(who: string, step: Step) {
  const { psbtBase64, inputsToSign } = step
  const answer = await ask<{ psbtBase64: string }>({ ask: 'sign', who, psbtBase64, inputsToSign })
  return { ...step, ...answer }
}
async function signedAll<Step extends m.PsbtStep>(who: string, steps: Step[]) {
  const all = []
  for (const step of steps) all.push(await signed(who, step))
  return all
}

async function signIn(base: string, keys: Keys) {
  const { name: who, ordinalsAddress, paymentAddress } = keys
  const authentication = new m.AuthenticationApi(new m.Configuration({ basePath: base }))
  const begun = await authentication.createAuthChallenge({
    authChallengeRequest: { ordinalsAddress, paymentAddress },
  })
  const verifications = []
  for (const { challengeId, address, message } of begun.challenges) {
    const { signature } = await ask<{ signature: string }>({ ask: 'message', who, address, message })
    verifications.push({ challengeId, address, signature })
  }
  const { authRequestId } = begun
  const session = await authentication.verifyAuthChallenge({
    authVerifyRequest: { authRequestId, verifications },
  })
  const configuration = new m.Configuration({ basePath: base, accessToken: session.sessionToken })
  return { configuration, keys, walletBindingId: session.walletBindings[0]!.walletBindingId }
}
type Trader = Awaited<ReturnType<typeof signIn>>

async function readAll({ configuration, walletBindingId }: Trader, slug: string, id: string) {
  const report = async <Answer>(print: (answer: Answer) => object, answer: Promise<Answer>) =>
    ask({ ask: 'read', answer: print(await answer) })
  const collections = new m.CollectionsApi(configuration)
  const offers = new m.OffersApi(configuration)
  await report(m.MeResponseToJSON, new m.ProfileApi(configuration).getMe())
  await report(m.CollectionFloorStatsResponseToJSON, collections.listCollectionFloorStats({ slugs: slug }))
  await report(m.CollectionInscriptionsResponseToJSON, collections.listCollectionInscriptions({ slug }))
  await report(m.ListingsResponseToJSON, new m.ListingsApi(configuration).listListings())
  await report(m.SalesResponseToJSON, new m.SalesApi(configuration).listSales())
  await report(m.TradeListResponseToJSON, new m.P2PProposalsApi(configuration).listTradeProposals())
  await report(m.OfferListResponseToJSON, offers.listInscriptionOffers({ id }))
  await report(m.OfferHistoryResponseToJSON, offers.listInscriptionOfferHistory({ id }))
  for (const view of ['owned', 'sent', 'history'] as const)
    await report(m.ProfileOffersResponseToJSON, offers.listMyOffers({ view }))
  await report(m.CollectionWideOfferBookResponseToJSON, offers.listCollectionOfferBook({ slug }))
  await report(m.CollectionWideOfferBookResponseToJSON, offers.listMySentCollectionOffers({ slug }))
  const target = { kind: 'traits' as const, traits: [{ type: 'Hat', values: ['Cap'] }] }
  await report(
    m.CollectionWideOfferTargetPreviewResponseToJSON,
    offers.previewCollectionOfferTarget({ slug, collectionWideOfferTargetPreviewRequest: { target } }),
  )
  const request = { walletBindingId, target: { kind: 'all' as const }, priceSats: 20_000 }
  await report(
    m.CollectionWideOfferReplacementWarningResponseToJSON,
    offers.previewCollectionOfferReplacementWarning({
      slug,
      collectionWideOfferReplacementWarningRequest: request,
    }),
  )
}

async function list({ configuration, keys, walletBindingId }: Trader, slug: string, inscriptionId: string) {
  const request = {
    walletBindingId,
    ordinalsPublicKey: keys.ordinalsPublicKey,
    items: [{ inscriptionId, priceSats: 50_000 }],
  }
  const api = new m.ListingsApi(configuration)
  const prepared = await api.preflightListing({ slug, listingPreflightRequest: request })
  const all = []
  for (const { inscriptionId, psbts } of prepared.listings)
    all.push({ inscriptionId, psbts: await signedAll(keys.name, psbts) })
  const listingSubmitRequest = {
    ...request,
    durationDays: m.ListingSubmitRequestDurationDaysEnum.NUMBER_7,
    anchors: prepared.listings.map(({ inscriptionId, anchorUtxoId }) => ({ inscriptionId, anchorUtxoId })),
    signed: all,
    signedRecoveryPsbt: await signed(keys.name, prepared.recoveryPsbt),
  }
  await api.submitListing({ slug, listingSubmitRequest })
}

async function buy({ configuration, keys, walletBindingId }: Trader, slug: string, inscriptionId: string) {
  const { listings } = await new m.ListingsApi(configuration).listListings({ inscriptionId })
  const { coins } = await ask<{ coins: m.SpendableUtxo[] }>({ ask: 'coins', who: keys.name })
  const request = {
    walletBindingId,
    paymentPublicKey: keys.paymentPublicKey,
    listings: [{ listingId: listings[0]!.listingId, inscriptionId }],
    spendableUtxos: coins,
  }
  const api = new m.BuyingApi(configuration)
  const prepared = await api.preflightPurchase({ slug, purchasePreflightRequest: request })
  const { purchaseAnchorUtxoId, selectedPaymentUtxos, steps, totalBuyerCostSats } = prepared
  const signedSteps = await signedAll(keys.name, steps)
  const purchaseSubmitRequest = { ...request, purchaseAnchorUtxoId, selectedPaymentUtxos, signedSteps }
  const { settlementTxid } = await api.submitPurchase({ slug, purchaseSubmitRequest })
  const { sellerReceiveSats, inscriptionUtxoValueSats } = prepared.listings[0]!
  return {
    inscriptionId,
    settlementTxid,
    buyerSats: -totalBuyerCostSats,
    sellerSats: sellerReceiveSats + inscriptionUtxoValueSats,
  }
}

const { base, slug, ids, reads, seller, buyer }: Order = await receive()
await readAll(await signIn(base, reads.reader), reads.slug, reads.id)
await list(await signIn(base, seller), slug, ids[0])
console.log(JSON.stringify({ settlements: [await buy(await signIn(base, buyer), slug, ids[0])] }))
process.exit(0)

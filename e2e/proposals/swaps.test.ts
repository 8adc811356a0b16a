import type { KeySpend } from '@ordbook/bitcoin/address.ts'
import { base64OfBytes, bytesOfBase64, equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { buildPayment } from '@ordbook/bitcoin/inscribe.ts'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { decodeTransaction, hexOfTransaction } from '@ordbook/bitcoin/transaction.ts'
import { checkRollups } from '@ordbook/operations/audit/check.ts'
import {
  type AcceptanceAgreement,
  type ApiError,
  acceptProposal,
  buy,
  CheckFailed,
  prepareAcceptanceOf,
  prepareSettlement,
  propose,
  type SwapAgreement,
  settle,
} from '@ordbook/sdk/index.ts'
import type { Answer } from '@ordbook/sdk/operations.ts'
import { Transaction } from '@scure/btc-signer'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { cheated, rejectsUnsigned } from '../sdk/support/cheated.ts'
import { sampled } from '../support/effort.ts'
import {
  agreementFor,
  enter,
  keyHolder,
  listAll,
  setUpMarket,
  type TestTrader,
  until,
} from '../support/market.ts'
import { coinsOf } from '../support/offers.ts'
import { traderAtStorefront } from '../support/storefront.ts'

/** Fee of a swap. Tests check it against balances from the node. */
const FEE_SATS = 1000
const ROUNDS = sampled(7, 100, 2)

const market = setUpMarket({ PROPOSAL_FEE_SATS: String(FEE_SATS) })
let stranger: TestTrader
beforeAll(async () => {
  stranger = await person()
})
afterEach(async () => expect(await checkRollups(market.server.context)).toEqual([]))

const person = async (trader?: TestTrader): Promise<TestTrader> =>
  traderAtStorefront(market.server.url, (trader ?? (await market.trader())).wallet)

interface Terms {
  gives: number
  gets: number
  offeredBtcSats?: number
  requestedBtcSats?: number
  paymentKind?: KeySpend['kind']
}

/** Creates two traders with a collection each, and a proposal of the first trader. */
async function setUp({ gives, gets, offeredBtcSats = 0, requestedBtcSats = 0, paymentKind }: Terms) {
  const proposer = await person(await market.trader(paymentKind))
  const acceptor = await person()
  const own = gives > 0 ? await market.collection(proposer.wallet, gives) : null
  const other = gets > 0 ? await market.collection(acceptor.wallet, gets, 546) : null
  const proposal = await propose(
    proposer,
    {
      visibility: 'public',
      offeredInscriptionIds: own?.ids ?? [],
      offeredBtcSats,
      wantedLegs: other ? [{ collectionSlug: other.slug, quantity: gets, target: { kind: 'all' } }] : [],
      requestedBtcSats,
    },
    await coinsOf(market, proposer),
  )
  return { proposer, acceptor, own, other, proposal }
}

type Scene = Awaited<ReturnType<typeof setUp>>

/** Returns the agreements of both sides, without data from the market. */
async function agreements({ proposer, acceptor, own, other, proposal }: Scene) {
  const itemsOf = async (ids: readonly string[]) => {
    const found = []
    for (const inscriptionId of ids) found.push({ inscriptionId, coin: await market.coinOf(inscriptionId) })
    return found
  }
  const givenItems = await itemsOf(own?.ids ?? [])
  const takenItems = await itemsOf(other?.ids ?? [])
  const netSats = proposal.requestedBtcSats - proposal.offeredBtcSats
  const proposers: SwapAgreement = {
    gives: givenItems,
    gets: takenItems,
    netSats,
    coins: await coinsOf(market, proposer),
  }
  const acceptors: AcceptanceAgreement = {
    gives: takenItems,
    gets: givenItems,
    netSats: -netSats,
    coins: await coinsOf(market, acceptor),
    maxMarketSats: 100_000,
    maxNetworkSats: 100_000,
  }
  return { proposers, acceptors }
}

const fillsOf = ({ proposal, other }: Scene) =>
  (other?.ids ?? []).map((inscriptionId) => ({ legId: proposal.wantedLegs[0]!.id, inscriptionId }))

async function accepted(scene: Scene): Promise<Answer<'submitAcceptance'>> {
  const { acceptors } = await agreements(scene)
  return acceptProposal(scene.acceptor, scene.proposal.id, fillsOf(scene), acceptors)
}

async function balanceOf(trader: TestTrader): Promise<number> {
  return (await coinsOf(market, trader)).reduce((sum, coin) => sum + coin.valueSats, 0)
}

/** Asserts that the trader owns the coins of all inscriptions, according to the node. */
async function assertHeldBy(ids: readonly string[], trader: TestTrader): Promise<void> {
  for (const id of ids) {
    const coin = await market.coinOf(id)
    const out = await market.server.context.node.txOut(coin)
    expect(out && equalBytes(out.script, trader.wallet.ordinalsScript), id).toBe(true)
  }
}

const refusalOf = (call: Promise<unknown>) =>
  call.then(
    () => ({ status: 200, code: null, message: 'was not refused' }),
    ({ status, code, message }: ApiError) => ({ status, code, message }),
  )

const ALL_SWAPS: [name: string, terms: Terms][] = [
  ['3 for 2, and sats to the proposer', { gives: 3, gets: 2, requestedBtcSats: 80_000 }],
  ['1 and sats from taproot for 1', { gives: 1, gets: 1, offeredBtcSats: 80_000, paymentKind: 'p2tr' }],
  ['1 for 1', { gives: 1, gets: 1 }],
  ['3 for 2, and sats to the acceptor', { gives: 3, gets: 2, offeredBtcSats: 80_000 }],
  ['10 for 10', { gives: 10, gets: 10 }],
  ['2 for sats', { gives: 2, gets: 0, requestedBtcSats: 50_000 }],
  ['sats for 2', { gives: 0, gets: 2, offeredBtcSats: 50_000 }],
]
const SWAPS = sampled(ALL_SWAPS, ALL_SWAPS, ALL_SWAPS.slice(0, 2))

describe('settlement to the sat', () => {
  it.each(SWAPS)('swaps %s', async (name, terms) => {
    const scene = await setUp(terms)
    const { proposer, acceptor, own, other, proposal } = scene
    const before = [await balanceOf(proposer), await balanceOf(acceptor)]
    const acceptance = await accepted(scene)
    expect(acceptance).toMatchObject({ state: 'active', marketplaceFeeSats: FEE_SATS })
    const { acceptances } = await proposer.client.call('listAcceptances')
    expect(acceptances.map((each) => each.acceptanceId)).toEqual([acceptance.acceptanceId])
    const sent = await acceptor.client.call('listAcceptances', { query: { view: 'sent' } })
    expect(sent.acceptances).toEqual(acceptances)
    expect((await stranger.client.call('listAcceptances')).acceptances).toEqual([])

    const { proposers } = await agreements(scene)
    const settled = await settle(proposer, acceptance.acceptanceId, proposers)
    expect(settled).toMatchObject({ state: 'accepted', proposal: { state: 'accepted' } })
    expect(await settle(proposer, acceptance.acceptanceId, proposers).catch((e) => e.message)).toMatch(
      /is accepted/,
    )
    const txid = settled.expectedSettlementTxid
    expect(await market.regtest.call('getrawmempool')).toContain(txid)
    await market.mine()
    const hex = await market.server.context.node.transaction(txid)
    expect(hex).not.toBeNull()
    await assertHeldBy(own?.ids ?? [], acceptor)
    await assertHeldBy(other?.ids ?? [], proposer)
    const net = (terms.requestedBtcSats ?? 0) - (terms.offeredBtcSats ?? 0)
    expect(await balanceOf(proposer)).toBe(before[0]! + net)
    expect(await balanceOf(acceptor)).toBe(before[1]! - net - FEE_SATS - acceptance.networkFeeSats)
    expect(await balanceOf(acceptor)).toBe(before[1]! + acceptance.acceptorNetSats)
    const done = await proposer.client.call('listAcceptances')
    expect(done.acceptances[0]!.state).toBe('settled')
    const feed = await stranger.client.call('getProposal', { params: { proposalId: proposal.id } })
    expect(feed.state).toBe('accepted')
    // A swap is not a sale, neither of the market nor external.
    const sales = await market.sql`select 1 from sales where txid = ${txid}`
    expect(sales.length, name).toBe(0)
  })
})

it('deducts costs from the sats that the acceptor receives', async () => {
  const scene = await setUp({ gives: 0, gets: 1, offeredBtcSats: 60_000 })
  const { acceptors, proposers } = await agreements(scene)
  const poor = { ...acceptors, coins: [] }
  const acceptance = await acceptProposal(scene.acceptor, scene.proposal.id, fillsOf(scene), poor)
  const before = await balanceOf(scene.acceptor)
  await settle(scene.proposer, acceptance.acceptanceId, proposers)
  await market.mine()
  expect(await balanceOf(scene.acceptor)).toBe(before + 60_000 - FEE_SATS - acceptance.networkFeeSats)
})

it('settles a swap again after a reorg', async () => {
  const scene = await setUp({ gives: 1, gets: 1, requestedBtcSats: 20_000 })
  const acceptance = await accepted(scene)
  await settle(scene.proposer, acceptance.acceptanceId, (await agreements(scene)).proposers)
  await market.mine()
  const block = await market.regtest.call('getbestblockhash')
  await market.regtest.call('invalidateblock', block)
  await market.server.sync()
  const state = async () => (await scene.proposer.client.call('listAcceptances')).acceptances[0]!.state
  expect(await state()).toBe('accepted')
  await until('the swap to return to the mempool', async () =>
    (await market.regtest.call<string[]>('getrawmempool')).includes(acceptance.expectedSettlementTxid),
  )
  await market.regtest.call('reconsiderblock', block)
  await market.server.sync()
  expect(await state()).toBe('settled')
  await assertHeldBy(scene.own!.ids, scene.acceptor)
})

it('settles one of two acceptances of a proposal', async () => {
  const scene = await setUp({ gives: 1, gets: 1, requestedBtcSats: 20_000 })
  const rival = await person()
  // The leg requires another collection, so the rival's inscription cannot fill it.
  const rivalsItems = await market.collection(rival.wallet, 1)
  const fills = [{ legId: scene.proposal.wantedLegs[0]!.id, inscriptionId: rivalsItems.ids[0]! }]
  const { acceptors, proposers } = await agreements(scene)
  const refused = await refusalOf(acceptProposal(rival, scene.proposal.id, fills, acceptors))
  expect(refused).toMatchObject({ status: 400, message: expect.stringMatching(/does not match leg/) })
  const first = await accepted(scene)
  // The same acceptor accepts again with other coins, so the txid differs.
  const [used] = first.items.filter((item) => item.from === 'acceptor')
  expect(used).toBeDefined()
  const { body: inputs } = await prepareAcceptanceOf(
    scene.acceptor,
    scene.proposal.id,
    fillsOf(scene),
    acceptors,
  )
  const otherCoins = acceptors.coins.filter(
    (coin) =>
      !inputs.selectedPaymentUtxos.some(
        (selectedPaymentUtxo) => formatOutpoint(selectedPaymentUtxo) === formatOutpoint(coin),
      ),
  )
  const second = await acceptProposal(scene.acceptor, scene.proposal.id, fillsOf(scene), {
    ...acceptors,
    coins: otherCoins,
  })
  expect(second.expectedSettlementTxid).not.toBe(first.expectedSettlementTxid)
  const answers = await Promise.all(
    [first, second].map((each) => refusalOf(settle(scene.proposer, each.acceptanceId, proposers))),
  )
  expect(answers.map((answer) => answer.status).toSorted()).toEqual([200, 409])
  await market.mine()
  const { acceptances } = await scene.proposer.client.call('listAcceptances')
  expect(acceptances.map((acceptance) => acceptance.state).toSorted()).toEqual(['invalidated', 'settled'])
})

it('limits the active acceptances of a proposal by one wallet', async () => {
  const scene = await setUp({ gives: 1, gets: 1 })
  const { slug, ids } = await market.collection(scene.acceptor.wallet, 6, 546)
  const proposal = await propose(
    scene.proposer,
    {
      visibility: 'public',
      offeredInscriptionIds: scene.own!.ids,
      offeredBtcSats: 0,
      wantedLegs: [{ collectionSlug: slug, quantity: 1, target: { kind: 'all' } }],
      requestedBtcSats: 0,
    },
    [],
  )
  const accept = (id: string) => accepted({ ...scene, proposal, other: { ...scene.other!, ids: [id] } })
  const [first] = [await accept(ids[0]!), await accept(ids[1]!), await accept(ids[2]!), await accept(ids[3]!)]
  await accept(ids[4]!)
  expect(await refusalOf(accept(ids[5]!))).toMatchObject({ status: 409, code: 'too-many-orders' })
  await scene.acceptor.client.call('cancelAcceptance', { params: { acceptanceId: first.acceptanceId } })
  expect(await accept(ids[5]!)).toMatchObject({ state: 'active' })
})

it('ends an acceptance that either side withdraws', async () => {
  const scene = await setUp({ gives: 1, gets: 1 })
  const { proposers } = await agreements(scene)
  const { proposer, acceptor } = scene
  const act = (who: TestTrader, id: 'cancelAcceptance' | 'rejectAcceptance', acceptanceId: string) =>
    refusalOf(who.client.call(id, { params: { acceptanceId } }))
  const first = (await accepted(scene)).acceptanceId
  expect((await act(stranger, 'cancelAcceptance', first)).status).toBe(404)
  expect((await act(proposer, 'cancelAcceptance', first)).status).toBe(403)
  expect((await act(acceptor, 'rejectAcceptance', first)).status).toBe(403)
  expect((await act(acceptor, 'cancelAcceptance', first)).status).toBe(200)
  expect((await act(acceptor, 'cancelAcceptance', first)).status).toBe(200)
  expect((await refusalOf(settle(proposer, first, proposers))).message).toMatch(/is cancelled/)
  const second = (await accepted(scene)).acceptanceId
  expect((await act(proposer, 'rejectAcceptance', second)).status).toBe(200)
  expect((await refusalOf(settle(proposer, second, proposers))).message).toMatch(/is rejected/)
  const third = (await accepted(scene)).acceptanceId
  await proposer.client.call('cancelProposal', { params: { proposalId: scene.proposal.id } })
  expect((await refusalOf(settle(proposer, third, proposers))).message).toMatch(/proposal was cancelled/)
  expect((await refusalOf(accepted(scene))).message).toMatch(/is cancelled/)
})

it('ends a proposal if an inscription is sold', async () => {
  const scene = await setUp({ gives: 1, gets: 1 })
  const acceptance = await accepted(scene)
  const buyer = await market.trader()
  await listAll(
    market,
    await enter(market.base, scene.acceptor.wallet),
    scene.other!.slug,
    scene.other!.ids,
    30_000,
  )
  await buy(buyer, scene.other!.slug, await agreementFor(market, buyer, scene.other!.ids))
  const { proposers } = await agreements(scene)
  expect((await refusalOf(settle(scene.proposer, acceptance.acceptanceId, proposers))).status).toBe(409)
  await market.mine()
  const { acceptances } = await scene.proposer.client.call('listAcceptances')
  expect(acceptances[0]).toMatchObject({ state: 'invalidated', reason: expect.stringMatching(/is spent in/) })

  // A proposal that offers sats is unavailable while its payment coin is spent.
  const { trader, keys } = await keyHolder(market)
  const payer = await person(trader)
  const otherItems = await market.collection((await market.trader()).wallet, 1)
  const [coin] = await coinsOf(market, trader)
  const proposal = await propose(
    payer,
    {
      visibility: 'public',
      offeredInscriptionIds: [],
      offeredBtcSats: 100_000,
      wantedLegs: [{ collectionSlug: otherItems.slug, quantity: 1, target: { kind: 'all' } }],
      requestedBtcSats: 0,
    },
    [coin!],
  )
  const available = async () =>
    (await payer.client.call('getProposal', { params: { proposalId: proposal.id } })).available
  expect(await available()).toBe(true)
  const spend = buildPayment([coin!], [{ valueSats: 4_000_000, script: stranger.wallet.paymentScript }], {
    privateKey: keys.payment,
    feeRateSatVb: 5,
  })
  await market.regtest.call('sendrawtransaction', hexOfTransaction(spend))
  await market.mine()
  expect(await available()).toBe(false)
  // Cancel the proposal so that its coin is no longer watched. The check after each test compares state derived from coins.
  await payer.client.call('cancelProposal', { params: { proposalId: proposal.id } })
})

describe('rejections', () => {
  it('rejects missing and foreign signatures', async () => {
    const scene = await setUp({ gives: 2, gets: 1, requestedBtcSats: 20_000 })
    const { acceptors, proposers } = await agreements(scene)
    const { acceptor, proposer, proposal } = scene
    const { body } = await prepareAcceptanceOf(acceptor, proposal.id, fillsOf(scene), acceptors)
    const submit = (changes: object) =>
      refusalOf(
        acceptor.client.call('submitAcceptance', {
          params: { proposalId: proposal.id },
          body: { ...body, ...changes },
        }),
      )
    const edited = (
      { signedSteps: [step] }: Pick<typeof body, 'signedSteps'>,
      change: (psbt: Transaction) => void,
    ) => {
      const psbt = Transaction.fromPSBT(bytesOfBase64(step!.psbtBase64)!, { allowUnknownInputs: true })
      change(psbt)
      return { signedSteps: [{ ...step!, psbtBase64: base64OfBytes(psbt.toPSBT(0)) }] }
    }
    const flip = (signature: Uint8Array) => signature.map((byte, n) => (n === 10 ? byte ^ 1 : byte))
    const breakSignature = (index: number) => (psbt: Transaction) =>
      psbt.updateInput(index, { tapKeySig: flip(psbt.getInput(index).tapKeySig!) }, true)
    const invalid = { status: 400, code: 'signature-invalid' }
    const cases: [string, object, object][] = [
      [
        'an altered payout',
        { status: 400, code: 'transaction-changed' },
        edited(body, (psbt) => psbt.updateOutput(3, { amount: psbt.getOutput(3).amount! + 1000n }, true)),
      ],
      ['a broken signature', invalid, edited(body, breakSignature(2))],
      [
        'a missing signature',
        { status: 400, code: 'input-unsigned' },
        edited(body, (psbt) => psbt.updateInput(2, { tapKeySig: undefined }, true)),
      ],
      ['another settlement', { status: 409 }, { expectedSettlementTxid: 'ab'.repeat(32) }],
      ['other fills', { status: 400 }, { fills: [] }],
      ['other coins', { status: 400 }, { spendableUtxos: body.spendableUtxos!.slice(1) }],
    ]
    for (const [name, refusal, changes] of cases) expect(await submit(changes), name).toMatchObject(refusal)
    expect((await market.sql`select 1 from acceptances where proposal_id = ${proposal.id}`).length).toBe(0)

    const { acceptanceId } = await acceptor.client.call('submitAcceptance', {
      params: { proposalId: proposal.id },
      body,
    })
    const repeated = await acceptor.client.call('submitAcceptance', {
      params: { proposalId: proposal.id },
      body,
    })
    expect(repeated.acceptanceId).toBe(acceptanceId)
    // Submit the acceptor's signatures instead of the proposer's, and other invalid settlements.
    const { body: signed } = await prepareSettlement(proposer, acceptanceId, proposers)
    const settleWith = (changes: object) =>
      refusalOf(
        proposer.client.call('submitSettlement', {
          params: { acceptanceId },
          body: { ...signed, ...changes },
        }),
      )
    expect((await settleWith({ expectedSettlementTxid: 'ab'.repeat(32) })).status).toBe(409)
    expect((await settleWith({ signedSteps: body.signedSteps })).status).toBe(400)
    expect(await settleWith(edited(signed, breakSignature(1)))).toMatchObject(invalid)
    expect((await settleWith({ walletBindingId: stranger.walletBindingId })).status).toBe(403)
    expect(await market.regtest.call('getrawmempool')).toEqual([])
    const settlementTxid = signed.expectedSettlementTxid
    await proposer.client.call('submitSettlement', { params: { acceptanceId }, body: signed })
    // A repeated submit broadcasts nothing new. The mempool may also contain the market's CPFP child.
    await proposer.client.call('submitSettlement', { params: { acceptanceId }, body: signed })
    const mempool = await market.regtest.call<string[]>('getrawmempool')
    expect(mempool).toContain(settlementTxid)
    for (const txid of mempool.filter((each) => each !== settlementTxid)) {
      const child = decodeTransaction(await market.regtest.call<string>('getrawtransaction', txid))
      expect(child.inputs.map((input) => input.txid)).toContain(settlementTxid)
    }
    await market.mine()
  })

  it('rejects an altered swap in the wallet', async () => {
    const scene = await setUp({ gives: 2, gets: 1, requestedBtcSats: 20_000 })
    const { acceptors, proposers } = await agreements(scene)
    const prepare = (agreement: AcceptanceAgreement) =>
      prepareAcceptanceOf(scene.acceptor, scene.proposal.id, fillsOf(scene), agreement)
    // The market prepares the correct swap, so checks against any other agreement must fail.
    for (const other of [
      { ...acceptors, netSats: acceptors.netSats + 5000, maxMarketSats: 2000, maxNetworkSats: 2000 },
      { ...acceptors, gives: [] },
      {
        ...acceptors,
        gets: [...acceptors.gets, { inscriptionId: 'x', coin: { ...acceptors.coins[0]!, offset: 0 } }],
      },
      { ...acceptors, maxMarketSats: 100 },
      { ...acceptors, maxNetworkSats: 100 },
      {
        ...acceptors,
        gives: [{ ...acceptors.gives[0]!, coin: { ...acceptors.gives[0]!.coin, valueSats: 9 } }],
      },
    ])
      await expect(prepare(other)).rejects.toThrow(CheckFailed)
    // A duplicate of one inscription could conceal that another is missing.
    await rejectsUnsigned(
      cheated<Answer<'preflightAcceptance'>>(scene.acceptor, 'preflightAcceptance', (answer) => {
        const [first] = answer.items.filter(({ from }) => from === 'proposer')
        return { ...answer, items: answer.items.map((item) => (item.from === 'proposer' ? first! : item)) }
      }),
      (one) => prepareAcceptanceOf(one, scene.proposal.id, fillsOf(scene), acceptors),
      /gives a different number of inscriptions/,
    )
    const { acceptanceId } = await accepted(scene)
    for (const other of [
      { ...proposers, netSats: proposers.netSats + 1 },
      { ...proposers, gives: proposers.gives.slice(1) },
      { ...proposers, gets: [{ inscriptionId: 'x', coin: proposers.gives[0]!.coin }] },
    ])
      await expect(prepareSettlement(scene.proposer, acceptanceId, other)).rejects.toThrow(CheckFailed)
  })

  it("rejects acceptance of the wallet's own proposal", async () => {
    const scene = await setUp({ gives: 1, gets: 1 })
    const { acceptors } = await agreements(scene)
    const ownRefusal = await refusalOf(
      acceptProposal(scene.proposer, scene.proposal.id, fillsOf(scene), acceptors),
    )
    expect(ownRefusal).toMatchObject({ status: 400, message: expect.stringMatching(/your own/) })
    const foreign = await refusalOf(acceptProposal(stranger, scene.proposal.id, fillsOf(scene), acceptors))
    expect(foreign.status).toBe(403)
    const few = await refusalOf(acceptProposal(scene.acceptor, scene.proposal.id, [], acceptors))
    expect(few).toMatchObject({
      status: 400,
      message: expect.stringMatching(/requires 1 inscriptions, got 0/),
    })
  })
})

it(`either settles or withdraws an acceptance, ${ROUNDS} times`, async () => {
  const tally = { settled: 0, withdrawn: 0 }
  for (let round = 0; round < ROUNDS; round++) {
    const scene = await setUp({ gives: 1, gets: 1 })
    const { acceptanceId, expectedSettlementTxid } = await accepted(scene)
    const { proposers } = await agreements(scene)
    const { body } = await prepareSettlement(scene.proposer, acceptanceId, proposers)
    const [settling, cancelling] = await Promise.all([
      refusalOf(scene.proposer.client.call('submitSettlement', { params: { acceptanceId }, body })),
      new Promise((done) => setTimeout(done, (round * 3) % 20)).then(() =>
        refusalOf(scene.acceptor.client.call('cancelAcceptance', { params: { acceptanceId } })),
      ),
    ])
    expect([settling.status, cancelling.status].toSorted()).toEqual([200, 409])
    const sent = (await market.regtest.call<string[]>('getrawmempool')).includes(expectedSettlementTxid)
    expect(sent).toBe(settling.status === 200)
    tally[sent ? 'settled' : 'withdrawn']++
    await market.mine()
    await assertHeldBy(scene.own!.ids, sent ? scene.acceptor : scene.proposer)
  }
  const hanging = await market.sql`
    select 1 from settlements where state in ('intended', 'broadcast')
    union all select 1 from settlement_coins where live union all select 1 from acceptances where state = 'accepting'`
  expect(hanging.length).toBe(0)
  console.log(`${market.node.kind}: ${JSON.stringify(tally)}`)
})

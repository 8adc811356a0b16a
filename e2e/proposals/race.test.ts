import { prepareAcceptanceOf, propose } from '@ordbook/sdk/index.ts'
import type { Body } from '@ordbook/sdk/operations.ts'
import { expect, it } from 'vitest'
import { setUpMarket, startTogether, type TestTrader } from '../support/market.ts'
import { coinsOf } from '../support/offers.ts'
import { traderAtStorefront } from '../support/storefront.ts'

const market = setUpMarket({})

const person = async (): Promise<TestTrader> =>
  traderAtStorefront(market.server.url, (await market.trader()).wallet)

const termsFor = (offeredInscriptionIds: string[]): Omit<Body<'createProposal'>, 'walletBindingId'> => ({
  visibility: 'public',
  offeredInscriptionIds,
  offeredBtcSats: 0,
  wantedLegs: [],
  requestedBtcSats: 50_000,
})

/** Creates a proposal of an inscription for sats. `accept` prepares an acceptance that pays with one coin, and returns its submit. */
async function setUp() {
  const [proposer, acceptor] = [await person(), await person()]
  const { ids } = await market.collection(proposer.wallet, 1)
  const proposal = await propose(proposer, termsFor(ids), [])
  const gets = [{ inscriptionId: ids[0]!, coin: await market.coinOf(ids[0]!) }]
  const coins = await coinsOf(market, acceptor)
  const params = { proposalId: proposal.id }
  const accept = async (n: number) => {
    const { body } = await prepareAcceptanceOf(acceptor, proposal.id, [], {
      gives: [],
      gets,
      netSats: -50_000,
      coins: [coins[n]!],
      maxMarketSats: 100_000,
      maxNetworkSats: 100_000,
    })
    return () => acceptor.client.call('submitAcceptance', { params, body })
  }
  return { proposer, proposalId: proposal.id, ids, accept }
}

it('refuses an acceptance of a proposal that is cancelled during the submit', async () => {
  const { proposalId, accept } = await setUp()
  const [answer] = await startTogether(
    market,
    (tx) => tx`
      update proposals set state = 'cancelled', ended_at = now() where proposal_id = ${proposalId}`,
    [await accept(0)],
  )
  expect(answer).toMatchObject({ reason: { status: 409, code: 'offer-not-active' } })
})

it('stores five of six acceptances if the last two are submitted at once', async () => {
  const { proposalId, accept } = await setUp()
  const calls = [await accept(0), await accept(1)]
  const binding = await market.sql<{ id: string; script: Uint8Array }[]>`
    select wallet_binding_id as id, ordinals_script as script from wallet_bindings order by signed_in_at desc limit 1`
  const { id, script } = binding[0]!
  await market.sql`
    insert into acceptances (acceptance_id, proposal_id, acceptor_binding_id, acceptor_script, state, fills, terms, items,
      signatures, settlement_txid, created_at, expires_at)
    select gen_random_uuid(), ${proposalId}, ${id}, ${script}, 'active', '[]', '{}', '[]', '[]', n, now(), now() + interval '1 day'
    from generate_series(1, 4) as n`
  const answers = await startTogether(
    market,
    (tx) => tx`select 1 from proposals where proposal_id = ${proposalId} for update`,
    calls,
  )
  expect(answers.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  expect(answers.find(({ status }) => status === 'rejected')).toMatchObject({
    reason: { status: 409, code: 'too-many-orders' },
  })
})

it('stores 200 of 201 proposals if the last two are created at once', async () => {
  const { proposer, proposalId, ids } = await setUp()
  await market.sql`
    insert into proposals (proposal_id, creator_script, creator_binding_id, visibility, state, offered_btc_sats,
      requested_btc_sats, marketplace_fee_sats, created_at, expires_at)
    select gen_random_uuid(), creator_script, creator_binding_id, visibility, state, offered_btc_sats, requested_btc_sats,
      marketplace_fee_sats, created_at, expires_at
    from proposals cross join generate_series(1, 198) where proposal_id = ${proposalId}`
  const create = () => propose(proposer, termsFor(ids), [])
  const answers = await startTogether(
    market,
    (tx) => tx`
      select 1 from wallet_bindings b join profiles p using (profile_id)
      where b.wallet_binding_id = ${proposer.walletBindingId} for update`,
    [create, create],
  )
  expect(answers.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  expect(answers.find(({ status }) => status === 'rejected')).toMatchObject({
    reason: { status: 409, code: 'too-many-orders' },
  })
})

import { acceptProposal, propose } from '@ordbook/sdk/index.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { DeceivedUser, WORDS, walletOfWords } from '../support/command.ts'
import { setUpMarket, type TestTrader } from '../support/market.ts'
import { coinsOf } from '../support/offers.ts'
import { traderAtStorefront } from '../support/storefront.ts'

const FEE_SATS = 150_000
const market = setUpMarket({ PROPOSAL_FEE_SATS: String(FEE_SATS) })
const wallet = walletOfWords(WORDS, 0)
const victim = new DeceivedUser()
let accomplice: TestTrader
/** A trader with the victim's keys, to create proposals that a market could forge. */
let impostor: TestTrader
let own: { slug: string; ids: string[] }
let accomplices: { slug: string; ids: string[] }

beforeAll(async () => {
  await market.regtest.pay([{ valueSats: 9_000_000, script: wallet.paymentScript }])
  accomplice = await traderAtStorefront(market.server.url, (await market.trader('p2wpkh', 9_000_000)).wallet)
  impostor = await traderAtStorefront(market.server.url, wallet)
  own = await market.collection(wallet, 3)
  accomplices = await market.collection(accomplice.wallet, 4)
  await victim.setUp(market)
  await victim.does('sign-in')
})
afterAll(() => victim.end())

const itemOf = async (inscriptionId: string) => ({ inscriptionId, coin: await market.coinOf(inscriptionId) })

async function statesOf(trader: TestTrader): Promise<string[]> {
  const { acceptances } = await trader.client.call('listAcceptances', { query: { view: 'received' } })
  return acceptances.map(({ state }) => state)
}

it('settles only the proposal that it created', async () => {
  const [junk, dear] = own.ids as [string, string]
  const [wanted] = accomplices.ids as [string]
  const terms = ['--give', junk, '--want', wanted, '--want-sats', '30_000']
  const { id } = await victim.does('swap', 'propose', ...terms)
  const other = await propose(
    impostor,
    {
      visibility: 'private',
      offeredInscriptionIds: [dear],
      offeredBtcSats: 5_000_000,
      wantedLegs: [
        {
          collectionSlug: accomplices.slug,
          quantity: 1,
          target: { kind: 'inscriptions', inscriptionIds: [wanted] },
        },
      ],
      requestedBtcSats: 0,
    },
    await coinsOf(market, impostor),
  )
  const agreement = {
    coins: await coinsOf(market, accomplice),
    maxMarketSats: FEE_SATS,
    maxNetworkSats: 50_000,
  }
  const { acceptanceId } = await acceptProposal(
    accomplice,
    other.id,
    [{ legId: other.wantedLegs[0]!.id, inscriptionId: wanted }],
    { ...agreement, gives: [await itemOf(wanted)], gets: [await itemOf(dear)], netSats: 5_000_000 },
  )
  victim.lie({ at: '/acceptances', told: [[other.id, id]] })
  for (const extraArguments of [[], terms])
    expect(
      await victim.run('swap', 'settle', acceptanceId, ...extraArguments, '--yes', '--json'),
    ).toMatchObject({
      code: 6,
      json: { error: { code: 'check-failed' } },
    })
  // The command did not create the proposal with the real id.
  victim.lie()
  expect(await victim.run('swap', 'settle', acceptanceId, '--yes', '--json')).toMatchObject({
    code: 1,
    json: { error: { code: 'proposal-not-kept' } },
  })
  expect(await statesOf(impostor)).toEqual(['active'])

  const mine = await impostor.client.call('getProposal', { params: { proposalId: id } })
  const honest = await acceptProposal(
    accomplice,
    id,
    [{ legId: mine.wantedLegs[0]!.id, inscriptionId: wanted }],
    { ...agreement, gives: [await itemOf(wanted)], gets: [await itemOf(junk)], netSats: -30_000 },
  )
  await victim.does('swap', 'settle', honest.acceptanceId)
})

it('requires a named item for a collection proposal', async () => {
  const givenId = own.ids[2]!
  const [, offered, unwanted] = accomplices.ids as [string, string, string]
  const { id, wantedLegs } = await victim.does(
    'swap',
    'propose',
    '--give',
    givenId,
    '--want',
    accomplices.slug,
  )
  const { acceptanceId } = await acceptProposal(
    accomplice,
    id,
    [{ legId: wantedLegs[0].id, inscriptionId: offered }],
    {
      gives: [await itemOf(offered)],
      gets: [await itemOf(givenId)],
      netSats: 0,
      coins: await coinsOf(market, accomplice),
      maxMarketSats: FEE_SATS,
      maxNetworkSats: 50_000,
    },
  )
  for (const extraArguments of [[], ['--get', unwanted]])
    expect(
      await victim.run('swap', 'settle', acceptanceId, ...extraArguments, '--yes', '--json'),
    ).toMatchObject({
      code: 1,
      json: { error: { code: 'other-terms', message: expect.stringContaining(offered) } },
    })
  await victim.does('swap', 'settle', acceptanceId, '--get', offered)
})

it('accepts a proposal only within the given terms', async () => {
  await market.mine()
  const [, , , prize] = accomplices.ids as [string, string, string, string]
  const mine = own.ids[1]!
  const proposed = (offeredBtcSats: number, requestedBtcSats: number) =>
    coinsOf(market, accomplice).then((coins) =>
      propose(
        accomplice,
        {
          visibility: 'public',
          offeredInscriptionIds: [prize],
          offeredBtcSats,
          wantedLegs: [
            {
              collectionSlug: own.slug,
              quantity: 1,
              target: { kind: 'inscriptions', inscriptionIds: [mine] },
            },
          ],
          requestedBtcSats,
        },
        coins,
      ),
    )
  const shown = await proposed(200_000, 0)
  const signed = await proposed(0, 5_000_000)
  const accept = (...more: string[]) =>
    victim.run('swap', 'accept', shown.id, '--with', mine, '--yes', '--json', ...more)
  const agreed = ['--get', prize, '--get-sats', '200_000']
  const allowed = ['--max-market', String(FEE_SATS)]

  expect(await accept(...allowed)).toMatchObject({
    code: 1,
    json: { error: { code: 'other-terms', message: expect.stringContaining('--get-sats 200000') } },
  })
  expect(await accept(...agreed)).toMatchObject({ code: 1, json: { error: { code: 'market-fee' } } })
  // The market reports no fee, but charges it.
  victim.lie({ at: '/proposals/', told: [[`"marketplaceFeeSats":${FEE_SATS}`, '"marketplaceFeeSats":0']] })
  expect(await accept(...agreed)).toMatchObject({ code: 6, json: { error: { code: 'check-failed' } } })
  // The market prepares another proposal under this id.
  victim.lie({
    at: '/acceptances',
    asked: [
      [shown.id, signed.id],
      [shown.wantedLegs[0]!.id, signed.wantedLegs[0]!.id],
    ],
  })
  expect(await accept(...agreed, ...allowed)).toMatchObject({
    code: 6,
    json: { error: { code: 'check-failed' } },
  })
  expect(await statesOf(accomplice)).toEqual([])
  victim.lie()
  expect(await accept(...agreed, ...allowed)).toMatchObject({ code: 0 })
})

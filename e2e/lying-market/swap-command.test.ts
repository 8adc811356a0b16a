import { acceptProposal, propose } from '@ordbook/sdk/index.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { DeceivedUser, WORDS, walletOfWords } from '../support/command.ts'
import { setUpMarket, type TestTrader } from '../support/market.ts'
import { coinsOf } from '../support/offers.ts'
import { traderAtStorefront } from '../support/storefront.ts'

/** The command signs a swap only on its user's own terms. */
const FEE_SATS = 150_000
const market = setUpMarket({ PROPOSAL_FEE_SATS: String(FEE_SATS) })
const wallet = walletOfWords(WORDS, 0)
const victim = new DeceivedUser()
let accomplice: TestTrader
/** The victim through the SDK: what the market makes up in the victim's name. */
let impostor: TestTrader
let own: { slug: string; ids: string[] }
let theirs: { slug: string; ids: string[] }

beforeAll(async () => {
  await market.regtest.pay([{ valueSats: 9_000_000, script: wallet.paymentScript }])
  accomplice = await traderAtStorefront(market.server.url, (await market.trader('p2wpkh', 9_000_000)).wallet)
  impostor = await traderAtStorefront(market.server.url, wallet)
  own = await market.collection(wallet, 3)
  theirs = await market.collection(accomplice.wallet, 4)
  await victim.does(
    'setup',
    ...['--market', market.server.url, '--node', market.node.url],
    ...['--seed-file', victim.file('words', WORDS)],
  )
  await victim.does('sign-in')
})
afterAll(() => victim.end())

const known = async (inscriptionId: string) => ({ inscriptionId, coin: await market.coinOf(inscriptionId) })

/** The states of the acceptances of a wallet's proposals. */
async function statesOf(trader: TestTrader): Promise<string[]> {
  const { acceptances } = await trader.client.call('listAcceptances', { query: { view: 'received' } })
  return acceptances.map(({ state }) => state)
}

it('settles its own proposal, and no other under the same id', async () => {
  const [junk, dear] = own.ids as [string, string]
  const [wanted] = theirs.ids as [string]
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
          collectionSlug: theirs.slug,
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
    { ...agreement, gives: [await known(wanted)], gets: [await known(dear)], netSats: 5_000_000 },
  )
  victim.lie({ at: '/acceptances', told: [[other.id, id]] })
  for (const again of [[], terms])
    expect(await victim.run('swap', 'settle', acceptanceId, ...again, '--yes', '--json')).toMatchObject({
      code: 6,
      json: { error: { code: 'check-failed' } },
    })
  // Under its own id, the command does not know the proposal.
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
    { ...agreement, gives: [await known(wanted)], gets: [await known(junk)], netSats: -30_000 },
  )
  await victim.does('swap', 'settle', honest.acceptanceId)
})

it('accepts only named items for any item of a collection', async () => {
  const given = own.ids[2]!
  const [, offered, unwanted] = theirs.ids as [string, string, string]
  const { id, wantedLegs } = await victim.does('swap', 'propose', '--give', given, '--want', theirs.slug)
  const { acceptanceId } = await acceptProposal(
    accomplice,
    id,
    [{ legId: wantedLegs[0].id, inscriptionId: offered }],
    {
      gives: [await known(offered)],
      gets: [await known(given)],
      netSats: 0,
      coins: await coinsOf(market, accomplice),
      maxMarketSats: FEE_SATS,
      maxNetworkSats: 50_000,
    },
  )
  for (const named of [[], ['--get', unwanted]])
    expect(await victim.run('swap', 'settle', acceptanceId, ...named, '--yes', '--json')).toMatchObject({
      code: 1,
      json: { error: { code: 'other-terms', message: expect.stringContaining(offered) } },
    })
  await victim.does('swap', 'settle', acceptanceId, '--get', offered)
})

it('accepts only the arguments of its user', async () => {
  await market.mine()
  const [, , , prize] = theirs.ids as [string, string, string, string]
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
  // The fee is told as nothing, and taken all the same.
  victim.lie({ at: '/proposals/', told: [[`"marketplaceFeeSats":${FEE_SATS}`, '"marketplaceFeeSats":0']] })
  expect(await accept(...agreed)).toMatchObject({ code: 6, json: { error: { code: 'check-failed' } } })
  // Another proposal is prepared under this one's id.
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

import { afterAll, beforeAll, expect, it } from 'vitest'
import { inscribeTogether } from '../support/bundles.ts'
import { CommandUser, WORDS, walletOfWords } from '../support/command.ts'
import { setUpMarket } from '../support/market.ts'

/** Trades a coin with two inscriptions on one sat. Without `--also` the command signs nothing. */
const market = setUpMarket()
const [seller, buyer] = [new CommandUser(), new CommandUser()]
const wallets = { seller: walletOfWords(WORDS, 0), buyer: walletOfWords(WORDS, 1) }

beforeAll(async () => {
  for (const { paymentScript } of Object.values(wallets))
    for (let n = 0; n < 2; n++) await market.regtest.pay([{ valueSats: 2_000_000, script: paymentScript }])
  await market.server.sync()
  for (const [account, user] of [seller, buyer].entries()) {
    await user.setUp(market, account)
    await user.does('sign-in')
  }
})
afterAll(() => {
  seller.end()
  buyer.end()
})

/** Asserts that a command fails without `--also` and succeeds with it. */
async function onlyWithAlso(user: CommandUser, words: readonly string[], along: string): Promise<any> {
  const refused = await user.run(...words, '--json')
  expect(refused.code).not.toBe(0)
  expect(refused.json.error.message).toContain(along)
  return user.does(...words, '--also', along)
}

it('prints the listing that a new listing replaces', async () => {
  const [first, second] = await inscribeTogether(market, wallets.seller.ordinalsScript, ['first', 'second'])
  const { listings, replaces } = await onlyWithAlso(seller, ['list', `${first}=50_000`, '--yes'], second)
  expect(replaces).toEqual([])
  const relisted = await seller.run('list', `${second}=60_000`, '--yes', '--also', first)
  expect(relisted).toMatchObject({ code: 0 })
  const lines = relisted.stdout.trim().split('\n')
  expect(lines).toHaveLength(2)
  expect(lines[0]).toMatch(new RegExp(`^listed ${second} for `))
  expect(lines[1]).toBe(`ended the previous listing of ${first}: ${listings[0].listingId}`)
})

it('swaps coins only if both sides name all inscriptions', async () => {
  const offered = await inscribeTogether(market, wallets.seller.ordinalsScript, ['offered', 'along'])
  const wantedIds = await inscribeTogether(market, wallets.buyer.ordinalsScript, ['wanted', 'with-it'])
  const { id } = await seller.does('swap', 'propose', '--give', offered[0], '--want', wantedIds[0])
  const accept = ['swap', 'accept', id, '--with', wantedIds[0], '--get', offered[0]]
  const { acceptanceId } = await onlyWithAlso(buyer, accept, wantedIds[1])
  await onlyWithAlso(seller, ['swap', 'settle', acceptanceId], offered[1])
  await market.mine()
  for (const each of offered) expect((await market.coinOf(each)).script).toEqual(wallets.buyer.ordinalsScript)
  for (const wantedId of wantedIds)
    expect((await market.coinOf(wantedId)).script).toEqual(wallets.seller.ordinalsScript)
})

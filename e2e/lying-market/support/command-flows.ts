import { join } from 'node:path'
import { acceptProposal, bid, counter, offer, propose } from '@ordbook/sdk/index.ts'
import type { Trader } from '@ordbook/sdk/trader.ts'
import { LocalWallet } from '@ordbook/sdk/wallet.ts'
import { vi } from 'vitest'
import { runCommand } from '../../../cli/src/command.ts'
import { rested } from '../../escrows/support/escrow-market.ts'
import { CommandUser, WORDS, walletOfWords } from '../../support/command.ts'
import { enter, listAll, type TestMarket, type TestTrader } from '../../support/market.ts'
import { coinsOf, offering, selling } from '../../support/offers.ts'
import { traderAtStorefront } from '../../support/storefront.ts'
import type { RecordingWallet } from '../recording-wallet.ts'
import type { Flow } from './flows.ts'

class CommandFailed extends Error {
  readonly code: string

  constructor({ code, message }: { code: string; message: string }) {
    super(`${code}: ${message}`)
    this.name = 'CommandFailed'
    this.code = code
  }
}

/** Runs the command in this process, signing with `wallet`. Returns the `--json` output. */
async function run({ wallet }: Trader, user: CommandUser, ...args: string[]): Promise<any> {
  vi.stubEnv('XDG_CONFIG_HOME', join(user.folder, 'config'))
  vi.stubEnv('XDG_STATE_HOME', join(user.folder, 'state'))
  let printed = ''
  const stdout = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += text
    return true
  })
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const signs = vi.spyOn(LocalWallet.prototype, 'signPsbt')
  try {
    await runCommand([...args, '--json', '--yes'])
    for (const [psbtBase64, inputsToSign] of signs.mock.calls)
      (wallet as RecordingWallet).asked.push({ psbtBase64, inputsToSign })
  } finally {
    for (const spy of [stdout, stderr, signs]) spy.mockRestore()
    vi.unstubAllEnvs()
  }
  const document = JSON.parse(printed.split('\n')[0]!)
  if (document.error) throw new CommandFailed(document.error)
  return document
}

/** Yields all kinds of trades by command, with a node to verify coins. See `flowsOf`. */
export async function* commandFlowsOf(market: TestMarket): AsyncGenerator<Flow & { spare: string[] }> {
  const user = new CommandUser()
  const wallet = walletOfWords(WORDS, 0)
  await market.regtest.pay(
    [10_000_000, 10_000_000].map((valueSats) => ({ valueSats, script: wallet.paymentScript })),
  )
  await market.mine()
  const other = await market.trader()
  const ownItems = await market.collection(wallet, 12)
  const othersItems = await market.collection(other.wallet, 6)
  await market.anchors(20)
  await user.setUp(market)
  await user.does('sign-in')
  const trader = (await traderAtStorefront(market.server.url, wallet)) as TestTrader
  const limits = ['--max-network', '20_000', '--max-fee-bps', '250']
  const flow = (name: string, ...args: string[]): Flow & { spare: string[] } => ({
    name: `command: ${name}`,
    trader,
    spare: [ownItems.ids[6]!, ownItems.ids[11]!],
    web: true,
    chooses: /^GET \/coins$/,
    attempt: (recording) => run(recording, user, ...args),
  })

  yield flow('list', 'list', `${ownItems.ids[0]}=50_000`, `${ownItems.ids[1]}=60_000`, ...limits)

  await listAll(market, other, othersItems.slug, othersItems.ids.slice(0, 2), 50_000)
  yield flow('buy', 'buy', ...othersItems.ids.slice(0, 2), '--max-price', '50_000', ...limits)
  await market.mine()

  yield flow('bid on an item', 'bid', othersItems.ids[2]!, '--price', '40_000', ...limits)
  yield flow('bid on a collection', 'bid', '--collection', othersItems.slug, '--price', '30_000', ...limits)

  await offer(other, ownItems.slug, await offering(market, other, [ownItems.ids[2]!], 40_000), 24)
  yield flow('fill', 'fill', ownItems.ids[2]!, '--least', '39_000', ...limits)
  await market.mine()

  const [saleId, filledId, counteredId] = ownItems.ids.slice(7)
  const offered = async (id: string) =>
    (await offer(other, ownItems.slug, await offering(market, other, [id], 40_000), 24)).items[0]!.offerId
  yield flow('accept an offer', 'accept', saleId!, await offered(saleId!), '--price', '40_000', ...limits)
  const { offers } = await bid(
    other,
    ownItems.slug,
    { target: { kind: 'all' }, priceSats: 35_000, coins: await coinsOf(market, other) },
    24,
  )
  await market.mine()
  const filling = ['accept', filledId!, offers[0]!.offerId, '--price', '35_000']
  yield flow('accept a collection offer', ...filling, ...limits)
  await market.mine()
  const countering = ['counter', counteredId!, await offered(counteredId!), '--price', '80_000']
  yield flow('counter', ...countering, ...limits)

  const wantedId = othersItems.ids[5]!
  const { items } = await user.does('bid', wantedId, '--price', '40_000', '--yes')
  const { offerId } = await counter(other, items[0].offerId, await selling(market, wantedId, 60_000))
  yield flow('accept a counter', 'accept', wantedId, offerId, '--pay', '60_000', ...limits)
  await market.mine()

  const proposer = await traderAtStorefront(market.server.url, other.wallet)
  const proposal = await propose(
    proposer,
    {
      visibility: 'public',
      offeredInscriptionIds: [othersItems.ids[3]!],
      offeredBtcSats: 0,
      wantedLegs: [
        {
          collectionSlug: ownItems.slug,
          quantity: 1,
          target: { kind: 'inscriptions', inscriptionIds: [ownItems.ids[3]!] },
        },
      ],
      requestedBtcSats: 30_000,
    },
    await coinsOf(market, other),
  )
  const escrowArguments = [
    '--with',
    ownItems.ids[3]!,
    '--get',
    othersItems.ids[3]!,
    '--pay-sats',
    '30_000',
    '--max-network',
    '20_000',
  ]
  yield flow('accept a swap', 'swap', 'accept', proposal.id, ...escrowArguments)

  const terms = ['--give', ownItems.ids[4]!, '--want', othersItems.ids[4]!, '--want-sats', '30_000']
  const mine = await user.does('swap', 'propose', ...terms)
  const itemOf = async (inscriptionId: string) => ({
    inscriptionId,
    coin: await market.coinOf(inscriptionId),
  })
  const { acceptanceId } = await acceptProposal(
    proposer,
    mine.id,
    [{ legId: mine.wantedLegs[0].id, inscriptionId: othersItems.ids[4]! }],
    {
      gives: [await itemOf(othersItems.ids[4]!)],
      gets: [await itemOf(ownItems.ids[4]!)],
      netSats: -30_000,
      coins: await coinsOf(market, other),
      maxMarketSats: 20_000,
      maxNetworkSats: 20_000,
    },
  )
  yield flow('settle a swap', 'swap', 'settle', acceptanceId)
  await market.mine()

  const escrowedId = ownItems.ids[10]!
  await rested(market, await enter(market.base, wallet), ownItems.slug, [ownItems.ids[5]!, escrowedId])
  yield flow('relist', 'relist', `${escrowedId}=70_000`, '--max-fee-bps', '250')
  yield flow('move', 'move', escrowedId, '--max-network', '20_000')
  await market.mine()
  yield flow('exit with the market', 'exit', ownItems.ids[5]!, '--with-market')
  await market.mine()
  user.end()
}

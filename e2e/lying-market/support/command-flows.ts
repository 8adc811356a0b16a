import { join } from 'node:path'
import { acceptProposal, offer, propose } from '@ordbook/sdk/index.ts'
import type { Trader } from '@ordbook/sdk/trader.ts'
import { LocalWallet } from '@ordbook/sdk/wallet.ts'
import { vi } from 'vitest'
import { runCommand } from '../../../cli/src/command.ts'
import { rested } from '../../escrows/support/escrow-market.ts'
import { CommandUser, WORDS, walletOfWords } from '../../support/command.ts'
import { enter, listAll, type TestMarket, type TestTrader } from '../../support/market.ts'
import { coinsOf, offering } from '../../support/offers.ts'
import { traderAtStorefront } from '../../support/storefront.ts'
import type { RecordingWallet } from '../recording-wallet.ts'
import type { Flow } from './flows.ts'

/** An error printed by the command. */
class CommandFailed extends Error {
  readonly code: string

  constructor({ code, message }: { code: string; message: string }) {
    super(`${code}: ${message}`)
    this.name = 'CommandFailed'
    this.code = code
  }
}

/** Runs the command in this process and records its signing requests in `wallet`. Returns the `--json` output. */
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
    for (const each of [stdout, stderr, signs]) each.mockRestore()
    vi.unstubAllEnvs()
  }
  const document = JSON.parse(printed.split('\n')[0]!)
  if (document.error) throw new CommandFailed(document.error)
  return document
}

/** All kinds of trades with the command and a node that verifies coins. See `flowsOf`. */
export async function* commandFlowsOf(market: TestMarket): AsyncGenerator<Flow & { spare: string[] }> {
  const user = new CommandUser()
  const wallet = walletOfWords(WORDS, 0)
  await market.regtest.pay(
    [10_000_000, 10_000_000].map((valueSats) => ({ valueSats, script: wallet.paymentScript })),
  )
  await market.mine()
  const other = await market.trader()
  const own = await market.collection(wallet, 7)
  const theirs = await market.collection(other.wallet, 5)
  await market.anchors(12)
  await user.does(
    'setup',
    ...['--market', market.server.url, '--node', market.node.url],
    ...['--seed-file', user.file('words', WORDS)],
  )
  await user.does('sign-in')
  const trader = (await traderAtStorefront(market.server.url, wallet)) as TestTrader
  const limits = ['--max-network', '20_000', '--max-fee-bps', '250']
  const flow = (name: string, ...args: string[]): Flow & { spare: string[] } => ({
    name: `command: ${name}`,
    trader,
    spare: [own.ids[6]!],
    web: true,
    chooses: /^GET \/coins$/,
    attempt: (recording) => run(recording, user, ...args),
  })

  yield flow('list', 'list', `${own.ids[0]}=50_000`, `${own.ids[1]}=60_000`, ...limits)

  await listAll(market, other, theirs.slug, theirs.ids.slice(0, 2), 50_000)
  yield flow('buy', 'buy', ...theirs.ids.slice(0, 2), '--max-price', '50_000', ...limits)
  await market.mine()

  yield flow('bid on an item', 'bid', theirs.ids[2]!, '--price', '40_000', ...limits)
  yield flow('bid on a collection', 'bid', '--collection', theirs.slug, '--price', '30_000', ...limits)

  await offer(other, own.slug, await offering(market, other, [own.ids[2]!], 40_000), 24)
  yield flow('fill', 'fill', own.ids[2]!, '--least', '39_000', ...limits)
  await market.mine()

  const proposer = await traderAtStorefront(market.server.url, other.wallet)
  const proposal = await propose(
    proposer,
    {
      visibility: 'public',
      offeredInscriptionIds: [theirs.ids[3]!],
      offeredBtcSats: 0,
      wantedLegs: [
        {
          collectionSlug: own.slug,
          quantity: 1,
          target: { kind: 'inscriptions', inscriptionIds: [own.ids[3]!] },
        },
      ],
      requestedBtcSats: 30_000,
    },
    await coinsOf(market, other),
  )
  const taken = [
    '--with',
    own.ids[3]!,
    '--get',
    theirs.ids[3]!,
    '--pay-sats',
    '30_000',
    '--max-network',
    '20_000',
  ]
  yield flow('accept a swap', 'swap', 'accept', proposal.id, ...taken)

  const terms = ['--give', own.ids[4]!, '--want', theirs.ids[4]!, '--want-sats', '30_000']
  const mine = await user.does('swap', 'propose', ...terms)
  const known = async (inscriptionId: string) => ({ inscriptionId, coin: await market.coinOf(inscriptionId) })
  const { acceptanceId } = await acceptProposal(
    proposer,
    mine.id,
    [{ legId: mine.wantedLegs[0].id, inscriptionId: theirs.ids[4]! }],
    {
      gives: [await known(theirs.ids[4]!)],
      gets: [await known(own.ids[4]!)],
      netSats: -30_000,
      coins: await coinsOf(market, other),
      maxMarketSats: 20_000,
      maxNetworkSats: 20_000,
    },
  )
  yield flow('settle a swap', 'swap', 'settle', acceptanceId)
  await market.mine()

  await rested(market, await enter(market.base, wallet), own.slug, [own.ids[5]!])
  yield flow('exit with the market', 'exit', own.ids[5]!, '--with-market')
  await market.mine()
  user.end()
}

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { escrowCoinOf } from '@ordbook/bitcoin/trade/listing.ts'
import { hexOfTransaction } from '@ordbook/bitcoin/transaction.ts'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { readConfig } from '@ordbook/db/settings/config.ts'
import { Regtest } from '@ordbook/devnet/regtest.ts'
import { followChain, NO_CONSUMERS } from '@ordbook/indexer/follow.ts'
import { demoWallets } from '@ordbook/sdk/demo-wallets.ts'
import { Client, coinOfItem, keysOf, list, signIn } from '@ordbook/sdk/index.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { leaveEscrow } from '../../docs/examples/leave-escrow.ts'
import { signListing } from '../../docs/examples/sign-listing.ts'
import { blocksOf } from '../../scripts/links/samples.ts'
import { cosignKey, ownerOf, startKit } from '../escrows/support/escrow-kit.ts'
import { freshDatabase, startMarket, testConfig, until } from '../support/market.ts'

/** Runs the commands in the README, the getting-started page and the guides, and the examples that the guides quote. */
const root = join(import.meta.dirname, '../..')
const DEMO = 'http://127.0.0.1:4000'
/** Skipped, because CI runs already install, start and test the market. */
const BY_THE_SUITE = /^(npm install|npm start|npm test)\b/
/** Pages with a special setup, and the suites that run them. */
const ELSEWHERE: Record<string, string> = {
  'docs/how-to/test-against-a-lying-market.md': 'e2e/lying-market/command.test.ts',
  'docs/how-to/leave-escrow.md': 'e2e/escrows/exit-command.test.ts',
}

/** Pages that another suite runs completely: on a real network, or with certificates (e2e/signer/key-hosts.test.ts). */
const WHOLE_ELSEWHERE = ['docs/how-to/start-on-mainnet.md', 'docs/how-to/run-keys-on-other-hosts.md']

const commandsOf = (page: string): string[] =>
  blocksOf(readFileSync(join(root, page), 'utf8'))
    .filter(({ language }) => language === 'sh')
    .map(({ text }) =>
      text
        .split('\n')
        .filter((line) => !BY_THE_SUITE.test(line))
        .join('\n'),
    )
    .filter((text) => text.trim() !== '')

/** Runs commands in one shell in the repository root, and returns their stdout. Throws if one fails. */
async function run(commands: string, env: NodeJS.ProcessEnv): Promise<string> {
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', commands], {
    cwd: root,
    // Includes the repository's own commands, such as `ordbook`.
    env: { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}`, ...env },
    timeout: 300_000,
    maxBuffer: 64_000_000,
  })
  return stdout
}

describe('with the demo market', () => {
  let dataDir: string
  let url: string
  let child: ChildProcess
  let env: NodeJS.ProcessEnv
  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'ordbook-guides-'))
    chmodSync(dataDir, 0o755)
    const port = await freePort()
    url = `http://127.0.0.1:${port}`
    const configuration = { XDG_CONFIG_HOME: join(dataDir, 'config'), XDG_STATE_HOME: join(dataDir, 'state') }
    env = { DATA_DIR: dataDir, PORT: String(port), MARKET: url, RATE_LIMITS: 'off', ...configuration }
    child = spawn(process.execPath, [join(root, 'scripts/start.ts')], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let output = ''
    child.stdout!.on('data', (text) => (output += text))
    for (let waited = 0; !output.includes('Ctrl-C stops everything'); waited += 100) {
      if (child.exitCode !== null || waited > 100_000) throw new Error(`the market did not start:\n${output}`)
      await new Promise((done) => setTimeout(done, 100))
    }
  })
  afterAll(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const exited = new Promise((done) => child.once('exit', done))
      child.kill('SIGTERM')
      const timeout = setTimeout(() => child.kill('SIGKILL'), 30_000)
      await exited
      clearTimeout(timeout)
    }
    rmSync(dataDir, { recursive: true, force: true })
  })

  const pages = ['README.md', ...globSync('docs/{tutorials,how-to}/*.md', { cwd: root })].filter(
    (page) => !(page in ELSEWHERE) && !WHOLE_ELSEWHERE.includes(page) && commandsOf(page).length > 0,
  )
  it.each(pages)('runs the commands of %s', async (page) => {
    const text = commandsOf(page).join('\n').replaceAll(DEMO, url)
    expect(await run(text, env)).not.toBe('')
  })

  it('runs the code of the guides for bots and wallets', async () => {
    const watch = spawn(process.execPath, ['--experimental-eventsource', 'docs/examples/watch.ts'], {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let printed = ''
    watch.stdout.on('data', (text) => (printed += text))
    try {
      const { first: wallet } = demoWallets('regtest')
      const client = new Client(`${url}/api/v1`)
      const session = await signIn(client, wallet, new URL(url).host)
      const trader = { client, wallet, walletBindingId: session.walletBindings[0]!.walletBindingId }
      const { rpcUrl } = JSON.parse(readFileSync(join(dataDir, 'running.json'), 'utf8')) as { rpcUrl: string }
      const coins = await new Regtest(rpcUrl).coinsOf(wallet.ordinalsScript)
      const { items } = await client.call('listCollectionInscriptions', { params: { slug: 'harbour-lamps' } })
      const item = items.find((item) => item.owner === wallet.ordinalsAddress && item.listingState === null)!
      const { inscriptionId } = item
      const { valueSats } = coins.find(
        (coin) => coin.txid === item.locationTxid && coin.vout === item.locationVout,
      )!
      const agreement = {
        inscriptionId,
        priceSats: 101_234,
        coin: coinOfItem(item, valueSats),
        maxFeeBps: 500,
      }
      const answer = await client.call('preflightListing', {
        params: { slug: 'harbour-lamps' },
        body: {
          walletBindingId: trader.walletBindingId,
          ordinalsPublicKey: wallet.ordinalsPublicKey,
          escrowForm: 'wallet',
          items: [{ inscriptionId, priceSats: 101_234 }],
        },
      })
      const signed = await signListing(wallet, await keysOf(trader), [agreement], answer, (requests) =>
        Promise.all(
          requests.map(({ psbtBase64, inputsToSign }) => wallet.signPsbt(psbtBase64, inputsToSign)),
        ),
      )
      expect(signed).toHaveLength(3)
      await until('the output of watch', async () => printed.includes('\n'))
      await list(trader, 'harbour-lamps', [agreement])
      await until('the new listing', async () => printed.includes(`${inscriptionId} for 101234 sats`))
    } finally {
      watch.kill('SIGKILL')
    }
  })
})

it('runs the code of the escrow exit guide', async () => {
  const kit = await startKit()
  try {
    const owner = ownerOf('leaves by the example')
    const [terms] = await kit.escrowed(owner, ['wallet'])
    const coin = escrowCoinOf(terms!)
    const coins = await kit.coins(owner.wallet.paymentScript, [20_000])
    const { tx, feeSats } = await leaveEscrow(
      owner.wallet,
      { ...coin, cosignKey: Buffer.from(cosignKey).toString('hex') },
      coins,
    )
    expect(feeSats).toBeGreaterThan(0)
    await kit.regtest.call('sendrawtransaction', hexOfTransaction(tx))
  } finally {
    await kit.node.stop()
  }
})

it('runs the commands of the mainnet guide', async () => {
  const guide = commandsOf('docs/how-to/start-on-mainnet.md')
  const [settings, begin, collections] = guide as [string, string, string]
  const read = Object.fromEntries(
    [...settings.matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name, value]),
  )
  expect(readConfig(read)).toMatchObject({ chain: 'main', addressIndexUrl: read.ADDRESS_INDEX_URL })
  const market = await startMarket()
  const dataDir = mkdtempSync(join(tmpdir(), 'ordbook-walk-'))
  try {
    const { wallet } = await market.trader()
    const { slug, ids } = await market.collection(wallet, 1)
    const databaseUrl = await freshDatabase()
    const environment = {
      DATA_DIR: dataDir,
      DATABASE_URL: databaseUrl,
      BITCOIN_RPC_URL: market.node.url,
      DIRECTORY: join(market.dataDir, slug),
      PARENT_ID: ids[0]!,
    }
    // On regtest, the first block may have inscriptions.
    await run(begin.replace('--from-node', '--from-node --at 1'), environment)
    const config = { ...testConfig(), databaseUrl, bitcoinRpcUrl: market.node.url }
    const following = followChain({ config, base: null }, NO_CONSUMERS, () => {})
    await following.sync()
    await following.close()
    expect(await run(collections, environment)).toContain('lamps')
  } finally {
    await market.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
})

it.each(Object.entries(ELSEWHERE))('tests the flags of %s in %s', (page, suite) => {
  const tried = readFileSync(join(root, suite), 'utf8')
  const commands = blocksOf(readFileSync(join(root, page), 'utf8')).filter(({ text }) =>
    /^(npm run|npx ordbook) /m.test(text),
  )
  expect(commands.length).toBeGreaterThan(0)
  for (const { text } of commands)
    for (const [flag] of text.matchAll(/(?<=\s)--[a-z][a-z-]+/g)) expect(tried).toContain(flag)
})

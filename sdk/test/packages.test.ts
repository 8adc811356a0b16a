import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { LocalWallet } from '@ordbook/sdk/wallet.ts'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { setUpMarket } from '../../e2e/support/market.ts'
import { startBrowser } from '../../web/test/support/browser.ts'
import type { Order, Traded } from './consumer/trade.ts'

/** Folders created by scripts/suites/packages: tarballs, a program with the packages installed, runtimes and tools. */
const work = process.env.ORDBOOK_TEST_PACKAGES!
const consumer = join(work, 'consumer')
const runtimes = join(process.env.ORDBOOK_TEST_RUNTIMES!, 'node_modules')
const root = join(import.meta.dirname, '../..')
const NAMES = ['bitcoin', 'contract', 'sdk']
const installed = (name: string) => join(consumer, 'node_modules/@ordbook', name)

/** Runs a command in the folder of the program. Throws with its output if it fails or times out. */
const run = (command: string, ...args: string[]) =>
  promisify(execFile)(command, args, {
    cwd: consumer,
    timeout: 120_000,
    killSignal: 'SIGKILL',
    env: { ...process.env, DENO_DIR: join(work, 'deno'), NODE_OPTIONS: '' },
  }).then(
    ({ stdout }) => stdout,
    (error) => {
      throw new Error(`${command}: ${error.message}\n${error.stdout}\n${error.stderr}`)
    },
  )
const esbuild = (entry: string, outfile: string, ...options: string[]) =>
  run(
    join(runtimes, '.bin/esbuild'),
    entry,
    '--bundle',
    '--platform=browser',
    '--format=esm',
    '--minify',
    `--outfile=${outfile}`,
    ...options,
  )
const compile = (...options: string[]) =>
  run(
    process.execPath,
    join(root, 'node_modules/typescript/bin/tsc'),
    ...['--strict', '--skipLibCheck', 'false', '--types', '', '--lib', 'es2023,dom,dom.iterable'],
    ...['--target', 'es2023', ...options, 'trade.ts'],
  )

beforeAll(() => compile('--module', 'nodenext'))

describe.each(NAMES)('package %s', (name) => {
  const tarball = () =>
    join(
      work,
      'tarballs',
      readdirSync(join(work, 'tarballs')).find((file) => file.startsWith(`ordbook-${name}-`))!,
    )

  it('satisfies publint and arethetypeswrong', async () => {
    await run(process.execPath, join(runtimes, '.bin/publint'), '--strict', tarball())
    await run(process.execPath, join(runtimes, '.bin/attw'), '--profile', 'esm-only', tarball())
  })

  it('contains only compiled modules', () => {
    const files = readdirSync(join(installed(name), 'dist'), { recursive: true, encoding: 'utf8' })
    const modules = files.filter((file) => file.endsWith('.js'))
    expect(modules).toContain('index.js')
    expect(files.filter((file) => /\.test\.|scripted-market/.test(file))).toEqual([])
    for (const file of modules) {
      const path = join(installed(name), 'dist', file)
      expect(statSync(path.replace(/\.js$/, '.d.ts')).size).toBeGreaterThan(0)
      const { sources, sourcesContent } = JSON.parse(readFileSync(`${path}.map`, 'utf8'))
      expect(sources).toEqual([expect.stringMatching(/^(\.\.\/)+src\/.*\.ts$/)])
      expect(sourcesContent[0]).toBe(
        readFileSync(join(root, name, 'src', file.replace(/\.js$/, '.ts')), 'utf8'),
      )
    }
    expect(readdirSync(installed(name)).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json'])
  })
})

it('exports only its entry points', async () => {
  const names = ['@ordbook/sdk', '@ordbook/sdk/verify', '@ordbook/sdk/wallets', '@ordbook/sdk/demo-wallets']
  const code = `for (const name of ${JSON.stringify([...names, '@ordbook/sdk/client'])})
    await import(name).then((module) => console.log(name), (error) => console.log(error.code))`
  const output = await run(process.execPath, '--input-type=module', '--eval', code)
  expect(output.trim().split('\n')).toEqual([...names, 'ERR_PACKAGE_PATH_NOT_EXPORTED'])
})

describe.each([
  ['Client', "export { Client } from '@ordbook/sdk'", 5000],
  ['enter', "export { enter } from '@ordbook/sdk'", 17_000],
  ['list', "export { list } from '@ordbook/sdk'", 60_000],
  ['buy', "export { buy } from '@ordbook/sdk'", 60_000],
  ['verifyPurchase', "export { takeSignatures, verifyPurchase } from '@ordbook/sdk/verify'", 57_000],
])('a bundle of %s', (name, code, most) => {
  it(`has at most ${most} bytes, and no schema compiler`, async () => {
    writeFileSync(join(consumer, `${name}.mjs`), code)
    await esbuild(`${name}.mjs`, `${name}.bundle.js`, `--metafile=${name}.json`)
    const size = gzipSync(readFileSync(join(consumer, `${name}.bundle.js`)), { level: 9 }).length
    console.log(`bundle of ${name}: ${size} bytes, minified and gzipped`)
    expect(size).toBeLessThan(most)
    const { inputs } = JSON.parse(readFileSync(join(consumer, `${name}.json`), 'utf8'))
    expect(Object.keys(inputs).filter((path) => path.includes('node_modules/typebox/'))).toEqual([])
  })
})

describe('installed packages', () => {
  const market = setUpMarket()
  let slug: string
  const items: string[] = []
  const key = () => randomBytes(32).toString('hex')
  const seller = { ordinals: key(), payment: key() }
  const buyer = { ordinals: key(), payment: key() }
  const walletOf = ({ ordinals, payment }: typeof seller) =>
    new LocalWallet(
      { ordinals: hexToBytes(ordinals), payment: hexToBytes(payment) },
      { network: 'regtest', paymentKind: 'p2tr' },
    )

  beforeAll(async () => {
    for (const keys of [seller, buyer])
      await market.regtest.pay([{ valueSats: 20_000_000, script: walletOf(keys).paymentScript }])
    const collection = await market.collection(walletOf(seller), 6)
    slug = collection.slug
    items.push(...collection.ids)
  })

  /** Runs a program that trades the next item, and checks the trade on the chain. */
  async function assertTrades(program: (order: Order) => Promise<Traded>): Promise<void> {
    const inscriptionId = items.pop()!
    const { script: _, ...coin } = await market.coinOf(inscriptionId)
    const coins = (await market.regtest.coinsOf(walletOf(buyer).paymentScript)).map(
      ({ txid, vout, valueSats }) => ({ txid, vout, valueSats }),
    )
    const origin = new URL(market.base).origin
    const traded = await program({ market: origin, slug, inscriptionId, coin, coins, seller, buyer })
    await market.mine()
    expect(traded).toMatchObject({ sold: coin, keptToBudget: true, refusal: 'trade-unknown' })
    expect(await market.coinOf(inscriptionId)).toMatchObject({
      txid: traded.settlementTxid,
      script: walletOf(buyer).ordinalsScript,
    })
  }

  it.each([
    ['Node 20', join(runtimes, 'node-20/bin/node'), []],
    ['Node 22', join(runtimes, 'node-22/bin/node'), []],
    ['Node 24', process.execPath, []],
    [
      'Deno',
      join(runtimes, '.bin/deno'),
      ['run', '--no-lock', '--no-remote', '--node-modules-dir=manual', '--allow-net=127.0.0.1'],
    ],
    ['Bun', join(runtimes, '.bin/bun'), ['run']],
  ])('trades on %s', async (_, command, options) => {
    await assertTrades(async (order) =>
      JSON.parse(await run(command, ...options, 'run.mjs', JSON.stringify(order))),
    )
  })

  it.each([
    ['Node 20', join(runtimes, 'node-20/bin/node')],
    ['Node 22', join(runtimes, 'node-22/bin/node')],
    ['Node 24', process.execPath],
  ])('throws TimeoutError after the deadline of a call with a signal on %s', async (_, command) => {
    expect((await run(command, '--expose-gc', 'deadline.mjs')).trim()).toBe('TimeoutError')
  })

  it('trades from a page of another origin', async () => {
    await esbuild('in-browser.mjs', 'trade.bundle.js')
    const pages = createServer((request, response) => {
      const isScript = request.url === '/trade.js'
      response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
      response.end(
        isScript
          ? readFileSync(join(consumer, 'trade.bundle.js'))
          : '<!doctype html><link rel="icon" href="data:,"><script type="module" src="/trade.js"></script>',
      )
    })
    await new Promise<void>((done) => pages.listen(0, '127.0.0.1', done))
    onTestFinished(() => {
      pages.close()
      pages.closeAllConnections()
    })
    const browser = await startBrowser()
    onTestFinished(() => browser.close())
    const visitor = await browser.visitor(`http://127.0.0.1:${(pages.address() as AddressInfo).port}`)
    await visitor.go('/')
    await assertTrades((order) =>
      visitor.page.evaluate((each) => Reflect.get(globalThis, 'trade')(each) as Promise<Traded>, order),
    )
  })

  it('type-checks in Deno', () =>
    run(
      join(runtimes, '.bin/deno'),
      ...['check', '--no-lock', '--no-remote', '--node-modules-dir=manual', 'trade.ts'],
    ))

  it('type-checks for a bundler and for Node', async () => {
    await compile('--noEmit', '--module', 'esnext', '--moduleResolution', 'bundler')
    writeFileSync(join(consumer, 'wrong.ts'), "import { Client } from '@ordbook/sdk'\nnew Client(7)\n")
    const typeError = run(
      process.execPath,
      join(root, 'node_modules/typescript/bin/tsc'),
      ...['--noEmit', '--module', 'nodenext', '--types', '', 'wrong.ts'],
    )
    await expect(typeError).rejects.toThrow(/TS2345.*number/)
  })
})

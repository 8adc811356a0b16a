import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { scriptOfAddress } from '@ordbook/bitcoin/address.ts'
import { connect } from '@ordbook/db/driver/connect.ts'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { startNode } from '../../e2e/support/node.ts'
import { integerIn, readCommand } from '../command.ts'
import { splitCoins } from '../demo/seed.ts'
import { findRunning } from '../market/running.ts'
import { type Usage, usageByProgram } from './processes.ts'

/**
 * `npm run bench -- idle`: measures CPU time and memory of a funded market without visitors or new blocks: `ordbook market start` without
 * demo, on embedded PostgreSQL and a devnet. Counts all processes. Memory is the proportional set size at the end.
 */
const USAGE = `usage: npm run bench -- idle [--wait SECONDS] [--seconds SECONDS]

Measure an idle market for --seconds (default 300), after a wait of --wait seconds (default 900).`
const { values } = readCommand(USAGE, {
  options: { wait: { type: 'string', default: '900' }, seconds: { type: 'string', default: '300' } },
})
const wait = integerIn(values.wait, '--wait', 0, 86_400)
const seconds = integerIn(values.seconds, '--seconds', 1, 86_400)
const START_MILLISECONDS = 300_000

const directory = mkdtempSync(join(tmpdir(), 'ordbook-idle-'))
chmodSync(directory, 0o755)
const dataDir = join(directory, 'data')
const node = await startNode('devnet')
await node.regtest.mine(120)
const market = spawn(process.execPath, [join(import.meta.dirname, '../start.ts')], {
  env: { ...process.env, DATA_DIR: dataDir, PORT: String(await freePort()), BITCOIN_RPC_URL: node.url },
  stdio: ['ignore', 'pipe', 'inherit'],
})

/** Waits until the market runs and returns its address. Throws after `START_MILLISECONDS`, or if it exits. */
async function untilReady({ stdout }: ChildProcess): Promise<string> {
  const signal = AbortSignal.timeout(START_MILLISECONDS)
  let address: string | undefined
  for await (const line of createInterface({ input: stdout!, signal })) {
    console.error(line)
    address ??= /^ {2}Market +(\S+)$/.exec(line)?.[1]
    if (address && line.includes('Ctrl-C')) return address
  }
  throw new Error('the market did not start')
}

async function fundMarket(address: string): Promise<void> {
  const { databaseUrl } = findRunning(dataDir)!
  const sql = connect(databaseUrl, { max: 1 })
  await node.regtest.fund(scriptOfAddress(address, 'regtest'), 50_000_000)
  await splitCoins(sql, node.url, () => {})
  await node.regtest.mine()
  await sql.end()
}

/** Prints the difference between two readings. */
function report(before: ReadonlyMap<string, Usage>, after: ReadonlyMap<string, Usage>): void {
  const rows = [...after].map(([program, { processes, cpuSeconds, megabytes }]) => ({
    program,
    processes,
    cpuSeconds: cpuSeconds - (before.get(program)?.cpuSeconds ?? 0),
    megabytes,
  }))
  const total = { program: 'all', processes: 0, cpuSeconds: 0, megabytes: 0 }
  for (const row of rows) {
    total.processes += row.processes
    total.cpuSeconds += row.cpuSeconds
    total.megabytes += row.megabytes
  }
  for (const row of [...rows.toSorted((a, b) => b.megabytes - a.megabytes), total])
    console.log(
      `${row.program.padEnd(32)} ${String(row.processes).padStart(3)} processes ` +
        `${row.cpuSeconds.toFixed(2).padStart(6)} CPU s ${row.megabytes.toFixed(0).padStart(5)} MB`,
    )
  console.log(
    `${((100 * total.cpuSeconds) / seconds).toFixed(1)} % of a core, ${total.megabytes.toFixed(0)} MB over ${seconds} s after ${wait} s`,
  )
}

try {
  await fundMarket(await untilReady(market))
  console.error(`measuring in ${wait} s`)
  await sleep(wait * 1000)
  const before = usageByProgram(process.pid)
  await sleep(seconds * 1000)
  report(before, usageByProgram(process.pid))
} finally {
  if (market.exitCode === null && market.signalCode === null) {
    const ended = once(market, 'exit')
    market.kill('SIGTERM')
    await ended
  }
  await node.stop()
  rmSync(directory, { recursive: true, force: true })
}
process.exit(0)

import { spawn } from 'node:child_process'
import { Failure, UsageError } from './failure.ts'
import { fileOf, type Program } from './programs.ts'

const USAGE = `usage: ordbook market COMMAND

runs a market of your own, on Node 22 and later

  start                      starts it with whatever is not configured, a PostgreSQL and a demo on a chain of its own too; Ctrl-C stops it
  demo:trade                 two wallets trade at the demo that runs
  demo:token, demo:node      the session token of a demo wallet, for curl, and the address of the demo's node
  server, signer, guardian, previews
                             starts one of its processes
  doctor                     examines settings, database, node, keys and machine, and says how to mend each fault
  check                      compares what is derived with its sources, and orders with their log
  import DIRECTORY...        imports collections
  backup FILE                writes the database to a file while the market trades; keys are no part of it
  keys backup FILE, keys restore FILE
                             the keys of this host in a file that a passphrase encrypts, and back
  restore FILE               fills an empty database from it
  upgrade FILE, upgrade --look
                             backs the database up, and brings it to the schema of this release
  export FILE                writes the history of all orders to a file
  mirror URL FOLDER          follows the history of another market into a folder, and serves it
  order-log verify FILE, order-log compare FILE FILE
                             whether such a file is whole, and where two of them differ
  pool, royalty, begin, adopt, collection, orders, rollups, receipt
                             market pool --help names the arguments of each`

/** The least Node that a market runs on. */
const NODE = [22, 12] as const
type Run = [program: Program, ...args: string[]]

/** The program of a command and its arguments; each inner list is one run. Throws UsageError. */
export function runsOf([name, ...args]: readonly string[]): Run[] {
  switch (name) {
    case 'start':
    case 'import':
    case 'doctor':
    case 'backup':
    case 'restore':
    case 'upgrade':
    case 'keys':
    case 'order-log':
    case 'server':
    case 'signer':
    case 'guardian':
    case 'previews':
      return [[name, ...args]]
    case 'demo:trade':
      return [['demo-trade', ...args]]
    case 'demo:token':
      return [['demo-token', ...args]]
    case 'demo:node':
      return [['demo-node', ...args]]
    case 'export':
    case 'mirror':
      return [['order-log', name, ...args]]
    case 'check':
      return [
        ['operate', 'rollups'],
        ['operate', 'orders'],
      ]
    case 'pool':
    case 'royalty':
    case 'begin':
    case 'adopt':
    case 'collection':
    case 'orders':
    case 'rollups':
    case 'receipt':
      return [['operate', name, ...args]]
    default:
      throw new UsageError(name === undefined ? USAGE : `market ${name}: unknown\n\n${USAGE}`)
  }
}

/** `ordbook market …`: the operator's commands. Gives the exit code. Throws Failure on a Node that is too old. */
export async function runMarket(args: readonly string[]): Promise<number> {
  if (args[0] === '--help' || args[0] === '-h') {
    process.stdout.write(`${USAGE}\n`)
    return 0
  }
  const runs = runsOf(args)
  refuseOldNode(process.versions.node)
  let worst = 0
  for (const [program, ...rest] of runs) {
    const child = spawn(process.execPath, [fileOf(program), ...rest], { stdio: 'inherit' })
    // The terminal sends its signals to both; a supervisor sends them to this process alone.
    const pass = (signal: NodeJS.Signals) => child.kill(signal)
    process.on('SIGTERM', pass)
    process.on('SIGINT', pass)
    const code = await new Promise<number>((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', (status, signal) => resolve(status ?? (signal === 'SIGINT' ? 130 : 1)))
    })
    process.off('SIGTERM', pass)
    process.off('SIGINT', pass)
    worst = Math.max(worst, code)
  }
  return worst
}

/** Throws Failure for a Node on which the market's programs do not run. */
export function refuseOldNode(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major < NODE[0] || (major === NODE[0] && minor < NODE[1]))
    throw new Failure(
      'node-too-old',
      `a market needs Node ${NODE.join('.')} or later, and this is ${version}`,
    )
}

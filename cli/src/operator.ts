import { spawn } from 'node:child_process'
import { Failure, UsageError } from './failure.ts'
import { fileOf, type Program } from './programs.ts'

export const MARKET_USAGE = `usage: ordbook market COMMAND

Run a market, on Node 22.12 or later

  start                      Start a market, with PostgreSQL and a demo on regtest unless configured otherwise. Ctrl-C stops it
  demo trade                 Trade between two wallets of the running demo
  demo token, demo node      Print the session token of a demo wallet, for curl, or the address of the demo's node
  server, signer, guardian, previews
                             Start a single process of the market
  doctor                     Check settings, database, node, keys and host, and suggest fixes
  config                     Print the settings and where each comes from; secrets are hidden
  check                      Check derived tables against their sources, and orders against the order log
  verify [URL]               Compare the index with ord or a second ordbook, and repair what differs
  import DIRECTORY           Import the collections of a registry; --dry-run only checks them
  registry follow URL|DIRECTORY, registry history URL|DIRECTORY [SLUG]
                             Review and apply the changes of a registry, or print those that were applied
  backup FILE                Back up the database while the market runs (without keys)
  keys backup FILE, keys restore FILE
                             Encrypt the keys of this host into a file, or restore them
  restore FILE               Restore a backup into an empty database
  upgrade FILE, upgrade --look
                             Back up the database and apply the migrations of this release
  export FILE                Export the history of all orders
  mirror URL FOLDER          Copy the history of another market to a folder and serve it
  order-log verify FILE, order-log compare FILE FILE
                             Verify an order history file, or find the first difference between two
  maintenance on, maintenance off
                             Reject trading writes, with a notice; cancelling and withdrawing still work
  pool, royalty, begin, adopt, collection, thumbnails, orders, rollups, receipt
                             See: ordbook market pool --help`

const NODE = [22, 12] as const
type Run = [program: Program, ...args: string[]]

const run = (...run: Run): readonly Run[] => [run]

/** Programs that each command runs, in order, with their first arguments. */
export const MARKET_COMMANDS: Readonly<Record<string, readonly Run[]>> = {
  start: run('start'),
  demo: run('demo'),
  server: run('server'),
  signer: run('signer'),
  guardian: run('guardian'),
  previews: run('previews'),
  doctor: run('doctor'),
  config: run('config'),
  import: run('import'),
  registry: run('registry'),
  backup: run('backup'),
  restore: run('restore'),
  upgrade: run('upgrade'),
  keys: run('keys'),
  'order-log': run('order-log'),
  export: run('order-log', 'export'),
  mirror: run('order-log', 'mirror'),
  check: [
    ['operate', 'rollups'],
    ['operate', 'orders'],
  ],
  pool: run('operate', 'pool'),
  royalty: run('operate', 'royalty'),
  begin: run('operate', 'begin'),
  adopt: run('operate', 'adopt'),
  collection: run('operate', 'collection'),
  thumbnails: run('operate', 'thumbnails'),
  orders: run('operate', 'orders'),
  rollups: run('operate', 'rollups'),
  verify: run('operate', 'verify'),
  maintenance: run('operate', 'maintenance'),
  receipt: run('operate', 'receipt'),
}

const PROCESSES: readonly string[] = ['server', 'signer', 'guardian', 'previews']

export function runsOf([name, ...args]: readonly string[]): Run[] {
  if (name === undefined) throw new UsageError(MARKET_USAGE)
  if (!Object.hasOwn(MARKET_COMMANDS, name))
    throw new UsageError(`unknown command: market ${name}\n\n${MARKET_USAGE}`)
  return MARKET_COMMANDS[name]!.map((programRun) => [...programRun, ...args])
}

/** Runs an operator command (`ordbook market …`). Returns the exit code. Throws Failure if Node is too old. */
export async function runMarket(args: readonly string[]): Promise<number> {
  if (args[0] === '--help' || args[0] === '-h') {
    process.stdout.write(`${MARKET_USAGE}\n`)
    return 0
  }
  const runs = runsOf(args)
  if (args.some((argument) => argument === '--help' || argument === '-h')) {
    // These programs read only settings, and would start.
    if (PROCESSES.includes(args[0]!)) {
      process.stdout.write(`${MARKET_USAGE}\n`)
      return 0
    }
    runs.splice(1)
  }
  rejectOldNode(process.versions.node)
  let exitCode = 0
  for (const [program, ...rest] of runs) {
    const child = spawn(process.execPath, [fileOf(program), ...rest], { stdio: 'inherit' })
    // A terminal signals both processes, a supervisor only this one.
    const forward = (signal: NodeJS.Signals) => child.kill(signal)
    process.on('SIGTERM', forward)
    process.on('SIGINT', forward)
    const code = await new Promise<number>((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', (status, signal) => resolve(status ?? (signal === 'SIGINT' ? 130 : 1)))
    })
    process.off('SIGTERM', forward)
    process.off('SIGINT', forward)
    exitCode = Math.max(exitCode, code)
  }
  return exitCode
}

export function rejectOldNode(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major < NODE[0] || (major === NODE[0] && minor < NODE[1]))
    throw new Failure('node-too-old', `a market requires Node ${NODE.join('.')} or later; this is ${version}`)
}

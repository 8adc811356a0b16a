import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { Failure, UsageError } from './failure.ts'

const USAGE = `usage: ordbook market COMMAND

runs a market of your own: from a bundle, or in a checkout of its repository (ORDBOOK_CHECKOUT, or the folder you are in)

  start                      starts it, with everything that it needs; Ctrl-C stops it (in a checkout alone)
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
  order-log import FILE      fills a new market with such a history
  order-log verify FILE, order-log compare FILE FILE
                             whether such a file is whole, and where two of them differ
  pool, royalty, begin, adopt, collection, orders, rollups, receipt
                             as npm run operate -- COMMAND offers them`

/** The programs of a market, by the names of their modules in a bundle (scripts/bundle.ts). */
export const PROGRAMS = {
  start: 'scripts/start.ts',
  operate: 'scripts/operate.ts',
  import: 'scripts/import-collections.ts',
  doctor: 'scripts/doctor.ts',
  backup: 'scripts/backup.ts',
  restore: 'scripts/restore.ts',
  upgrade: 'scripts/upgrade.ts',
  keys: 'scripts/keys.ts',
  'order-log': 'scripts/order-log.ts',
  server: 'server/src/main.ts',
  signer: 'signer/src/main.ts',
  guardian: 'signer/src/guardian/main.ts',
  previews: 'previews/src/main.ts',
}
type Run = [program: keyof typeof PROGRAMS, ...args: string[]]

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
    case 'export':
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

/** `ordbook market …`: the operator's commands. Gives the exit code. */
export async function runMarket(args: readonly string[]): Promise<number> {
  if (args[0] === '--help' || args[0] === '-h') {
    process.stdout.write(`${USAGE}\n`)
    return 0
  }
  const runs = runsOf(args)
  let worst = 0
  for (const [program, ...rest] of runs) {
    const child = spawn(process.execPath, [findProgram(program), ...rest], { stdio: 'inherit' })
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

/** The module of a program: beside this one in a bundle, else in the checkout. Throws Failure. */
function findProgram(program: keyof typeof PROGRAMS): string {
  const bundled = join(import.meta.dirname, `${program}${extname(import.meta.filename)}`)
  if (existsSync(bundled)) return bundled
  return join(findCheckout(process.env.ORDBOOK_CHECKOUT ?? process.cwd()), PROGRAMS[program])
}

/** The folder of the repository, at or above a folder. Throws Failure. */
function findCheckout(from: string): string {
  for (let folder = from; ; folder = dirname(folder)) {
    const manifest = join(folder, 'package.json')
    if (existsSync(join(folder, 'scripts/start.ts')) && existsSync(manifest)) {
      const { name } = JSON.parse(readFileSync(manifest, 'utf8')) as { name?: string }
      if (name === 'ordbook') return folder
    }
    if (dirname(folder) === folder)
      throw new Failure(
        'no-checkout',
        'this runs from a checkout of the repository, and packages of the server are not published: go to one, or set ORDBOOK_CHECKOUT',
      )
  }
}

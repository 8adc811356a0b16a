import { ConfigError } from '@ordbook/db/settings/config.ts'
import { compareLogs, verifyLog } from '@ordbook/operations/order-log/compare.ts'
import { exportLog } from '@ordbook/operations/order-log/export.ts'
import { exitWithUsage, readCommand } from '../command.ts'
import { runMirror } from './mirror.ts'
import { withDatabase } from './with-database.ts'

/** `ordbook market order-log COMMAND`: exports, mirrors and compares the market's history of orders. */
const USAGE = `usage: ordbook market order-log COMMAND

  export FILE        Write a snapshot of the public history of orders, sales and swaps to a file, compressed if the name ends with .gz
  mirror URL FOLDER  Copy the log of a market, or of one of its mirrors, to a folder and serve it on PORT; health and metrics on HEALTH_PORT.
                     verify and compare accept such a folder instead of FILE
                     --market KEY: the market's key (cosignKey of /keys), from another source
                     --most-gigabytes N: maximum size of the copy; default 100
  verify FILE        Check that a file was not changed, truncated or reordered
  compare FILE FILE  Print the first difference between two files; exits with 1 if there is one`

const { positionals, values } = readCommand(USAGE, {
  allowPositionals: true,
  options: { market: { type: 'string' }, 'most-gigabytes': { type: 'string' } },
})
const [name, ...files] = positionals

const commands: Record<string, { files: number; run(...files: string[]): Promise<void> }> = {
  export: {
    files: 1,
    run: (file) =>
      withDatabase(async (databaseUrl) => {
        const { changes, head, unsealed } = await exportLog(databaseUrl, file!, new Date())
        console.log(`${file}: ${changes} changes, head ${head}`)
        if (unsealed > 0)
          console.log(`${unsealed} more have no position yet; the running market assigns it within seconds`)
      }),
  },
  verify: {
    files: 1,
    async run(file) {
      const { header, changes, head } = await verifyLog(file!)
      console.log(
        `${file}: complete, ${changes} changes of the market ${header.market} on ${header.network} as of ${header.exportedAt}, head ${head}`,
      )
    },
  },
  compare: {
    files: 2,
    async run(ours, theirs) {
      const { alike, differing, more, signed, isTwoFaced } = await compareLogs(ours!, theirs!)
      console.log(`${alike} equal changes, then ${more.ours} in ${ours} and ${more.theirs} in ${theirs}`)
      for (const [file, head] of [
        [ours, signed.ours],
        [theirs, signed.theirs],
      ] as const)
        if (head)
          console.log(
            `${file}: the market signed change ${head.position}, hash ${head.hash}, with ${head.signature}`,
          )
      if (!differing) return
      console.log(
        `change ${alike + 1} differs:\n${JSON.stringify(differing.ours)}\n${JSON.stringify(differing.theirs)}`,
      )
      if (isTwoFaced) console.log('the market has signed two histories; these copies are the proof')
      process.exitCode = 1
    },
  },
  mirror: { files: 2, run: (url, folder) => runMirror(url!, folder!, values) },
}

const command = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined
if (!command) exitWithUsage(USAGE, name === undefined ? 'a command is missing' : `${name}: unknown command`)
if (files.length !== command.files)
  exitWithUsage(
    USAGE,
    name === 'mirror'
      ? 'expected a URL and a folder'
      : `expected ${command.files === 1 ? 'one file' : 'two files'}`,
  )
if (name !== 'mirror' && Object.keys(values).length > 0) exitWithUsage(USAGE, `${name} takes no options`)
try {
  await command.run(...files)
} catch (error) {
  if (!(error instanceof ConfigError)) throw error
  console.error(error.message)
  process.exitCode = 1
}

import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { variables as serverVariables } from '@ordbook/db/settings/config.ts'
import { ConfigError } from '@ordbook/process/variables.ts'
import { readKeyConfig, variables } from '@ordbook/signer-host/config.ts'
import { backUpKeys, restoreKeys } from '@ordbook/signer-host/sealed-keys.ts'
import { exitWithUsage, readCommand } from '../command.ts'

/** `ordbook market keys`: backs up and restores the encrypted keys of this host. */
const USAGE = `usage: ordbook market keys backup FILE [--passphrase-file F]
       ordbook market keys restore FILE [--passphrase-file F]

backup: Encrypt the keys of this host (in DATA_DIR) with a passphrase into a file. restore: Write them to a host without keys. Journals are
not included, because an older journal would allow cancelled orders. Start once with RESET_JOURNAL=on after a restore, which ends all orders.
Without --passphrase-file, the command prompts for the passphrase.`
const WORK = { backup: backUpKeys, restore: restoreKeys }
const { positionals, values } = readCommand(USAGE, {
  allowPositionals: true,
  options: { 'passphrase-file': { type: 'string' } },
})
const [task, file, ...more] = positionals
if ((task !== 'backup' && task !== 'restore') || file === undefined || more.length > 0)
  exitWithUsage(USAGE, 'expected backup or restore, and one file')

try {
  // The settings file may be a server's.
  const config = readKeyConfig(process.env, Object.keys({ ...serverVariables, ...variables }))
  const names = WORK[task](config, file, await readPassphrase(values['passphrase-file'], task === 'backup'))
  console.log(`${file}: the keys ${names.join(', ')}`)
  if (task === 'restore')
    console.log('Start once with RESET_JOURNAL=on. This ends every order; wallets can create new ones.')
} catch (error) {
  if (!(error instanceof ConfigError)) throw error
  console.error(error.message)
  process.exitCode = 1
}

/** Prompts for a passphrase, twice for a new one. Throws ConfigError. */
async function readPassphrase(path: string | undefined, isNew: boolean): Promise<string> {
  if (path !== undefined) {
    try {
      return readFileSync(path, 'utf8').replace(/\r?\n$/, '')
    } catch (error) {
      throw new ConfigError(`--passphrase-file: ${(error as Error).message}`, { cause: error })
    }
  }
  if (!process.stdin.isTTY) throw new ConfigError('--passphrase-file is required without a terminal')
  const passphrase = await prompt('passphrase: ')
  if (isNew && (await prompt('repeat: ')) !== passphrase) throw new ConfigError('the two passphrases differ')
  return passphrase
}

async function prompt(question: string): Promise<string> {
  process.stderr.write(question)
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: process.stdin, output: unseen, terminal: true })
  try {
    return await terminal.question('')
  } finally {
    terminal.close()
    process.stderr.write('\n')
  }
}

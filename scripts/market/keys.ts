import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { ConfigError } from '@ordbook/process/variables.ts'
import { readKeyConfig } from '@ordbook/signer-host/config.ts'
import { backUpKeys, restoreKeys } from '@ordbook/signer-host/sealed-keys.ts'
import { readCommand, refuse } from '../command.ts'

/** `ordbook market keys backup FILE`: the keys of this host, encrypted. */
const USAGE = `usage: ordbook market keys backup FILE [--passphrase-file F]
       ordbook market keys restore FILE [--passphrase-file F]

backup encrypts the keys of this host (in DATA_DIR) with a passphrase into a file; restore writes them to a host without keys. Journals are
not included, because an older journal would allow cancelled orders. Start once with RESET_JOURNAL=on after a restore; this ends all orders.
Without --passphrase-file the terminal asks for the passphrase`
const WORK = { backup: backUpKeys, restore: restoreKeys }
const { positionals, values } = readCommand(USAGE, {
  allowPositionals: true,
  options: { 'passphrase-file': { type: 'string' } },
})
const [task, file, ...more] = positionals
if ((task !== 'backup' && task !== 'restore') || file === undefined || more.length > 0)
  refuse(USAGE, 'expected backup or restore, and one file')

try {
  const config = readKeyConfig(process.env)
  const names = WORK[task](config, file, await readPassphrase(values['passphrase-file'], task === 'backup'))
  console.log(`${file}: the keys ${names.join(', ')}`)
  if (task === 'restore')
    console.log('start once with RESET_JOURNAL=on: every order ends, and wallets make theirs again')
} catch (error) {
  if (!(error instanceof ConfigError)) throw error
  console.error(error.message)
  process.exitCode = 1
}

/** A new passphrase is asked twice. Throws ConfigError. */
async function readPassphrase(path: string | undefined, isNew: boolean): Promise<string> {
  if (path !== undefined) {
    try {
      return readFileSync(path, 'utf8').replace(/\r?\n$/, '')
    } catch (error) {
      throw new ConfigError(`--passphrase-file: ${(error as Error).message}`, { cause: error })
    }
  }
  if (!process.stdin.isTTY) throw new ConfigError('--passphrase-file is required without a terminal')
  const passphrase = await ask('passphrase: ')
  if (isNew && (await ask('the same again: ')) !== passphrase)
    throw new ConfigError('the two passphrases differ')
  return passphrase
}

/** An answer on the terminal that is not shown. */
async function ask(question: string): Promise<string> {
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

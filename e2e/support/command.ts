import { spawn } from 'node:child_process'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as rest } from 'node:timers/promises'
import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { leafScriptsOf, sighashesOf, spentOutputsOf } from '@ordbook/bitcoin/psbt.ts'
import { fromMnemonic } from '@ordbook/sdk/hd-wallet.ts'
import type { LocalWallet } from '@ordbook/sdk/wallet.ts'
import type { LyingFetch } from './faults/lying-fetch.ts'
import type { TestMarket } from './market.ts'

export interface Ran {
  code: number | null
  stdout: string
  stderr: string
  json: any
}

export const WORDS = 'legal winner thank year wave sausage worth useful legal winner thank yellow'

/** Returns the wallet that the command derives from seed words, paying by P2WPKH. */
export const walletOfWords = (words: string, account: number) =>
  fromMnemonic(words, { account, network: 'regtest' })

const root = join(import.meta.dirname, '../..')
const COMMAND = join(root, 'cli/src/ordbook.ts')

/** A user of the `ordbook` command, with a separate directory and configuration. */
export class CommandUser {
  readonly folder = mkdtempSync(join(tmpdir(), 'ordbook-command-'))
  private readonly program: readonly string[]

  /** `program` is the command line. Default: from source. */
  constructor(program: readonly string[] = [process.execPath, COMMAND]) {
    this.program = program
  }

  /** Writes a file and returns its path. Default: readable only by its owner. */
  file(name: string, text: string, mode = 0o600): string {
    const path = join(this.folder, name)
    writeFileSync(path, text, { mode })
    return path
  }

  /** Runs the command without a terminal. Kills it after a minute. */
  run(...args: string[]): Promise<Ran> {
    return new Promise((resolve, reject) => {
      const [command, ...before] = this.program
      const child = spawn(command!, [...before, ...args], {
        cwd: this.folder,
        env: {
          ...process.env,
          NODE_OPTIONS: '',
          XDG_CONFIG_HOME: join(this.folder, 'config'),
          XDG_STATE_HOME: join(this.folder, 'state'),
        },
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: 60_000,
        killSignal: 'SIGKILL',
      })
      let stdout = ''
      let stderr = ''
      child.stdout.on('data', (text) => (stdout += text))
      child.stderr.on('data', (text) => (stderr += text))
      child.once('error', reject)
      child.once('close', (code) => {
        const json = args.includes('--json') && stdout ? JSON.parse(stdout.split('\n')[0]!) : undefined
        resolve({ code, stdout, stderr, json })
      })
    })
  }

  async does(...args: string[]): Promise<any> {
    const { code, stdout, stderr, json } = await this.run(...args, '--json')
    if (code !== 0) throw new Error(`ordbook ${args.join(' ')} exited with ${code}:\n${stdout}\n${stderr}`)
    return json
  }

  /** Configures the market, its node and the keys of an account of `WORDS`. */
  async setUp({ server, node }: TestMarket, account = 0): Promise<void> {
    await this.does(
      'setup',
      ...['--market', server.url, '--node', node.url],
      ...['--seed-file', this.file('words', WORDS), '--account', String(account)],
    )
  }

  end(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** A user of a lying market. `lie` sets the changes to requests and responses. */
export class DeceivedUser extends CommandUser {
  constructor() {
    super([process.execPath, '--import', join(root, 'e2e/support/faults/lying-fetch.ts'), COMMAND])
  }

  lie(...lies: LyingFetch[]): void {
    this.file('lies.json', JSON.stringify(lies))
  }
}

/** Signs PSBT files in a directory until stopped, like an external signer. */
export function signElsewhere(folder: string, wallet: LocalWallet): { stop(): Promise<void> } {
  let isOver = false
  const sign = async () => {
    while (!isOver) {
      for (const name of existsSync(folder) ? readdirSync(folder) : []) await signFile(folder, name, wallet)
      await rest(50)
    }
  }
  const done = sign()
  return {
    stop() {
      isOver = true
      return done
    },
  }
}

async function signFile(folder: string, name: string, wallet: LocalWallet): Promise<void> {
  const [, message, address] = /^(message-(\w+)-\w+)\.txt$/.exec(name) ?? []
  const [, number] = /^(\d+-of-\d+-\w+)\.psbt$/.exec(name) ?? []
  const answer = join(folder, message ? `${message}.signature` : `${number}.signed.psbt`)
  if ((!address && !number) || existsSync(answer)) return
  const text = readFileSync(join(folder, name), 'utf8').trim()
  const signed = await (address ? wallet.signMessage(address, text) : signAll(wallet, text))
  writeFileSync(`${answer}.partial`, signed)
  renameSync(`${answer}.partial`, answer)
}

/** Signs all inputs of the wallet's scripts, and escrow leaves. */
function signAll(wallet: LocalWallet, psbt: string): Promise<string> {
  const leaves = leafScriptsOf(psbt)
  const sighashes = sighashesOf(psbt)
  const inputs = spentOutputsOf(psbt).flatMap(({ script }, index) => {
    const isOrdinals = leaves[index] !== undefined || equalBytes(script, wallet.ordinalsScript)
    if (!isOrdinals && !equalBytes(script, wallet.paymentScript)) return []
    const sigHash = sighashes[index]
    return [
      {
        address: isOrdinals ? wallet.ordinalsAddress : wallet.paymentAddress,
        signingIndexes: [index],
        ...(typeof sigHash === 'number' ? { sigHash } : {}),
      },
    ]
  })
  return wallet.signPsbt(psbt, inputs)
}

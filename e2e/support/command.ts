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
import type { LocalWallet } from '@ordbook/sdk/wallet.ts'

/** The output of a run of the `ordbook` command, and its exit code. */
export interface Ran {
  code: number | null
  stdout: string
  stderr: string
  /** The document of `--json`. */
  json: any
}

/** A user of the `ordbook` command: a folder with a configuration of their own. */
export class CommandUser {
  readonly folder = mkdtempSync(join(tmpdir(), 'ordbook-command-'))
  private readonly program: readonly string[]

  /** `program`: the command to run, from the sources by default. */
  constructor(
    program: readonly string[] = [process.execPath, join(import.meta.dirname, '../../cli/src/ordbook.ts')],
  ) {
    this.program = program
  }

  /** Writes a file that its owner alone reads. */
  file(name: string, text: string, mode = 0o600): string {
    const path = join(this.folder, name)
    writeFileSync(path, text, { mode })
    return path
  }

  /** Runs the command to its end, without a terminal; killed after a minute. */
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

  /** The document of a run that must succeed. */
  async does(...args: string[]): Promise<any> {
    const { code, stdout, stderr, json } = await this.run(...args, '--json')
    if (code !== 0) throw new Error(`ordbook ${args.join(' ')} ended with ${code}:\n${stdout}\n${stderr}`)
    return json
  }

  end(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** Signs what a user by files is asked for, as a device would: until it is stopped. */
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
  const [, address] = /^message-(\w+)\.txt$/.exec(name) ?? []
  const [, number] = /^(\d+-of-\d+)\.psbt$/.exec(name) ?? []
  const answer = join(folder, address ? `message-${address}.signature` : `${number}.signed.psbt`)
  if ((!address && !number) || existsSync(answer)) return
  const text = readFileSync(join(folder, name), 'utf8').trim()
  const signed = await (address ? wallet.signMessage(address, text) : signAll(wallet, text))
  writeFileSync(`${answer}.partial`, signed)
  renameSync(`${answer}.partial`, answer)
}

/** Signs every input of a PSBT that is the wallet's own, or an escrow's leaf. */
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

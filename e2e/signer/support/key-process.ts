import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addressOf } from '@ordbook/process/address.ts'
import { until } from '../../support/market.ts'

const MAIN = { signer: 'main.ts', guardian: 'guardian/main.ts' }

/** A signer or guardian process. Its directory survives restarts. */
export class KeyProcess {
  readonly directory = mkdtempSync(join(tmpdir(), 'ordbook-keys-'))
  /** Path in the directory, or `tls://host:port`. */
  readonly socket: string
  readonly secretFile: string
  readonly journal: string
  private readonly which: keyof typeof MAIN
  private child: ChildProcess | undefined

  constructor(which: keyof typeof MAIN, socket?: string) {
    this.which = which
    this.socket = socket ?? join(this.directory, 'keys.sock')
    this.secretFile = join(this.directory, `${which}.secret`)
    this.journal = join(this.directory, `${which}.journal`)
  }

  /** `overrides` are environment variables. */
  async start(overrides: Record<string, string> = {}): Promise<void> {
    const { directory, socket, which } = this
    this.child = spawn(
      process.execPath,
      [join(import.meta.dirname, '../../../signer-host/src', MAIN[which])],
      {
        env: {
          ...process.env,
          DATA_DIR: directory,
          [`${which.toUpperCase()}_SOCKET`]: socket,
          LOG_LEVEL: 'silent',
          ...overrides,
        },
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    )
    await until(`the ${which}`, async () => isThere(socket))
  }

  get pid(): number {
    return this.child!.pid!
  }

  signal(name: NodeJS.Signals): void {
    this.child?.kill(name)
  }

  /** Ends the process and waits. Supervisors send SIGTERM. */
  async stop(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    const { child } = this
    if (child && child.exitCode === null && child.signalCode === null) {
      const exited = new Promise((done) => child.once('exit', done))
      child.kill(signal)
      await exited
    }
    this.child = undefined
    if (!addressOf(this.socket)) rmSync(this.socket, { force: true })
  }

  async remove(): Promise<void> {
    await this.stop()
    rmSync(this.directory, { recursive: true, force: true })
  }
}

async function isThere(socket: string): Promise<boolean> {
  const address = addressOf(socket)
  if (!address) return existsSync(socket)
  return new Promise((done) => {
    const probe = connect(address.port, address.host, () => {
      probe.destroy()
      done(true)
    }).once('error', () => done(false))
  })
}

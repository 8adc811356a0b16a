import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../../support/market.ts'

type Settings = Record<string, string>
/** Nothing of this process's environment but what Node needs. */
const surroundings = (settings: Settings) => ({ PATH: process.env.PATH, LOG_LEVEL: 'error', ...settings })

/** A test that fails leaves none behind. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** A process of a market from a bundle, in a folder of its own. Another bundle may take its place there. */
export class InstalledProgram {
  readonly folder: string
  private readonly module: 'server' | 'signer' | 'guardian'
  private readonly settings: Settings
  private child: ChildProcess | undefined

  /** `settings` hold PORT for a server alone. */
  constructor(module: 'server' | 'signer' | 'guardian', folder: string, settings: Settings) {
    this.module = module
    this.folder = folder
    this.settings = settings
    mkdirSync(folder, { recursive: true })
  }

  /** Starts it, and waits until it answers. Throws where it ends instead, with the last that it said. */
  async start(bundle: string, more: Settings = {}): Promise<void> {
    const { PORT } = this.settings
    const child = spawn(process.execPath, [join(bundle, 'lib', `${this.module}.js`)], {
      cwd: this.folder,
      env: surroundings({ DATA_DIR: this.folder, ...this.settings, ...more }),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.child = child
    let said = ''
    let isRunning = false
    // A process with keys says so once it listens, and a signal ends it cleanly from then on.
    child.stdout!.once('data', () => (isRunning = true)).resume()
    child.stderr!.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-4000)))
    let isOver = false
    child.once('close', () => {
      isOver = true
      running.delete(child)
    })
    running.add(child)
    await until(
      `the ${this.module}`,
      async () => {
        if (isOver) throw new Error(`the ${this.module} ended: ${said}`)
        return PORT === undefined ? isRunning : isReady(PORT)
      },
      60,
    )
    child.stderr!.on('data', (text: string) => process.stderr.write(text))
  }

  /** Stops it as a supervisor does. Throws where it does not end with code 0. */
  async stop(): Promise<void> {
    const { child } = this
    if (!child || child.exitCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    const [code] = await ended
    if (code !== 0) throw new Error(`the ${this.module} ended with ${code}`)
  }

  kill(): void {
    this.child?.kill('SIGKILL')
  }
}

/** Whether a server answers at a port. */
const isReady = (port: string) =>
  fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )

/** Runs `ordbook market …` from a bundle, with the settings of a server. Gives its exit code and everything that it said. */
export function runMarket(
  bundle: string,
  settings: Settings,
  ...args: readonly string[]
): Promise<{ code: number; said: string }> {
  const command = [join(bundle, 'lib/ordbook.js'), 'market', ...args]
  return new Promise((done) => {
    execFile(process.execPath, command, { env: surroundings(settings) }, (error, stdout, stderr) =>
      done({ code: Number(error?.code ?? 0), said: stdout + stderr }),
    )
  })
}

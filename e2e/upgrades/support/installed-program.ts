import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../../support/market.ts'

type Settings = Record<string, string>
const surroundings = (settings: Settings) => ({ PATH: process.env.PATH, LOG_LEVEL: 'error', ...settings })

/** Child processes, killed when the test process exits. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** A process of a market, run from a bundle. Can be restarted from another bundle. */
export class InstalledProgram {
  readonly folder: string
  private readonly module: 'server' | 'signer' | 'guardian'
  private readonly settings: Settings
  private child: ChildProcess | undefined

  /** Only servers have a PORT. */
  constructor(module: 'server' | 'signer' | 'guardian', folder: string, settings: Settings) {
    this.module = module
    this.folder = folder
    this.settings = settings
    mkdirSync(folder, { recursive: true })
  }

  /** Starts the process and waits until it is ready. Throws with the end of its stderr if it exits. */
  async start(bundle: string, more: Settings = {}): Promise<void> {
    const { PORT } = this.settings
    const child = spawn(process.execPath, [join(bundle, 'lib', `${this.module}.js`)], {
      cwd: this.folder,
      env: surroundings({ DATA_DIR: this.folder, ...this.settings, ...more }),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.child = child
    let output = ''
    let isRunning = false
    // A signer or guardian prints a line once it listens. From then on, SIGTERM shuts it down cleanly.
    child.stdout!.once('data', () => (isRunning = true)).resume()
    child.stderr!.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-4000)))
    let isOver = false
    child.once('close', () => {
      isOver = true
      running.delete(child)
    })
    running.add(child)
    await until(
      `the ${this.module}`,
      async () => {
        if (isOver) throw new Error(`the ${this.module} exited: ${output}`)
        return PORT === undefined ? isRunning : isReady(PORT)
      },
      60,
    )
    child.stderr!.on('data', (text: string) => process.stderr.write(text))
  }

  async stop(): Promise<void> {
    const { child } = this
    if (!child || child.exitCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    const [code] = await ended
    if (code !== 0) throw new Error(`the ${this.module} exited with ${code}`)
  }

  kill(): void {
    this.child?.kill('SIGKILL')
  }
}

const isReady = (port: string) =>
  fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )

/** Runs `ordbook market …` from a bundle with a server's settings. */
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

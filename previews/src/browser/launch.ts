import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { idleClock, type Limits, watchUsage } from '../limits.ts'
import { usageOfGroup } from '../usage.ts'
import { Protocol } from './protocol.ts'

const PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

/** Returns the path of the browser, or null. Throws if the configured path does not exist. */
export function findBrowser(named: string | null): string | null {
  if (named && !existsSync(named))
    throw new Error(`CHROMIUM: ${named} does not exist. Set it to the path of a browser.`)
  return named ?? PLACES.find((each) => existsSync(each)) ?? null
}

/** Maximum size of a file that the browser writes. */
const MAX_FILE_BYTES = 64 * 2 ** 20
const START_MILLISECONDS = 60_000

/** The sandbox stays enabled. Without it, the browser exits. */
const FLAGS = [
  '--headless',
  '--remote-debugging-pipe',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-background-networking',
  '--disable-breakpad',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-dev-shm-usage',
  '--disable-extensions',
  '--disable-file-system',
  '--disable-notifications',
  '--disable-sync',
  '--deny-permission-prompts',
  '--disk-cache-size=1',
  '--site-per-process',
  '--mute-audio',
  '--hide-scrollbars',
  '--force-color-profile=srgb',
  '--autoplay-policy=no-user-gesture-required',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  // Software WebGL.
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--js-flags=--max-old-space-size=512',
]

/** A browser with a new profile and no network. */
export class Browser {
  readonly protocol: Protocol
  private readonly child: ChildProcess
  private readonly profile: string
  /** The exceeded limit, or null. */
  passed: string | null = null

  private constructor(child: ChildProcess, profile: string) {
    this.child = child
    this.profile = profile
    this.protocol = new Protocol(child.stdio[3] as Writable, child.stdio[4] as Readable)
    child.once('exit', () => this.kill(null))
  }

  /** Starts a browser on some processors. Throws on failure. */
  static async start(path: string, processors: readonly number[]): Promise<Browser> {
    const profile = mkdtempSync(join(tmpdir(), 'ordbook-preview-'))
    const child = spawn(
      'unshare',
      [
        // Network namespace without interfaces, not even loopback.
        ...['--user', '--map-current-user', '--net', '--'],
        ...['prlimit', '--core=0', `--fsize=${MAX_FILE_BYTES}`, '--'],
        ...['taskset', '--cpu-list', processors.join(',')],
        ...['nice', '-n', '10', path, ...FLAGS, `--user-data-dir=${profile}`, 'about:blank'],
      ],
      {
        env: { PATH: '/usr/bin:/bin', HOME: profile, TMPDIR: profile, LANG: 'C.UTF-8' },
        cwd: profile,
        stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
        detached: true,
      },
    )
    let stderr = ''
    child.stderr!.on('data', (chunk: Buffer) => (stderr = `${stderr}${chunk}`.slice(-2000)))
    child.on('error', (error) => (stderr = error.message))
    const browser = new Browser(child, profile)
    const timer = setTimeout(() => browser.kill('the browser does not respond'), START_MILLISECONDS)
    try {
      await browser.protocol.call('Browser.getVersion')
    } catch (cause) {
      await browser.end()
      throw new Error(`the browser failed to start: ${stderr.trim().split('\n').slice(-3).join(' ')}`, {
        cause,
      })
    } finally {
      clearTimeout(timer)
    }
    return browser
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null
  }

  private readonly usage = () => usageOfGroup(this.child.pid!)

  /** Starts a clock that stops while its processes wait for a processor, in milliseconds. */
  clock(): () => number {
    return idleClock(this.usage)
  }

  /** Runs work on an item. Kills the browser if its processes exceed a limit. */
  async within<T>(limits: Limits, work: () => Promise<T>): Promise<T> {
    const endWatch = watchUsage('the content', this.usage, {
      limits,
      end: ({ reason }) => this.kill(reason),
    })
    return work().finally(endWatch)
  }

  /** Kills all processes of the browser. `passed` is the exceeded limit. */
  kill(passed: string | null): void {
    this.passed ??= passed
    try {
      if (this.child.pid) process.kill(-this.child.pid, 'SIGKILL')
    } catch {}
    this.protocol.close(new Error(this.passed ?? 'the browser exited'))
  }

  /** Kills the browser and deletes its files. */
  async end(): Promise<void> {
    this.kill(null)
    if (this.child.pid && this.isRunning) await once(this.child, 'exit')
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 })
  }
}

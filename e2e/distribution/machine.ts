import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { until } from '../support/market.ts'

/** A Debian system with systemd as PID 1. */
export class Machine {
  readonly root: string
  private readonly child: ChildProcess
  private first = 0

  private constructor(root: string, child: ChildProcess) {
    this.root = root
    this.child = child
  }

  static async start(archive: string): Promise<Machine> {
    const root = mkdtempSync(join(tmpdir(), 'ordbook-machine-'))
    execFileSync('tar', ['-C', root, '-xf', archive])
    // systemd cannot start while both cgroup hierarchies are mounted, so unmount one in this namespace.
    const start = `! mountpoint -q /sys/fs/cgroup/unified || umount /sys/fs/cgroup/unified
      exec systemd-nspawn -q -D "$0" --boot --register=no --keep-unit --console=pipe --capability=all`
    const child = spawn('unshare', ['-m', '--propagation', 'private', 'bash', '-c', start, root], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const machine = new Machine(root, child)
    await until('systemd', async () => {
      const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim()
      machine.first = Number(children.split(' ')[0])
      return (
        machine.first > 0 && (await machine.run('test -S /run/systemd/private && echo up').catch(() => null))
      )
    })
    return machine
  }

  async run(command: string): Promise<string> {
    const entered = ['--target', String(this.first), '--all', '--', 'bash', '-euc', command]
    const env = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8' }
    const { stdout } = await promisify(execFile)('nsenter', entered, { env, timeout: 120_000 }).catch(
      (error) => {
        throw new Error(`${command}: ${error.message}\n${error.stdout}\n${error.stderr}`)
      },
    )
    return stdout.trim()
  }

  stop(): void {
    this.child.kill('SIGKILL')
    if (this.first > 0) process.kill(this.first, 'SIGKILL')
    rmSync(this.root, { recursive: true, force: true })
  }
}

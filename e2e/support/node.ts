import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { Regtest } from '@ordbook/devnet/regtest.ts'

export type NodeKind = 'devnet' | 'bitcoind'

/** The devnet, or bitcoind if ORDBOOK_TEST_NODE is `bitcoind`. */
export const nodeKind: NodeKind = process.env.ORDBOOK_TEST_NODE === 'bitcoind' ? 'bitcoind' : 'devnet'

const BITCOIND =
  process.env.BITCOIND ??
  join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'ordbook/bitcoind/bin/bitcoind')

export const hasBitcoind = () => existsSync(BITCOIND)

export interface TestNode {
  kind: NodeKind
  url: string
  directory: string
  regtest: Regtest
  /** Restarts the node with the same data, cleanly by default. `flags` replace the additional flags (bitcoind only). */
  restart(how?: NodeJS.Signals, flags?: readonly string[]): Promise<void>
  /** Sends a signal: SIGSTOP to hang the node, SIGCONT to resume. */
  signal(signal: NodeJS.Signals): void
  stop(): Promise<void>
}

/** Starts a node in a temporary directory. `ownFlags`: additional flags for bitcoind. `chain`: devnet data to copy. */
export async function startNode(
  kind: NodeKind = nodeKind,
  ownFlags: readonly string[] = [],
  chain?: string,
): Promise<TestNode> {
  if (kind === 'bitcoind' && !hasBitcoind())
    throw new Error(`bitcoind not found at ${BITCOIND}: run \`npm run bitcoind\`, or set BITCOIND`)
  const directory = mkdtempSync(join(tmpdir(), `ordbook-${kind}-`))
  if (chain) cpSync(chain, directory, { recursive: true })
  const port = await freePort()
  const url = `http://test:test@127.0.0.1:${port}/`
  const regtest = new Regtest(url)
  let child: ChildProcess
  const start = async (flags: readonly string[] = ownFlags) => {
    child =
      kind === 'devnet'
        ? spawn(
            process.execPath,
            [join(import.meta.dirname, '../../devnet/src/main.ts'), directory, String(port)],
            {
              env: { ...process.env, ORDBOOK_DEVNET_CREDENTIALS: 'test:test', ORDBOOK_STOP_WITH_PARENT: '1' },
              stdio: ['pipe', 'ignore', 'inherit'],
            },
          )
        : spawn(
            BITCOIND,
            [
              '-regtest',
              `-datadir=${directory}`,
              `-rpcport=${port}`,
              '-rpcuser=test',
              '-rpcpassword=test',
              '-server',
              '-rest',
              '-txindex',
              '-listen=0',
              '-disablewallet',
              '-acceptnonstdtxn=0',
              '-corepolicy=1',
              '-rpcworkqueue=128',
              '-rpcthreads=8',
              // A connection may stay unused while a test computes a block.
              '-rpcservertimeout=600',
              '-printtoconsole=0',
              ...flags,
            ],
            { stdio: ['ignore', 'ignore', 'inherit'] },
          )
    for (let waited = 0; ; waited += 50) {
      try {
        await regtest.call('getblockcount')
        return
      } catch (error) {
        if (waited > 60_000 || child.exitCode !== null) throw error
        await new Promise((done) => setTimeout(done, 50))
      }
    }
  }
  const end = async (how: NodeJS.Signals) => {
    if (child.exitCode !== null) return
    const exited = new Promise((done) => child.once('exit', done))
    child.kill(how)
    await exited
  }
  await start()
  return {
    kind,
    url,
    directory,
    regtest,
    async restart(how = 'SIGTERM', flags = ownFlags) {
      await end(how)
      await start(flags)
    },
    signal: (signal) => void child.kill(signal),
    async stop() {
      child.kill('SIGCONT')
      await end('SIGTERM')
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

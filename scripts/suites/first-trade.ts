import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { exitWithUsage, readCommand } from '../command.ts'
import { firstTrade } from '../distribution/first-trade.ts'

/**
 * `node scripts/suites/first-trade.ts URL RPC_URL IMPORT...`: makes the first trade on a new market. The command IMPORT gets a folder of
 * collections as its last argument.
 */
const USAGE =
  'usage: node scripts/suites/first-trade.ts URL RPC_URL IMPORT...   (a fresh market on a regtest node)'
const [url, rpcUrl, command, ...args] = readCommand(USAGE, { allowPositionals: true }).positionals
if (!url || !rpcUrl || !command) exitWithUsage(USAGE, 'expected two URLs and a command')
const started = performance.now()
const settlementTxid = await firstTrade({
  url,
  rpcUrl,
  importFolder: async (folder) => void (await promisify(execFile)(command, [...args, folder])),
})
console.log(`traded in ${((performance.now() - started) / 1000).toFixed(1)} s: settlement ${settlementTxid}`)

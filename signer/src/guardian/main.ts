import type { Server } from 'node:https'
import { pino } from 'pino'
import type { KeyConfig } from '../config.ts'
import { openGuardianHere } from '../open.ts'
import { guardianCalls } from '../requests.ts'
import { runAlone } from '../run-alone.ts'
import { readGuardianSecret } from '../secret.ts'
import { serveCalls } from '../transport.ts'
import { ConfigError } from '../variables.ts'
import { byNode } from './by-node.ts'

/**
 * `npm run guardian`: the second key of collection offers in a process of its own, best on a host of its own with a node
 * of its own. It believes that node and nothing else.
 */

/** Starts the guardian of a configuration on its socket. */
async function startGuardian(config: KeyConfig): Promise<Server> {
  const { guardianSocket, bitcoinRpcUrl } = config
  if (!guardianSocket) throw new ConfigError('GUARDIAN_SOCKET: expected the path of the socket to listen on')
  if (!bitcoinRpcUrl)
    throw new ConfigError("BITCOIN_RPC_URL: expected the guardian's own node, with txindex=1")
  const origin = { missing: null, isFirst: false }
  const { keys: guardian } = openGuardianHere(config, byNode(bitcoinRpcUrl), origin)
  const log = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: true }))
  const served = { calls: guardianCalls, api: guardian, mark: guardian.mark }
  return serveCalls(guardianSocket, readGuardianSecret(config), served, log)
}

await runAlone(async (config) => {
  const server = await startGuardian(config)
  console.log(`ordbook guardian on ${config.guardianSocket}`)
  return server
})
